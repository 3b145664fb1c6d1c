"""A moving picture as a still for the page and as a file: MP4 by ffmpeg where there is one, else GIF."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
from matplotlib.animation import AbstractMovieWriter, FFMpegWriter, FuncAnimation, PillowWriter
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from numpy.typing import NDArray

from catenary.storage.files import whole_file
from dynamics.charts.files import figure_svg
from dynamics.charts.moving.animation import Animation, Moment, parts_of, polylines
from dynamics.charts.style import SOFT, house_style

__all__ = ["NO_FFMPEG", "still", "write_film"]

NO_FFMPEG = "no ffmpeg on this machine, so the moving picture is a GIF; on Debian or Ubuntu run: apt-get install ffmpeg"
# dots per inch that make the film 1140 pixels wide, and a GIF 760
FILM_DPI, GIF_DPI = 108.0, 72.0
GIF_FRAMES = 240
FOOT = 26.0
# a whole number of pixels stays one when inches are multiplied by dots per inch
ROUND_UP = 1.0 + 1e-10
# colour and width of contact, messenger, stitch and auxiliary wire
WIRES = (("#0072b2", 2.0), ("#1b1b1b", 1.4), ("#009e73", 1.2), ("#cc79a7", 1.4))
LINES = {
    "supports": {"color": "#b0b0b0", "linewidth": 1.0, "linestyle": (0, (2, 3))},
    "droppers": {"color": "#8a8a8a", "linewidth": 1.0},
    "slack": {"color": "#d55e00", "linewidth": 2.0},
    **{f"wire{k}": {"color": colour, "linewidth": width} for k, (colour, width) in enumerate(WIRES)},
    "springs": {"color": "#1b1b1b", "linewidth": 1.0},
}
NOTHING = np.full((1, 2), np.nan)


def still(animation: Animation) -> str:
    """Draw the middle moment as SVG; the player moves the same elements, and print keeps them."""
    screen = _Screen(animation, foot=0.0)
    screen.show(animation.frames[len(animation.frames) // 2])
    return figure_svg(screen.figure, animation.name, {"role": "img", "aria-label": animation.title, "class": "moving"})


def write_film(animation: Animation, folder: Path) -> tuple[Path, str]:
    """Write ``<name>.mp4`` or ``<name>.gif`` into a folder; return its path and what is to be said of it, or nothing.

    H.264 in yuv420p, which every player knows. Where ffmpeg is missing or has no H.264, a GIF is written.
    """
    remark = NO_FFMPEG
    if FFMpegWriter.isAvailable():
        options = ["-crf", "23", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
        writer = FFMpegWriter(fps=round(animation.rate), codec="libx264", extra_args=options)
        try:
            return _write(animation, folder / f"{animation.name}.mp4", writer, 1), ""
        except subprocess.CalledProcessError as error:
            output = error.stderr or error.output or b""
            text = output.decode("utf-8", errors="replace") if isinstance(output, bytes) else str(output)
            reason = (text.strip().splitlines() or [f"exit code {error.returncode}"])[-1]
            remark = f"ffmpeg wrote no MP4 ({reason}), so the moving picture is a GIF"
    step = -(-len(animation.frames) // GIF_FRAMES)
    path = folder / f"{animation.name}.gif"
    # the film is as fast as its caption says: the writer takes a fraction, though its signature names whole numbers
    slow = PillowWriter(fps=animation.rate / step)  # pyright: ignore[reportArgumentType]
    return _write(animation, path, slow, step), remark


def _write(animation: Animation, path: Path, writer: AbstractMovieWriter, step: int) -> Path:
    """Write every ``step``-th moment."""
    foot = 4.0 * np.ceil((animation.size[1] + FOOT) / 4.0) - animation.size[1]  # H.264 wants even numbers of pixels
    screen = _Screen(animation, foot)
    with whole_file(path) as temporary, house_style():
        film = FuncAnimation(screen.figure, screen.show, frames=animation.frames[::step], cache_frame_data=False)
        film.save(str(temporary), writer=writer, dpi=GIF_DPI if isinstance(writer, PillowWriter) else FILM_DPI)
    return path


class _Screen:
    """The figure of an animation in its drawing units, y downwards, and its artists by name."""

    def __init__(self, animation: Animation, foot: float) -> None:
        width, height = animation.size
        tall = height + foot
        self._animation = animation
        with house_style():
            self.figure = Figure(figsize=(width / 72.0 * ROUND_UP, tall / 72.0 * ROUND_UP), facecolor="white")
            axes = self.figure.add_axes((0.0, foot / tall, 1.0, height / tall), xlim=(0.0, width), ylim=(height, 0.0))
            axes.set_axis_off()
            self._lines = {
                name: axes.plot(*NOTHING.T, **style, solid_capstyle="butt", gid=f"class:{name}")[0]
                for name, style in LINES.items()
                if name in parts_of(animation)
            }
            self._masses = PathPatch(Outline(NOTHING), facecolor="#1b1b1b", linewidth=0.0, gid="class:masses")
            axes.add_patch(self._masses)
            low = 0.3 * foot / tall
            self._text = self.figure.text(8.0 / width, low, "", color=SOFT, fontsize=10.0)
            if foot:
                self.figure.text(1.0 - 8.0 / width, low, animation.note, color=SOFT, fontsize=10.0, ha="right")
            self._foot = foot

    def show(self, moment: Moment) -> None:
        """Move every artist to where it stands at a moment."""
        drawn = polylines(self._animation, moment)
        self._masses.set_path(Outline.make_compound_path(*(Outline(box, closed=True) for box in drawn.pop("masses"))))
        for name, lines in drawn.items():
            self._lines[name].set_data(*_with_gaps(lines).T)
        self._text.set_text(moment.text if self._foot else "")


def _with_gaps(lines: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Points of several lines with a gap behind each, so that one artist draws all."""
    return np.concatenate([part for line in lines for part in (line, NOTHING)] or [NOTHING])
