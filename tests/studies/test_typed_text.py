"""Values as people type them: what Hydra's parser reads, this one reads alike, in a time that grows with the length."""

import gc
import time

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from hypothesis import given, settings
from hypothesis import strategies as st

from catenary.errors import InputError
from studies.input.typed_text import quoted, typed_value

PIECES = [
    "1", "a", "[", "]", "{", "}", ",", ":", "'", '"', "\\", " ", "null", "True", "1.5", "1e5", ".5", "7.", "-", "_",
    "x y", "b:", "'q'", "\\,", "\\\\", "nan", "inf", "+", "0", "01", "1_0", "/", "$", "*",
]  # fmt: skip


NAMES = st.sampled_from(["a", "b", "low", "x_1", "cc"])
TEXTS = st.recursive(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map("".join),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + "]"),
        st.dictionaries(NAMES, inner, max_size=3).map(
            lambda items: "{" + ",".join(f"{name}: {item}" for name, item in items.items()) + "}"
        ),
    ),
    max_leaves=5,
).filter(lambda text: "${" not in text)  # interpolation is refused before


@settings(max_examples=600, derandomize=True, deadline=None)
@given(TEXTS)
def test_what_hydra_reads_is_read_alike(text):
    try:
        override = OverridesParser.create().parse_override(f"key={text}")
    except HydraException:
        return
    if override.is_sweep_override():
        with pytest.raises(InputError, match="must be one value"):
            typed_value("key", text)
        return
    assert same(typed_value("key", text), override.value()), (typed_value("key", text), override.value())


def same(ours, theirs):
    """Whether values agree in kind and content; a key is a text here, and Hydra keeps spaces behind a last colon."""
    if isinstance(theirs, dict):
        assert isinstance(ours, dict)
        return all(isinstance(k, str) for k in ours) and same(list(ours.values()), list(theirs.values()))
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, str):
        return isinstance(ours, str) and ours.strip() == theirs.strip()
    return type(ours) is type(theirs) and repr(ours) == repr(theirs)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{{ span }}", "a key and ':' are missing before '{'"),
        ("{[1,2]:3}", "a key and ':' are missing before '['"),
        ("{a:1,a:2}", "the key 'a' stands twice"),
        ("9" * 401, "a number must have at most 330 digits and has 401"),
        ("[1," + "9" * 5000 + "]", "a number must have at most 330 digits and has 5000"),
        ("[" * 2000, "brackets are nested deeper than 20"),
        ("[" * 2000 + "]" * 2000, "brackets are nested deeper than 20"),
        ("{a:" * 2000 + "1" + "}" * 2000, "brackets are nested deeper than 20"),
        ("[1,2", "']' is missing before the end"),
        ("[1,]", "a value is missing before ']'"),
        ("[1]]", "']' stands behind its end"),
        ("float(3)", "'(' must not stand in it"),
        ("a=b", "'=' must not stand in it"),
        ("'abc", "a value is missing before '''"),
    ],
)
def test_what_is_not_a_value_is_refused_with_the_reason(text, why):
    with pytest.raises(InputError) as refused:
        typed_value("speed_kmh", text)
    assert why in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("text", ["ä", "Übergang 1", "中文", "a~b", "#1"])
def test_a_text_may_hold_any_letter(text):
    assert typed_value("catenary.description", text) == text


@given(st.text(max_size=30))
def test_a_quoted_text_is_read_back(text):
    assert typed_value("key", quoted(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "[" + "1," * 50_000 + "1]",
        "\\'" * 50_000,
        "'" * 100_000,
        ":" * 100_000,
        "a'" * 50_000,
        " " * 100_000,
        "{" + ",".join(f"a{k}:1" for k in range(20_000)) + "}",
    ],
    ids=["numbers", "open quotes", "quotes", "colons", "words and quotes", "spaces", "keys"],
)
def test_a_hundred_thousand_characters_take_a_part_of_a_second(text):
    gc.collect()
    gc.freeze()  # what other tests left is not looked through while this one is timed
    began = time.process_time()
    try:
        typed_value("key", text)
    except InputError as error:
        assert len(str(error)) < 400
    spent = time.process_time() - began
    gc.unfreeze()
    assert spent < 1.0
