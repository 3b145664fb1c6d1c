"""Nominal line and best design off the design point, both under the same conditions.

Other speeds, another contact stiffness, more or less damping, errors of heights and of dropper lengths, the model's
other dimension: for each the steady state on a long window, with its numerical error, on finer numerics where that is
large. Where no state repeats it is the long transient. What cannot be run says why and has no number. A line by
stations is run from end to end, without errors of installation, which repeat from span to span.

Lines with errors of installation differ from their own line by millimetres at the droppers, and waves leave a window as
they do there: where that line has shown that a short window moves sigma by little, they are run on one, with that
share of sigma as its part of their error. Step and mesh are refined for each.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from pydantic import ValidationError

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.layout.laid_out import laid_out
from catenary.spec.line import CatenarySpec
from dynamics.accuracy.assured import on_long_window
from dynamics.spec.case import CaseSpec
from dynamics.spec.mean_force import reference_mean_force
from optimise.afterwards.finished_runs import FinishedRuns, RunKind
from optimise.evaluation.case_inputs import scaled_damping, why_impossible
from optimise.evaluation.evaluate import evaluate
from optimise.evaluation.installation import InstallationErrors, installed, standard_errors
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import Outcome
from optimise.executors import ONE_AT_A_TIME, open_executor
from optimise.spec.campaign import ClusterSpec, OffDesignSpec

__all__ = ["OffDesignCondition", "OffDesignRow", "conditions", "run_conditions"]

Kind = Literal["speed", "contact", "damping", "height_error", "length_error", "dimension"]


@dataclass(frozen=True)
class OffDesignCondition:
    """One changed condition, the same for both designs.

    Attributes
    ----------
    kind : str
        What is changed.
    value : float
        Speed [km/h], contact stiffness [N/m], factor of the line's damping [-] or standard deviation of the errors
        [mm]; 0 for the dimension.
    sample : int
        Number among lines with the same standard deviation of errors.
    case : dict
        Changed keys of the case.
    damping : float
        Factor of the line's Rayleigh damping, alpha and beta alike, and of components that have their own [-].
    heights, lengths : tuple of float
        Errors of the contact-wire heights at the droppers and of the lengths to which these are cut [m].
    dimension : str
        Dimension of the model; empty for the line's own.
    """

    kind: Kind
    value: float = 0.0
    sample: int = 0
    case: dict[str, Any] = field(default_factory=dict)
    damping: float = 1.0
    heights: tuple[float, ...] = ()
    lengths: tuple[float, ...] = ()
    dimension: str = ""

    @property
    def installed(self) -> bool:
        """Whether the line has errors of installation."""
        return bool(self.heights or self.lengths)


@dataclass(frozen=True)
class OffDesignRow:
    """One condition with the outcome of each design under it."""

    condition: OffDesignCondition
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True)
class Variation(Job):
    """A line under the condition with that number; of a line with errors, what a short window moves sigma by [-]."""

    condition: OffDesignCondition = OffDesignCondition("speed")
    short_window_share: float | None = None


def conditions(case: CaseSpec, wanted: OffDesignSpec, droppers: int) -> list[OffDesignCondition]:
    """List the conditions around a case; errors are the same for every line, and of the same shapes in every size."""
    found = []
    share = 0.01 * wanted.speed_band_percent
    for factor in np.linspace(1.0 - share, 1.0 + share, wanted.speeds) if wanted.speeds > 1 else [1.0]:
        speed = round(case.speed_kmh * float(factor), 3)
        found.append(OffDesignCondition("speed", speed, case={"speed_kmh": speed, **_mean_force(case, speed)}))
    # the search's own stiffness is that of its own speed, run already
    others = [k for k in wanted.contact_stiffness if k != case.contact.stiffness]
    found += [OffDesignCondition("contact", k, case={"contact": {"stiffness": k}}) for k in others]
    found += [OffDesignCondition("damping", factor, damping=factor) for factor in wanted.damping_factors]
    found += [] if case.catenary.ends else _installed_lines(wanted, droppers)
    line = case.catenary
    # what is in space alone has no counterpart in the plane
    if wanted.other_dimension and line.track is None and line.wind is None and case.pantograph.head is None:
        other = "planar" if case.catenary.dimension == "spatial" else "spatial"
        found.append(OffDesignCondition("dimension", dimension=other))
    return found


def _installed_lines(wanted: OffDesignSpec, droppers: int) -> list[OffDesignCondition]:
    """List the conditions of lines that are fitted with errors."""
    found = []
    units = [standard_errors(wanted.seed, k, droppers) for k in range(wanted.samples)]
    for deviation in wanted.height_errors_mm:
        for k, (heights, _) in enumerate(units):
            moved = tuple((1e-3 * deviation * heights).tolist())
            found.append(OffDesignCondition("height_error", deviation, sample=k + 1, heights=moved))
    for deviation in wanted.length_errors_mm:
        for k, (_, lengths) in enumerate(units):
            cut = tuple((1e-3 * deviation * lengths).tolist())
            found.append(OffDesignCondition("length_error", deviation, sample=k + 1, lengths=cut))
    return found


def _mean_force(case: CaseSpec, speed: float) -> dict[str, float]:
    """Mean force of another speed, where the case holds the reference force of its own."""
    held = case.mean_force_N
    if held is None or abs(held - reference_mean_force(case.speed_kmh, case.supply)) > 1e-3:
        return {}
    return {"mean_force_N": round(reference_mean_force(speed, case.supply), 6)}


def run_conditions(
    case: CaseSpec,
    designs: tuple[Job, ...],
    wanted: OffDesignSpec,
    cluster: ClusterSpec,
    runs: FinishedRuns,
    *,
    assured: bool = True,
) -> list[OffDesignRow]:
    """Run every design under every condition, but for the runs that are on record.

    Parameters
    ----------
    case : CaseSpec
        Conditions of the search; its line does not enter.
    designs : tuple of Job
        Lines, and gains and distances of the pantographs where these differ from the case's.
    runs : FinishedRuns
        Record of the runs that have ended, and their progress.
    assured : bool
        Whether every standard deviation comes with its error; without, each run is one steady state on a long window.
    """
    lines = [design.catenary or case.catenary for design in designs]
    listed = conditions(case, wanted, max(len(laid_out(line).droppers.positions) for line in lines))
    jobs = [
        Variation(number, design.catenary, condition, train=design.train)
        for number, (condition, design) in enumerate((c, design) for c in listed for design in designs)
    ]
    count = len(designs)
    own = next(k for k, c in enumerate(listed) if c.kind == "speed" and c.value == round(case.speed_kmh, 3))
    first, others = jobs[own * count : (own + 1) * count], jobs[: own * count] + jobs[(own + 1) * count :]
    run = case if case.on_open_line else case.model_copy(update={"solver": "periodic"})
    run = run if assured or run.on_open_line else on_long_window(run)
    cluster = cluster.for_assured if assured else cluster
    setting = Setting(run, time_limit_s=cluster.time_limit_s, assured=assured and not run.on_open_line)
    kind = RunKind("off-design table", Outcome, (run, assured))
    with open_executor(cluster, evaluate_variation, setting, per_worker=ONE_AT_A_TIME) as executor:
        answers: dict[int, Outcome] = runs.run_all(executor, first, kind, of=len(jobs))
        # the longest come first, that both workers end together; one fitted with errors needs what its line's own shows
        shares = [answers[job.number].short_window_share for job in first]
        rest = [
            replace(job, short_window_share=shares[job.number % count]) if job.condition.installed else job
            for job in sorted(others, key=lambda job: job.condition.installed)
        ]
        answers |= runs.run_all(executor, rest, kind, len(first), len(jobs))
    return [
        OffDesignRow(condition, tuple(answers[k * count + j] for j in range(count)))
        for k, condition in enumerate(listed)
    ]


def evaluate_variation(job: Variation, setting: Setting) -> Outcome:
    """Evaluate a line under a condition; pure, raises no `Exception`."""
    condition, line = job.condition, (job.catenary or setting.case.catenary).model_dump()
    if condition.dimension:
        line["dimension"] = condition.dimension
    if condition.damping != 1.0:
        line["damping"] = scaled_damping(line["damping"], condition.damping)
    try:
        if condition.installed:
            ideal = periodic_equilibrium(CatenarySpec.model_validate(line))
            own = slice(len(ideal.spec.droppers.positions))  # a line may have fewer droppers than another
            errors = InstallationErrors(condition.heights[own], condition.lengths[own])
            line = installed(ideal, errors).spec.model_dump()
        case = CaseSpec.model_validate({**setting.case.model_dump(), **condition.case, "catenary": line})
    except ValidationError as error:
        return job.failed(why_impossible(error))
    return evaluate(
        Job(job.number, train=job.train), replace(setting, case=case, short_window_share=job.short_window_share)
    )
