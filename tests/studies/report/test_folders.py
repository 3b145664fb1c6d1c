"""Reports from run folders that the commands' own writers filled; the solvers alone are stood in for."""

import json
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
import yaml

from catenary.errors import InputError
from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.spec.line import CatenarySpec
from catenary.storage.provenance import config_sha256
from dynamics.contact_force.statistics import ContactStatistics
from dynamics.results.dataset import write_result
from dynamics.results.solution import PantographResult
from dynamics.spec.case import CaseSpec, PantographSpec
from dynamics.spec.status import Status
from optimise.evaluation.outcome import Outcome, OutcomeStatus, failed
from optimise.search.campaign import run_campaign
from optimise.spec.campaign import CampaignSpec, ClusterSpec, DesignSpec, SamplerSpec, TrustSpec
from studies.afterwards import confirmation
from studies.afterwards import off_design as trust
from studies.jobs.simulation import RecordSpec
from studies.report import write_campaign_report, write_comparison, write_simulation_report
from studies.report.readers.campaign_folder import read_campaign
from studies.report.readers.comparison_content import read_comparison
from studies.report.readers.simulation_folder import read_simulation
from studies.writing.summary import summarise

CONF = Path(confirmation.__file__).parents[2] / "conf"


def statistics_of(sigma):
    extremes = (157.3 + 2.5 * sigma, 157.3 - 2.5 * sigma, 157.3 + 3 * sigma, 157.3 - 3 * sigma)
    return ContactStatistics(157.3, sigma, 0.8 * sigma, 0.6 * sigma, *extremes, 0.0, 60.0, 45.0)


@dataclass(frozen=True)
class StandIn:
    """What a solver would give: the line's own equilibrium, and made-up histories."""

    case: CaseSpec
    status: Status = Status.OK
    message: str = ""
    applied_force_N: float = 150.0

    @cached_property
    def equilibrium(self):
        return periodic_equilibrium(self.case.catenary)

    @property
    def sigma(self):
        """Lower where the contact wire hangs lower, and where droppers stand closer to mid-span."""
        droppers = self.case.catenary.droppers
        return 31.0 + 20.0 * sum(droppers.contact_wire_heights) - 0.5 * (droppers.positions[1] - 12.0)

    @property
    def statistics(self):
        return statistics_of(self.sigma) if self.status is Status.OK else None

    spread_percent = 0.0
    histories = None
    dropper_force = np.zeros((0, 0))

    @property
    def repeats(self):
        return self.case.seeks_steady_state

    @property
    def pantographs(self):
        names = (
            "position",
            "contact_force",
            "contact_force_filtered",
            "contact_height",
            "statistics",
            "applied_force_N",
        )
        found = {name: getattr(self, name) for name in names}
        return (PantographResult(**found, evaluated=slice(-self.case.steps_per_period, None)),)

    @property
    def time(self):
        spans = 1 if self.case.solver == "periodic" else 7
        return self.case.time_step * np.arange(
            0 if self.status is not Status.OK else spans * self.case.steps_per_period
        )

    @property
    def position(self):
        return self.case.speed * self.time

    @property
    def contact_force(self):
        return 157.3 + self.sigma * np.sin(2 * np.pi * self.position / self.case.catenary.span_length)

    contact_force_filtered = contact_force

    @property
    def contact_height(self):
        return 0.04 + 0.01 * np.cos(2 * np.pi * self.position / self.case.catenary.span_length)

    @property
    def dropper_slack_time(self):
        return 0.037 + 0.001 * np.arange(len(self.case.catenary.droppers.positions) if self.time.size else 0)

    support_uplift = np.full(1, 0.06)
    wall_time_s = {"equilibrium": 0.01, "dynamics": 0.03}  # noqa: RUF012 - read only


def evaluate(task, setting):
    """Outcome by the stand-in; some trials fail, some break a limit."""
    if task.number % 7 == 5:
        return failed(task.number, "a dropper snapped")
    solution = StandIn(setting.case.model_copy(update={"catenary": task.catenary}))
    uplift = 0.2 if task.number % 4 == 3 else -0.1
    return Outcome(
        number=task.number,
        status=OutcomeStatus.OK,
        sigma_N=solution.sigma,
        constraints={"g_uplift": uplift, "g_static_dropper_force": -1.0, "g_contact_loss": 0.0},
        told_N=solution.sigma if uplift < 0 else 40.0,
        statistics={k: float(v) for k, v in vars(solution.statistics).items()},
        static_dropper_force_min_N=70.0,
        applied_force_N=150.0,
        wall_time_s={"total": 0.05},
    )


