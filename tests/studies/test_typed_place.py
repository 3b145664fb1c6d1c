"""Refusals of several keys of one line: typed keys are kept apart from those of its file."""

import pytest
import yaml
from refusal import refused

from catenary.library.lines import load_line

ICE, NOW = "catenary.ice.contact_wire=0.5", "catenary.temperature.now_C=40"
WARM = {"temperature": {"now_C": 30.0}}
SAID = "catenary.ice must be left out with temperature: on wires fixed at both ends it changes tensions"


@pytest.mark.parametrize(
    ("own", "typed", "sentence"),
    [
        ({}, [ICE, NOW], f"{SAID} (on the command line)\n"),
        (WARM, [ICE], f"{SAID} in own.yaml, with catenary.ice on the command line\n"),
        (
            {**WARM, "ice": {"messenger_wire": 0.2}},
            [ICE],
            f"{SAID} in own.yaml, with catenary.ice.contact_wire on the command line\n",
        ),
        ({**WARM, "ice": {"messenger_wire": 0.2}}, [], f"{SAID} in own.yaml\n"),
        ({}, ["catenary.span_length=40"], "inside the span: got 50.5 m in own.yaml\n"),
    ],
    ids=["both keys", "one of them", "a part of one", "none", "a key that is not named"],
)
def test_keys_that_contradict_each_other_are_placed_where_they_were_typed(catenary, folder, own, typed, sentence):
    line = {**load_line("bruni_2015").model_dump(mode="json", exclude_none=True), **own}
    (folder / "own.yaml").write_text(yaml.safe_dump(line), encoding="utf-8")
    refused(catenary("simulate", "catenary=own.yaml", *typed), [sentence])
