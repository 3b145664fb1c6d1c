"""Faults at two sizes: shortened in the default suite, at full size in `make chaos`, where each figure is printed."""

import cheap_evaluation
import pytest


@pytest.fixture(scope="session")
def case():
    """A stitched line with a real pantograph."""
    return cheap_evaluation.case_of()


@pytest.fixture(scope="session")
def simple_case():
    """A line without stitch, with pre-sag."""
    return cheap_evaluation.case_of("bruni_2015", "bruni_2015")


@pytest.fixture
def figures(request, capsys, keep_figure):
    """Function that prints and keeps figures of a test under its name."""

    def show(text):
        keep_figure(request.node.name, text)
        with capsys.disabled():
            print(f"\n{request.node.name}: {text}")

    return show
