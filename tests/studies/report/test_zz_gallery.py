"""Throwaway: pages of every kind to look at."""

import os
import time
from pathlib import Path

import cheap_sensitivity
from cheap_evaluation import case_of
from cheap_sweep import plane, sweep_of
from line_run import LINE, line_run

from catenary.storage.files import write_json_atomic
from dynamics.results.dataset import write_result
from optimise.parameter_study.sensitivity import run_sensitivity
from optimise.parameter_study.sweep import run_sweep
from studies.report.drawing.page import write_page
from studies.report.pages.campaign_page import campaign_page
from studies.report.pages.comparison_page import comparison_page
from studies.report.pages.sensitivity_page import sensitivity_page
from studies.report.pages.simulation_page import simulation_page
from studies.report.pages.sweep_page import sweep_page
from studies.report.readers.simulation_folder import read_simulation
from studies.validation.page import validation_page
from studies.writing.summary import summarise

OUT = Path("/tmp/gal") / os.environ["GALLERY"]
ONLY = os.environ.get("ONLY", "").split(",") if os.environ.get("ONLY") else None


def keep(name, page):
    if ONLY and name not in ONLY:
        return
    start = time.perf_counter()
    (OUT / name).mkdir(parents=True, exist_ok=True)
    path = write_page(page, OUT / name)
    took = time.perf_counter() - start
    print(
        f"{name}: {path.stat().st_size / 1e3:.1f} kB page, {sum(f.stat().st_size for f in (OUT / name / 'figures').iterdir()) / 1e3:.0f} kB figures, {len(page.charts)} charts, {took:.2f} s"
    )


def test_contents(campaign_content, front_content, simulation_content, comparison_content, validation_comparison):
    keep("warm", campaign_page(campaign_content))
    keep("campaign", campaign_page(campaign_content))
    keep("front", campaign_page(front_content))
    keep("simulation", simulation_page(simulation_content))
    keep("comparison", comparison_page(comparison_content))
    keep("validation", validation_page([validation_comparison], "catenary validate", (("commit", "abc"),)))


def test_studies(tmp_path):
    axes = {
        "contact.stiffness": (5e4, 6e4, 2e5),
        "speed_kmh": tuple(200.0 + 10 * k for k in range(9)),
        "catenary.damping.alpha": (0.1,),
    }
    keep("sweep2", sweep_page(run_sweep(sweep_of(axes), case_of(), tmp_path / "s2", evaluate=plane)))
    keep(
        "sweep1",
        sweep_page(
            run_sweep(
                sweep_of(
                    {
                        "contact.stiffness": (5e4,),
                        "catenary.damping.alpha": (0.1,),
                        "speed_kmh": tuple(200.0 + 10 * k for k in range(9)),
                    }
                ),
                case_of(),
                tmp_path / "s1",
                evaluate=plane,
            )
        ),
    )
    content = {**case_of().model_dump(), "speed_kmh": 250.0, "contact": {"stiffness": 1e5}}
    from dynamics.spec.case import CaseSpec

    case = CaseSpec.model_validate(content)
    inputs = {
        **cheap_sensitivity.RANGES,
        "catenary.damping.alpha": {"low": 0.0, "high": 2.0 * case.catenary.damping.alpha},
    }
    study = cheap_sensitivity.study_of(inputs, methods=["sobol", "local"], sobol={"samples": 64, "resamples": 50})
    keep(
        "sensitivity", sensitivity_page(run_sensitivity(study, case, tmp_path / "se", evaluate=cheap_sensitivity.plane))
    )


def test_film(build_case, tmp_path):
    kept = {"contact_wire_m": [137.5, 165.0], "messenger_wire_m": [165.0], "animation": True}
    case = build_case("bruni_2015", 275.0, applied_force_N=160.0, solver="open_line", open_line=LINE, histories=kept)
    solution = line_run(case)
    write_result(tmp_path / "result.nc", solution, solution.case)
    write_json_atomic(tmp_path / "summary.json", summarise(solution.case, solution, 1.0, "0" * 64))
    keep("film", simulation_page(read_simulation(tmp_path)))
