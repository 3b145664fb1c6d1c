"""Sensitivities from evaluated points: shares of the variance, elementary effects, local derivatives.

Points without figures have no number here. A base sample or a trajectory that misses one is left out as a whole; a
derivative that misses one is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimise.evaluation.outcome import CHECK, Outcome
from optimise.parameter_study.sensitivity_points import SamplePlan, morris_problem
from optimise.spec.sensitivity import SensitivityInputsSpec

__all__ = [
    "CHECK_MISSED", "OUTPUTS", "GradientFigures", "LocalFigures", "MorrisFigures", "Output", "SobolFigures",
    "apart", "gradient", "local", "morris", "sobol",
]  # fmt: skip

Array = NDArray[np.float64]
# share of a small step's change of sigma, beyond which derivatives do not say what it is
MISSED = 0.2
CHECK_MISSED = (
    "so they do not say how sigma changes: refine the step (dt), mesh or window of a march, or periodic.resolution"
)


@dataclass(frozen=True)
class Output:
    """A figure whose sensitivity is asked for: its name in the statistics, its own short name, meaning and unit."""

    key: str
    name: str
    meaning: str
    unit: str


OUTPUTS = (
    Output("contact_force_std_N", "sigma", "standard deviation of the contact force", "N"),
    Output("contact_force_max_N", "max", "largest contact force", "N"),
    Output("contact_force_min_N", "min", "smallest contact force", "N"),
    Output("max_uplift_at_supports_mm", "uplift", "largest uplift at the supports", "mm"),
    Output("contact_loss_percent", "loss", "loss of contact", "%"),
)


@dataclass(frozen=True)
class SobolFigures:
    """Shares of an output's variance, float arrays (output, input) [-]; NaN for an output that does not vary.

    Attributes
    ----------
    first, total : float array
        First-order indices: the share that goes when the input alone is known; total ones: the share that stays when
        all others are known.
    first_low, first_high, total_low, total_high : float array
        Bootstrap interval of each, by percentiles.
    first_sum, first_sum_low, first_sum_high : float array (output,)
        Sum of the first-order indices, one where inputs act one by one, and its interval.
    mean, mean_low, mean_high, deviation, deviation_low, deviation_high : float array (output,)
        Over the samples that count, in the unit of the output, and their intervals.
    groups, left_out : int
        Base samples asked for and on record whole, and those left out since a point of theirs has no figures.
    """

    first: Array
    first_low: Array
    first_high: Array
    total: Array
    total_low: Array
    total_high: Array
    first_sum: Array
    first_sum_low: Array
    first_sum_high: Array
    mean: Array
    mean_low: Array
    mean_high: Array
    deviation: Array
    deviation_low: Array
    deviation_high: Array
    groups: int
    left_out: int


@dataclass(frozen=True)
class MorrisFigures:
    """Elementary effects of an input over its whole range, float arrays (output, input) in the unit of the output.

    Attributes
    ----------
    mean_absolute, interval, mean, spread : float array
        Mean of the effects' size and the half width of its bootstrap interval; mean with sign; standard deviation,
        which tells an input that acts unevenly or together with others.
    groups, left_out : int
        Trajectories, and those left out since a point of theirs has no figures.
    """

    mean_absolute: Array
    interval: Array
    mean: Array
    spread: Array
    groups: int
    left_out: int


@dataclass(frozen=True)
class LocalFigures:
    """Derivatives at the case's own values, float arrays (output, input).

    Attributes
    ----------
    derivative, error : float array
        By the unit of the input, extrapolated from both steps (Richardson). The error is how far the differences of
        both steps are apart, three times the shorter one's error where the output is smooth, and over the longer step
        the fourth difference of the five points, of which a cubic has none: both steps may agree by chance.
    low, high : float array
        Output at the lower and upper end of the longer step.
    nominal : float array (output,)
    steps : float array (input,)
        Longer steps, half the distance of its ends, in the units of the inputs.
    """

    derivative: Array
    error: Array
    low: Array
    high: Array
    nominal: Array
    steps: Array


@dataclass(frozen=True)
class GradientFigures:
    """Exact derivatives at the case's own values, float arrays (output, input); NaN for outputs that have none.

    Attributes
    ----------
    derivative, error : float array
        By the unit of the input, and how far it is, at most, from those in half of the window in steps half as long
        and in two thirds of it, which cut more of the waves that reach far, or with so many of the operator's harmonics
        and samples.
    expected, computed : float
        Change of sigma by a small step of all inputs down its derivatives: as these have it, and as computed [N].
    message : str
        Why there are none; empty where there are.
    """

    derivative: Array
    error: Array
    expected: float
    computed: float
    message: str

    @property
    def missed(self) -> bool:
        """Whether the computed step changes sigma otherwise than its derivatives say, by more than `MISSED` of it."""
        return bool(abs(self.computed - self.expected) > MISSED * abs(self.expected))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which derivatives are larger than their error (output, input)."""
        return np.asarray(np.abs(self.derivative) > self.error)


