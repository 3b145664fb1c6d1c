"""Whole files damaged in thirty ways: each is named and kept under another name, nothing is dropped in silence."""

import gzip
import json
import random
import shutil

import cheap_sensitivity
import cheap_sweep
import pytest
from cheap_evaluation import bowl, campaign_of, prepare_nothing

from catenary.errors import InputError
from optimise.parameter_study.sensitivity import run_sensitivity
from optimise.parameter_study.status import read_parameter_study_status
from optimise.parameter_study.sweep import run_sweep
from optimise.record.record_damage import SetAsideError
from optimise.search.campaign import load_result, run_campaign
from optimise.search.progress import read_status

TRIALS = 24


def campaign(case, folder, name="test"):
    asked = campaign_of(name=name, trials=TRIALS, synchronous=True, design={"kind": "heights"})
    return run_campaign(asked, case, folder, evaluate=bowl, prepare=prepare_nothing).records


def sweep(case, folder, name="test"):
    asked = cheap_sweep.sweep_of(cheap_sweep.AXES)
    asked = asked.model_copy(update={"sweep": asked.sweep.model_copy(update={"name": name})})
    return run_sweep(asked, case, folder, evaluate=cheap_sweep.plane).points


def sensitivity(case, folder, name="test"):
    asked = cheap_sensitivity.study_of(name=name, methods=["sobol"], sobol={"samples": 32, "resamples": 50})
    return run_sensitivity(asked, case, folder, evaluate=cheap_sensitivity.ishigami).points


STUDIES = {"campaign": (campaign, "trials.jsonl"), "sweep": (sweep, "points.jsonl"),
           "sensitivity": (sensitivity, "points.jsonl")}  # fmt: skip


def lines_of(content):
    return content.splitlines(keepends=True)


def zeroed(content, begin, end):
    begin, end = int(begin * len(content)), int(end * len(content))
    return content[:begin] + bytes(end - begin) + content[end:]


def shuffled(content):
    lines = lines_of(content)
    random.Random(1).shuffle(lines)
    return b"".join(lines)


def without(content, *which):
    lines = lines_of(content)
    return b"".join(line for n, line in enumerate(lines) if n not in [w % len(lines) for w in which])


def with_twice(content, which):
    lines = lines_of(content)
    return b"".join([*lines[: which + 1], *lines[which:]])