@pytest.fixture(params=["re330", "bruni_2015"])
def case(request):
    pantograph = {"re330": "dsa380", "bruni_2015": "bruni_2015"}[request.param]
    blocks = [
        yaml.safe_load((CONF / f"{group}/{name}.yaml").read_text(encoding="utf-8"))
        for group, name in (("catenary", request.param), ("pantograph", pantograph))
    ]
    return CaseSpec(
        catenary=CatenarySpec.model_validate(blocks[0]),
        pantograph=PantographSpec.model_validate(blocks[1]),
        speed_kmh=300.0,
        mean_force_N=157.3,
    )


def simulate_into(folder, solution):
    write_result(folder / "result.nc", solution, solution.case)
    summary = summarise(solution.case, solution, 0.05, config_sha256(solution.case))
    (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")


@pytest.fixture(params=["heights", "both"])
def campaign_folder(request, case, tmp_path, monkeypatch):
    campaign = CampaignSpec(
        name="trial_run",
        trials=20,
        sampler=SamplerSpec(kind="random"),
        design=DesignSpec(kind=request.param, height_change=0.01, dropper_move=0.5),
        cluster=ClusterSpec(kind="serial"),
    )
    folder = tmp_path / "trial_run"
    result = run_campaign(campaign, case, folder, evaluate=evaluate, prepare=lambda case: None)
    monkeypatch.setattr(confirmation, "solve", StandIn)
    confirmation.confirm_campaign(result, lambda line: None)
    monkeypatch.setattr("optimise.afterwards.off_design.evaluate_variation", evaluate)
    monkeypatch.setattr("optimise.evaluation.evaluate.evaluate", evaluate)
    trust.show_trust(result, TrustSpec(speeds=3, samples=2), lambda line: None)
    trust.show_fitter_schedule(result)
    return folder


def test_a_campaign_stands_for_its_nominal_and_its_best_design(campaign_folder, tmp_path):
    content = read_comparison([str(campaign_folder)], RecordSpec())
    nominal, best = content.entries
    found = read_campaign(campaign_folder)
    assert nominal.result.statistics == found.nominal.statistics
    assert best.result.statistics == found.best.statistics
    assert "best design of" in best.line
    picture = write_comparison([str(campaign_folder)], RecordSpec(), tmp_path / "cmp.html")
    assert picture.read_bytes().startswith(b"\x89PNG")
    differing = (tmp_path / "cmp.html").read_text(encoding="utf-8").partition("What differs in the input")[2]
    assert "droppers, contact wire heights" in differing
    assert "speed" not in differing.partition("Where they come from")[0]


def test_a_campaign_without_its_solution_cannot_be_compared(campaign_folder, tmp_path):
    shutil.rmtree(campaign_folder / "best")
    with pytest.raises(InputError, match=r"best design.*must hold a solved contact force"):
        write_comparison([str(campaign_folder)], RecordSpec(), tmp_path / "cmp.html")
    assert not (tmp_path / "cmp.html").exists()


@pytest.mark.parametrize("solver", ["periodic", "transient"])
def test_a_simulation_is_reported(case, solver, tmp_path):
    solution = StandIn(case.model_copy(update={"solver": solver}))
    simulate_into(tmp_path, solution)
    content = read_simulation(tmp_path)
    span = case.catenary.span_length
    force = content.result.force
    assert force.x[0] == pytest.approx(0.0, abs=0.2)
    assert force.x[-1] == pytest.approx(span, abs=0.2)
    assert np.all(np.diff(force.x) > 0)
    np.testing.assert_allclose(force.y, 157.3 + solution.sigma * np.sin(2 * np.pi * force.x / span), atol=1e-6)
    html = write_simulation_report(tmp_path).read_text(encoding="utf-8")
    for text in ("standard deviation of", "Static elasticity", "chosen here", "slack is how long a dropper"):
        assert text in html
    np.testing.assert_allclose(content.result.dropper_slack_time, 1e3 * solution.dropper_slack_time)
    kept = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))["dropper_slack_time_s"]
    np.testing.assert_allclose(kept, solution.dropper_slack_time)
    assert {f.stem for f in (tmp_path / "figures").iterdir()} >= {"contact_force", "line", "contact_wire"}


def test_a_simulation_whose_solver_failed_is_reported(case, tmp_path):
    simulate_into(tmp_path, StandIn(case, Status.DIVERGED, "at step 3"))
    html = write_simulation_report(tmp_path).read_text(encoding="utf-8")
    assert "The solver did not finish" in html
    assert Status.DIVERGED.value in html


