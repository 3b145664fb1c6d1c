"""No number changes when code is only rearranged: small runs of every kind against what they gave before.

On the kind of processor that wrote `frozen.json` the bits are equal, and `FROZEN_BITS=1` demands it; kernels that may
reorder their sums give other last bits when they have just been compiled than from numba's cache, so run it twice.
Another kind of processor rounds differently, which iterations carry on: by default numbers are held to nine digits, to
fewer where an iteration leaves more, or the line is marched in single precision. A search draws other designs as soon
as two of its designs change places, so that of a campaign only bits say anything.
"""

import json
import os

import numpy as np
import pytest
from frozen_runs import FROZEN, RUNS, digests

DIGITS = 1e-9
# measured between two kinds of processor, times ten
FEWER = {"open_line": 1e-7, "sweep": 1e-7, "sensitivity": 1e-6, "steady_state single": 1e-3}


def share_of(name: str, key: str) -> float:
    """What a number may differ by from its frozen one on another kind of processor, relative to its array's norm."""
    return FEWER.get(f"{name} {key.split('.')[0]}", FEWER.get(name, DIGITS))


@pytest.mark.parametrize("name", RUNS)
def test_run_gives_what_it_gave(name):
    expected, found = json.loads(FROZEN.read_text(encoding="utf-8"))[name], digests(name)
    assert found.keys() == expected.keys()
    bits = os.environ.get("FROZEN_BITS") == "1"
    for key, digest in found.items():
        if digest["sha256"] == expected[key]["sha256"]:
            continue
        assert not bits, f"{key} of {name} has other bits: norm {digest['norm']!r}, was {expected[key]['norm']!r}"
        assert digest["shape"] == expected[key]["shape"]
        if name == "campaign":
            continue
        scale, share = expected[key]["norm"], share_of(name, key)
        np.testing.assert_allclose(digest["norm"], scale, rtol=share)
        assert [e is None for e in digest["entries"]] == [e is None for e in expected[key]["entries"]]
        entries = [[np.nan if e is None else e for e in d["entries"]] for d in (digest, expected[key])]
        np.testing.assert_allclose(*entries, rtol=share, atol=share * scale)
