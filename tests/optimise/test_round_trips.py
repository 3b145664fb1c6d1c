"""What is written is what is read: lines as YAML, lines of a record, outcomes; whatever they hold."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from catenary.spec.line import CatenarySpec
from catenary.storage.files import read_yaml, write_text_atomic
from catenary.storage.plain_yaml import parse_plain_yaml
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from optimise.record.json_lines import checked_line, is_torn, parsed_line

CONF = Path(__file__).resolve().parents[2] / "conf" / "catenary"
LINES = {file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in sorted(CONF.glob("*.yaml"))}
FINITE = st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.text(max_size=12)
NUMBERS = st.dictionaries(NAMES, FINITE, max_size=4)
FEW = settings(max_examples=60, deadline=None)


@st.composite
def lines(draw):
    """A line of the library whose values are drawn within their ranges, to the last bit."""
    content = json.loads(json.dumps(LINES[draw(st.sampled_from(sorted(LINES)))]))
    content["encumbrance"] = draw(st.floats(0.8, 3.0))
    content["contact_wire"]["tension"] = draw(st.floats(8.0e3, 40.0e3))
    content["messenger_wire"]["mass_per_length"] = draw(st.floats(0.3, 3.0))
    count = len(content["droppers"]["positions"])
    content["droppers"] |= {
        "contact_wire_heights": draw(st.lists(st.floats(-0.1, 0.1), min_size=count, max_size=count))
    }
    content["formulation"] = draw(st.sampled_from(["ancf", "beam"]))
    content["tension_in_motion"] = draw(st.sampled_from(["coupled", "constant"]))
    content["damping"]["beta"] = draw(st.floats(0.0, 1.0e-3))
    if draw(st.booleans()):  # the span and its droppers again, a second time in the period
        length = content["span_length"]
        content["further_spans"] = [length]
        content["droppers"]["positions"] += [x + length for x in content["droppers"]["positions"]]
        content["droppers"]["contact_wire_heights"] *= 2
        if content.get("auxiliary_wire"):
            own = content["auxiliary_wire"]["droppers"]
            own["positions"] += [x + length for x in own["positions"]]
    return CatenarySpec.model_validate(content)


@FEW
@given(line=lines())
def test_a_line_written_as_yaml_is_the_line_read(line, tmp_path_factory):
    """By the safe loader, and by the reader that a user's own lines are read with."""
    file = tmp_path_factory.mktemp("line") / "line.yaml"
    write_text_atomic(
        file, yaml.safe_dump(line.model_dump(mode="json", exclude_none=True), sort_keys=False, allow_unicode=True)
    )
    assert CatenarySpec.model_validate(read_yaml(file, "line")) == line
    assert CatenarySpec.model_validate(parse_plain_yaml(file.read_text(encoding="utf-8"), 10_000)) == line


def test_a_line_with_another_value_is_not_the_same():
    content = LINES["bruni_2015"]
    with pytest.raises(ValidationError):
        CatenarySpec.model_validate({**content, "encumbrance": -1.0})
    assert CatenarySpec.model_validate({**content, "encumbrance": 1.25}) != CatenarySpec.model_validate(content)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | FINITE | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


@FEW
@given(st.dictionaries(NAMES.filter(lambda name: name != "crc32"), JSON, min_size=1, max_size=5), st.data())
def test_a_line_of_a_record_is_read_as_it_was_written_and_in_no_other_way(content, data):
    line = checked_line(content)
    assert parsed_line(line) == content
    at, bit = data.draw(st.integers(0, len(line) - 1)), data.draw(st.integers(0, 7))
    assert parsed_line(line[:at] + bytes([line[at] ^ 1 << bit]) + line[at + 1 :]) is None
    assert parsed_line(line[:at]) is None and is_torn(line[:at], line[:1])


OPTIONAL = st.none() | FINITE
OUTCOMES = st.builds(
    Outcome,
    number=st.integers(0, 10**9),
    status=st.sampled_from(OutcomeStatus),
    message=st.text(max_size=30),
    sigma_N=OPTIONAL,
    constraints=NUMBERS,
    sampler_value_N=OPTIONAL,
    statistics=NUMBERS,
    static_dropper_force_min_N=OPTIONAL,
    applied_force_N=OPTIONAL,
    wall_time_s=NUMBERS,
    objectives=NUMBERS,
    scenarios=st.dictionaries(NAMES, st.lists(OPTIONAL, max_size=4).map(tuple), max_size=3),
    sigma_error_N=OPTIONAL,
)


@FEW
@given(OUTCOMES)
def test_an_outcome_on_record_is_the_outcome_read(outcome):
    line = checked_line(outcome.to_dict())
    assert Outcome.from_dict(parsed_line(line) or {}) == outcome


def test_an_estimated_error_of_nothing_is_not_an_error_that_was_not_estimated():
    found = Outcome(1, OutcomeStatus.OK, sigma_N=30.0, sigma_error_N=0.0)
    assert Outcome.from_dict(found.to_dict()).sigma_error_N == 0.0
    assert "sigma_error_N" not in Outcome(1, OutcomeStatus.OK, sigma_N=30.0).to_dict()
