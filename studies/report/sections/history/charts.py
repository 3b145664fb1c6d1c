"""Charts of a run over time: forces, their distribution and spectrum, masses, droppers, supports, chosen nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart, Curve, Level, Mark, Role, Stations
from dynamics.results.figures import force_chart
from studies.report.content.history_content import SHOWN_SPANS, Histories, PantographHistory
from studies.report.content.pieces import Array

__all__ = ["force_history_chart", "histogram_chart", "pantograph_charts", "point_charts", "rms_chart", "spectrum_chart"]

MM = 1.0e3
ROLES: tuple[Role, ...] = ("best", "nominal", "other", "fourth", "fifth", "sixth")
# a spectrum is shown up to this frequency, and down to this much below its highest value
HIGHEST_HZ, DEEPEST_DB = 50.0, 70.0
SHOWN = f"Over the spans that count, the last {SHOWN_SPANS} of them where there are more."


def _suffix(histories: Histories, p: int) -> str:
    """What tells the charts of several pantographs apart in file names."""
    return f"_{p + 1}" if len(histories.pantographs) > 1 else ""


def _title(text: str, pantograph: PantographHistory) -> str:
    return f"{text}, {pantograph.name}" if pantograph.name else text


def _between_supports(histories: Histories) -> tuple[float, float]:
    """Limits of axes along the track: whole spans."""
    return float(histories.supports[0]), float(histories.supports[-1])


def _finite(label: str, x: Array, y: Array, unit: str, role: Role) -> tuple[Curve, ...]:
    """Curve of the finite values over the station, thinned; none where there are none."""
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    return (Curve(label, x[known], y[known], "m", unit, role),) if known.size > 1 else ()


def force_history_chart(histories: Histories, p: int) -> Chart | None:
    """Contact force of one pantograph, raw and filtered."""
    one = histories.pantographs[p]
    curves = (*_finite("raw", one.x, one.raw, "N", "muted"), *_finite("filtered", one.x, one.filtered, "N", "best"))
    if not curves:
        return None
    lost = np.array([x for x, _, _ in histories.losses[p].each]) if p < len(histories.losses) else np.zeros(0)
    marks = (Stations("contact is lost", lost, "nominal"),) if lost.size else ()
    stations = (Stations("supports", histories.supports, full_height=True), *marks)
    name, title = f"force_history{_suffix(histories, p)}", _title("Contact force, raw and filtered", one)
    return replace(force_chart(curves, stations, _between_supports(histories)), name=name, title=title, caption=SHOWN)


def _of_each(
    histories: Histories, name: str, points: tuple[Array, Array], units: tuple[str, str], mark: Mark = "line"
) -> tuple[Curve, ...]:
    """A curve of every pantograph from x (point,) and y (point, pantograph); ``name`` is that of one alone."""
    x, y = points
    return tuple(
        Curve(one.name or name, x, y[:, p], *units, ROLES[p % len(ROLES)], mark)
        for p, one in enumerate(histories.pantographs)
    )


def _from_zero(curves: tuple[Curve, ...]) -> tuple[float, float]:
    """Limits of the y axis of what is never negative."""
    return 0.0, 1.06 * max(float(c.y.max()) for c in curves)


def histogram_chart(histories: Histories) -> Chart:
    """Share of time that each range of the filtered force takes."""
    width = float(histories.edges[1] - histories.edges[0])
    share = 100.0 * width * np.pad(histories.histogram, ((0, 1), (0, 0)))
    curves = _of_each(histories, "filtered force", (histories.edges, share), ("N", "%"), "step")
    return Chart(
        name="force_histogram",
        title="Histogram of the contact force",
        caption=f"Share of the time of all spans that count, filtered force, in bins of {width:g} N.",
        x_label="Contact force, filtered",
        y_label="Share of time",
        curves=curves,
        y_range=_from_zero(curves),
        height=0.34,
    )


def spectrum_chart(histories: Histories) -> Chart | None:
    """Power spectral density of the raw force; the amplitudes of the harmonics of a steady state."""
    shown = (histories.frequency > 0.0) & (histories.frequency <= HIGHEST_HZ)
    frequency, density = histories.frequency[shown], histories.density[shown]
    if frequency.size < 2:
        return None
    if histories.lines:
        return _line_spectrum(histories, frequency, np.sqrt(2.0 * density * histories.resolution))
    level = 10.0 * np.log10(np.maximum(density, 1e-30))
    level = np.maximum(level, level.max() - DEEPEST_DB)
    return Chart(
        name="force_spectrum",
        title="Power spectral density of the contact force",
        caption=f"Raw force over all spans that count. {_sentence(histories.method)}",
        x_label="Frequency",
        y_label="Spectral density",
        curves=_of_each(histories, "raw force", (frequency, level), ("Hz", "dB re 1 N²/Hz")),
        x_range=(0.0, HIGHEST_HZ),
        height=0.4,
    )


def _line_spectrum(histories: Histories, frequency: Array, amplitude: Array) -> Chart:
    """Harmonics of a steady state as stems."""
    y = amplitude[:, 0]
    stems = np.column_stack([np.zeros_like(y), y]).ravel()
    notes = tuple(f"harmonic {k + 1}: {number(float(a), 2)} N" for k, a in enumerate(y))
    return Chart(
        name="force_spectrum",
        title="Harmonics of the contact force",
        caption="Amplitudes of the raw force. A steady state has a line at each multiple of the span-passing "
        f"frequency (of all spans where they differ), {number(histories.resolution, 3)} Hz, and nothing between; half "
        "the square of an amplitude over that distance is the spectral density in result.nc.",
        x_label="Frequency",
        y_label="Amplitude",
        curves=(
            Curve("", np.repeat(frequency, 2), stems, "Hz", "N", "best", "segments"),
            Curve("raw force", frequency, y, "Hz", "N", "best", "dots", notes),
        ),
        x_range=(0.0, HIGHEST_HZ),
        y_range=(0.0, 1.08 * float(y.max())),
        pick="point",
        height=0.36,
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def rms_chart(histories: Histories, p: int) -> Chart | None:
    """Running RMS of one pantograph's force."""
    one = histories.pantographs[p]
    curves: tuple[Curve, ...] = ()
    for k, (window, role) in enumerate(zip(histories.rms_window, ("best", "nominal"), strict=False)):
        curves += _finite(f"window of {number(float(window), 1)} m", one.rms_x, one.rms[:, k], "N", role)
    if not curves:
        return None
    return Chart(
        name=f"force_rms{_suffix(histories, p)}",
        title=_title("Running RMS of the contact force", one),
        caption="Filtered force less its mean over the spans that count, in a centred window of a quarter of a span "
        "and of a whole one (of all spans where they differ), over the whole record. In a steady state the latter is "
        "the standard deviation.",
        x_label="Station of the pantograph",
        y_label="RMS",
        curves=curves,
        y_range=_from_zero(curves),
        height=0.34,
    )


