"""Polishes that were stopped on their way: no basin of theirs is known."""

import json

from test_polish import POLISH, basins_of, basins_of_report, run, slanted_valley, two_basins

from studies.report.sections.basins import basins_section


def test_a_polish_that_was_stopped_on_its_way_has_no_basin(tmp_path, case):
    result = run(tmp_path, case, two_basins, polish={**POLISH, "best": 2, "distance": 0.1, "iterations": 1})
    content = basins_of(result)
    assert {p["message"] for p in content["polished"]} == {"stopped after 1 step (polish.iterations)"}
    assert content["basins"] == [] and {p["basin"] for p in content["polished"]} == {None}
    assert content["certainty"]["ended_by_themselves"] == content["certainty"]["in_best_basin"] == 0
    found = basins_of_report(result)
    assert found.count == 0 and found.certainty.startswith("2 of 2 starts were stopped on the way, at best with σ ")
    assert "not known to lie in a basin" in found.certainty and "best basin" not in found.certainty
    assert "none ended by itself" in basins_section(found).text[0]


def test_starts_that_ended_and_starts_that_were_stopped_are_counted_apart(tmp_path, case):
    result = run(tmp_path, case, slanted_valley)
    path = result.folder / "basins.json"
    content = basins_of(result)
    first, second = content["polished"]
    # as versions wrote it that gave every end a basin
    stopped = {**second, "message": "stopped after 3 steps (polish.iterations)", "end_value": 30.0, "basin": 1}
    older = {k: v for k, v in first.items() if k != "ended_by_itself"} | {"basin": 2}
    path.write_text(json.dumps({**content, "polished": [older, stopped]}), encoding="utf-8")
    found = basins_of_report(result)
    assert [p["basin"] for p in found.polished] == [1, None] and found.count == 1
    assert found.certainty.startswith("1 of 2 starts ended in the best basin (σ 30.4")
    assert "1 of 2 starts was stopped on the way, with σ 30.00 N: its end is not known" in found.certainty
    assert found.certainty.endswith("the optimum is not known to be reached.")
    (table,), (text, _) = basins_section(found).tables, basins_section(found).text
    assert "1 of them ended by itself, in one basin" in text and [row[8] for row in table.rows] == ["1", "–"]