def sobol(plan: SamplePlan, outputs: Array, spec: SensitivityInputsSpec) -> SobolFigures:
    """Sobol indices by the estimators of Saltelli et al. (2010), with bootstrap intervals.

    Parameters
    ----------
    outputs : float array (point, output)
        NaN where a point has no figures.
    """
    d, n_outputs = len(plan.names), outputs.shape[1]
    rows = outputs[plan.of("sobol")].reshape(-1, d + 2, n_outputs)
    whole = np.asarray(np.isfinite(rows).all(axis=(1, 2)))
    found = np.full((6, n_outputs, d), np.nan)
    sums, spread = np.full((3, n_outputs), np.nan), np.full((6, n_outputs), np.nan)
    if whole.sum() >= 2:
        spread = _spread(rows[whole][:, [0, -1]], spec)
        mean, deviation = spread[0], spread[3]
        varies = deviation > 1e-9 * np.maximum(1.0, np.abs(mean))
        samples = np.where(whole[:, None, None], rows - mean, 0.0)[:, :, varies]
        if varies.any():
            found[:, varies], sums[:, varies] = _with_intervals(samples, spec)
    first, first_low, first_high, total, total_low, total_high = found
    return SobolFigures(
        first, first_low, first_high, total, total_low, total_high,
        sums[0], sums[1], sums[2], spread[0], spread[1], spread[2], spread[3], spread[4], spread[5],
        len(rows), int(np.count_nonzero(~whole)),
    )  # fmt: skip


def _draws(n: int, spec: SensitivityInputsSpec) -> Iterator[NDArray[np.int_]]:
    """Bootstrap samples of n base samples, the same ones whatever is formed of them."""
    rng = np.random.default_rng(spec.seed)
    return (rng.integers(0, n, n) for _ in range(spec.sobol.resamples))


def _ends(drawn: Array, spec: SensitivityInputsSpec) -> Array:
    """Lower and upper end of the interval of what bootstrap samples gave, by percentiles."""
    tail = 0.5 * (1.0 - spec.sobol.confidence)
    return np.quantile(drawn, (tail, 1.0 - tail), axis=0)


def _spread(ends: Array, spec: SensitivityInputsSpec) -> Array:
    """Mean and standard deviation with their intervals (6, output), from outputs (base sample, 2, output)."""
    drawn = np.array([(e.mean(axis=(0, 1)), e.std(axis=(0, 1))) for e in (ends[k] for k in _draws(len(ends), spec))])
    (low, high), mean, deviation = _ends(drawn, spec), ends.mean(axis=(0, 1)), ends.std(axis=(0, 1))
    return np.array([mean, low[0], high[0], deviation, low[1], high[1]])


def _with_intervals(samples: Array, spec: SensitivityInputsSpec) -> tuple[Array, Array]:
    """First and total indices with their intervals (6, output, input), and the first ones' sum (3, output)."""
    first, total = _indices(samples)
    drawn = np.array([_indices(samples[k]) for k in _draws(len(samples), spec)])
    low, high = _ends(drawn, spec)
    sums = np.array([first.sum(axis=-1), *_ends(drawn[:, 0].sum(axis=-1), spec)])
    return np.array([first, low[0], high[0], total, low[1], high[1]]), sums


