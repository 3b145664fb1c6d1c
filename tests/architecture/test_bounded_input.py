"""Whatever a user may give as a list or a block of names has a largest length: nothing grows without end."""

import importlib
import pkgutil
import types
import typing

import annotated_types
import pytest
from pydantic import BaseModel

import catenary
import dynamics
import optimise
import studies

PACKAGES = (catenary, dynamics, optimise, studies)
# what the published results are held against: files of the package's own, which no user gives
OWN = "studies.validation."


def models():
    for package in PACKAGES:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    waiting, found = [BaseModel], set()
    while waiting:
        for model in waiting.pop().__subclasses__():
            if model not in found:
                found.add(model)
                waiting.append(model)
    names = tuple(f"{package.__name__}." for package in PACKAGES)
    return sorted((m for m in found if m.__module__.startswith(names)), key=lambda m: (m.__module__, m.__name__))


def bounded(marks):
    for mark in marks:
        if isinstance(mark, annotated_types.MaxLen) or getattr(mark, "max_length", None) is not None:
            return True
        if bounded(getattr(mark, "metadata", ())):
            return True
    return False


def endless(kind, marks, path):
    """Places within a type where a list or a mapping may be of any length."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, typing.TypeVar) or kind is typing.Any:
        return []
    if origin is typing.Annotated:
        return endless(inner[0], [*inner[1:], *marks], path)
    if origin in (typing.Union, types.UnionType):
        return [place for one in inner for place in endless(one, marks, path)]
    if origin is typing.Literal or not (isinstance(origin or kind, type)):
        return []
    if not issubclass(origin or kind, list | tuple | dict | set | frozenset):
        return []
    fixed = (origin or kind) is tuple and bool(inner) and inner[-1] is not Ellipsis
    own = [] if fixed or bounded(marks) else [path]
    return own + [p for one in inner if one is not Ellipsis for p in endless(one, [], f"{path}[]")]


def test_every_list_of_an_input_has_a_largest_length():
    found = [
        place
        for model in models()
        if not model.__module__.startswith(OWN)
        for name, field in model.model_fields.items()
        for place in endless(field.annotation, field.metadata, f"{model.__module__}.{model.__name__}.{name}")
    ]
    assert found == []


class _Careless(BaseModel):
    many: tuple[float, ...] | None = None
    pair: tuple[float, float] = (0.0, 0.0)
    names: typing.Annotated[dict[str, list[int]], annotated_types.MaxLen(3)] = {}


@pytest.mark.parametrize(("name", "places"), [("many", ["m"]), ("pair", []), ("names", ["m[]"])])
def test_a_list_without_one_is_seen(name, places):
    field = _Careless.model_fields[name]
    assert endless(field.annotation, field.metadata, "m") == places
