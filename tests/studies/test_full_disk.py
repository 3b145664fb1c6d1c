"""A disk that is full, a folder that may not be written: a sentence, an exit code, no half file, and on again later."""

import errno
import os

import pytest

from catenary.errors import WriteError
from catenary.storage.files import whole_file, writing

LINE = (
    "catenary=bruni_2015",
    "pantograph=bruni_2015",
    "speed_kmh=200",
    "dt=4e-3",
    "catenary.mesh.elements_per_bay=2",
    "catenary.mesh.largest_element_length=60",
)
TINY = (
    *LINE, "solver=transient", "transient.spans=6", "transient.spans_evaluated=4", "transient.spans_behind=2",
    "transient.spans_ahead=2", "error_estimate=false",
)  # fmt: skip
CAMPAIGN = (
    *TINY, "campaign=c", "trials=4", "cluster=serial", "sampler=random", "trust.speeds=1", "trust.contact_stiffness=[]",
    "trust.length_tolerance.rise_percent=null",
    "trust.height_errors_mm=[]", "trust.length_errors_mm=[]", "trust.other_dimension=false", "limits.uplift_factor=2",
)  # fmt: skip
REASONS = {"full": errno.ENOSPC, "read-only": errno.EROFS}


def refused(ended, code, reason=errno.ENOSPC):
    assert ended.code == code, ended
    assert "Traceback" not in ended.err
    assert f"could not be written: {os.strerror(reason)}. Make room on the disk or allow" in ended.err, ended.err
    assert "nothing was written" not in ended.err, "other files may have been"


def half_files(folder):
    return [p for p in folder.rglob(".*") if p.is_file() and p.name != ".driver.lock"]


@pytest.mark.parametrize("reason", REASONS.values(), ids=REASONS)
@pytest.mark.parametrize("word", ["config", "result", "report"])
def test_a_simulation_says_which_file_could_not_be_written(catenary, folder, broken, word, reason):
    broken(word, reason)
    ended = catenary("simulate", *TINY, "run_dir=run")
    refused(ended, 1, reason)
    assert f"{word}." in ended.err
    assert half_files(folder) == [] and list(folder.rglob(f"{word}.*")) == []


@pytest.mark.parametrize("word", ["campaign", "journal", "trials.jsonl", ".trials.", "trust", "report"])
def test_a_campaign_continues_when_there_is_space_again(catenary, folder, broken, word):
    broken(word)
    ended = catenary("optimise", *CAMPAIGN)
    refused(ended, 75)
    assert "the same command resumes from what is on record" in ended.err
    assert half_files(folder) == []
    broken("")
    ended = catenary("optimise", *CAMPAIGN)
    assert ended.code == 0, ended.err  # whole, which a mapping of long texts is not shown
    assert "c: finished | 4/4 designs" in catenary("status", "campaign=c").out
    assert (folder / "outputs" / "campaigns" / "c" / "report.html").is_file()


def test_a_report_that_cannot_be_drawn_again_leaves_the_old_one(catenary, folder, broken):
    assert catenary("simulate", *TINY, "run_dir=run").code == 0
    old = (folder / "run" / "report.html").read_bytes()
    broken("report", errno.EROFS)
    refused(catenary("report", "run"), 1, errno.EROFS)
    assert (folder / "run" / "report.html").read_bytes() == old
    assert half_files(folder) == []


def test_a_bundle_is_not_finished_without_its_last_file(folder, broken, influence):
    from dynamics.rig.bundle import write_bundle

    broken("pfem")
    with pytest.raises(WriteError, match=r"No space left.*pfem\.nc"):
        write_bundle(folder / "rig", influence, influence.case)
    assert [p.name for p in (folder / "rig").iterdir()] == []


def test_an_error_that_is_not_the_disk_s_stays_what_it_is(tmp_path):
    with pytest.raises(NotADirectoryError), writing(tmp_path):
        raise NotADirectoryError(errno.ENOTDIR, "no folder")
    with pytest.raises(RuntimeError, match="of another kind"), whole_file(tmp_path / "a.nc"):
        raise RuntimeError("of another kind")
