"""The console command: help, laziness, exit codes."""

import os
import resource
import subprocess
import sys

import pytest

import catenary as package
from studies import cli
from studies.rig import COMMANDS as RIG
from studies.writing.run_folder import fresh_folder

ROOT = os.path.dirname(os.path.dirname(cli.__file__))
HEAVY = ("optuna", "dask", "distributed", "xarray", "scipy.signal", "numba", "matplotlib")
PAGES = [["--help"], *([name, "--help"] for name in cli.STUDIES), *(["rig", name, "--help"] for name in RIG)]


def test_help_names_every_study_and_choice(catenary):
    ended = catenary("--help")
    assert ended.code == 0
    for word in (*cli.STUDIES, "bruni_2015", "re330", "dsa380", "oc1_heights", "cma_es", "Exit codes"):
        assert word in ended.out


def test_no_argument_at_all_teaches_too(catenary):
    assert catenary().out == catenary("--help").out


@pytest.mark.parametrize("study", cli.STUDIES)
def test_every_study_has_a_page(catenary, study):
    ended = catenary(study, "--help")
    assert ended.code == 0
    assert ended.out.startswith(f"catenary {study}: ")


def test_a_page_gives_every_key_with_unit_and_range(catenary):
    page = catenary("simulate", "--help").out
    assert "catenary.contact_wire.tension  installed tension [N]; between 5000 and 60000 N" in page
    assert "speed_kmh = 300" in page and "train speed [km/h]; between 5 and 600 km/h" in page
    # what conf writes for a command goes before the default of a Spec
    assert "periodic.spans_behind = 45" in page and "dt = 0.001" in page
    searched, shown = (catenary(study, "--help").out for study in ("optimise", "demo"))
    assert "periodic.spans_behind = 10" in searched and "dt = 0.002" in searched and "trials = 200" in searched
    assert "trials = 33" in shown and "trust.speeds = 3" in shown


@pytest.mark.parametrize("arguments", [["--help"], ["simulate", "--help"], ["optimise", "--help"]])
def test_help_answers_at_once(console, arguments):
    def seconds():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert console(*arguments).code == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    # processor time; half a second is wanted of a free machine, and a crowded one has taken 0.73 s for the same work
    assert min(seconds() for _ in range(3)) < 1.0


@pytest.mark.parametrize("module", ["optimise.search.progress", "optimise.parameter_study.status"])
def test_how_a_study_stands_is_read_without_anything_heavy(module):
    code = f"import sys, {module}\nprint([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("arguments", [*PAGES, ["optimise", "--cfg", "job"]], ids=" ".join)
def test_what_only_reads_imports_nothing_heavy(folder, arguments):
    code = (
        "import sys\nfrom studies.cli import main\n"
        f"assert main({arguments!r}) == 0\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": ROOT},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize(
    ("typed", "advice"),
    [
        ("simulat", "did you mean 'simulate'?"),
        ("optimize", "'optimise'"),
        ("list", "'lines'"),
        ("ls", "'lines'"),
        ("xyz", "known:"),
    ],
)
def test_an_unknown_study_is_answered_with_a_suggestion(catenary, typed, advice):
    ended = catenary(typed)
    assert ended.code == 2
    assert f"there is no study '{typed}'" in ended.err
    assert advice in ended.err


def test_version(catenary):
    assert catenary("--version").out == f"catenary {package.__version__}\n"
    assert package.__version__[0].isdigit()


def test_an_interruption_says_so(catenary, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("studies.commands.simulate.compose", stop)
    ended = catenary("simulate")
    assert ended.code == 75
    assert "run the same command again" in ended.err


def test_a_reader_that_has_enough_is_not_an_error(console, folder):
    done = subprocess.run(
        f"{sys.executable} -m studies.cli simulate --help | head -1; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(cli.__file__))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_two_runs_in_one_second_have_folders_of_their_own(folder):
    first = fresh_folder("simulate", "re330", None)
    first.mkdir(parents=True)
    assert fresh_folder("simulate", "re330", None) != first


def test_doctor_fails_when_a_package_is_shadowed(folder):
    (folder / "conf").mkdir()
    (folder / "conf" / "__init__.py").touch()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "studies.cli", "doctor"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "package 'conf' comes from" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [("--help",), ("optimise", "--help")])
def test_every_group_of_a_campaign_is_among_the_choices(catenary, arguments):
    from catenary.storage.configuration import group_options
    from studies.input.compose import groups_of

    page = catenary(*arguments).out
    for group in set(groups_of("optimise")) - {"case"}:
        assert any(line.split("=")[0].split()[:1] == [group] and " | ".join(group_options(group)) in line
                   for line in page.splitlines()), group  # fmt: skip