def pantograph_charts(histories: Histories) -> tuple[Chart, ...]:
    """Heights, velocities and accelerations of every pantograph's masses, and the contact point."""
    charts: list[Chart] = []
    for p, one in enumerate(histories.pantographs):
        names = ["head", *(f"mass {k + 1}" for k in range(1, one.mass_height.shape[1]))]
        for key, values, unit in (
            ("height", MM * one.mass_height, "mm"),
            ("velocity", one.mass_velocity, "m/s"),
            ("acceleration", one.mass_acceleration, "m/s²"),
        ):
            above, curves, quantity = "", (), key.capitalize()
            if key == "height" and values.shape[1]:
                above = "Zero is the contact wire at the supports at rest. "
                curves = _finite("contact point on the wire", one.x, MM * one.height, "mm", "muted")
            for k, mass in enumerate(values.T):
                curves += _finite(names[k], one.x, mass, unit, ROLES[k % len(ROLES)])
            if not curves:
                continue
            charts.append(Chart(
                name=f"mass_{key}{_suffix(histories, p)}",
                title=_title(f"{quantity} of the masses", one),
                caption=f"{above}Upwards positive. {SHOWN}",
                x_label="Station of the pantograph",
                y_label=quantity,
                curves=curves,
                stations=(Stations("supports", histories.supports, full_height=True),),
                x_range=_between_supports(histories),
                height=0.34,
            ))  # fmt: skip
    return tuple(charts)


def point_charts(histories: Histories) -> tuple[Chart, ...]:
    """Displacement, velocity and acceleration of the chosen nodes, six to a chart."""
    time, points = histories.point_time, histories.points
    if time is None or not points:
        return ()
    groups = [points[k : k + len(ROLES)] for k in range(0, len(points), len(ROLES))]
    return tuple(
        Chart(
            name=f"point_{key}" + (f"_{g + 1}" if len(groups) > 1 else ""),
            title=f"{key.capitalize()} of chosen nodes{filtered}",
            caption="From rest, upwards, over the whole run. result.nc has them unfiltered, along and across too.",
            x_label="Time",
            y_label=key.capitalize(),
            curves=tuple(
                Curve(point.name, time, factor * getattr(point, key), "s", unit, role)
                for point, role in zip(group, ROLES, strict=False)
            ),
            levels=() if filtered else (Level("at rest", 0.0),),
            height=0.34,
        )
        for g, group in enumerate(groups)
        for key, filtered, unit, factor in (
            ("displacement", "", "mm", MM),
            ("velocity", ", filtered", "m/s", 1.0),
            ("acceleration", ", filtered", "m/s²", 1.0),
        )
    )
