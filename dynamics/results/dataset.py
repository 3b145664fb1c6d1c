"""A solution as a labelled file, and back: histories with CF units, and what they were made from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from pydantic import BaseModel

from catenary.form_finding.equilibrium import EquilibriumStatus
from catenary.storage.dataset import ELASTICITY_FORCE, origin, static_dataset, variable, write_dataset
from catenary.storage.stored_result import StoredResult, read_result
from dynamics.results.force_history import force_history
from dynamics.results.histories import LINE_HISTORIES, SINGLE, TRAIN_HISTORIES, WIRES
from dynamics.results.in_space import arms_over_time, heads_in_space, shape_in_space
from dynamics.results.signals import ForceSignals, force_signals

if TYPE_CHECKING:
    from dynamics.results.histories import Frames, Histories
    from dynamics.results.solution import Solution

__all__ = [
    "HISTORIES",
    "StoredResult",
    "histories_of",
    "read_result",
    "result_dataset",
    "solution_dataset",
    "write_histories",
    "write_result",
]

# what peaks of dropper forces miss that no companion has shown (docs/notebook/steady-state.md, Peaks of dropper forces)
FINE, PEAKS_LOW = 2.0, ("30 % low (5 % with periodic.resolution=2)", "5 % low")
HISTORIES = {
    "position": ("m", "position of the pantograph along the track"),
    "contact_force": ("N", "contact force, compressive positive, not filtered"),
    "contact_force_filtered": ("N", "contact force, compressive positive, low-pass filtered with zero phase"),
    "contact_height": ("m", "height of the contact point, relative to the contact wire at the support"),
}


def histories_of(solution: Solution) -> dict[str, NDArray[np.float64]]:
    """Histories of the leading pantograph (time,), by their names in `HISTORIES`."""
    return {
        "position": solution.position,
        "contact_force": solution.contact_force,
        "contact_force_filtered": solution.contact_force_filtered,
        "contact_height": solution.contact_height,
    }


def solution_dataset(solution: Solution, elasticity_force_N: Sequence[float] = (ELASTICITY_FORCE,)) -> xr.Dataset:
    """Histories of a solution over time, with the static state of its line where there is one."""
    found = xr.Dataset()
    if solution.equilibrium is not None and solution.equilibrium.status is EquilibriumStatus.OK:
        found = static_dataset(solution.equilibrium, elasticity_force_N)
    if (time := np.asarray(solution.time)).size:
        found = found.assign_coords(time=variable(("time",), time, "s", "time"))
        for name, values in histories_of(solution).items():
            found[name] = variable(("time",), values, *HISTORIES[name])
        found = found.set_coords("position")
        found["support_uplift"] = _uplift(solution)
        if solution.support_uplift_time.size:
            text = "time since the pantograph passed the support, negative before"
            found = found.assign_coords(uplift_time=variable(("uplift_time",), solution.support_uplift_time, "s", text))
        found = found.assign(_dropper_forces(solution))
        if (added := solution.pantographs[0].control_force).size:
            text = "force that the pantograph's controller adds to the applied one, upwards"
            found["control_force"] = variable(("time",), added, "N", text)
        if solution.dropper_slack_time.size:
            text = "time that each dropper is slack while the train passes, mean of the evaluated spans"
            found["dropper_slack_time"] = variable(("dropper",), solution.dropper_slack_time, "s", text)
        found = found.assign(_signals(solution))
    kept = solution.histories
    found = found.assign(_train_histories(solution) if kept is None else _line_histories(kept))
    bodies = arms_over_time(solution)
    if solution.statistics is not None and solution.case.catenary.dimension == "spatial":
        bodies += (*shape_in_space(solution.whole_line or solution.equilibrium), *heads_in_space(solution))
    found = found.assign({one.name: variable(one.dims, one.values, one.units, one.text) for one in bodies})
    found.attrs["status"] = solution.status.value
    found.attrs["message"] = solution.message
    found.attrs["applied_force_N"] = float(solution.applied_force_N)
    return found


def _dropper_forces(solution: Solution) -> dict[str, xr.Variable]:
    """Forces of the droppers over a period, and the largest of each, where they are known."""
    found, peaks = dict[str, xr.Variable](), solution.dropper_peaks
    highest = f"; harmonics below {peaks.below_hz:.0f} Hz" if np.isfinite(peaks.below_hz) else ""
    most = PEAKS_LOW[solution.case.periodic.resolution >= FINE]
    low = f"{highest}, so that peaks may be {most}" if highest and not peaks.error.size else highest
    if solution.dropper_force.size:
        text = f"dropper force along the period, static share included, tension positive{low}"
        found["dropper_force"] = variable(("time", "dropper"), solution.dropper_force, "N", text)
    if peaks.force.size:
        text = f"largest force of each dropper while the train passes{low}"
        found["dropper_force_max"] = variable(("dropper",), peaks.force, "N", text)
    if peaks.error.size:
        text = "estimated numerical error of dropper_force_max, by a companion run with other harmonics"
        found["dropper_force_max_error"] = variable(("dropper",), peaks.error, "N", text)
    return found


def _uplift(solution: Solution) -> xr.Variable:
    """Uplift at the supports: the history of one support, or the largest while each span was passed."""
    if not solution.repeats:
        text = "largest uplift at any support while the span (all spans before the line repeats) was passed, from rest"
        return variable(("span",), solution.support_uplift, "m", text)
    text = "uplift of one support from far ahead of the pantograph to far behind it, one value a time step"
    return variable(("uplift_time",), solution.support_uplift, "m", text)


def _signals(solution: Solution) -> dict[str, xr.Variable]:
    """Histogram, spectrum, running RMS and losses; nothing where there are no figures."""
    history = force_history(solution)
    if history is None:
        return {}
    signals = force_signals(history)
    spectrum, rms = signals.spectrum, signals.running_rms
    density = variable(
        ("frequency", "pantograph"),
        spectrum.density,
        "N2 Hz-1",
        "one-sided power spectral density of the raw contact force over the evaluated spans",
    )
    density.attrs |= {"method": spectrum.method, "resolution_Hz": spectrum.resolution, "lines": int(spectrum.lines)}
    text = "edges of the histogram's bins"
    return {
        "histogram_edge": variable(("histogram_edge",), signals.histogram.edges, "N", text),
        "contact_force_histogram": variable(
            ("bin", "pantograph"),
            signals.histogram.density,
            "N-1",
            "share of time over bin width of the filtered contact force over the evaluated spans",
        ),
        "frequency": variable(("frequency",), spectrum.frequency, "Hz", "frequency"),
        "contact_force_spectral_density": density,
        "rms_window": variable(("rms_window",), rms.window_m, "m", "length of the centred window along the track"),
        "contact_force_running_rms": variable(
            ("time", "pantograph", "rms_window"),
            rms.value,
            "N",
            "root mean square of the filtered contact force less its mean over the evaluated spans, centred window",
        ),
        **_losses(signals),
    }


def _losses(signals: ForceSignals) -> dict[str, xr.Variable]:
    """Losses of all pantographs one after another."""
    rows = [(p, loss) for p, one in enumerate(signals.losses) for loss in one.losses]
    columns = (
        ("loss_start_time", "start_time_s", "s", "time at which contact is lost"),
        ("loss_start_position", "start_position_m", "m", "station of the pantograph where contact is lost"),
        ("loss_duration", "duration_s", "s", "time until contact is made again"),
        ("loss_length", "length_m", "m", "distance without contact"),
    )
    number = np.array([p for p, _ in rows], dtype=np.int64)
    return {
        "loss_pantograph": variable(("loss",), number, "1", "pantograph that loses contact, 0 the leading one"),
        **{
            name: variable(("loss",), np.array([getattr(loss, key) for _, loss in rows], dtype=float), units, text)
            for name, key, units, text in columns
        },
    }


def _train_histories(solution: Solution) -> dict[str, xr.Variable]:
    """Station, forces and contact height of every pantograph of a train, as an open line has them.

    Where the state repeats, each pantograph's are in the order of its stations, and ``pantograph_time`` says when.
    """
    each, case = solution.pantographs, solution.case
    if len(each) < 2:
        return {}
    found = {
        name: variable(("time", *dims), np.stack([getattr(one, attribute) for one in each], axis=1), units, text)
        for name, attribute, dims, units, text in LINE_HISTORIES[:TRAIN_HISTORIES]
    }
    if solution.repeats:
        took = case.line.period / case.speed
        reached = np.stack([one.position + d for one, d in zip(each, case.distances, strict=True)], axis=1) / case.speed
        moment = reached - took * (np.ceil(reached / took - 1.0e-9) - 1.0)
        text = "time within a period at which a pantograph is at its station, to which its forces and heights belong"
        found["pantograph_time"] = variable(("time", "pantograph"), moment, "s", text)
    return found


def _line_histories(kept: Histories) -> dict[str, xr.Variable]:
    """Everything an open line kept."""
    stations = (
        ("line_dropper_position", ("line_dropper",), kept.dropper_x, "m", "station of every dropper of the line"),
        ("support_position", ("support",), kept.support_x, "m", "station of every support with an uplift"),
        ("point_position", ("point",), kept.point_x, "m", "station of every chosen node at rest"),
        ("point_wire", ("point",), kept.point_wire, "1", WIRES),
        ("axis", ("axis",), np.arange(3), "1", "direction: 0 along the track, 1 across, 2 up"),
    )
    found = {name: variable(dims, values, units, text) for name, dims, values, units, text in stations}
    for name, attribute, dims, units, text in LINE_HISTORIES:
        values = getattr(kept, attribute)
        if values.size and (attribute != "wire_force" or values.shape[-1] > 1):
            found[name] = variable(("time", *dims), _stored(name, values), units, text)
    return found if kept.frames is None else {**found, **_frames(kept.frames)}


def _frames(frames: Frames) -> dict[str, xr.Variable]:
    """Shapes of the line at some moments."""
    displacement = frames.position - frames.rest
    columns = (
        ("frame_time", ("frame",), frames.time, "s", "time of the shape"),
        ("frame_displacement", ("frame", "node", "axis"), displacement, "m", "displacement of wire nodes from rest"),
        ("frame_mass_height", ("frame", "pantograph", "mass"), frames.mass_height, "m", "height of pantograph masses"),
        ("frame_pantograph_position", ("frame", "pantograph"), frames.pantograph_x, "m", "station of every pantograph"),
        ("node_wire", ("node",), frames.node_wire, "1", WIRES),
        ("node_rest", ("node", "axis"), frames.rest, "m", "coordinates of wire nodes at rest"),
        ("line_dropper_node", ("line_dropper", "end"), frames.dropper_ends, "1", "wire node at every dropper's ends"),
    )
    return {name: variable(dims, _stored(name, values), units, text) for name, dims, values, units, text in columns}


def _stored(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Values in the precision that they are kept in."""
    return values.astype(np.float32) if name in SINGLE else values


