"""What the architecture tests read: the modules of the packages and of the tests, parsed once."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("catenary", "dynamics", "optimise", "studies", "conf")


@dataclass(frozen=True)
class Definition:
    """A function, method or class, with the dotted path that leads to it inside its module."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    path: str
    in_class: bool
    public: bool


@dataclass(frozen=True)
class Module:
    """A module of the packages: its dotted name, file, text and syntax tree."""

    name: str
    file: Path
    text: str
    tree: ast.Module

    @property
    def where(self) -> str:
        """The file's path from the root of the repository."""
        return self.file.relative_to(ROOT).as_posix()

    def definitions(self) -> Iterator[Definition]:
        """Every function, method and class, nested ones too; what is inside a function is not public."""
        yield from _definitions(self.tree, prefix="", in_class=False, public=True)


def _definitions(parent: ast.AST, prefix: str, in_class: bool, public: bool) -> Iterator[Definition]:
    for child in ast.iter_child_nodes(parent):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            # a definition may stand under `if TYPE_CHECKING:` or in a `try`
            yield from _definitions(child, prefix, in_class, public)
            continue
        special = child.name.startswith("__") and child.name.endswith("__")
        child_public = public and (special or not child.name.startswith("_"))
        path = prefix + child.name
        yield Definition(child, path, in_class, child_public)
        is_class = isinstance(child, ast.ClassDef)
        yield from _definitions(child, f"{path}.", in_class=is_class, public=child_public and is_class)


def _dotted_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def packages() -> tuple[str, ...]:
    """The names of the top-level packages."""
    return PACKAGES


def _modules_in(folders: tuple[str, ...]) -> list[Module]:
    files = [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]
    texts = [(file, file.read_text(encoding="utf-8")) for file in files]
    return [Module(_dotted_name(file), file, text, ast.parse(text, str(file))) for file, text in texts]


@pytest.fixture(scope="session")
def modules() -> list[Module]:
    """Every Python module of the packages."""
    return _modules_in(PACKAGES)


@pytest.fixture(scope="session")
def modules_of_tests() -> list[Module]:
    """Every Python module of the tests."""
    return _modules_in(("tests",))
