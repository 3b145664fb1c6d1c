"""Every reader of a bundle gives the same heights: C, Octave and Python against the long way, all within 1e-12."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from bundle_programs import compiled, heights_of_c, heights_of_loop, heights_of_octave, octave, python

from catenary.errors import InputError
from dynamics.rig.bundle import RECOMMENDATION, VARIABLES, add_to_bundle, write_bundle
from dynamics.rig.bundle.pfem import STRATEGIES, Pfem, read_raw
from dynamics.rig.bundle.self_check import LoopSettings, direct_heights, harmonic_filter
from dynamics.rig.bundle.write import refuse_large
from dynamics.rig.loop.model import model_of

TOLERANCE = 1e-12


@pytest.fixture(scope="module")
def folder(influence, tmp_path_factory):
    return write_bundle(tmp_path_factory.mktemp("rig") / "bundle", influence, influence.case)


@pytest.fixture(scope="module")
def program(folder, tmp_path_factory):
    return compiled(folder, tmp_path_factory.mktemp("program"))


@pytest.fixture(scope="module")
def at_random(influence):
    """Forces nobody has seen before, settings that are not the self-test's, and the heights by both strategies."""
    rng = np.random.default_rng()
    N = len(influence.z0)
    force = rng.normal(rng.uniform(150.0, 250.0), 90.0, 2 * N + N // 3) + 120.0 * np.sin(np.arange(2 * N + N // 3) / 40)
    how = (int(rng.integers(1, 20)), float(rng.uniform(0.5, 1.0)), 0)
    settings = LoopSettings(*how, int(rng.integers(20, 40)), int(rng.integers(40, 120)))
    heights, squeeze = direct_heights(influence, force, settings)
    assert np.count_nonzero(squeeze) > 20
    return force, settings, heights


def apart(found, wanted):
    assert found.shape == wanted.shape
    return np.abs(found - wanted).max() / np.abs(wanted).max()


def test_c_octave_and_python_pass_the_self_test(folder, program):
    done = subprocess.run([program, "pfem.bin"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.endswith("self-test passed\n"), done.stdout + done.stderr
    done = python(folder)
    assert done.returncode == 0 and "self-test passed" in str(done.stdout), done.stderr
    done = octave("pfem_self_test", folder)
    assert done.returncode == 0 and done.stdout.startswith(b"self-test passed: ") and b"ans" not in done.stdout, done
    done = octave("worst = pfem_self_test; assert (all (worst < 1e-12))", folder)
    assert done.returncode == 0, done.stderr


def test_c_gives_the_heights_of_random_forces(folder, program, at_random):
    force, settings, wanted = at_random
    for strategy in (0, 1):
        assert apart(heights_of_c(program, folder, force, strategy, settings), wanted[strategy]) < TOLERANCE


def test_octave_gives_the_heights_of_random_forces(folder, at_random, tmp_path):
    force, settings, wanted = at_random
    assert apart(heights_of_octave(folder, force, settings, tmp_path), wanted) < TOLERANCE


@pytest.mark.parametrize("strategy", [0, 1])
def test_python_gives_the_heights_of_random_forces(folder, at_random, strategy):
    force, settings, wanted = at_random
    model = Pfem(read_raw(folder / "pfem.bin"), settings.harmonics, settings.dropper_harmonics)
    model.start(STRATEGIES[strategy], settings.delay, settings.relaxation, settings.ramp_steps)
    assert apart(np.array([model.step(f) for f in force]), wanted[strategy]) < TOLERANCE


@pytest.mark.parametrize("strategy", [0, 1])
def test_the_loop_that_is_emulated_and_served_gives_them_too(influence, at_random, strategy):
    force, settings, wanted = at_random
    found = heights_of_loop(model_of(influence), force, settings, strategy)
    assert apart(found, wanted[strategy]) < TOLERANCE


def test_all_formats_hold_the_same_numbers(folder, influence):
    raw = read_raw(folder / "pfem.bin")
    assert set(raw) == set(VARIABLES)
    for name in ("z0", "I_cc", "I_cd", "I_dc", "K_dd"):
        np.testing.assert_array_equal(raw[name], getattr(influence, name))


def test_the_filter_keeps_its_harmonics_and_nothing_else():
    n = np.arange(12)
    for kept, top in ((4, 3), (7, 6)):
        keep = harmonic_filter(12, kept)
        for m in range(7):
            wave = np.cos(2 * np.pi * m * n / 12 + (0.3 if m < 6 else 0.0))
            np.testing.assert_allclose(keep @ wave, wave if m <= top else 0.0, atol=1e-14)


def test_a_self_test_that_is_altered_fails_everywhere(folder, program, tmp_path):
    """What the readers check is what the file says: a changed height, with its checksum put right, is found."""
    other = shutil.copytree(folder, tmp_path / "other")
    raw = read_raw(folder / "pfem.bin")
    raw["self_test_height"][1, -1] *= 1.0 + 1e-9
    from dynamics.rig.bundle.raw import write_raw

    checksum = write_raw(other / "pfem.bin", raw)
    done = python(other)
    assert done.returncode == 1, done.stdout
    # the C program's own header still names the first file
    done = subprocess.run([program, "pfem.bin"], cwd=other, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "belongs to another bundle" in done.stderr
    old = next(line for line in (other / "pfem.h").read_text().splitlines() if "PFEM_DATA_CRC" in line)
    header = (other / "pfem.h").read_text().replace(old, f"#define PFEM_DATA_CRC 0x{checksum:08X}u")
    (other / "pfem.h").write_text(header)
    done = subprocess.run(
        [compiled(other, tmp_path), "pfem.bin"], cwd=other, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "span by span" in done.stdout and "FAILED" in done.stdout


@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        (lambda content: content[:-1000], "cut short"),
        (lambda content: content[:-1000] + b"\1" + content[-999:], "has been altered"),
        (lambda content: b"something else" + content, "is not the raw file of a rig bundle"),
    ],
)
def test_a_harmed_raw_file_is_refused(folder, program, tmp_path, harm, sentence):
    path = tmp_path / "pfem.bin"
    path.write_bytes(harm((folder / "pfem.bin").read_bytes()))
    with pytest.raises(ValueError, match=sentence):
        read_raw(path)
    done = subprocess.run([program, path], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and sentence in done.stderr


def test_a_name_or_shape_that_is_altered_is_found_as_well(folder, program, tmp_path):
    """A bit anywhere in the table of the raw file, such as two names exchanged; the sizes alone would not tell."""
    small = {"z0": np.arange(3.0), "I_cc": np.ones((3, 3))}
    from dynamics.rig.bundle.raw import write_raw

    write_raw(tmp_path / "small.bin", small)
    whole = (tmp_path / "small.bin").read_bytes()
    for at in range(len(whole)):
        (tmp_path / "harmed.bin").write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        with pytest.raises(ValueError, match=r"altered|cut short|is not the raw file"):
            read_raw(tmp_path / "harmed.bin")
    large = (folder / "pfem.bin").read_bytes()
    for at in (*range(8, 32, 5), *range(32, 32 + 64 * len(VARIABLES), 211)):
        (tmp_path / "pfem.bin").write_bytes(large[:at] + bytes([large[at] ^ 4]) + large[at + 1 :])
        done = subprocess.run([program, tmp_path / "pfem.bin"], capture_output=True, text=True, check=False)
        assert done.returncode == 2, at
        assert "altered" in done.stderr or "cut short" in done.stderr, done.stderr


def test_c_takes_no_memory_but_its_own(folder, tmp_path):
    """What pfem.c calls for, by the linker's own list: nothing that allocates."""
    from bundle_programs import FLAGS, needed, run

    done = run([needed("gcc", "gcc"), *FLAGS, "-c", "-o", str(tmp_path / "pfem.o"), str(folder / "pfem.c")], folder)
    assert done.returncode == 0, done.stderr.decode()
    listed = run([needed("nm", "binutils"), "-u", str(tmp_path / "pfem.o")], folder).stdout.decode()
    names = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
    assert {"fopen", "fread"} <= names
    assert not {n for n in names if re.search("alloc|free|mmap|sbrk", n)}


def test_a_new_bundle_keeps_no_recommendation_of_the_old_one(folder, influence, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    add_to_bundle(other, RECOMMENDATION, "{}\n")
    write_bundle(other, influence, influence.case)
    assert not (other / RECOMMENDATION).exists()


def test_c_refuses_a_force_that_is_not_a_number(folder, program, at_random):
    _, settings, _ = at_random
    for force in (np.nan, np.inf, 2e5):
        command = [program, "pfem.bin", "0", "8", "1", "0", str(settings.harmonics), "0"]
        given = np.array([100.0, force]).tobytes()
        done = subprocess.run(command, cwd=folder, input=given, capture_output=True, check=False)
        assert done.returncode == 1 and len(done.stdout) == 8 and b"must be finite" in done.stderr


def test_octave_tells_transposed_reading(folder, tmp_path):
    import scipy.io

    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(folder / "load_bundle.m", other)
    content = {k: v for k, v in scipy.io.loadmat(folder / "pfem.mat").items() if not k.startswith("__")}
    for change, sentence in (
        ({"probe": content["probe"].T}, b"transposed"),
        ({"I_cd": content["I_cd"].transpose(1, 0, 2)}, b"I_cd has the wrong size"),
        ({"schema_version": 99}, b"schema version"),
    ):
        scipy.io.savemat(other / "pfem.mat", {**content, **change}, format="5", oned_as="column")
        done = octave("load_bundle;", other)
        assert done.returncode != 0 and sentence in done.stderr, done.stderr


def test_octave_refuses_a_file_that_is_altered_or_cut_short(folder, tmp_path):
    """A bit anywhere in the numbers, in the tables between them, or none of the last bytes: one sentence each."""
    whole = bytearray((folder / "pfem.mat").read_bytes())
    places = [
        *np.linspace(3000, whole.index(b"checksum") - 200, 9).astype(int),
        *(whole.index(n) for n in (b"z0", b"K_dd", b"checksum")),
    ]
    for k, at in enumerate(places):
        other = tmp_path / str(k)
        other.mkdir()
        changed = whole.copy()
        changed[at] ^= 4
        (other / "pfem.mat").write_bytes(changed)
    for k, size in enumerate((len(whole) // 2, len(whole) - 4000, 60), len(places)):
        (tmp_path / str(k)).mkdir()
        (tmp_path / str(k) / "pfem.mat").write_bytes(whole[:size])
    count = len(places) + 3
    calls = f"for k = 0:{count - 1}, try, load_bundle (sprintf ('{tmp_path}/%d', k)); disp ('taken');"
    done = octave(calls + " catch e, disp (e.message); end; end", folder)
    said = done.stdout.decode().splitlines()
    assert done.returncode == 0 and len(said) == count, done
    for k, line in enumerate(said):
        assert line.startswith("load_bundle: ") and "export the bundle again" in line, (k, line)


def test_octave_takes_what_is_recommended(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    octave("b = load_bundle; assert (~isfield (b, 'recommended'))", other)
    stored = {
        "strategy": "span_by_span", "height_harmonics": 21, "dropper_harmonics": 60, "contact_relaxation": 0.03,
        "delay_steps": 7, "stable": True,
    }  # fmt: skip
    add_to_bundle(other, RECOMMENDATION, json.dumps(stored, indent=2))
    values = "[r.strategy r.harmonics r.dropper_harmonics r.relaxation r.delay], [1 21 60 0.03 7]"
    call = f"b = load_bundle; r = b.recommended; assert ({values}); pfem_step (pfem_start (b, r), 100);"
    done = octave(call, other)
    assert done.returncode == 0, done.stderr
    add_to_bundle(other, RECOMMENDATION, json.dumps({**stored, "stable": False}))
    done = octave("b = load_bundle; assert (~isfield (b, 'recommended'))", other)
    assert done.returncode == 0 and b"recommends no settings" in done.stderr, done.stderr


def test_the_readme_leaves_no_word_open(folder):
    for path in folder.iterdir():
        if path.suffix in (".md", ".m", ".c", ".h"):
            assert re.findall(r"@[A-Z_]+@", path.read_text(encoding="utf-8")) == [], path.name


def test_the_manifest_says_what_was_cut(folder):
    cut = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["truncation"]
    lost = [row["height_lost_rms_m"] for row in cut["harmonics"]]
    assert len(lost) >= 5 and lost == sorted(lost, reverse=True) and lost[0] > 0.0
    assert 0.0 < cut["quadrature_error_m_at_mean_force"] < 1e-4


def test_a_file_that_is_added_gets_its_digest(folder, tmp_path):
    import hashlib

    other = shutil.copytree(folder, tmp_path / "other")
    add_to_bundle(other, "recommendation.json", "{}\n")
    listed = json.loads((other / "manifest.json").read_text(encoding="utf-8"))["files"]
    assert listed["recommendation.json"]["sha256"] == hashlib.sha256(b"{}\n").hexdigest()


def test_a_variable_too_large_for_matlab_is_refused():
    arrays = {"I_cd": np.zeros((4, 4)), "z0": np.zeros(4)}
    with pytest.raises(InputError, match="I_cd must stay under"):
        refuse_large(arrays, limit=100)
    refuse_large(arrays, limit=129)
