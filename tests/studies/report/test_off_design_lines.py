"""The off-design table sets lines side by side that are written alike, so that both have the same errors."""

from cheap_evaluation import bowl, campaign_of, case_of, prepare_nothing

from optimise.search.campaign import run_campaign
from optimise.spec.campaign import OffDesignSpec
from studies.afterwards import off_design as off_design


def test_where_spans_may_differ_the_nominal_line_is_two_spans_as_the_best_is(tmp_path, monkeypatch):
    design = {"kind": "heights", "span_difference": (0.0, 6.0)}
    campaign = campaign_of(trials=12, design=design, sampler={"kind": "random"})
    result = run_campaign(campaign, case_of(), tmp_path, evaluate=bowl, prepare=prepare_nothing)
    seen = []

    def nothing(case, designs, *_, **__):
        seen.extend(design.catenary for design in designs)
        return []

    monkeypatch.setattr("optimise.afterwards.off_design.run_conditions", nothing)
    off_design.show_off_design(result, OffDesignSpec(speeds=3, samples=2), lambda line: None)
    nominal, best = seen
    assert len(nominal.spans) == len(best.spans) == 2
    assert (
        len(nominal.droppers.positions)
        == len(best.droppers.positions)
        == 2 * len(case_of().catenary.droppers.positions)
    )


def test_runs_that_are_the_same_are_neither_better_nor_worse():
    row = {"kind": "speed", "sample": 0, "dimension": "", "nominal_error_N": 0.1, "best_error_N": 0.1}
    figures = [(30.0, 29.0), (30.0, 30.0), (30.0, 31.5), (None, 30.0)]
    rows = [{**row, "value": 250.0 + k, "nominal_std_N": a, "best_std_N": b} for k, (a, b) in enumerate(figures)]
    first, worse, left = off_design.off_design_lines({"rows": rows})
    assert first.startswith(
        "off-design table: better than the nominal line in 1 of 3 runs that both have, the same within the errors in "
        "1; "
        "1 more"
    )
    assert worse == "worse: 252 km/h (+5.0 %)"
    # +-0.48 %: 105 hypot(0.1 / 30, 0.1 / 31.5)
    assert "4 speeds from 250 to 253 km/h" in left and "+5.00 ± 0.48 %" in left and "1 of 4" in left
