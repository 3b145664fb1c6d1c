"""All that a line file has wrong is said in one round, and nothing that goes away when something else is put right."""

import random
import re

import pytest

SUPPORTS = [1000 + 55 * k for k in range(11)]
ALONG = (5, 16, 27.5, 39, 50)
SECTIONS = [{"name": "A", "from_m": 1000, "to_m": 1330}, {"name": "B", "from_m": 1165, "to_m": 1550}]
LOW = {"height_mm": -150}


def droppers(**at):
    """Rows of five droppers in every span, with what some of them have in place: ``s4d3={...}``; None leaves it out."""
    rows = []
    for span in range(1, 11):
        for number, x in enumerate(ALONG, start=1):
            row = {"span": span, "position": x, "height_mm": 0, **at.get(f"s{span}d{number}", {})}
            rows.append({key: value for key, value in row.items() if value is not None})
    return rows


def by_station(**at):
    """The same by stations."""
    rows = []
    for span in range(10):
        for number, x in enumerate(ALONG, start=1):
            row = {"station_m": SUPPORTS[span] + x, "height_mm": 0, **at.get(f"s{span + 1}d{number}", {})}
            rows.append(row)
    return rows


def supports(**at):
    return [{"station_m": x, **at.get(f"s{k}", {})} for k, x in enumerate(SUPPORTS)]


# faults in tables and spans of their own, each with what it changes
FAULTS = {
    "no height": {"s1d3": {"height_mm": None}},
    "height in words": {"s1d4": {"height_mm": "low"}},
    "beyond its span": {"s3d2": {"position": 60}},
    "no place": {"s3d4": {"position": None}},
    "too soft": {"s4d1": {"stiffness": 3}},
    "pushes": {"s6d3": LOW},
    "pushes, too": {"s10d2": LOW},
    "encumbrance": {"supports": {"s8": {"encumbrance": 9}}},
    "height of a support": {"supports": {"s8": {"contact_height": "high"}}},
    "heavy mass": {"masses": [{"station_m": 1120.3, "mass_kg": 900}]},
    "mass at a support": {"masses": [{"station_m": 1385.02, "mass_kg": 1}]},
    "mass at a dropper": {"masses": [{"station_m": 1060.01, "mass_kg": 1}]},
    "mass off the line": {"masses": [{"station_m": 99999, "mass_kg": 1}]},
    "no such dropper": {"defects": [{"span": 2, "dropper": 9, "kind": "broken"}]},
    "wear": {"wear": [{"from_m": 1010, "to_m": 1005, "area_percent": 5}]},
    "profile": {"profile": [{"station_m": 1010, "height_mm": 0}, {"station_m": 1020, "height_mm": 90}]},
    "spectrum": {"irregularity": {"rms": 1.0}},
    "name": {"name": "from a to b"},
    "column of masses": {"masses": [{"station_m": 1200.3, "mas": 1}]},
    "table that is not there": {"kinks": "kinks.csv"},
    "a key": {"colour": "red"},
}


def content(*names):
    """Line file with several faults: rows of lists come one after the other."""
    own, at, keys = {}, {}, {}
    for name in names:
        for key, value in FAULTS[name].items():
            if re.fullmatch(r"s\d+d\d+", key):
                own[key] = value
            elif key == "supports":
                at = {k: {**at.get(k, {}), **row} for k, row in value.items()}
            else:
                keys[key] = [*keys.get(key, []), *value] if isinstance(value, list) else value
    return {"droppers": droppers(**own), "supports": supports(**at), **keys}


MASSES = [name for name in FAULTS if "mass" in name and name != "column of masses"]
DRAWN = random.Random(3)
GROUPS = [
    [name for name in DRAWN.sample(sorted(FAULTS), 6) if name not in ("column of masses", *MASSES)]
    + DRAWN.choice([["column of masses"], DRAWN.sample(MASSES, 2)])
    for _ in range(20)
]


def without_numbers(sentences):
    """Sentences in their order, without what rows before theirs shift, and without advice."""
    shifted = r"masses\[\d+\]|(?<=heights)\[\d+\]|the dropper|dropper \d+|; the nearest that hangs is \S+ m"
    return sorted(re.sub(shifted, "", each) for each in sentences)


@pytest.mark.parametrize("names", [*GROUPS, [*FAULTS][:-6]], ids=" + ".join)
def test_several_faults_are_said_as_each_is_by_itself(refusals, names):
    """Each in a table or a span of its own: no sentence is lost, and none is new."""
    alone = [each for name in names for each in refusals(**content(name))]
    together = refusals(**content(*names))
    assert without_numbers(together) == without_numbers(alone) and len(alone) >= len(names)


# as deep as the wire hangs by itself, but for a fifth: any dropper that stands higher slackens those next to it
DIP = {f"s5d{k}": {"height_mm": round(-0.26 * x * (55 - x), 1)} for k, x in enumerate(ALONG, start=1)}
HELD = {"station_m": 1247.9, "mass_kg": 20}  # holds a dropper of span 5 down


