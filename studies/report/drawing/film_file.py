"""A moving picture as a file: MP4 by ffmpeg where there is one, else GIF."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from catenary.storage.files import whole_file
from studies.report.drawing.animation import (
    DROPPER,
    MASS,
    SLACK,
    SUPPORT,
    WIRE_STROKES,
    Animation,
    Drawn,
    Moment,
    polylines,
)

__all__ = ["NO_FFMPEG", "write_film"]

NO_FFMPEG = "no ffmpeg on this machine, so the moving picture is a GIF; on Debian or Ubuntu run: apt-get install ffmpeg"
WIDTH = 1140
# drawn larger and reduced, which smooths the lines
SMOOTHING = 2
FOOT = 34
GIF_WIDTH, GIF_FRAMES, GIF_COLOURS = 760, 240, 32


def write_film(animation: Animation, folder: Path) -> tuple[Path, str]:
    """Write ``<name>.mp4`` or ``<name>.gif`` into a folder; return its path and what is to be said of it, or nothing.

    H.264 in yuv420p, which every player knows. Where ffmpeg is missing or has no H.264, a GIF is written.
    """
    program = shutil.which("ffmpeg")
    if program is None:
        return _write_gif(animation, folder), NO_FFMPEG
    path = folder / f"{animation.name}.mp4"
    failure = _write_mp4(animation, path, program)
    if failure:
        return _write_gif(animation, folder), f"ffmpeg wrote no MP4 ({failure}), so the moving picture is a GIF"
    return path, ""


def _write_mp4(animation: Animation, path: Path, program: str) -> str:
    """Hand the pictures to ffmpeg one by one; what it says where it fails."""
    first = _picture(animation, animation.frames[0], WIDTH)
    command = [program, "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += ["-s", f"{first.width}x{first.height}", "-r", f"{animation.rate:g}", "-i", "-", "-an"]
    command += ["-c:v", "libx264", "-crf", "23", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    try:
        with whole_file(path) as temporary:
            _pipe([*command, str(temporary)], (_picture(animation, m, WIDTH).tobytes() for m in animation.frames))
    except subprocess.CalledProcessError as error:
        return (str(error.stderr).strip().splitlines() or [f"exit code {error.returncode}"])[-1]
    return ""


def _pipe(command: list[str], pictures: Iterator[bytes]) -> None:
    """Feed a program; what it says is kept for the error."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdin is not None and running.stderr is not None
        try:
            for picture in pictures:
                running.stdin.write(picture)
            running.stdin.close()
        except BrokenPipeError:  # it has ended, and says why below
            pass
        said = running.stderr.read().decode("utf-8", errors="replace")
        code = running.wait()
    if code:
        raise subprocess.CalledProcessError(code, command, stderr=said)


def _write_gif(animation: Animation, folder: Path) -> Path:
    """Write a GIF, small and with fewer pictures where there are many."""
    path = folder / f"{animation.name}.gif"
    step = -(-len(animation.frames) // GIF_FRAMES)
    shown = animation.frames[::step]
    pictures = [_picture(animation, m, GIF_WIDTH).quantize(GIF_COLOURS, dither=Image.Dither.NONE) for m in shown]
    duration = round(1000.0 * step / animation.rate)
    with whole_file(path) as temporary:
        pictures[0].save(temporary, "GIF", save_all=True, append_images=pictures[1:], duration=duration, loop=0)
    return path


def _picture(animation: Animation, moment: Moment, width: int) -> Image.Image:
    """Draw one moment with its text below; both sides have even numbers of pixels, as H.264 wants."""
    factor = SMOOTHING * width / animation.size[0]
    height = 2 * round((animation.size[1] * width / animation.size[0] + FOOT) / 2)
    large = Image.new("RGB", (SMOOTHING * width, SMOOTHING * height), "white")
    pen = ImageDraw.Draw(large)
    _draw(pen, polylines(animation, moment), factor, animation.size[1])
    font = ImageFont.load_default(size=SMOOTHING * 15)
    foot = SMOOTHING * (height - FOOT + 7)
    said = ((12, "la", moment.text.replace("\N{MINUS SIGN}", "-")), (width - 12, "ra", animation.note))
    for x, anchor, text in said:
        pen.text((SMOOTHING * x, foot), text, fill="#595959", font=font, anchor=anchor)
    return large.reduce(SMOOTHING)


def _draw(pen: ImageDraw.ImageDraw, drawn: Drawn, factor: float, height: float) -> None:
    """Lines and boxes of one moment, far ones first."""

    def line(points: Iterable[tuple[float, float]], colour: str, width: float) -> None:
        scaled = [(factor * x, factor * y) for x, y in points]
        pen.line(scaled, fill=colour, width=max(1, round(factor * width)))

    for x in drawn.supports:
        line([(x, 0.0), (x, height)], SUPPORT, 0.8)
    for segment in drawn.droppers:
        line(segment, DROPPER, 1.0)
    for segment in drawn.slack:
        line(segment, SLACK, 2.0)
    for wire, points in drawn.wires:
        line(points, *WIRE_STROKES[wire])
    for points in drawn.springs:
        line(points, MASS, 1.0)
    for box in drawn.masses:
        pen.rectangle([factor * v for v in box], fill=MASS)
