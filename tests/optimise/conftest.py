"""Worker processes import the cheap evaluations by name, so their folder stands on the path."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cheap_evaluation


@pytest.fixture(scope="package")
def case():
    """A stitched line with a real pantograph."""
    return cheap_evaluation.case_of()


@pytest.fixture(scope="package")
def simple_case():
    """A line without stitch, with pre-sag."""
    return cheap_evaluation.case_of("bruni_2015", "bruni_2015")
