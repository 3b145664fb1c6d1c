"""Records cut at each byte of their end and with flipped bits: only a torn tail is dropped, other damage is named."""

import random
import re

import pytest
from cheap_evaluation import bowl, campaign_of, prepare_nothing
from cheap_sweep import AXES, plane, sweep_of
from record_of import full

from catenary.errors import InputError
from optimise.parameter_study.sweep import SweepFolder, run_sweep
from optimise.parameter_study.sweep_result import SweepInput
from optimise.record.campaign_folder import CampaignFolder, read_records
from optimise.record.record_damage import take_up
from optimise.search.campaign import load_result, run_campaign

END = 4096  # bytes
TRIALS = 40
NAMED = re.compile(r"line (\d+) cannot be read")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory, case):
    """A campaign of two objectives and synchronous batches, which has every kind of line."""
    asked = campaign_of(trials=TRIALS, sampler={"kind": "nsga2", "population": 8}, objectives=["sigma", "uplift"])
    return run_campaign(asked, case, tmp_path_factory.mktemp("campaign"), evaluate=bowl, prepare=prepare_nothing)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory, case):
    """A sweep of a few batches."""
    return run_sweep(sweep_of(AXES), case, tmp_path_factory.mktemp("sweep"), evaluate=plane)


@pytest.fixture
def damaged(campaign, tmp_path):
    """Function that gives the campaign's folder with another record."""
    (tmp_path / "campaign.yaml").write_bytes((campaign.folder / "campaign.yaml").read_bytes())

    def write(content):
        (tmp_path / "trials.jsonl").write_bytes(content)
        return CampaignFolder(tmp_path)

    return write


def records_of(place):
    return read_records(place, "test")


def recorded(records):
    return {r.number: r for r in records if r.outcome is not None}


def ends_of_transactions(content):
    """Bytes behind each line."""
    ends, position = [0], 0
    for line in content.splitlines(keepends=True):
        position += len(line)
        ends.append(position)
    return ends


@pytest.mark.parametrize("step", [pytest.param(61, id="short"), full(1, minutes=20)])
def test_a_record_cut_at_each_byte_of_its_end(campaign, damaged, figures, step):
    content = (campaign.folder / "trials.jsonl").read_bytes()
    assert len(content) > END
    ends, whole, dropped = ends_of_transactions(content), recorded(campaign.records), []
    for size in range(len(content) - END, len(content) + 1, step):
        place = damaged(content[:size])
        found = records_of(place)
        kept = recorded(found)
        whole_until = max(end for end in ends if end <= size)
        same = records_of(damaged(content[:whole_until]))
        assert found == same, "a cut drops what stands behind the last whole transaction, and nothing else"
        assert all(kept[n].outcome == whole[n].outcome for n in kept)
        dropped.append(size - whole_until)
    assert max(dropped) < END
    figures(f"{len(dropped)} cuts opened; at most {max(dropped)} bytes of an unfinished transaction dropped")


@pytest.mark.parametrize("cuts", [pytest.param(6, id="short"), full(400, minutes=30)])
def test_a_cut_record_is_resumed(case, campaign, damaged, figures, cuts):
    content = (campaign.folder / "trials.jsonl").read_bytes()
    chance, lost = random.Random(1), 0
    for _ in range(cuts):
        place = damaged(content[: len(content) - chance.randrange(1, END)])
        place.status_json.unlink(missing_ok=True)  # which would count the designs that were cut off
        before = recorded(load_result(place.path).records)
        result = run_campaign(campaign.campaign, case, place.path, evaluate=bowl, prepare=prepare_nothing)
        after = recorded(result.records)
        assert sorted(after) == list(range(TRIALS))
        lost += sum(after[n] != record for n, record in before.items())
    figures(f"{cuts} campaigns resumed: {lost} designs lost")
    assert lost == 0


@pytest.mark.parametrize("flips", [pytest.param(150, id="short"), full(20_000, minutes=20)])
def test_flipped_bits_of_a_record_are_named_with_their_line(campaign, damaged, figures, flips):
    """In the last transaction a flipped bit is a torn tail, before it a sentence with the line."""
    content = (campaign.folder / "trials.jsonl").read_bytes()
    last = ends_of_transactions(content)[-2]
    without_last = records_of(damaged(content[:last]))
    chance, named, torn = random.Random(2), 0, 0
    for flip in range(flips):
        at, bit = chance.randrange(last if flip % 10 == 0 else 0, len(content)), 1 << chance.randrange(8)
        place = damaged(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
        line = content[:at].count(b"\n") + 1
        if at >= last:
            assert records_of(place) == without_last
            torn += 1
            continue
        with pytest.raises(InputError) as refused:
            records_of(place)
        assert int(NAMED.search(str(refused.value)).group(1)) == line
        named += 1
    figures(f"{flips} flipped bits: {named} named with their line, {torn} dropped with the last transaction")
    assert named and torn


@pytest.mark.parametrize("step", [pytest.param(7, id="short"), full(1, minutes=20)])
def test_the_record_of_a_sweep_cut_and_flipped(case, sweep, tmp_path, figures, step):
    content = (sweep.path / "points.jsonl").read_bytes()
    lines = content.splitlines(keepends=True)
    (tmp_path / "sweep.yaml").write_bytes((sweep.path / "sweep.yaml").read_bytes())
    place, given = SweepFolder(tmp_path), SweepInput(sweep=sweep.sweep, case=sweep.case)
    whole = SweepFolder(sweep.path).batches(given).lines().units
    last = len(content) - len(lines[-1])
    cuts = range(max(0, len(content) - END), len(content) + 1, step)
    for size in cuts:
        place.record.write_bytes(content[:size])
        kept, _ = take_up(place.batches(given), place.status_json)
        assert kept == whole[: content[:size].count(b"\n")]
        left = b"".join(lines[: len(kept)])
        assert (place.record.read_bytes() if place.record.exists() else b"") == left
        aside = sorted(tmp_path.glob("*.damaged-*"))
        assert [file.read_bytes() for file in aside] == (
            [] if content[:size][-1:] in (b"", b"\n") else [content[:size]]
        )
        for file in aside:
            file.unlink()
    chance = random.Random(3)
    for at in range(0, len(content), step):
        flipped = content[:at] + bytes([content[at] ^ (1 << chance.randrange(8))]) + content[at + 1 :]
        place.record.write_bytes(flipped)
        if at >= last:
            assert list(place.read(given)) == [o.number for b in whole[:-1] for o in b.outcomes]
            continue
        with pytest.raises(InputError) as refused:
            place.read(given)
        assert int(NAMED.search(str(refused.value)).group(1)) == content[:at].count(b"\n") + 1
    place.record.write_bytes(content[:-5])
    assert run_sweep(sweep_of(AXES), case, tmp_path, evaluate=plane).points == sweep.points
    figures(f"{len(cuts)} cuts opened, {len(range(0, len(content), step))} flipped bits named or dropped with the end")
