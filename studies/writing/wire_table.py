"""Wires and droppers of the library, in words: what each is made of, and where its values come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from catenary.errors import InputError
from catenary.spec.marks import MARKS
from catenary.wires.makes import MAKES
from catenary.wires.names import BLOCKS, make_of

__all__ = ["refuse_other_wires", "wire_table"]

# of every value: its symbol, unit and factor
SHOWN = {
    "mass_per_length": ("", "kg/m", 1.0),
    "axial_stiffness": ("EA ", "MN", 1e-6),
    "bending_stiffness": ("EI ", "N m^2", 1.0),
    "stiffness": ("dropper ", "kN/m", 1e-3),
}


def refuse_other_wires(names: Iterable[str]) -> None:
    """Refuse names that the library does not have.

    Raises
    ------
    InputError
        With a sentence each, which names the nearest that there is.
    """
    problems = []
    for name in names:
        try:
            make_of(name)
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise InputError(problems)


def wire_table(names: Sequence[str] = ()) -> list[str]:
    """List wires by what they serve as, with their data and sources: those named, or every one."""
    chosen = [make_of(name) for name in names] or list(MAKES.values())
    rows: list[str] = []
    for role in dict.fromkeys(make.role for make in chosen):
        blocks = " or ".join(block for block, own in BLOCKS.items() if own == role)
        rows.append(f"{role}, for {blocks}")
        for make in (make for make in chosen if make.role == role):
            data = [
                f"{symbol}{make.values[key] * factor:g} {unit} ({make.marks[key]})"
                for key, (symbol, unit, factor) in SHOWN.items()
                if key in make.values
            ]
            data.append(f"breaking load {1e-3 * make.strength:.1f} kN ({make.strength_mark})")
            rows.append(f"  {make.name:<18}{make.standard:<13}{1e6 * make.area:>6.4g} mm^2  {', '.join(data)}")
    marks = {mark for make in chosen for mark in (*make.marks.values(), make.strength_mark)}
    said = ", ".join(f"{mark} {meaning}" for mark, meaning in MARKS.items() if mark in marks)
    use = "contact_wire: {wire: CuMg AC-120, tension: 27.0e+3}"
    return [*rows, "", f"Sources: {said}.", f"Name one in a line, as {use}; a value given there goes before."]
