"""A campaign on a line by stations: 200 designs of the heights of an overlap."""

import time
from pathlib import Path

import pytest

import catenary
import optimise

LINE = Path(__file__).resolve().parents[2] / "examples" / "overlap.yaml"
DESIGNS = 200


@pytest.mark.benchmark
def test_two_hundred_designs_of_an_overlap(figure, tmp_path):
    line = catenary.load_line(LINE).with_changes(dimension="planar")
    keys = {
        "design": {"kind": "stations", "overlap_heights": {"change": (-0.03, 0.03)}},
        "objectives": ["worst_span:force_range"],
    }
    keys |= {"cluster": {"kind": "local", "workers": 2}, "trials": DESIGNS}
    began = time.perf_counter()
    found = optimise.campaign(line, "dsa380", 250, folder=tmp_path / "overlap", **keys)
    spent = time.perf_counter() - began
    name = "worst_span_contact_force_range_N"
    before, after = (d.statistics[name] for d in (found.nominal, found.best))
    figure(
        f"campaign of {DESIGNS} designs, heights of an overlap of three, 12 spans, planar, two workers",
        f"{spent / 60.0:.1f} min; range of the worst span {before:.1f} N, best {after:.1f} N",
        "<= 10 min",
    )
