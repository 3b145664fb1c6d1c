"""Droppers by the names of their line: those that a defect may have, for a defect is named by them."""

from pathlib import Path

import pytest

import catenary
from catenary.errors import InputError
from catenary.form_finding.equilibrium import equilibrium_at_rest, periodic_equilibrium
from catenary.layout.dropper_places import dropper_places, marked_places
from catenary.layout.laid_out import laid_out


def broken(place):
    return {"span": place.span, "dropper": place.number, "kind": "broken", "section": place.section or None}


def test_a_broken_dropper_leaves_the_names_of_the_others(build_line):
    line = build_line(elements_per_bay=2, repeat={"spans": 3})
    whole = dropper_places(line)
    assert [(p.span, p.number) for p in whole[:2]] == [(1, 1), (1, 2)] and whole[-1].span == 3
    gone = whole[10]
    without = line.with_changes(repeat={"spans": 3, "defects": [{**broken(gone), "section": None}]})
    places = dropper_places(without)
    assert places == (*whole[:10], *whole[11:])
    hung = periodic_equilibrium(without).mesh.layout.dropper_x
    designed = laid_out(line).droppers.positions
    stations = dict(zip(whole, designed, strict=True))
    assert list(hung) == pytest.approx([stations[p] for p in places])


def test_every_dropper_of_overlapping_sections_is_a_defects():
    """The name of each is accepted for a defect, the number behind the last of a span is not."""
    line = catenary.load_line(Path(__file__).parents[2] / "examples" / "overlap.yaml")
    places = dropper_places(line)
    assert len({p.section for p in places}) > 1 and len(places) == len(line.droppers.positions)
    broken_ones = [broken(p) for p in places[::7]]
    left = line.with_changes(section={"defects": broken_ones})
    found = dropper_places(left)
    assert found == tuple(p for k, p in enumerate(places) if k % 7)
    assert len(equilibrium_at_rest(left).mesh.layout.dropper_x) == len(found)
    last = max(p.number for p in places if (p.section, p.span) == (places[0].section, places[0].span))
    with pytest.raises(InputError, match=f"dropper must be 1 to {last}"):
        line.with_changes(section={"defects": [{**broken(places[0]), "dropper": last + 1}]})


def test_what_a_line_has_in_addition_to_regular_parts_is_marked_where_it_is(build_line):
    line = build_line(elements_per_bay=2)
    assert marked_places(line) == {}
    broken = line.with_changes(repeat={"spans": 4, "defects": [{"span": 3, "dropper": 2, "kind": "broken"}]})
    assert marked_places(broken) == {"defects": [pytest.approx(2 * line.span_length + line.droppers.positions[1])]}
