"""Cases for tests of the physics: a line and a pantograph of the library at one speed; pages of what runs measured."""

import os
import shutil
import signal
import subprocess
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from catenary.spec.line import CatenarySpec
from catenary.spec.mesh import per_bay
from dynamics.spec.case import CaseSpec
from studies.writing.result_page import ResultTable, write_result_page

CONF = Path(__file__).resolve().parents[1] / "conf"
PANTOGRAPH_OF = {"bruni_2015": "bruni_2015", "re330": "dsa380", "c350": "dsa250", "en50318_2002": "en50318_2002"}

# files that take more than 30 s. First one that compiles most kernels, next to others that need none of these; the one
# whose runs have a limit of time comes when all are compiled
LONGEST = (
    "integration/test_readme.py", "integration/test_slurm.py", "dynamics/test_fmu.py",
    "dynamics/test_overlap_kinds.py", "chaos/test_end_requests.py", "dynamics/test_adjoint.py",
    "studies/test_campaign_runs.py", "optimise/test_slopes.py", "integration/test_rig_processes.py",
    "dynamics/test_operator_adjoint.py", "studies/test_train_run.py", "dynamics/test_window.py",
    "studies/test_damaged_json.py", "studies/test_device_search.py", "studies/test_sweep_runs.py",
    "studies/test_machine_made.py", "integration/test_cluster.py",
)  # fmt: skip
MEASURED = pytest.StashKey[dict]()
FAILED = pytest.StashKey[list]()


def pytest_addoption(parser):
    parser.addoption("--results", help="folder for a page of what each benchmark or fault test measured: docs/results")


def pytest_configure(config):
    config.stash[MEASURED], config.stash[FAILED] = {}, []


def pytest_collection_modifyitems(config, items):
    """Among processes that share the files, the longest go first and those of few tests last: all end together."""
    if not hasattr(config, "workerinput"):
        return
    first = {CONF.parent / "tests" / name: k - len(LONGEST) for k, name in enumerate(LONGEST)}
    assert all(file.is_file() for file in first), "a file of LONGEST has another name now"
    number = Counter(item.path for item in items)
    items.sort(key=lambda item: (first.get(item.path, 0), -number[item.path]))


@pytest.fixture
def keep_figure(request):
    """Function that keeps a row of text for the page of this test's module."""

    def keep(*cells):
        request.config.stash[MEASURED].setdefault(request.module, []).append(cells)

    return keep


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        item.config.stash[FAILED].append((item.module, item.name))
    return report


def pytest_sessionfinish(session):
    folder = session.config.getoption("--results")
    if folder is None:
        return
    for module, rows in session.config.stash[MEASURED].items():
        kind, columns, command = module_page(module)
        failed = [f"`{name}` failed in this run." for where, name in session.config.stash[FAILED] if where is module]
        write_result_page(
            Path(folder) / f"{kind}_{module.__name__.rpartition('.')[2].partition('_')[2]}.md",
            module.__doc__.splitlines()[0].rstrip("."),
            command,
            [ResultTable(columns, tuple(rows))],
            failed,
        )


def module_page(module):
    """Kind of page that a module of tests writes, its headings, and the command."""
    where = Path(module.__file__).relative_to(CONF.parent)
    if "benchmarks" in where.parts:
        return "speed", ("what", "measured", "to reach"), f"make bench BENCH={where}"
    return "faults", ("test", "measured"), f"make chaos CHAOS={where}"


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
    """Function that builds a case at 2 ms: a line (or its name), a speed [km/h], the rest by keyword.

    A steady state is marched unless `periodic` names another method, so that no test measures the one for the other.
    """

    def build(line: CatenarySpec | str, speed_kmh: float, **content) -> CaseSpec:
        spec = build_line(line) if isinstance(line, str) else line
        pantograph = read("pantograph", PANTOGRAPH_OF.get(spec.name, "bruni_2015"))
        marched = {"method": "march", **content.pop("periodic", {})}
        return CaseSpec.model_validate(
            {
                "catenary": spec,
                "pantograph": pantograph,
                "speed_kmh": speed_kmh,
                "dt": 2.0e-3,
                "periodic": marched,
                **content,
            }
        )

    return build


