"""A served test that begins with the predicted state of the device, and is refused where there is none."""

import json

import numpy as np

from dynamics.rig.service.frames import Mark
from dynamics.rig.service.journal import read_journal

RAMP = 3.0
DRY = (
    "dry_run=true", "duration_s=12", f"loop.ramp_s={RAMP:g}", "pantograph=dsa250", "loop.strategy=span_by_span",
    "loop.delay_steps=8", "loop.height_harmonics=12", "loop.dropper_harmonics=all", "loop.contact_relaxation=0.1",
)  # fmt: skip


def test_the_model_holds_the_prediction_within_the_ramp_and_nothing_changes_behind_it(catenary, bundle, folder):
    left = {}
    for start in ("rest", "predicted"):
        ended = catenary("rig", "serve", f"bundle={bundle}", *DRY, f"start={start}", f"run_dir={start}")
        assert ended.code == 0 and (start == "rest") != ("the steady state predicted for dsa250" in ended.out), (
            ended.err
        )
        about, columns = read_journal(folder / start / "run.journal")
        n = int(about["steps_per_span"])
        left[start] = float(np.abs(np.diff(columns["force"][-4 * n : -2 * n].reshape(2, n), axis=0)).max())
    held = columns["mark"].astype(int) & Mark.PREDICTED != 0
    assert np.flatnonzero(~held)[0] == np.count_nonzero(held) == round(RAMP / about["dt_s"])
    assert left["predicted"] < 0.05 < left["rest"]
    assert json.loads((folder / "predicted" / "summary.json").read_text(encoding="utf-8"))["last_change_N"] < 0.05


def test_a_device_that_would_lose_contact_has_no_state_to_begin_with(catenary, bundle, folder):
    ended = catenary("rig", "serve", f"bundle={bundle}", *DRY, "start=predicted", "applied_force_N=10", "run_dir=off")
    assert (
        ended.code == 2
        and "start must be rest here" in ended.err
        and "a device that cannot pull would have to" in ended.err
    ), ended.err
    assert not (folder / "off").exists()
