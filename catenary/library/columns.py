"""Columns of a line file's tables: quantities with units and ranges, cells that may be empty, every bad one named."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from catenary.errors import InputError
from catenary.library.table import REMARKS, Quantity, Table, cell_number, column_of, name_and_unit, unheaded
from catenary.spec.attached.elements import NEEDS
from catenary.spec.attached.wear import MOST_WORN
from catenary.spec.components import HIGHEST, LONGEST, SHORTEST
from catenary.spec.keys import did_you_mean
from catenary.spec.section import LONGEST_ERROR
from catenary.spec.tension_section import SPACING

__all__ = ["COLUMNS", "NEEDED", "TABLES", "Column", "Row", "read_rows", "remark_columns"]

LENGTH = {"m": 1.0, "mm": 1e-3, "cm": 1e-2}
STIFFNESS = {"N/m": 1.0, "kN/m": 1e3, "N/mm": 1e3}
MASS = {"kg": 1.0}
NUMBER = {"1": 1.0}


@dataclass(frozen=True, eq=False)
class Column:
    """Column of a table: its quantity with the range of its values in SI, the words that it may hold, or any name."""

    quantity: Quantity
    low: float = -math.inf
    high: float = math.inf
    words: tuple[str, ...] = ()
    whole: bool = False
    name: bool = False

    @property
    def unit(self) -> str:
        """Unit of the range."""
        unit = next(iter(self.quantity.units))
        return "" if unit == "1" else f" {unit}"


@dataclass(frozen=True)
class Row:
    """One row: number in its table, numbers in SI and words by column; a column without a value is left out.

    ``refused`` has the columns whose cell is not what it must be, and those that a heading
    may mean that is not known.
    """

    table: Table
    number: int
    values: Mapping[str, float]
    words: Mapping[str, str]
    at: Mapping[str, int]
    refused: frozenset[str] = frozenset()

    def place(self, column: str | None = None) -> str:
        """Place of the row, or of one of its cells."""
        return self.table.place(self.number, self.at.get(column or ""))


STATION = Column(Quantity("station", ("chainage",), {**LENGTH, "km": 1e3}), 0.0, 1.0e6)
SPAN = Column(Quantity("span", (), NUMBER), 1, 1000, whole=True)
RATE = Column(Quantity("stiffness", (), STIFFNESS), 1.0e3, 1.0e7)
OFFSET = (-0.6, 0.6)
SECTION = Column(Quantity("section", (), NUMBER), name=True)
FORCE = {"N": 1.0, "kN": 1e3}
SHARE = {"1": 1.0, "percent": 1e-2, "%": 1e-2}
FORCE_RATE = {"N s/m": 1.0, "kN s/m": 1e3}
BENDING = {"N m^2": 1.0, "Nm2": 1.0}
EVERY = {**LENGTH, **STIFFNESS, **MASS, **FORCE_RATE, **FORCE, **SHARE, **BENDING}
# tables by name, with the columns of each
COLUMNS: dict[str, tuple[Column, ...]] = {
    "supports": (
        STATION,
        Column(Quantity("encumbrance", ("system_height",), LENGTH), 0.3, 3.0),
        Column(Quantity("contact_height", (), LENGTH), -HIGHEST, HIGHEST),
        Column(Quantity("stagger", (), LENGTH), *OFFSET),
        Column(Quantity("messenger_stagger", (), LENGTH), *OFFSET),
        SECTION,
    ),
    "droppers": (
        STATION,
        SPAN,
        Column(Quantity("position", ("x",), LENGTH), 0.0, 120.0),
        Column(Quantity("height", ("contact_wire_height", "z"), LENGTH), -HIGHEST, HIGHEST),
        Column(Quantity("length", ("dropper_length", "cut_length"), LENGTH), SHORTEST, LONGEST),
        RATE,
        Column(Quantity("contact_clamp", ("clamp_mass_contact_wire",), MASS), 0.0, 5.0),
        Column(Quantity("messenger_clamp", ("clamp_mass_messenger_wire",), MASS), 0.0, 5.0),
        SECTION,
    ),
    "main_droppers": (
        STATION,
        SPAN,
        Column(Quantity("position", ("x",), LENGTH), 0.0, 120.0),
        Column(Quantity("height", ("auxiliary_wire_height", "z"), LENGTH), -HIGHEST, HIGHEST),
        Column(Quantity("length", ("dropper_length", "cut_length"), LENGTH), SHORTEST, LONGEST),
        SECTION,
    ),
    "masses": (
        STATION,
        Column(Quantity("wire", (), NUMBER), words=("contact", "messenger")),
        Column(Quantity("mass", (), MASS), 1.0e-3, 100.0),
        SECTION,
    ),
    "elements": (
        STATION,
        Column(Quantity("kind", ("element",), NUMBER), words=tuple(NEEDS)),
        Column(Quantity("wire", (), NUMBER), words=("contact", "messenger")),
        Column(Quantity("stiffness", (), STIFFNESS), 0.0, 1.0e7),
        Column(Quantity("damping", (), FORCE_RATE), 0.0, 1.0e6),
        Column(Quantity("force", (), FORCE), -5.0e3, 5.0e3),
        Column(Quantity("mass", (), MASS), 1.0e-3, 100.0),
        Column(Quantity("length", (), LENGTH), 0.2, 10.0),
        Column(Quantity("bending_stiffness", ("ei",), BENDING), 0.0, 1.0e5),
        SECTION,
    ),
    "wear": (
        Column(Quantity("from", ("begin",), {**LENGTH, "km": 1e3}), 0.0, 1.0e6),
        Column(Quantity("to", ("end",), {**LENGTH, "km": 1e3}), 0.0, 1.0e6),
        Column(Quantity("area", (), SHARE), 1.0e-6, MOST_WORN),
        Column(Quantity("depth", (), LENGTH), 0.0, 0.01),
        SECTION,
    ),
    "defects": (
        SPAN,
        Column(Quantity("dropper", ("number",), NUMBER), 1, 40, whole=True),
        Column(Quantity("kind", ("defect",), NUMBER), words=("broken", "length", "loose", "stiffness")),
        Column(Quantity("by", ("too_long_by",), LENGTH), -LONGEST_ERROR, LONGEST_ERROR),
        RATE,
        SECTION,
    ),
    "profile": (
        STATION,
        Column(Quantity("height", (), LENGTH), -0.05, 0.05),
        SECTION,
    ),
    "kinks": (
        STATION,
        Column(Quantity("height", (), LENGTH), -0.05, 0.05),
        Column(Quantity("length", (), LENGTH), 0.05, 20.0),
        SECTION,
    ),
    "sections": (
        Column(Quantity("name", (), NUMBER), name=True),
        Column(Quantity("from", ("begin",), {**LENGTH, "km": 1e3}), 0.0, 1.0e6),
        Column(Quantity("to", ("end",), {**LENGTH, "km": 1e3}), 0.0, 1.0e6),
        Column(Quantity("ends", (), NUMBER), words=("spring_damper", "weight", "fixed")),
        Column(Quantity("stiffness", (), STIFFNESS), 0.0, 1.0e8),
        Column(Quantity("damping", (), FORCE_RATE), 0.0, 1.0e6),
        Column(Quantity("ratio", (), NUMBER), 1.0, 10.0),
    ),
    "overlaps": (
        SECTION,
        Column(Quantity("kind", (), NUMBER), words=tuple(SPACING)),
        Column(Quantity("elevation", (), LENGTH), 0.0, HIGHEST),
        Column(Quantity("spacing", (), LENGTH), 0.0, 0.6),
    ),
}
TABLES = tuple(COLUMNS)
# columns that every row needs
NEEDED = {
    "supports": ("station",),
    "masses": ("station", "mass"),
    "elements": ("station", "kind"),
    "wear": ("from", "to", "area"),
    "defects": ("span", "dropper", "kind"),
    "profile": ("station", "height"),
    "kinks": ("station", "height"),
    "sections": ("name", "from", "to"),
}
# the same of droppers, with what may stand in the place of each
OF_DROPPERS = ((("station",), ("span", "position")), (("height",), ("length",)))


def read_rows(name: str, table: Table, problems: list[str]) -> list[Row]:
    """Read all rows of a table; what is wrong with headings and cells is added to ``problems``."""
    found: dict[str, tuple[int, float]] = {}
    used, unread = set(), set()
    for column in COLUMNS[name]:
        try:
            place = column_of(table, column.quantity)
        except InputError as error:
            problems += error.problems
            place = None
            unread.add(column.quantity.name)
        used |= {k for k, heading in enumerate(table.headings) if _names(heading, column.quantity)}
        if place is not None:
            found[column.quantity.name] = place
    strange, bare = dict(_unknown(name, table, used)), unheaded(table)
    problems += strange.values()
    unread |= _meant(name, strange, set(found), bool(bare))
    if not used:
        known = ", ".join(column.quantity.name for column in COLUMNS[name])
        problems.append(f"{table.name}: the first row must name columns of {name} ({known}); remarks begin with #")
        return []
    problems += [*table.problems, *bare]
    at = {key: index for key, (index, _) in found.items()}
    rows = []
    for number, cells in table.rows:
        row = Row(table, number, {}, {}, at)
        values, words, refused = {}, {}, set(unread)
        for column in COLUMNS[name]:
            key = column.quantity.name
            if key not in found or not cells[found[key][0]]:
                # a formula without a value is not a cell that is empty
                lost = key in found and any(said.startswith(f"{row.place(key)}: ") for said in table.problems)
                refused |= {key} if lost and table.sheet else set()
                continue
            text = cells[found[key][0]]
            if column.name:
                words[key], problem = text, ""
            elif column.words:
                words[key] = text.lower()
                problem = _not_a_word(column, text)
            else:
                values[key] = round(cell_number(table, text) * found[key][1], 9)
                problem = _not_a_number(column, values[key], text, found[key][1])
            if problem:
                refused.add(key)
                problems.append(f"{row.place(key)}: {key} {problem}")
        rows.append(Row(table, number, values, words, at, frozenset(refused)))
    return rows


def remark_columns(name: str, table: Table) -> list[int]:
    """Columns of a table that are for people and hold no value of the line."""
    known = {word for c in COLUMNS[name] for word in (c.quantity.name, *c.quantity.aliases)}
    plain = [name_and_unit(heading, Quantity("", (), EVERY))[0] for heading in table.headings]
    return [k for k, heading in enumerate(plain) if heading in REMARKS and heading not in known]


def _names(heading: str, quantity: Quantity) -> bool:
    return name_and_unit(heading, quantity)[0] in (quantity.name, *quantity.aliases)


def _unknown(name: str, table: Table, used: set[int]) -> Iterator[tuple[str, str]]:
    """Name the columns that the table does not have, each with its sentence."""
    known = {column.quantity.name: column.quantity for column in COLUMNS[name]}
    for k, heading in enumerate(table.headings):
        plain = name_and_unit(heading, Quantity("", (), EVERY))[0]
        if k not in used and heading and plain not in REMARKS:
            stem, _, unit = plain.rpartition("_")
            if stem in known:
                units = known[stem].unit_names
                yield plain, f"{table.name}: the unit of '{heading}' must be one of {units}: got '{unit}'"
                continue
            near = did_you_mean(plain, list(known)) or f"; known here: {', '.join(known)}"
            yield plain, f"{table.name}: '{heading}' is not a column of {name}{near}"


def _meant(name: str, strange: Iterable[str], found: set[str], bare: bool) -> set[str]:
    """Columns that may stand under headings that are not known: the nearest one, or any that rows cannot do without."""
    left = [column.quantity.name for column in COLUMNS[name] if column.quantity.name not in found]
    near = {heading: get_close_matches(heading, left, n=1) for heading in strange}
    meant = {match for matches in near.values() for match in matches}
    if not bare and all(near.values()):
        return meant
    dropper = name in ("droppers", "main_droppers")
    needed = OF_DROPPERS if dropper else [((key,),) for key in NEEDED.get(name, ())]
    open_ways = [ways for ways in needed if not any(found >= set(way) for way in ways)]
    return meant | {key for ways in open_ways for way in ways for key in way if key in left}


def _not_a_word(column: Column, text: str) -> str:
    if text.lower() in column.words:
        return ""
    return f"must be one of {', '.join(column.words)}: got '{text[:40]}'{did_you_mean(text.lower(), column.words)}"


def _not_a_number(column: Column, value: float, text: str, size: float) -> str:
    """What is wrong with a number [SI] that was given in a unit of that size, as the file has it."""
    if math.isnan(value) or (column.whole and value != round(value)):
        return f"must be a {'whole ' if column.whole else ''}number: got '{text[:40]}'"
    if not column.low <= value <= column.high:
        name = next(name for name, own in column.quantity.units.items() if own == size)
        unit = "" if name == "1" else f" {name}"
        return f"must be between {column.low / size:g} and {column.high / size:g}{unit}: got {value / size:.6g}{unit}"
    return ""