DAMAGE = {
    "CRLF": lambda c, _: c.replace(b"\n", b"\r\n"),
    "CRLF in the second half": lambda c, _: c[: len(c) // 2] + c[len(c) // 2 :].replace(b"\n", b"\r\n"),
    "all zeros": lambda c, _: bytes(len(c)),
    "first half zeros": lambda c, _: zeroed(c, 0.0, 0.5),
    "second half zeros": lambda c, _: zeroed(c, 0.5, 1.0),
    "a page of zeros in the middle": lambda c, _: zeroed(c, 0.4, 0.5),
    "zeros in the last third": lambda c, _: zeroed(c, 0.65, 1.0),
    "second half gone": lambda c, _: c[: len(c) // 2],
    "second half gone, whole lines": lambda c, _: b"".join(lines_of(c)[: len(lines_of(c)) // 2]),
    "first half gone": lambda c, _: c[len(c) // 2 :],
    "a tenth gone in the middle": lambda c, _: c[: len(c) // 2] + c[int(0.6 * len(c)) :],
    "noise": lambda c, _: random.Random(2).randbytes(len(c)),
    "noise in the second half": lambda c, _: c[: len(c) // 2] + random.Random(3).randbytes(len(c) // 2),
    "noise without line ends at the end": lambda c, _: c[: len(c) // 2] + b"x" * (len(c) // 2),
    "of another study": lambda _, other: other,
    "prose": lambda c, _: b"All work and no play\n" * 400,
    "other JSON": lambda c, _: b'{"a": 1}\n',
    "deep JSON": lambda c, _: b"[" * 100_000,
    "packed": lambda c, _: gzip.compress(c),
    "UTF-16": lambda c, _: c.decode().encode("utf-16"),
    "byte order mark": lambda c, _: b"\xef\xbb\xbf" + c,
    "twice": lambda c, _: c + c,
    "no line ends": lambda c, _: c.replace(b"\n", b""),
    "lines backwards": lambda c, _: b"".join(reversed(lines_of(c))),
    "lines in any order": lambda c, _: shuffled(c),
    "a line gone": lambda c, _: without(c, len(lines_of(c)) // 2),
    "the last lines gone": lambda c, _: without(c, -1, -2, -3, -4, -5, -6, -7, -8, -9) if len(lines_of(c)) > 20
    else without(c, -1),
    "a line twice": lambda c, _: with_twice(c, len(lines_of(c)) // 2),
    "every line twice": lambda c, _: b"".join(line + line for line in lines_of(c)),
    "checksums of zeros": lambda c, _: b"".join(line[:-11] + b'00000000"}\n'[-11:] for line in lines_of(c)),
    "capitals": lambda c, _: c.upper(),
}  # fmt: skip


# every kind with each study at full size, some of them in the default suite
CASES = [
    pytest.param(
        study, kind, id=f"{study}-{kind}", marks=[pytest.mark.chaos] if n % (2 if study == "campaign" else 6) else []
    )
    for study in STUDIES
    for n, kind in enumerate(DAMAGE)
]
EVERY = pytest.mark.parametrize(("study", "kind"), CASES, indirect=["study"])


@pytest.fixture(scope="module")
def study(request, case, tmp_path_factory):
    """A finished study, its function and record, and the folder of another study of its kind."""
    run, record = STUDIES[request.param]
    folder, other = tmp_path_factory.mktemp(request.param), tmp_path_factory.mktemp("other")
    found = run(case, folder)
    run(case, other, "other")
    return run, folder, other, record, found


def status_of(folder):
    return read_status(folder) if (folder / "campaign.yaml").exists() else read_parameter_study_status(folder)


def kept(folder, name):
    return [file.read_bytes() for file in sorted(folder.glob(f"{name}.damaged-*"))]


@EVERY
def test_a_damaged_record_is_named_kept_and_resumed(case, study, tmp_path, figures, kind):
    run, whole, other, record, found = study
    folder = shutil.copytree(whole, tmp_path / "study")
    damaged = DAMAGE[kind]((whole / record).read_bytes(), (other / record).read_bytes())
    (folder / record).write_bytes(damaged)
    with pytest.raises(InputError, match=record):
        status_of(folder)
    assert (folder / record).read_bytes() == damaged, "who only reads changes nothing"
    with pytest.raises(SetAsideError, match=rf"{record}.*kept whole as .*{record}\.damaged-1; \d+ .* can be read"):
        run(case, folder)
    assert kept(folder, record) == [damaged]
    left = status_of(folder)
    assert left.done <= len(found)
    assert run(case, folder) == found
    assert kept(folder, record) == [damaged]
    assert status_of(folder).done == len(found)
    assert run(case, folder) == found
    figures(f"{len(damaged)} bytes named and kept whole; {left.done} of {len(found)} read, resumed to the same table")


@EVERY
def test_a_damaged_status_is_named_kept_and_written_again(case, study, tmp_path, capsys, figures, kind):
    run, whole, other, _, found = study
    folder = shutil.copytree(whole, tmp_path / "study")
    status = folder / "status.json"
    content = status.read_bytes()
    damaged = DAMAGE[kind](content, (other / "status.json").read_bytes())
    status.write_bytes(damaged)
    capsys.readouterr()
    assert run(case, folder) == found
    said = capsys.readouterr().err
    try:
        same = json.loads(damaged) == json.loads(content)
    except (ValueError, RecursionError):
        same = False
    assert same or (f"{status} must be JSON as a driver wrote it" in said and kept(folder, "status.json") == [damaged])
    assert json.loads(status.read_text())["done"] == len(found)
    figures("read as it was" if same else f"{len(damaged)} bytes named and kept whole, status written again")


@pytest.mark.parametrize("study", STUDIES, indirect=True)
def test_a_good_copy_put_back_is_resumed(case, study, tmp_path):
    run, whole, _, record, found = study
    folder = shutil.copytree(whole, tmp_path / "study")
    content = (folder / record).read_bytes()
    (folder / record).write_bytes(content.replace(b"\n", b"\r\n"))
    with pytest.raises(SetAsideError):
        run(case, folder)
    (folder / record).write_bytes(content)
    assert run(case, folder) == found
    assert (folder / record).read_bytes() == content


def test_a_read_only_look_at_a_campaign_that_lost_its_end_is_refused(case, tmp_path):
    campaign(case, tmp_path)
    record = tmp_path / "trials.jsonl"
    record.write_bytes(record.read_bytes()[: record.stat().st_size // 2])
    with pytest.raises(InputError, match=rf"status.json counts {TRIALS}\): it holds \d+; restore the file"):
        load_result(tmp_path)
