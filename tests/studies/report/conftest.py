"""Realistic content for reports, made without any solver: smooth functions of the station."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.spec.case import SignalSpec
from optimise.afterwards.confirm import Confirmation, DesignConfirmation
from optimise.afterwards.gain_left import ComparedRun
from optimise.evaluation.objectives import OBJECTIVES
from optimise.search.history import SearchHistory
from studies.report.content.pieces import (
    Constraint,
    Curve,
    DesignTable,
    Front,
    LineDrawing,
    OffDesign,
    SpanResult,
)
from studies.report.content.provenance import Provenance, RunFacts
from studies.report.readers.comparison_content import ROLES, ComparisonContent, Entry
from studies.report.readers.page_content import CampaignContent, SimulationContent
from studies.report.sections.choice import Choice
from studies.validation.en50318 import acceptance_chart
from studies.validation.gates.gates import load_gates
from studies.validation.rows import Comparison, Reference, Row

# what several of these test modules use stands in modules next to them
sys.path.insert(0, str(Path(__file__).resolve().parent))

SPAN = 65.0
NOTE = "One pantograph in steady state on the infinite line, over one span from support to support."
FILTER = "Forces are low-pass filtered: butterworth 20 Hz, zero phase."
DROPPERS = np.array([4.5, 12.0, 18.8, 25.65, 32.5, 39.35, 46.2, 53.0, 60.5])


def line_of(role, droppers, presag_mm):
    """A stitched line: parabola of the messenger, pre-sagged contact wire, stitches at both supports."""
    x = np.linspace(-10.0, SPAN + 10.0, 381)
    local = x % SPAN
    messenger = 1.8 - 0.9 * 4 * (local / SPAN) * (1 - local / SPAN)
    contact = -1e-3 * presag_mm * np.sin(np.pi * local / SPAN) ** 2 - 0.004 * np.abs(np.sin(9 * np.pi * local / SPAN))
    own = (x >= 0) & (x <= SPAN)
    stitches = [np.linspace(s - 9, s + 9, 13) for s in (0.0, SPAN)]
    at = [np.interp(droppers, x, y) for y in (contact, messenger)]
    return LineDrawing(
        wires=(
            Curve("", x, contact, "m", "m", role),
            Curve("", x, messenger, "m", "m", role),
            *(Curve("", s, np.full(s.size, 1.35), "m", "m", role) for s in stitches),
        ),
        droppers=Curve("", np.repeat(droppers, 2), np.column_stack(at).ravel(), "m", "m", role, "segments"),
        contact_wire=Curve("", x[own], 1e3 * contact[own], "m", "mm", role),
        dropper_x=droppers,
        dropper_height=1e3 * at[0],
        supports=np.array([0.0, SPAN]),
    )


def result_of(label, role, droppers, sigma, presag_mm):
    x = np.linspace(0.0, SPAN, 781)[:-1]
    shape = (
        np.sin(2 * np.pi * x / SPAN) + 0.6 * np.sin(18 * np.pi * x / SPAN + 0.7) + 0.3 * np.cos(32 * np.pi * x / SPAN)
    )
    force = 157.3 + sigma * shape / shape.std()
    statistics = {
        "contact_force_mean_N": 157.3,
        "contact_force_std_N": sigma,
        "contact_force_std_0_5Hz_N": 0.8 * sigma,
        "contact_force_std_5_20Hz_N": 0.6 * sigma,
        "contact_force_max_N": float(force.max()),
        "contact_force_min_N": float(force.min()),
        "contact_force_statistical_max_N": 157.3 + 3 * sigma,
        "contact_force_statistical_min_N": 157.3 - 3 * sigma,
        "contact_loss_percent": 0.0,
        "max_uplift_at_supports_mm": 62.4,
        "contact_point_range_mm": 48.2,
    }
    return SpanResult(
        label=label,
        drawing=line_of(role, droppers, presag_mm),
        force=Curve(label, x, force, "m", "N", role),
        dropper_x=droppers,
        dropper_force=95.0 + 6 * np.cos(droppers),
        statistics=statistics,
        dropper_cut_length=np.linspace(0.9, 1.2, 9),
        height=Curve(label, x, 45 + 20 * np.sin(2 * np.pi * x / SPAN), "m", "mm", role),
    )


def history_of(n=240):
    rng = np.random.default_rng(4)
    sigma = 31.2 - 7.0 * (1 - np.exp(-np.arange(n) / 60)) + 4.0 * rng.exponential(size=n) * np.exp(-np.arange(n) / 90)
    draw = rng.random(n)
    state = tuple("failed" if d < 0.03 else "infeasible" if d < 0.2 else "feasible" for d in draw)
    failed = np.array([s == "failed" for s in state])
    sigma[failed] = np.nan
    sigma[37] = np.nan  # infeasible by its static forces, so its dynamics were not run
    state = (*state[:37], "infeasible", *state[38:])
    sampler_value = np.where([s == "infeasible" for s in state], 31.2 * (1 + draw), sigma)
    messages = tuple("dropper 3 is slack at rest" if f else "" for f in failed)
    return SearchHistory(np.arange(n), sigma, sampler_value, state, messages, nominal=31.2)


def designs_of():
    names = tuple(f"dropper {k + 1} height" for k in range(5))
    best = np.array([3.1, -12.4, -24.0, -31.9, -35.6])
    rng = np.random.default_rng(5)
    return DesignTable(
        names=names,
        units=("mm",) * 5,
        lower=np.full(5, -60.0),
        upper=np.full(5, 60.0),
        nominal=np.zeros(5),
        designs=best[:, None] + rng.normal(0, 1.0, (5, 5)) * np.arange(5),
        trials=(231, 199, 224, 188, 240),
        objectives=(OBJECTIVES["sigma"],),
        values=np.array([[24.61, 24.63, 24.70, 24.74, 24.81]]),
        nominal_values=np.array([31.2]),
    )


def choice_of_designs():
    """A choice of five heights: the nominal line and two designs drawn."""
    roles = (("nominal", "nominal", 0.0), ("trial 231", "best", 20.0), ("trial 199", "other", -12.0))
    drawn = tuple(
        Curve(label, DROPPERS, a * np.sin(np.pi * DROPPERS / SPAN), "m", "mm", role, notes=("",) * len(DROPPERS))
        for label, role, a in roles
    )
    cost = (("designs evaluated", "242"), ("core-hours, one thread a design", "0.013"))
    return Choice("5 variables: heights of droppers (5).", "Not varied: everything else of line re330.", drawn, cost)


def off_design_run(kind, value, nominal, best, error=0.0):
    """Both designs under one condition, with figures of one error."""
    return ComparedRun(kind, value, (nominal, error), (best, error))


def off_design_of():
    """Off-design table in which the best design is worse at one speed, and some runs are missing."""
    nan = float("nan")
    nominal, best = (24.0, 25.5, 31.2, 34.0, 43.0), (23.0, 23.2, 24.61, 35.5, nan)
    runs = [off_design_run("speed", 270.0 + 15 * k, a, b) for k, (a, b) in enumerate(zip(nominal, best, strict=True))]
    runs += [off_design_run("contact", 200.0e3, 29.0, 23.5)]
    runs += [off_design_run("damping", 0.5, 35.0, 30.5), off_design_run("damping", 2.0, 26.0, 21.5)]
    errors = 0.6 * np.sin(np.arange(10.0))
    runs += [off_design_run("height_error", s, 31.4 + s * e, 25.2 - s * e) for s in (2.0, 5.0) for e in errors]
    reason = "support.steady_arm (length, axial_stiffness) is missing: the spatial model needs it"
    runs.append(ComparedRun("dimension", 0.0, (nan, nan), (nan, nan), "spatial", (reason, reason)))
    return OffDesign(300.0, 50.0e3, tuple(runs))


def schedule_of():
    """Content of fitter_schedule.json; the line with lengths rounded to 5 mm has no figures."""
    length = 1.2 + 0.0003 * DROPPERS
    slack = "dropper 2 would carry -3.0 N at rest: it must be in tension"
    runs = ((0.0, 24.61, ""), (1.0, 24.72, ""), (5.0, None, slack))
    rounded = ((1.0, np.round(length, 3)), (5.0, np.full(len(length), 1.205)))
    return {
        "position_m": DROPPERS.tolist(),
        "length_m": length.tolist(),
        "rounded_m": [{"rounded_mm": mm, "length_m": lengths.tolist()} for mm, lengths in rounded],
        "runs": [{"rounded_mm": mm, "contact_force_std_N": sigma, "message": text} for mm, sigma, text in runs],
    }


@pytest.fixture
def campaign_folder(written, tmp_path):
    """A copy of the folder that a module has ``written``, which a test may change."""
    return shutil.copytree(written, tmp_path / "trial_run")


@pytest.fixture
def campaign_content():
    return CampaignContent(
        title="re330 with the DSA 380 at 300 km/h",
        x_note=NOTE,
        filter_note=FILTER,
        nominal=result_of("nominal", "nominal", DROPPERS, 31.2, 0.0),
        best=result_of("best", "best", DROPPERS + 0.4 * np.sin(DROPPERS / 10), 24.61, 36.0),
        best_trial=231,
        confirmation=Confirmation(DesignConfirmation(0, 31.2, 31.3, 0.4), DesignConfirmation(231, 24.61, 24.7, -0.45)),
        off_design=off_design_of(),
        schedule=schedule_of(),
        history=history_of(),
        designs=designs_of(),
        constraints=(
            Constraint("largest uplift at supports", "mm", "at most", 68.6, 62.4, 60.1, 0.4),
            Constraint("least dropper force at rest", "N", "at least", 10.0, 89.0, 74.0, near=0.02),
            Constraint("loss of contact", "%", "at most", 0.0, 0.0, 0.0, 0.0),
            Constraint("mean contact force", "N", "fixed at", 157.3, 157.3, 157.3),
            Constraint("least distance between droppers", "m", "at least", 2.0, 6.7, 6.6, 0.0),
        ),
        least_dropper_force_N=10.0,
        provenance=(
            Provenance("Line re330", "span length", "65", "m", "chosen here"),
            Provenance("Line re330", "contact wire, tension", "27000", "N", "recalled from the literature"),
            Provenance("Line re330", "droppers, positions", "  ".join(f"{x:g}" for x in DROPPERS), "m", "chosen here"),
            Provenance("Pantograph dsa380", "masses", "7.12  6  5.8", "kg", "seen in a public source"),
        ),
        run=RunFacts(
            (("input, SHA-256", "0123456789abcdef" * 4), ("numpy", "2.2.0")),
            "catenary optimise +experiment=oc1_heights",
        ),
        choice=choice_of_designs(),
    )


@pytest.fixture
def simulation_content(campaign_content):
    return SimulationContent(
        title="re330 with the DSA 380 at 300 km/h",
        result=campaign_content.best,
        x_note=NOTE,
        filter_note=FILTER,
        provenance=campaign_content.provenance,
        run=campaign_content.run,
    )


@pytest.fixture
def comparison_content(campaign_content):
    """Six forces, the last one a record with the spread of its spans."""
    entries = []
    for k, role in enumerate(ROLES):
        result = result_of(f"{'ABCDEF'[k]}: line {k}, 300 km/h", role, DROPPERS, 31.2 - 2 * k, 10.0 * k)
        errors = {"contact_force_std_N": 0.03 + 0.1 * k, "contact_force_max_N": 0.4, "contact_loss_percent": 0.0}
        made = Entry(f"run{k}", f"line {k}, 300 km/h", result, SPAN, SignalSpec(), campaign_content.provenance)
        entries.append(replace(made, errors=errors))
    last = entries[-1]
    envelope = tuple(Curve("", last.result.force.x, last.result.force.y + d, "m", "N", "muted") for d in (-9.0, 9.0))
    entries[-1] = replace(last, provenance=(), errors={}, envelope=envelope, note="12 whole spans of 65 m.")
    first = entries[0].provenance[0]
    entries[1] = replace(entries[1], provenance=(replace(first, value="64"), *entries[1].provenance[1:]))
    return ComparisonContent(tuple(entries), FILTER, ("The spans are not equally long.",))


@pytest.fixture
def front_content(campaign_content):
    """A campaign of sigma and uplift, with a front that crowds at one end."""
    sigma = np.array([20.0, *(21.0 + 0.02 * np.arange(12)), 24.0, 28.0])
    values = np.column_stack([sigma, 70.0 - 1.2 * (sigma - 20.0)])
    trials = tuple(range(7, 7 + len(sigma)))
    front = Front(
        objectives=(OBJECTIVES["sigma"], OBJECTIVES["uplift"]),
        trials=trials,
        files=tuple(f"pareto/{trial:03d}.yaml" for trial in trials),
        values=values,
        others=np.array([[26.0, 69.0], [400.0, 90.0]]),
        nominal=np.array([31.2, 62.4]),
    )
    values = np.vstack([campaign_content.designs.values, [[62.0, 62.5, 63.0, 63.5, 64.0]]])
    designs = replace(
        campaign_content.designs, objectives=front.objectives, values=values, nominal_values=front.nominal
    )
    return replace(campaign_content, front=front, designs=designs)


@pytest.fixture
def validation_comparison():
    """Rows of every verdict next to the standard's ranges at 300 km/h, and their picture."""
    speed = load_gates().acceptance.speeds[1]
    rows = tuple(
        Row(
            quantity=row.quantity,
            case="300 km/h, planar",
            unit="N",
            here=None if k == 3 else row.low + (2.0 if k == 4 else 0.5) * (row.high - row.low),
            references=(Reference("PACDIN", "57.5/63.0/58.9"), Reference("PantoCat", f"{row.pantocat}")),
            allowed=None if k == 5 else (row.low, row.high),
            known_miss="a cause of some length, as they stand in the file of gates: " + 12 * "word "
            if k == 4
            else None,
            failure="the solver diverged",
        )
        for k, row in enumerate(speed.rows)
    )
    assert {row.verdict for row in rows} == {"met", "MISSED", "known", "printed"}
    chart = acceptance_chart(speed, rows, "en50318_planar_300")
    return Comparison("en50318", "EN 50318:2002", "papers", "ten spans", rows, (chart,))
