"""The head of a page: typed with a run or afterwards, kept in report.yaml, never part of what decides the numbers."""

import json

import yaml
from refusal import refused
from small_runs import BRUNI, SMALL_WINDOW

from catenary.storage.configuration import CONF
from catenary.storage.provenance import config_sha256
from studies.commands.simulate import compose

RUN = ("simulate", *BRUNI, *SMALL_WINDOW, "transient.spans_evaluated=4", "run_dir=run")


def test_the_head_is_typed_with_a_run_and_afterwards(catenary, folder):
    ended = catenary(*RUN, "report.author=A. Engineer, Track Works", 'report.revision="B"')
    assert ended.code == 0, ended.err
    page = (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert "<dd>A. Engineer, Track Works</dd>" in page and "<dt>approved</dt><dd></dd>" in page
    assert "<dd>B</dd>" in page and "5 of 5 unconfirmed" not in page
    assert "not conformity" in page and "nobody yet" in page
    assert catenary("report", "run", "report.checked=C. Checker, 2026-11-23").code == 0
    page = (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert "<dd>C. Checker, 2026-11-23</dd>" in page and "<dd>A. Engineer, Track Works</dd>" in page
    summary = json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8"))
    assert {c["confirmed"] for c in summary["assessment"][0]["criteria"]} == {None}
    assert summary["config_sha256"] == config_sha256(compose([*RUN[1:]]).job.simulation)

    own = yaml.safe_load((folder / "run" / "report.yaml").read_text(encoding="utf-8"))
    assert own["author"] == "A. Engineer, Track Works" and own["limits"] is None
    before = (folder / "run" / "report.html").read_bytes()
    refused(catenary("report", "run", "report.limits=none.yaml"), ["none.yaml does not exist"])
    assert (folder / "run" / "report.html").read_bytes() == before
    shipped = summary["assessment"][0]["limits_file"]
    assert "standards/contact_force.yaml" in shipped and "not kept" not in page and "another file" not in page

    content = yaml.safe_load((CONF / "standards" / "contact_force.yaml").read_text(encoding="utf-8"))
    for row in content["limits"]:
        row["constant"] = 1.0 if row["statistic"] == "contact_force_max_N" else row.get("constant", 0.0)
    (folder / "strict.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    assert catenary("report", "run", "report.limits=strict.yaml").code == 0
    page = (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert f"judged by another file when it was written: {shipped}" in page and "file strict.yaml" in page
    headline = page.partition('class="headline">')[2].partition("</p>")[0]
    assert "of standards 1 is not kept: maximum" in headline
    assert json.loads((folder / "run" / "summary.json").read_text(encoding="utf-8")) == summary, "a record of the run"


def test_a_file_of_limits_that_cannot_be_used_is_refused_before_any_work(catenary, folder):
    for command in ("simulate", "optimise"):
        refused(catenary(command, "report.limits=none.yaml"), ["limits file none.yaml does not exist"])
    (folder / "own.yaml").write_text("title: mine\nlimits: [{statistic: sigma}]\n", encoding="utf-8")
    ended = catenary("optimise", "report.limits=own.yaml")
    assert ended.code == 2 and "limits.0.statistic" in ended.err.replace("[0]", ".0"), ended.err
    assert [path.name for path in folder.iterdir()] == ["own.yaml"]


def test_what_has_no_head_refuses_one(catenary, folder):
    refused(catenary("report", "a", "b", "report.author=A"), ["report must be left out where runs are compared"])
