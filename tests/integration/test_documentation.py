"""The documentation builds without a warning, needs no network, and quotes what runs have written."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from studies.cli import STUDIES
from studies.jobs.simulation import COMPARISONS
from studies.rig import COMMANDS
from studies.validation.gates.gates import load_gates

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
RESULTS = DOCS / "results"
BENCHMARKS = ROOT / "tests" / "benchmarks"
PACKAGES = ("catenary", "dynamics", "optimise", "studies")
PAGES = sorted(file for file in RESULTS.glob("*.md") if file.stem != "index")
FETCHED = re.compile(r"<(?:script|img|link)\b[^>]*?(?:src|href)=[\"']?(?:https?:)?//[^\"'\s>]+")
STYLE = re.compile(r"(?:@import\s+|url\()[\"']?(?:https?:)?//[^\"')]+")
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def module_of(file):
    """A script of the documentation as a module."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The documentation, built as `make docs` builds it: a link or an anchor that leads nowhere fails the build."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_nothing_is_fetched(site):
    for file in site.rglob("*.html"):
        assert not FETCHED.search(file.read_text(encoding="utf-8")), f"{file.name} fetches from a server"
    for file in site.rglob("*.css"):
        assert not STYLE.search(file.read_text(encoding="utf-8")), f"{file.name} fetches from a server"


def test_the_page_of_commands_is_that_of_the_help_texts():
    script = module_of(DOCS / "commands_page.py")
    text = script.PAGE.read_text(encoding="utf-8")
    every = ["catenary", *(f"catenary {name}" for name in STUDIES), *(f"catenary rig {name}" for name in COMMANDS)]
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == every and "speed_kmh" in text
    assert text == script.page_of_commands(), "help texts have changed: run python docs/commands_page.py"


def test_the_tutorial_shows_the_table_of_the_examples():
    """Written out, for those who read it where nothing is included."""
    table = (ROOT / "examples" / "table.csv").read_text(encoding="utf-8")
    assert f"```text\n{table}```" in (DOCS / "tutorial.md").read_text(encoding="utf-8")


def test_every_page_is_listed(site):
    listed = (site / "index.html").read_text(encoding="utf-8")
    missing = [file.name for file in PAGES if f"results/{file.stem}.html" not in listed]
    assert not missing, f"these pages of results are not listed: {missing}"


def test_the_readme_quotes_the_results():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert module_of(DOCS / "readme_figures.py").with_table(readme) == readme, (
        "the README's validated figures must be those of docs/results: run python docs/readme_figures.py"
    )


def every_page_of_results():
    """Name of each page that a command may write, with the command."""
    for key in COMPARISONS:
        yield f"validation_{key}", f"catenary validate only={key} tables=docs/results"
    for file in sorted((ROOT / "tests" / "benchmarks").rglob("bench_*.py")):
        yield f"speed_{file.stem.removeprefix('bench_')}", f"make bench BENCH={file.relative_to(ROOT)}"
    for file in sorted((ROOT / "tests" / "chaos").glob("test_*.py")):
        if "figures(" in file.read_text(encoding="utf-8"):  # it keeps what it measures
            yield f"faults_{file.stem.removeprefix('test_')}", f"make chaos CHAOS={file.relative_to(ROOT)}"


def test_the_index_has_every_page_of_results_with_its_command_and_links_those_that_are_there():
    index = (RESULTS / "index.md").read_text(encoding="utf-8")
    found = dict(every_page_of_results())
    for name, command in found.items():
        shown = f"[`{name}`]({name}.md)" if (RESULTS / f"{name}.md").exists() else f"`{name}`"
        assert f"| {shown} | `{command}` | " in index
    assert {file.stem for file in PAGES} <= set(found), "nothing writes these pages"


def that_share():
    """Benchmarks that import what another file next to them has."""
    shared = {file.stem for file in BENCHMARKS.glob("*.py") if not file.stem.startswith(("bench_", "conftest"))}
    for file in sorted(BENCHMARKS.glob("bench_*.py")):
        if shared & set(re.findall(r"^(?:from|import) (\w+)", file.read_text(encoding="utf-8"), re.M)):
            yield file


@pytest.mark.parametrize("file", list(that_share()), ids=lambda file: file.stem)
def test_a_benchmark_runs_alone(file):
    """Among others it finds what it imports because one of them has said where that is."""
    typed = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", "benchmark", "--collect-only", "-q", file)
    ended = subprocess.run(typed, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda file: file.stem)