@pytest.fixture(scope="session")
def influence(build_line, build_case):
    """Influence matrices of a line with five droppers: shared by many tests.

    More damping than a real line has: the peaks need fewer frequencies, and a window's ends are felt less.
    """
    from dynamics.influence.matrices import influence_matrices

    droppers = {"positions": [5.0, 16.25, 27.5, 38.75, 50.0], "contact_wire_heights": [0.0, -0.03, -0.04, -0.03, 0.0]}
    line = build_line(droppers=droppers, damping={"alpha": 0.5})
    return influence_matrices(build_case(line, 275.0, applied_force_N=165.0))


# variables of the FMUs of the tests in the order of their value references: a pantograph, and a controller of one
FMU_VARIABLES = {
    "lumped": {
        "contact_force": "input", "head_height": "output", "head_velocity": "output", "applied_force": "parameter",
        "hangs_at": "parameter", "crashes_at": "parameter", "fails_at": "parameter", "offset": "parameter",
    },
    "controller": {
        "contact_force": "input", "height": "input", "velocity": "input", "acceleration": "input", "station": "input",
        **{f"by_{name}": "parameter" for name in ("contact_force", "height", "velocity", "acceleration", "station")},
        "reference": "parameter", "proportional": "parameter", "integral": "parameter", "leak_hz": "parameter",
        "hangs_at": "parameter", "command": "output",
    },
}  # fmt: skip


def fmu_description(name: str, version: int) -> str:
    """Model description of an FMU of the tests, as FMI 2 or 3 has it."""
    before, after = (
        ('<ScalarVariable name="', "><Real/></ScalarVariable>") if version == 2 else ('<Float64 name="', "/>")
    )
    rows = "".join(
        f'{before}{variable}" valueReference="{k}" causality="{kind}"{after}'
        for k, (variable, kind) in enumerate(FMU_VARIABLES[name].items())
    )
    token = "guid" if version == 2 else "instantiationToken"
    head = f'fmiVersion="{version}.0" modelName="{name}" {token}="{name}"'
    parts = f'<CoSimulation modelIdentifier="{name}"/><ModelVariables>{rows}</ModelVariables>'
    return f'<?xml version="1.0"?><fmiModelDescription {head}>{parts}</fmiModelDescription>'


@pytest.fixture(scope="session")
def c_compiler():
    """A C compiler is there, or the test does not run."""
    if shutil.which("gcc") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no gcc: apt-get install gcc")


def fmu_maker(name: str, folder: Path) -> Callable[[int], Path]:
    """Function that gives an FMU of the tests as FMI 2 or 3, made of C."""
    made = {}

    def build(version: int) -> Path:
        if version not in made:
            source, library = CONF.parent / f"tests/dynamics/{name}_fmu.c", folder / f"{name}{version}.so"
            flags = ["-O2", "-shared", "-fPIC", f"-DFMI={version}"]
            subprocess.run(["gcc", *flags, str(source), "-o", str(library)], check=True, capture_output=True)
            made[version] = folder / f"{name}{version}.fmu"
            with zipfile.ZipFile(made[version], "w") as archive:
                archive.writestr("modelDescription.xml", fmu_description(name, version))
                archive.write(library, f"binaries/{'linux64' if version == 2 else 'x86_64-linux'}/{name}.so")
        return made[version]

    return build


@pytest.fixture(scope="session")
def lumped_fmu(c_compiler, tmp_path_factory):
    """Function that gives the three-mass pantograph of the 2015 benchmark as an FMU of FMI 2 or 3."""
    return fmu_maker("lumped", tmp_path_factory.mktemp("fmu"))


@pytest.fixture(scope="session")
def controller_fmu(c_compiler, tmp_path_factory):
    """Function that gives a controller, PI with a leak and weights of what is measured, as an FMU of FMI 2 or 3."""
    return fmu_maker("controller", tmp_path_factory.mktemp("fmu"))