def _indices(samples: Array) -> tuple[Array, Array]:
    """Indices from outputs (base sample, row, output) whose mean is zero.

    A base sample that is left out has zeros: they add nothing to the sums whose ratios the estimators are, while SciPy
    takes a power of two of samples only.
    """
    f_A, f_B = samples[:, 0].T, samples[:, -1].T
    f_AB = np.moveaxis(samples[:, 1:-1], 0, -1)
    from scipy.stats import sobol_indices  # slow to load, and not needed to read a record

    found = sobol_indices(func={"f_A": f_A, "f_B": f_B, "f_AB": f_AB}, n=len(samples))
    shape = f_A.shape[0], f_AB.shape[0]
    return np.reshape(found.first_order, shape), np.reshape(found.total_order, shape)


def morris(plan: SamplePlan, outputs: Array, spec: SensitivityInputsSpec) -> MorrisFigures:
    """Elementary effects (Morris 1991; size and interval as Campolongo et al. 2007), over whole ranges."""
    from SALib.analyze import morris as analysis

    d, block = len(plan.names), plan.of("morris")
    rows = outputs[block].reshape(-1, d + 1, outputs.shape[1])
    places = plan.shares[block].reshape(-1, d + 1, d)
    whole = np.isfinite(rows).all(axis=(1, 2))
    found = np.full((4, outputs.shape[1], d), np.nan)
    if whole.sum() >= 2:
        x = places[whole].reshape(-1, d)
        for k in range(outputs.shape[1]):
            effects = analysis.analyze(
                morris_problem(d), x, rows[whole][:, :, k].ravel(), num_levels=spec.morris.levels,
                conf_level=spec.sobol.confidence, seed=spec.seed,
            )  # fmt: skip
            found[:, k] = [np.asarray(effects[n], dtype=float) for n in ("mu_star", "mu_star_conf", "mu", "sigma")]
    size, interval, mean, spread = found
    return MorrisFigures(size, interval, mean, spread, len(rows), int(np.count_nonzero(~whole)))


def local(plan: SamplePlan, outputs: Array) -> LocalFigures:
    """Central differences at a step and at half of it, extrapolated: the error of each falls with its square.

    The fourth difference is even in the step and the two differences are odd: where an output is rough, each is of its
    own. In the share of a range, logarithmic or not, the five points are evenly apart.
    """
    block = plan.of("local")
    nominal, rows = outputs[block][0], outputs[block][1:].reshape(-1, 4, outputs.shape[1])
    d = len(plan.names)
    values = plan.values[block][1:].reshape(d, 4, d)[np.arange(d), :, np.arange(d)]
    # by the distance between the ends as they are: a logarithmic range puts them unevenly about the middle
    longer, shorter = values[:, 0] - values[:, 3], values[:, 1] - values[:, 2]
    coarse = (rows[:, 0] - rows[:, 3]) / longer[:, None]
    fine = (rows[:, 1] - rows[:, 2]) / shorter[:, None]
    derivative = (4.0 * fine - coarse) / 3.0
    fourth = rows[:, 0] + rows[:, 3] - 4.0 * (rows[:, 1] + rows[:, 2]) + 6.0 * nominal
    error = np.abs(coarse - fine) + np.abs(fourth) / (0.5 * longer[:, None])
    return LocalFigures(derivative.T, error.T, rows[:, 3].T, rows[:, 0].T, nominal, 0.5 * longer)


def apart(differences: LocalFigures, exact: GradientFigures) -> NDArray[np.bool_]:
    """Which derivatives by differences and exact ones differ by more than their errors together (output, input)."""
    distance = np.abs(differences.derivative - exact.derivative)
    return np.asarray(distance > differences.error + exact.error)


def gradient(plan: SamplePlan, points: Sequence[Outcome | None]) -> GradientFigures:
    """Exact derivatives from the method's points, those in shorter windows first, as far as they have them."""
    nothing, slopes = (np.nan,) * len(plan.names), [{} if point is None else point.slopes for point in points]
    messages = dict.fromkeys(point.message for point in points if point is not None and not point.slopes)
    *shorter, whole = (np.array([each.get(o.key, nothing) for o in OUTPUTS]) for each in slopes)
    error = np.max([np.abs(whole - short) for short in shorter], axis=0)
    expected, computed = slopes[-1].get(CHECK, (np.nan, np.nan))
    return GradientFigures(whole, error, expected, computed, "; ".join(filter(None, messages)))
