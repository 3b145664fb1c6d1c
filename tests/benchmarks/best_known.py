"""Best known designs of the cases that searches are compared on.

``.venv/bin/python tests/benchmarks/best_known.py CASE METHOD SECONDS SEEDS`` searches once a seed (1,2,...), for so
many processor seconds each, by one of `searches.ROBUST_METHODS`, and adds what it found to `best_known.json`: of every
case its best design, and of every method how long it has searched, by which seeds, and the best that each had.
"""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from searches import BY_OPERATOR, CASES, ROBUST, SharedStart, searched

KEPT = Path(__file__).with_suffix(".json")


def known():
    """Content of `best_known.json`: cases by name."""
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}


def design_of(line):
    """Stations and heights of a line."""
    droppers = line.droppers
    return {
        "positions_m": [round(x, 9) for x in droppers.positions],
        "heights_mm": [round(1e3 * z, 6) for z in droppers.contact_wire_heights],
    }


def add(name, method, seed, seconds, watch):
    """Add one search to the file, written whole, with the time that it had: one that is stopped had less."""
    kept = known()
    case = kept.setdefault(name, {"sigma_N": None, "searches": {}})
    sigma = watch.trace[-1][1] if watch.trace else None
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True)
    case["searches"].setdefault(method, []).append(
        {
            "seed": int(seed),
            "processor_s": round(min(seconds, watch.spent), 1),
            "designs": watch.designs,
            "sigma_N": sigma,
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "commit": commit.stdout.strip(),
        }
    )
    if sigma is not None and (case["sigma_N"] is None or sigma < case["sigma_N"]):
        case |= {"sigma_N": sigma, "by": f"{method}, seed {seed}", **design_of(watch.line)}
    partial = KEPT.with_suffix(".part")
    partial.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    partial.replace(KEPT)


def main():
    name, method, seconds, seeds = sys.argv[1:]
    overrides = [*(CASES | ROBUST)[name], *BY_OPERATOR]
    start = SharedStart(overrides)
    for seed in seeds.split(","):
        watch = searched(overrides, method, int(seed), float(seconds), start)
        add(name, method, seed, float(seconds), watch)
        best = watch.best_at(float(seconds))
        print(f"{name}, {method}, seed {seed}: {best:.3f} N, {watch.designs} designs", flush=True)


if __name__ == "__main__":
    main()
