"""Sweeps and sensitivity studies from Python: labelled data sets of the points that the command line would evaluate."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from catenary.spec.given import given_path
from dynamics.spec.case import case_of
from dynamics.spec.case_input import Line, Pantograph
from optimise.entry.job_keys import ParameterStudyChanges, Speeds, sensitivity_job, sweep_job
from optimise.entry.progress_line import ProgressLine
from optimise.parameter_study.progress import points_line
from optimise.parameter_study.run import prepare_study
from optimise.parameter_study.sensitivity import SensitivityFolder, fill_sensitivity
from optimise.parameter_study.sensitivity_result import SensitivityInput
from optimise.parameter_study.sweep import SweepFolder, fill_sweep
from optimise.parameter_study.sweep_result import SweepInput
from optimise.record.driver_lock import Interrupted

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["sensitivity", "sweep"]


def sweep(
    line: Line,
    pantograph: Pantograph,
    speed_kmh: Speeds,
    *,
    axes: Mapping[str, Any] | None = None,
    folder: str | Path | None = None,
    **changes: Unpack[ParameterStudyChanges],
) -> xr.Dataset:
    """Statistics of the contact force over an array of inputs, as ``catenary sweep`` finds them.

    Parameters
    ----------
    line, pantograph : spec, name or path
    speed_kmh : float or several
        Train speed [km/h]; several make an axis.
    axes : mapping, optional
        Further axes by the dotted path of the input: values, or ``{"low": 50, "high": 70, "number": 5}``.
    folder : str or Path, optional
        Folder of the points, so that the same call resumes an interrupted study; not given: nothing is written.
    changes
        Other keys of the case, as `dynamics.simulate` takes them: a list in the place of a number makes an axis, as
        ``contact={"stiffness": [50e3, 200e3]}``. ``cluster="serial"`` evaluates in this process.

    Returns
    -------
    xarray.Dataset
        A statistic each over the axes, NaN with its reason where a point has no figures; dots of paths are
        underscores. Numerical errors are estimated by ``catenary sweep``.

    Raises
    ------
    InputError
        If a key is not known, or values cannot be or do not go together.
    Interrupted
        After Ctrl-C; with a folder every point that was evaluated is on record there.
    """
    from optimise.parameter_study.dataset import sweep_dataset

    job = sweep_job(line, pantograph, {"speed_kmh": speed_kmh, **changes}, {} if axes is None else axes)
    with _kept(folder) as path, _progress() as show:
        given = SweepInput(sweep=job.sweep, case=case_of(job))
        prepared = prepare_study(SweepFolder(path), given, job.cluster)
        return sweep_dataset(fill_sweep(prepared, progress=show, again="the same call")).load()


def sensitivity(
    line: Line,
    pantograph: Pantograph,
    speed_kmh: float,
    inputs: str | Mapping[str, Any],
    *,
    study: Mapping[str, Any] | None = None,
    folder: str | Path | None = None,
    **changes: Unpack[ParameterStudyChanges],
) -> xr.Dataset:
    """Measure the effect of each of many inputs on the contact force, as ``catenary sensitivity`` does.

    Parameters
    ----------
    line, pantograph : spec, name or path
    speed_kmh : float
        Train speed [km/h].
    inputs : str or mapping
        A set of inputs of conf, or ranges by the dotted path of the input, as
        ``{"contact.stiffness": {"low": 20e3, "high": 200e3, "spacing": "log"}}``.
    study : mapping, optional
        How: ``methods`` (sobol, morris, local, gradient), ``seed``, ``sobol={"samples": 256}``, ...
    folder : str or Path, optional
        Folder of the points, so that the same call resumes an interrupted study; not given: nothing is written.
    changes
        Other keys of the case, as `dynamics.simulate` takes them. ``cluster="serial"`` evaluates in this process.

    Returns
    -------
    xarray.Dataset
        Every point, and every index over ``output`` and ``input``: ``sobol_total``, ``local_derivative``, ...

    Raises
    ------
    InputError
        If a key is not known, or values cannot be or do not go together.
    Interrupted
        After Ctrl-C; with a folder every point that was evaluated is on record there.
    """
    from optimise.parameter_study.dataset import sensitivity_dataset

    job = sensitivity_job(line, pantograph, inputs, {"speed_kmh": speed_kmh, **changes}, {} if study is None else study)
    with _kept(folder) as path, _progress() as show:
        given = SensitivityInput(sensitivity=job.sensitivity, case=case_of(job))
        prepared = prepare_study(SensitivityFolder(path), given, job.cluster)
        return sensitivity_dataset(fill_sensitivity(prepared, progress=show, again="the same call")).load()


@contextlib.contextmanager
def _kept(folder: str | Path | None) -> Iterator[Path]:
    """Folder of a study: the one asked for, or one that goes when the study is done."""
    if folder is not None:
        yield given_path("folder", folder)
        return
    with tempfile.TemporaryDirectory(prefix="catenary_") as passing:
        try:
            yield Path(passing) / "study"
        except Interrupted:
            raise Interrupted(
                "the study was interrupted, and its points are gone: with folder=... they are kept, and "
                "the same call resumes"
            ) from None


@contextlib.contextmanager
def _progress() -> Iterator[Any]:
    """Show the state of a study on one line."""
    line = ProgressLine(sys.stderr)  # what a script prints is its own
    try:
        yield lambda progress: line.write(points_line(progress))
    finally:
        line.end()
