"""What help and messages say of a key, against the schema that pydantic makes of the same Spec."""

from importlib import import_module
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from catenary.spec.keys import KeyTree
from studies import cli, rig

COMMANDS = [f"studies.commands.{name}" for name in cli.STUDIES if name not in cli.FAMILIES]
COMMANDS += [f"studies.commands.rig_{name}" for name in rig.COMMANDS]
SAID = ("type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "pattern")


def followed(node, definitions):
    """A node of pydantic's schema, references followed; of a choice with null the other side."""
    found = dict(node)
    while "$ref" in found or "anyOf" in found:
        if "$ref" in found:
            found = definitions[found["$ref"].rpartition("/")[2]]
        else:
            found = next((side for side in found["anyOf"] if side.get("type") != "null"), {})
    return found


@pytest.mark.parametrize("module", COMMANDS)
def test_keys_are_those_of_the_schema(module):
    job = import_module(module).JOB
    keys, schema = KeyTree(job), job.model_json_schema()
    definitions, compared = schema.get("$defs", {}), 0

    def compare(path, parent):
        nonlocal compared
        own, theirs = keys.node(path), followed(parent, definitions)
        compared += 1
        compared += 1
        assert own is not None
        assert {n: own[n] for n in SAID if n in own} == {n: theirs[n] for n in SAID if n in theirs}, path
        assert own.get("enum", []) == (theirs.get("enum") or [theirs[n] for n in ("const",) if n in theirs]), path
        assert list(own.get("properties", {})) == list(theirs.get("properties", {})), path
        for name, key in theirs.get("properties", {}).items():
            here = (*path, name)
            told = key.get("description") or followed(key, definitions).get("description", "")
            assert keys.description(here) == told.partition("\n")[0], here
            assert keys.default(here) == key.get("default"), here
            compare(here, key)
        for k, item in enumerate(theirs.get("prefixItems", [theirs["items"]] if "items" in theirs else [])):
            compare((*path, k), item)

    compare((), schema)
    assert compared > len(schema["properties"])


def test_a_schema_is_made_once_in_a_process():
    made = []

    class Asked(BaseModel):
        speed: float = Field(gt=0.0, description="speed of the train [m/s]")
        kind: Literal["fixed"] = "fixed"
        block: "Inner | None" = None

        @classmethod
        def model_json_schema(cls, *given, **named):
            made.append(cls)
            return super().model_json_schema(*given, **named)

    class Inner(BaseModel):
        """A block of its own."""

        masses: tuple[float, int] = (1.0, 2)

    Asked.model_rebuild(_types_namespace={"Inner": Inner})
    for keys in (KeyTree(Asked), KeyTree(Asked)):
        assert keys.paths == ["speed", "kind", "block", "block.masses"]
        assert (keys.unit(["speed"]), keys.allowed(["speed"])) == ("m/s", "above 0 m/s")
        assert keys.allowed(["kind"]) == "fixed" and keys.default(["block", "masses"]) == [1.0, 2]
        assert keys.description(["block"]) == "A block of its own."
        assert keys.node(["block", "masses", 1])["type"] == "integer" and keys.node(["block", "mass"]) is None
    assert made == [Asked]