def write_result(
    path: Path,
    solution: Solution,
    config: BaseModel,
    elasticity_force_N: Sequence[float] = (ELASTICITY_FORCE,),
) -> None:
    """Write a solution with the resolved input that it came from.

    Parameters
    ----------
    path : Path
        File to write, whole or not at all.
    solution : Solution
        What a solver gave.
    config : BaseModel
        Resolved input of the run.
    elasticity_force_N : sequence of float
        Loads of the static elasticity [N].
    """
    write_dataset(path, result_dataset(solution, config, elasticity_force_N))


def result_dataset(
    solution: Solution, config: BaseModel, elasticity_force_N: Sequence[float] = (ELASTICITY_FORCE,)
) -> xr.Dataset:
    """Labelled histories of a solution with the resolved input that they came from."""
    found = solution_dataset(solution, elasticity_force_N)
    case = solution.case
    found.attrs.update(origin(config))
    found.attrs["title"] = case.in_words
    found.attrs["solver"] = case.solver
    found.attrs["dt_s"] = case.time_step
    found.attrs["contact_stiffness_N_per_m"] = case.contact.stiffness
    found.attrs["filter"] = f"{case.signal.kind} {case.signal.cutoff_hz:g} Hz, zero phase"
    return found


def write_histories(
    path: Path,
    histories: dict[str, tuple[NDArray[Any], str, str]],
    config: BaseModel,
    attributes: dict[str, str | float],
) -> None:
    """Write named histories over time, each an array (time,) with its unit and meaning, whole or not at all.

    Parameters
    ----------
    path : Path
        File to write.
    histories : dict of str to (array, str, str)
        Values, CF unit and long name; one of them is called ``time``.
    config : BaseModel
        Resolved input of the run.
    attributes : dict
        What else the file says about itself.
    """
    variables = {name: variable(("time",), *described) for name, described in histories.items()}
    write_dataset(path, xr.Dataset(variables, attrs={**origin(config), **attributes}))
