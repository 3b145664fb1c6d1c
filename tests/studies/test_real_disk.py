"""A disk that really is full or read-only: a small file system in memory, filled up or mounted again for reading."""

import errno
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from test_full_disk import CAMPAIGN, TINY, half_files, refused

from catenary.errors import WriteError
from catenary.storage.files import whole_file

SIZE_MIB = 128  # some three bundles
PAGE = 4096


@dataclass(frozen=True)
class Disk:
    """A file system of its own with a ballast that leaves as many bytes as wanted."""

    path: Path

    @property
    def ballast(self) -> Path:
        return self.path / "ballast"

    def leave(self, pages: int) -> None:
        """Fill the disk up to a number of pages."""
        free = shutil.disk_usage(self.path).free - pages * PAGE
        assert free > 0, "the ballast has nothing to fill"
        with open(self.ballast, "wb") as handle:
            os.posix_fallocate(handle.fileno(), 0, free)

    def clear(self) -> None:
        """Take the ballast away."""
        self.ballast.unlink()

    def mode(self, option: str) -> None:
        """Mount again: 'ro' or 'rw'."""
        mount("-o", f"remount,{option}", str(self.path))


def mount(*arguments: str) -> str:
    """What mount says when it fails; '' when it does not."""
    program = shutil.which("mount")
    if program is None:
        return "there is no mount command (apt-get install mount)"
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    return done.stderr.strip() or f"exit code {done.returncode}" if done.returncode else ""


@pytest.fixture
def disk(tmp_path, monkeypatch):
    """A file system in memory, the folder to run in; unmounted at last."""
    place = tmp_path / "disk"
    place.mkdir()
    problem = mount("-t", "tmpfs", "-o", f"size={SIZE_MIB}m", "none", str(place))
    if problem:  # under CI too: whether the kernel lets a container mount is not up to the tests
        pytest.skip(f"a real full disk needs the right to mount one, as root has: {problem}")
    monkeypatch.chdir(place)
    yield Disk(place)
    os.chdir(tmp_path)
    # lazily: the HDF library does not release a file that it could not finish before the process ends
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def written(disk):
    left_out = ("ballast", ".driver.lock")
    return {p: p.read_bytes() for p in disk.path.rglob("*") if p.is_file() and p.name not in left_out}


@pytest.mark.parametrize(("pages", "file"), [(8, "trials.jsonl"), (14, "trials.nc")])
def test_a_campaign_on_a_full_disk_continues_when_space_is_freed(catenary, disk, pages, file):
    disk.leave(pages)
    ended = catenary("optimise", *CAMPAIGN, "error_estimate=false")
    refused(ended, 75)
    assert f"{file} could not be written" in ended.err
    assert "the same command resumes from what is on record" in ended.err
    assert half_files(disk.path) == []
    disk.clear()
    ended = catenary("optimise", *CAMPAIGN, "error_estimate=false")
    assert ended.code == 0, ended
    assert "c: finished | 4/4 designs" in catenary("status", "campaign=c").out
    assert len((disk.path / "outputs" / "campaigns" / "c" / "report.html").read_bytes()) > 10_000


@pytest.mark.chaos
@pytest.mark.timeout(3600)
def test_a_campaign_meets_the_end_of_the_disk_anywhere(catenary, disk, capfd):
    """From no page free to room for everything: said, no half file, and resumed when there is space."""
    said, pages = set(), 0
    while True:
        disk.leave(pages)
        command = ("optimise", *CAMPAIGN, "error_estimate=false", f"campaign=c{pages}")
        ended = catenary(*command)
        assert half_files(disk.path) == []
        disk.clear()
        if ended.code == 0:
            break
        refused(ended, 75)
        said.add(ended.err.split(" could not be written")[0].split("/")[-1])
        assert catenary(*command).code == 0, "it continues when there is space"
        shutil.rmtree(disk.path / "outputs" / "campaigns" / f"c{pages}")
        # by single pages until all has been met that the search itself writes: some of it is smaller than four
        pages += 1 if "best_design.yaml" not in said else 4
    with capfd.disabled():
        print(f"\na full disk met by {', '.join(sorted(said))}; with {pages} pages free everything was written")
    assert {"trials.jsonl", "trials.nc", "journal.log", "report.html"} <= said