@pytest.mark.parametrize(
    "bad",
    [{"height_mm": None}, {"height_mm": 900}, {"position": 60}, {"position": "x"}, {"station_m": 5}, {"span": 77}],
)
@pytest.mark.parametrize("number", [1, 2, 4])
def test_what_a_bad_dropper_may_explain_is_not_said(refusals, bad, number):
    """What stands in its place would slacken its neighbours; a dropper that pushes in another span is named."""
    assert refusals(droppers=droppers(**DIP)) == []
    rows = DIP | {f"s5d{number}": {**DIP[f"s5d{number}"], **bad}}
    (alone,) = refusals(droppers=droppers(**rows))
    one, pushes = refusals(droppers=droppers(**rows, s9d3=LOW))
    assert one == alone and pushes.startswith("km12.yaml droppers[42]: ") and "have to push" in pushes


@pytest.mark.parametrize("bad", [{"mass_kg": 900}, {"station_m": 99999}, {"station_m": "x"}, {"wire": "contct"}])
def test_what_a_bad_mass_may_hold_is_not_said_to_push(refusals, bad):
    """Wherever it belongs it weighs no more than it does, which a dropper that pushes harder needs."""
    held = {"droppers": droppers(s5d3={"height_mm": -60}), "masses": [HELD]}
    assert refusals(**held) == [] and len(refusals(**held | {"masses": []})) == 1
    (one,) = refusals(**held | {"masses": [{**HELD, **bad}]})
    assert one.startswith("km12.yaml masses[0]: ")
    far = refusals(droppers=droppers(s5d3={"height_mm": -60}, s9d3=LOW), masses=[{**HELD, **bad}])
    assert far[0] == one and "droppers[42]" in far[1] and len(far) == 2


def test_a_dropper_by_its_station_was_meant_for_where_its_row_stands(refusals):
    """Where the table is in order; in one that is not it may belong anywhere."""
    rows = by_station(s2d3={"station_m": 99999}, s9d3=LOW)
    beyond, pushes = refusals(droppers=rows)
    assert beyond.startswith("km12.yaml droppers[7]: station must lie between the first and the last support")
    assert (
        pushes.startswith("km12.yaml droppers[42]: ")
        and "contact_wire_heights = -0.15 m slackens the dropper" in pushes
    )
    assert refusals(droppers=[*rows[5:], *rows[:5]])[1:] == []
    assert len(refusals(droppers=by_station(s8d4={"station_m": "x"}, s8d3=LOW))) == 1


def test_a_row_that_does_not_fit_under_the_headings_hides_nothing_of_other_spans(refusals):
    lines = [f"{row['span']},{row['position']},{row['height_mm']}" for row in droppers(s1d5=LOW, s2d1=LOW, s9d3=LOW)]
    lines[7] = "2,27.5"
    table = "\n".join(["span,position_m,height_mm", *lines])
    found = refusals({"droppers.csv": table}, droppers="droppers.csv")
    assert [each.partition(": ")[0] for each in found] == [f"droppers.csv line {n}" for n in (9, 6, 44)]


def test_what_follows_a_dropper_beyond_its_span_is_in_order(refusals):
    (one,) = refusals(droppers=droppers(s3d2={"position": 60}))
    assert one.startswith("km12.yaml droppers[11]: position must lie between 0.5 and 54.5 m inside span 3")


def test_rows_behind_one_that_stands_too_far_along_hide_nothing_of_other_spans(refusals):
    """One of them is named; the line without it would still be out of order."""
    defects = [{"span": 9, "dropper": 5, "kind": "broken"}, {"span": 9, "dropper": 6, "kind": "broken"}]
    order, defect, pushes = refusals(droppers=droppers(s3d2={"position": 53}, s9d3=LOW), defects=defects)
    assert order.startswith(
        "km12.yaml droppers[12]: position must be beyond that of the dropper before in span 3, 1163 m"
    )
    assert defect.startswith("km12.yaml defects[1]: ") and "dropper must be 1 to 5" in defect
    assert pushes.startswith("km12.yaml droppers[42]: ") and "have to push" in pushes


def test_a_defect_of_a_dropper_that_has_no_place_hides_no_dropper_that_pushes(refusals):
    rows, defects = droppers(s2d5={"position": "x"}, s9d3=LOW), [{"span": 2, "dropper": 5, "kind": "broken"}]
    place, pushes = refusals(droppers=rows, defects=defects)
    assert place.startswith("km12.yaml droppers[9]: position must be a number") and "droppers[42]" in pushes


def test_a_messenger_wire_that_hangs_too_low_is_said_but_where_its_support_is_not_known(refusals):
    """Over the droppers of the span that is known, the other one left out."""
    low = supports(s8={"encumbrance": 0.3})
    (alone,) = refusals(supports=low, droppers=droppers())
    one, room = refusals(supports=low, droppers=droppers(s8d2={"height_mm": None}))
    assert "leaves no room for" in alone and "leaves no room for" in room and "droppers[36]: height is missing" in one
    assert len(refusals(supports=low, droppers=droppers(s8d2={"height_mm": None}, s9d2={"height_mm": "x"}))) == 2


