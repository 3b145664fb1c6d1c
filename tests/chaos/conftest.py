"""Faults at two sizes: shortened in the default suite, at full size in `make chaos`, where each figure is printed."""

import sys
from pathlib import Path

import pytest

# worker processes import the cheap evaluations by name, so their folder stands on the path
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "optimise")]

import cheap_evaluation  # noqa: E402 - found in the folder put on the path above


@pytest.fixture(scope="session")
def case():
    """A stitched line with a real pantograph."""
    return cheap_evaluation.case_of()


@pytest.fixture(scope="session")
def simple_case():
    """A line without stitch, with pre-sag."""
    return cheap_evaluation.case_of("bruni_2015", "bruni_2015")


@pytest.fixture
def figures(request, capsys):
    """Function that prints figures of a test under its name."""

    def show(text):
        with capsys.disabled():
            print(f"\n{request.node.name}: {text}")

    return show
