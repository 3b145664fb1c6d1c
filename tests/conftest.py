"""Cases for tests of the physics: a line and a pantograph of the library at one speed."""

import signal
from pathlib import Path

import pytest
import yaml

from catenary.spec.line import CatenarySpec
from catenary.spec.mesh import per_bay
from dynamics.spec.case import CaseSpec

CONF = Path(__file__).resolve().parents[1] / "conf"
PANTOGRAPH_OF = {"bruni_2015": "bruni_2015", "re330": "dsa380", "c350": "dsa250", "en50318_2002": "en50318_2002"}


def read(group: str, name: str) -> dict:
    return yaml.safe_load((CONF / group / f"{name}.yaml").read_text(encoding="utf-8"))


# a shell that starts the tests in the background has them, and all they start, ignore what Ctrl-C sends
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def build_line():
    """Function that builds a line of the library with changed keys, given as nested mappings.

    Its mesh has that many elements in every bay, however long: fewer than the library's own, for speed.
    """

    def build(name: str = "bruni_2015", elements_per_bay: int = 4, **changes) -> CatenarySpec:
        line = read("catenary", name)
        for key, value in {"mesh": per_bay(elements_per_bay).model_dump(), **changes}.items():
            line[key] = {**(line.get(key) or {}), **value} if isinstance(value, dict) else value
        return CatenarySpec.model_validate(line)

    return build


@pytest.fixture(scope="session")
def build_case(build_line):
    """Function that builds a case at 2 ms: a line (or its name), a speed [km/h], the rest by keyword."""

    def build(line: CatenarySpec | str, speed_kmh: float, **content) -> CaseSpec:
        spec = build_line(line) if isinstance(line, str) else line
        pantograph = read("pantograph", PANTOGRAPH_OF.get(spec.name, "bruni_2015"))
        return CaseSpec.model_validate(
            {"catenary": spec, "pantograph": pantograph, "speed_kmh": speed_kmh, "dt": 2.0e-3, **content}
        )

    return build


@pytest.fixture(scope="session")
def influence(build_line, build_case):
    """Influence matrices of a line with five droppers: shared, for they take ten to twenty seconds.

    More damping than a real line has: the peaks need fewer frequencies, and a window's ends are felt less.
    """
    from dynamics.influence.matrices import influence_matrices

    droppers = {"positions": [5.0, 16.25, 27.5, 38.75, 50.0], "contact_wire_heights": [0.0, -0.03, -0.04, -0.03, 0.0]}
    line = build_line(droppers=droppers, damping={"alpha": 0.5})
    return influence_matrices(build_case(line, 275.0, applied_force_N=165.0), 3.0e-6)