@pytest.mark.parametrize("pages", [0, 1, 2, 4, 8])
def test_a_labelled_file_that_cannot_even_be_started(disk, pages):
    """The HDF library calls a disk without a free page one that does not permit it."""
    disk.leave(pages)
    with pytest.raises(WriteError, match=r"No space left.*a\.nc"), whole_file(disk.path / "a.nc") as temporary:
        xr.Dataset({"x": ("y", np.zeros(10_000))}).to_netcdf(temporary, engine="netcdf4")
    assert half_files(disk.path) == []


def test_a_record_that_meets_the_end_of_the_disk_keeps_whole_transactions(disk):
    from optimise.record.record_damage import take_up
    from optimise.record.trial_lines import Transaction, trials_record

    def asked(number, text):
        return Transaction(asked=[{"trial": number, "begun": None, "params": {}, "notes": {"text": text}}])

    record, status = trials_record(disk.path / "trials.jsonl", "0" * 12), disk.path / "status.json"
    _, writer = take_up(record, status)
    disk.leave(2)
    whole = 0
    with pytest.raises(OSError, match="No space left"):
        while True:
            writer.append(asked(whole, "x" * 1000))
            whole += 1
    assert whole >= 5, "most of two pages were taken"
    assert record.path.read_bytes().endswith(b"}\n")
    disk.clear()
    found, writer = take_up(record, status)  # the driver ended; the next one continues
    assert len(found) == whole
    writer.append(asked(whole, "y"))
    found = record.lines()
    assert len(found.units) == whole + 1 and not found.damage and not found.tail


def test_a_simulation_and_a_report_on_a_full_disk(catenary, disk):
    disk.leave(8)
    refused(catenary("simulate", *TINY, "run_dir=full"), 1)
    assert half_files(disk.path) == []
    disk.clear()
    assert catenary("simulate", *TINY, "run_dir=run").code == 0
    before = written(disk)
    disk.leave(0)
    refused(catenary("report", "run"), 1)
    assert written(disk) == before, "the old report stands untouched"
    disk.clear()
    assert catenary("report", "run").code == 0


@pytest.mark.parametrize("word", ["pfem.nc", "pfem.mat", "pfem.bin"])
def test_a_bundle_that_does_not_fit(catenary, disk, influence, monkeypatch, word):
    """Each large file in turn is the one for which there is no space; sizes are those of a bundle that fits."""
    export = ("export", "catenary=bruni_2015", "pantograph=bruni_2015", "speed_kmh=275", "dt=2e-3", "run_dir=rig")
    monkeypatch.setattr("dynamics.influence.matrices.influence_matrices", lambda case: influence)
    assert catenary(*export).code == 0
    names = ("pfem.nc", "pfem.mat", "pfem.bin")
    sizes = [-(-(disk.path / "rig" / name).stat().st_size // PAGE) for name in names]
    shutil.rmtree(disk.path / "rig")
    at = names.index(word)
    disk.leave(sum(sizes[:at]) + sizes[at] // 2)
    ended = catenary(*export)
    refused(ended, 1)
    assert word in ended.err
    assert half_files(disk.path) == []
    assert sorted(p.name for p in (disk.path / "rig").iterdir()) == sorted(names[:at])
    disk.clear()
    assert catenary(*export).code == 0, "a bundle that was not finished may be replaced"
    assert (disk.path / "rig" / "manifest.json").is_file()


def test_a_disk_mounted_for_reading(catenary, disk):
    assert catenary("simulate", *TINY, "run_dir=run").code == 0
    assert catenary("optimise", *CAMPAIGN, "error_estimate=false").code == 0
    before = written(disk)
    disk.mode("ro")
    for code, command in (
        (1, ("simulate", *TINY, "run_dir=other")),
        (1, ("report", "run")),
        (75, ("optimise", *CAMPAIGN, "campaign=other")),
    ):
        ended = catenary(*command)
        refused(ended, code, errno.EROFS)
    assert "c: finished | 4/4 designs" in catenary("status", "campaign=c").out
    assert written(disk) == before
    disk.mode("rw")
    assert catenary("report", "run").code == 0
    assert catenary("optimise", *CAMPAIGN, "error_estimate=false", "trials=5").code == 0
