"""Results as JSON types and back, every number to its last bit: what a record holds of a run that has ended.

Classes are not named in what is written: a reader says which one it wants, and types that differ are refused. Arrays
stand in numpy's own format, without objects.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import GenericAlias, UnionType
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, TypeAdapter

__all__ = ["plain", "rebuilt"]

ARRAY, FLOAT, SLICE = "$array", "$float", "$slice"


def plain(value: object) -> Any:
    """JSON types that stand for a value: dataclass, Spec, array, enumeration, slice, mapping, sequence, number or text.

    Raises
    ------
    TypeError
        If a part of it is nothing of these.
    """
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, np.ndarray):
        return {ARRAY: _array_text(value)}
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, slice):
        return {SLICE: [value.start, value.stop, value.step]}
    if isinstance(value, float):
        return value if math.isfinite(value) else {FLOAT: repr(value)}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    raise TypeError(f"a record must hold plain results: got {type(value).__name__}")


def rebuilt(kind: type | UnionType, content: object) -> Any:
    """Value of a class, or of one of a union, from what `plain` gave.

    Raises
    ------
    ValueError
        If the content is not of that class.
    """
    return _adapter(kind).validate_python([_with_arrays(content)])[0]


@cache
def _adapter(kind: type | UnionType) -> TypeAdapter[list[Any]]:
    listed: Any = GenericAlias(list, (kind,))
    return TypeAdapter(listed, config=ConfigDict(arbitrary_types_allowed=True, extra="forbid"))


def _array_text(array: np.ndarray[Any, Any]) -> str:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=False)
    return base64.b64encode(file.getvalue()).decode("ascii")


def _with_arrays(content: Any) -> Any:
    """Content with arrays, slices and numbers that JSON has not."""
    if isinstance(content, list):
        return [_with_arrays(part) for part in content]
    if not isinstance(content, dict):
        return content
    if content.keys() == {ARRAY}:
        file = io.BytesIO(base64.b64decode(str(content[ARRAY]), validate=True))
        return np.lib.format.read_array(file, allow_pickle=False)
    if content.keys() == {FLOAT}:
        return float(content[FLOAT])
    if content.keys() == {SLICE}:
        return slice(*content[SLICE])
    return {key: _with_arrays(part) for key, part in content.items()}
