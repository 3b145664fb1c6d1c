"""Marks of provenance, one letter each: where a value of a line or a pantograph comes from."""

from __future__ import annotations

__all__ = ["MARKS"]

# 't' names its line, as t:bruni_2015
MARKS = {
    "p": "printed in a paper",
    "s": "seen in a public source",
    "r": "recalled from the literature",
    "d": "derived from other values",
    "c": "chosen here",
    "u": "given by the user",
    "t": "copied from another line",
}