def test_a_page_of_results_names_what_wrote_it(page):
    text = page.read_text(encoding="utf-8")
    assert re.search(
        r"^`(catenary validate only=\w+ tables=docs/results|make (bench|chaos) \w+=[\w/.]+)` wrote this page",
        text,
        re.M,
    )
    loads = r"(?:\| (?:\d+\.\d, \d+\.\d, \d+\.\d|not known) )?"  # pages of earlier runs have none
    assert re.search(rf"^\| \d{{4}}-\d\d-\d\d \| .+, \d+ cores?, .+ {loads}\| `[0-9a-f]{{7,}}` \|$", text, re.M), (
        "a page of results must name date, machine, load and a commit without changes"
    )


EXAMPLES = sorted(file.stem for file in (ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_script_of_the_examples_has_its_page(name):
    text = (DOCS / "examples" / f"{name}.md").read_text(encoding="utf-8")
    assert f'--8<-- "examples/{name}.py"' in text and "`make examples` wrote this page" in text
    assert re.search(r"^\| \d{4}-\d\d-\d\d \| .+ \| `[0-9a-f]{7,}` \|$", text, re.M)
    printed = text.rpartition("```text\n")[2].partition("```")[0]
    assert NUMBER.search(printed), "a page of an example must show what the script printed"


def rows_of(page):
    """Cells by heading of the page's table of figures."""
    text = page.read_text(encoding="utf-8")
    lines = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in text.splitlines() if line[:1] == "|"
    ]
    start = next(k for k, cells in enumerate(lines) if cells[:2] == ["quantity", "case"])
    return [dict(zip(lines[start], cells, strict=True)) for cells in lines[start + 2 :]]


@pytest.mark.parametrize("page", [p for p in PAGES if p.stem.startswith("validation")], ids=lambda file: file.stem)
def test_no_gate_is_missed_and_verdicts_follow_from_the_figures(page):
    rows = rows_of(page)
    assert rows
    for row in rows:
        assert row["verdict"] in ("met", "known", "printed"), row
        if row["accepted"] == "–":
            assert row["verdict"] == "printed", row
        elif row["verdict"] == "met":
            accepted = [float(n) for n in NUMBER.findall(row["accepted"])]
            assert accepted[0] <= float(row["here"]) <= accepted[-1], row


def test_published_forces_are_those_of_the_gates():
    gate = load_gates().mean_force
    rows = [row for row in rows_of(RESULTS / "validation_steady.md") if row["quantity"] == "mean contact force"]
    quoted = [[float(n) for n in NUMBER.findall(row["accepted"])] for row in rows]
    assert quoted == [
        pytest.approx([row.expected_N - gate.tolerance_N, row.expected_N + gate.tolerance_N]) for row in gate.rows
    ]
    assert [f"{row.applied_force_N:.2f} N" in text["case"] for row, text in zip(gate.rows, rows, strict=True)]


FIGURE = r"\d+(?:[.,]\d+)*"
COUNT = rf"(?:{FIGURE}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|fifty)"
UNITS = r"(?:N|kN|m|mm|s|ms|h|min|spans|designs)\b"
MEASURED = re.compile(  # in text whose white space is single spaces
    "|".join(
        (
            r"\b(?:took|loses) \d",
            rf"[+−-]{FIGURE} ?%",
            rf"−\d{FIGURE}(?: {UNITS}| over)",  # slopes of -1469 N/m
            r"\d+ (?:November|December) 20\d\d",
            rf"{FIGURE} to {FIGURE} ?%",
            rf"\b(?:within|to|by|than|at most|at least|up to|some|about|nearly|below) {FIGURE} ?%",
            rf"{FIGURE} ?% (?:away|off|more|less|slower|faster|quicker|of the (?:time|cost))",
            rf"\b(?:within|than|by|off by) (?:{FIGURE} ?·)? ?10⁻",
            r"\ban? (?:third|quarter|fifth|sixth|eighth|tenth) of\b",
            r"\bhalf (?:of )?(?:the|its) (?:time|cost)\b",
            rf"\b(?:{COUNT}|several|many|(?:ten|hundred|thousand)s of) times (?:slower|faster|quicker|cheaper|longer)",
            rf"\b(?:{COUNT}|several|many|(?:ten|hundred|thousand)s of) times as (?:long|fast|slow|much|many)\b",
            r"\b(?:several|many|(?:ten|hundred|thousand)s of) times the\b",
            rf"\b(?:some|about|around|nearly|roughly) {COUNT}(?! ?%)(?:/\d+)?(?: \w+)?",
            rf"\b(?:takes?|costs?) (?:\w+ )?{FIGURE} ?(?:s|ms|min|h)\b",
            rf"± {FIGURE} ?(?:%|mm)",
        )
    )
)
# figures that nobody measured, by page, each in the words around it
ALLOWED = {
    # what somebody asks for: limits, thresholds, criteria and tolerances
    "docs/how-to/sign.md": ("has risen by 5 %, ±",),
    "docs/reference/rig-service.md": ("are more than 2 % off the step",),
    "docs/theory/convergence.md": ("costs within 25 % of each other count as equal",),
    "docs/theory/derivatives.md": ("within 10 % of its limit",),
    "docs/theory/hardware-loop.md": ("within 0.5 % in σ and 1 N RMS of the periodic state",),
    "docs/theory/march.md": ("moves σ by more than 3 %", '"null or about 1/100" of the stiffness'),
    "docs/theory/numerical-error.md": ("moves σ by more than 0.5 %", "(second order): a third of it"),
    "docs/theory/off-design.md": ("before σ rises by 5 %", "r stays below 5 %"),
    "docs/theory/steady-state.md": ("the change has not fallen by 30 %",),
    # tolerances of the tests that hold it
    "docs/theory/objectives.md": ("within 0.1 % (`tests/optimise/test_defect_scenarios.py`)",),
    "docs/theory/open-line.md": ("the weight that is gone, within 5 %", "the density within 5 % by bands"),
    "docs/theory/pantograph-contact.md": ("has σ of the built-in one within 0.1 %",),
    # constants of a method, and what follows from whole numbers of steps
    "docs/reference/records.md": ("(± 4 %, so that not all do at once)",),
    "docs/theory/elements.md": ("a third of its bar's mass",),
    "docs/theory/influence-matrices.md": ("the speed (by at most 0.3 %)", "adjusts dt (by at most 0.5 %)"),
    "docs/theory/search.md": (
        "step a sixth of the range",
        "bettered its best feasible one by 0.3 %",
        "within a quarter of each range",
    ),
    "docs/theory/signals.md": ("windows of a quarter of a span",),
    # inputs
    "docs/how-to/as-built.md": ("all others within some 1.5 mm",),
    "docs/how-to/line-by-stations.md": ("at most a quarter of the time that the shortest wave takes",),
}


def measured_figures(text):
    """Forms in which a text tells what was measured, each with the words around it; blocks have a test of their own."""
    plain = re.sub(r"\s+", " ", BLOCK.sub("", text))
    return [
        (match.group(0), plain[max(0, match.start() - 60) : match.end() + 60]) for match in MEASURED.finditer(plain)
    ]


def test_measured_figures_stand_in_results_notebook_and_examples_alone():
    found = []
    for page in (ROOT / "README.md", *ROOT.glob("*/README.md"), *DOCS.rglob("*.md")):
        if page.parent.name in ("notebook", "results", "examples") or page.name == "changelog.md":
            continue
        allowed = ALLOWED.get(str(page.relative_to(ROOT)), ())
        found += [
            f"{page.relative_to(ROOT)}: {figure} (… {around} …)"
            for figure, around in measured_figures(page.read_text(encoding="utf-8"))
            if not any(figure in phrase and phrase in around for phrase in allowed)
        ]
    assert not found, "a run writes a measured figure into docs/results; a record goes to docs/notebook:\n" + "\n".join(
        found
    )


def test_files_that_pages_name_are_there():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    missing = []
    for page in DOCS.rglob("*.md"):
        if page.parent.name in ("notebook", "results") or page.name == "changelog.md":  # records of their day
            continue
        for name in re.findall(r"`([\w/-]+/[\w/-]+\.(?:py|yaml|csv))`", page.read_text(encoding="utf-8")):
            ours = not name.startswith(("outputs/", "pareto/")) and "NAME" not in name and "NNN" not in name
            if ours and not any(f"/{file}".endswith(f"/{name}") for file in listed):
                missing.append(f"{page.relative_to(ROOT)}: {name}")
    assert not missing, "these pages name files that are not there:\n" + "\n".join(missing)


def test_targets_of_make_that_texts_name_are_there():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    texts = [*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *(f for p in PACKAGES for f in (ROOT / p).rglob("*.py"))]
    named = {(name, text.name) for text in texts for name in re.findall(r"`make ([a-z]+)", text.read_text("utf-8"))}
    assert {"validate", "bench"} <= {name for name, _ in named}
    assert not [found for found in sorted(named) if found[0] not in targets]
