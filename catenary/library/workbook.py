"""A user's XLSX workbook read as tables, sheet by sheet: values alone, no formula is computed and no link followed."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from catenary.errors import InputError
from catenary.library.table import MAX_COLUMNS, Table
from catenary.storage.user_file import read_user_bytes

__all__ = ["read_workbook"]

MOST_BYTES = 5_000_000
# what its XML may unpack to: a small archive can hold a great deal of nothing
MOST_UNPACKED = 50_000_000
MOST_ROWS = 20_000


def read_workbook(path: Path) -> dict[str, Table]:
    """Read every sheet of a workbook that has a heading, by its name in lower case.

    Raises
    ------
    InputError
        If it cannot be read, or is not a workbook.
    """
    data = read_user_bytes(path, "workbook", MOST_BYTES)
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(item.file_size for item in archive.infolist())
        if unpacked > MOST_UNPACKED:
            raise InputError([f"workbook {path} must unpack to at most {MOST_UNPACKED / 1e6:g} MB: it is larger"])
        from openpyxl import load_workbook

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts of a workbook that openpyxl does not keep are not asked for
            book: Any = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            read = {name: list(_rows(book[name].iter_rows(values_only=True))) for name in book.sheetnames}
    except InputError:
        raise
    except (BadZipFile, KeyError, ValueError, TypeError, OSError, SyntaxError, AttributeError) as error:
        raise InputError([f"workbook {path} is not an XLSX file: {str(error).splitlines()[0][:120]}"]) from None
    return {name.strip().lower(): _table(path, name, rows) for name, rows in read.items() if rows}


def _rows(rows: Iterable[tuple[Any, ...]]) -> Iterable[tuple[int, tuple[str, ...]]]:
    """Number and texts of every row with something in it; one whose first cell begins with # is a remark."""
    for number, row in enumerate(rows, start=1):
        if number > MOST_ROWS:
            return
        texts = tuple(_text(value) for value in row[:MAX_COLUMNS])
        if any(texts) and not texts[0].startswith("#"):
            yield number, texts


def _text(value: object) -> str:
    """Cell as text from which its number can be read back bit by bit."""
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value).strip()


def _table(path: Path, sheet: str, rows: list[tuple[int, tuple[str, ...]]]) -> Table:
    headings = list(rows[0][1])
    while headings and not headings[-1]:
        headings.pop()
    count, problems, kept = len(headings), [], []
    for number, texts in rows[1:]:
        if any(texts[count:]):
            problems.append(f"{path} sheet {sheet} row {number}: has a value beyond the last heading")
        if any(texts[:count]):
            kept.append((number, (*texts, *("",) * count)[:count]))
    return Table(path, tuple(headings), tuple(kept), ";", tuple(problems), sheet=sheet)