def test_a_line_is_not_hung_warm_while_what_holds_it_is_not_known(refusals):
    """Wires between fixed ends change their tension with temperature, those that weights hold do not."""
    rows = [{**row, "section": "A"} for row in droppers(s2d3=LOW) if row["span"] <= 6]
    keys = {"droppers": rows, "changes": {"temperature": {"now_C": 40.0}}}
    both = refusals(sections=[{**own, "ends": "fixed"} for own in SECTIONS], **keys)
    assert len(both) == 1 and "have to push" in both[0]
    (ends,) = refusals(sections=[{**own, "ends": "fixt"} for own in SECTIONS[:1]] + SECTIONS[1:], **keys)
    assert ends.startswith("km12.yaml sections[0]: ends must be one of")


def test_a_span_whose_only_row_has_no_place_is_not_said_to_have_no_droppers(refusals):
    rows = [{"span": s, "position": 27, "length_mm": 900} for s in range(1, 10)]
    found = refusals(droppers=[*rows, {"span": 10, "position": "x", "length_mm": 900}])
    assert found == ["km12.yaml droppers[9]: position must be a number: got 'x'"]
    (said,) = (each for each in refusals(droppers=rows) if "has no droppers" in each)
    assert said.startswith("span 10, 55 m from support to support, has no droppers")


def test_every_dropper_without_a_length_is_named(refusals):
    rows = [{"span": 1, "position": x, **({} if x in (16, 50) else {"length_mm": 900})} for x in ALONG]
    found = [each for each in refusals(droppers=rows) if "length is missing" in each]
    assert [each.partition(": ")[0] for each in found] == ["km12.yaml droppers[1]", "km12.yaml droppers[4]"]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"sections": [SECTIONS[0], {**SECTIONS[1], "ends": "wieght"}]}, "sections[1]: ends must be one of"),
        (
            {"sections": [{**SECTIONS[0], "ends": "fixed", "ratio": 3}, SECTIONS[1]]},
            "sections[0]: ends.ratio must be left",
        ),
        ({"overlaps": [{"section": "A", "kind": "insulted"}]}, "overlaps[0]: kind must be one of"),
        ({"overlaps": [{"section": "A", "elevation": 99}]}, "overlaps[0]: elevation must be between"),
        ({"overlaps": [{"section": "B"}]}, "overlaps[0]: section must be one of A"),
        ({"supports": supports(s7={"section": "C"})}, "supports[7]: section must be one of A, B"),
    ],
)
def test_what_does_not_place_others_hides_nothing_of_them(refusals, keys, said):
    rows = [{**row, "section": "A"} for row in droppers(s2d3=LOW) if row["span"] <= 6]
    others = {"droppers": rows, "masses": [{"station_m": 1240.25, "mass_kg": 5}]}
    first, mass, pushes = refusals(**{"sections": SECTIONS, **others, **keys})
    assert said in first and "section is missing: the tension sections A and B overlap there" in mass
    assert pushes.startswith("km12.yaml droppers[7]: ") and "have to push" in pushes


def test_the_heights_of_an_overlap_that_are_not_known_are_not_judged(refusals):
    rows = [{**row, "section": "A"} for row in droppers(s5d3=LOW) if row["span"] <= 6]
    (one,) = refusals(sections=SECTIONS, droppers=rows, overlaps=[{"section": "A", "elevation": 99}])
    assert one.startswith("km12.yaml overlaps[0]: ")


def test_an_arm_is_judged_where_no_stagger_near_it_is_wrong(refusals):
    """With the stagger of a row away from it; next to it, what it pulls is not known."""
    at = {f"s{k}": {"stagger_mm": 200 * (-1) ** k} for k in range(11)} | {"s4": {"stagger_mm": -60}}
    far = refusals(supports=supports(**at | {"s8": {"stagger_mm": 9000}}), changes={"dimension": "spatial"})
    assert "supports[8]: stagger must be" in far[0] and "the steady arm at support 5 sideways" in far[1]
    assert len(far) == 2
    for k in (3, 5):
        rows = supports(**at | {f"s{k}": {"stagger_mm": 9000}})
        (near,) = refusals(supports=rows, changes={"dimension": "spatial"})
        assert f"supports[{k}]: stagger must be" in near


def test_a_point_of_a_profile_that_is_left_out_does_not_shorten_it(refusals):
    points = [{"station_m": 1010, "height_mm": 0}, {"station_m": 1020, "height_mm": 90}]
    assert [each.partition(":")[0] for each in refusals(profile=points)] == ["km12.yaml profile[1]"]


def test_what_stands_off_the_line_is_said_next_to_a_section_that_ends_nowhere(refusals):
    """It rests on the supports alone."""
    nowhere = [{**SECTIONS[0], "to_m": 1333}, SECTIONS[1]]
    masses = [{"station_m": 3000, "mass": 2, "section": "B"}]
    said = refusals(sections=nowhere, droppers=droppers(), masses=masses)
    assert any("sections[0]" in each for each in said)
    assert [each for each in said if each.startswith("km12.yaml masses[0]: station must lie on the line")], said