def test_the_line_drawn_is_the_line_computed(case, tmp_path):
    solution = StandIn(case)
    simulate_into(tmp_path, solution)
    drawing = read_simulation(tmp_path).result.drawing
    low, high = drawing.droppers.y[::2], drawing.droppers.y[1::2]
    own = (drawing.droppers.x[::2] > 0) & (drawing.droppers.x[::2] < case.catenary.span_length)
    np.testing.assert_allclose((high - low)[own], solution.equilibrium.dropper_length, atol=1e-9)
    np.testing.assert_allclose(drawing.dropper_x, case.catenary.droppers.positions, atol=1e-9)
    heights = np.interp(drawing.dropper_x, drawing.contact_wire.x, drawing.contact_wire.y)
    np.testing.assert_allclose(heights, drawing.dropper_height, atol=1e-6)
    assert drawing.contact_wire.x[[0, -1]] == pytest.approx([0.0, case.catenary.span_length])
    stitches = [w for w in drawing.wires if w.x.max() - w.x.min() < 0.5 * case.catenary.span_length]
    assert len(stitches) == (2 if case.catenary.kind == "stitched" else 0)


def test_a_campaign_is_reported(campaign_folder):
    html = write_campaign_report(campaign_folder).read_text(encoding="utf-8")
    names = {f.stem for f in (campaign_folder / "figures").iterdir()}
    wanted = {"contact_force", "contact_height", "line", "contact_wire", "search", "dropper_forces", "speed"}
    assert wanted <= names
    for text in (
        "The long transient gives",
        "a dropper snapped",
        "Limits and margins",
        "least dropper force",
    ):
        assert text in html


def test_the_campaign_says_what_is_on_record(campaign_folder):
    content = read_campaign(campaign_folder)
    history = content.history
    assert history.state.count("failed") == 3
    feasible = [s for s, state in zip(history.value, history.state, strict=True) if state == "feasible"]
    assert content.best.statistics["contact_force_std_N"] == min(feasible) == content.designs.values[0, 0]
    assert list(content.designs.values[0]) == sorted(feasible)[:5]
    assert content.nominal.statistics["contact_force_std_N"] == history.nominal
    uplift = content.constraints[0]
    assert uplift.limit == pytest.approx(66.0)
    assert uplift.margin == pytest.approx(6.0)
    assert content.warnings == ()
    assert np.all(content.designs.lower <= content.designs.designs.min(axis=1))
    assert np.all(content.designs.upper >= content.designs.designs.max(axis=1))


def test_a_confirmation_of_another_trial_is_not_shown(campaign_folder):
    path = campaign_folder / "confirmation.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["best"]["trial"] += 1
    path.write_text(json.dumps(content), encoding="utf-8")
    found = read_campaign(campaign_folder)
    assert found.confirmation is None
    assert "not of the best design" in found.warnings[0]


def test_a_campaign_without_solutions_has_a_page_that_says_so(campaign_folder):
    for name in ("nominal", "best"):
        shutil.rmtree(campaign_folder / name)
    (campaign_folder / "confirmation.json").unlink()
    (campaign_folder / "trust.json").unlink()
    html = write_campaign_report(campaign_folder).read_text(encoding="utf-8")
    assert "no solution of the best line on record" in html
    assert "History of the search" in html


def test_a_solution_of_another_design_is_not_shown(campaign_folder):
    shutil.copy(campaign_folder / "nominal" / "result.nc", campaign_folder / "best" / "result.nc")
    found = read_campaign(campaign_folder)
    assert found.best.force is None
    assert "no solution of the best line" in found.warnings[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [("summary.json", "{"), ("summary.json", "[1]"), ("result.nc", "not a result"), ("summary.json", None)],
)
def test_a_foreign_or_broken_run_folder_is_refused(case, name, text, tmp_path):
    simulate_into(tmp_path, StandIn(case))
    (tmp_path / name).unlink()
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=name):
        write_simulation_report(tmp_path)
    assert not (tmp_path / "report.html").exists()


def test_a_folder_without_a_campaign_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"campaign\.yaml"):
        write_campaign_report(tmp_path)


def test_a_reading_of_slack_droppers_that_moves_a_line_of_a_campaign_is_a_warning_of_its_page(monkeypatch):
    from studies.report.readers import campaign_folder

    warning = "slack_damping=kept is a choice that matters here"
    summaries = {"nominal": {"slack_damping": {"warning": warning, "message": "20 N, 22 N"}},
                 "best": {"slack_damping": {"warning": "", "message": "20 N, 20.1 N"}}}  # fmt: skip
    monkeypatch.setattr(campaign_folder, "_summary", lambda result, name, case: summaries[name])

    class Result:
        def case_with(self, line):
            return None

        def catenary_of(self, record):
            return None

    found = campaign_folder._slack(Result(), dict.fromkeys(summaries))
    assert found == (f"nominal line: {warning} (20 N, 22 N).",)
    summaries["nominal"] = {}  # as folders of earlier versions
    assert campaign_folder._slack(Result(), dict.fromkeys(summaries)) == ()
