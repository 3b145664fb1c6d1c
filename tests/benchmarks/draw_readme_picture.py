"""Draw the picture of the README from a run: ``.venv/bin/python tests/benchmarks/draw_readme_picture.py``.

The contact force of the steady state along one span of the demonstration's line as published, at 300 km/h.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from dynamics.solution import solve
from dynamics.spec.case import case_of
from studies.commands.simulate import compose

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / ".github" / "contact_force.png"
INPUT = ["catenary=re330", "pantograph=dsa380", "speed_kmh=300"]
RAW, FILTERED, MARK = "#b9c2cc", "#0b5394", "#8a6d3b"


def draw(solution):
    case, found = solution.case, solution.statistics
    plt.switch_backend("agg")
    figure, axes = plt.subplots(figsize=(9.0, 3.6), dpi=150, layout="constrained")
    axes.plot(solution.position, solution.contact_force, color=RAW, lw=1.0, label="as computed")
    axes.plot(
        solution.position,
        solution.contact_force_filtered,
        color=FILTERED,
        lw=2.0,
        label=f"below {case.signal.cutoff_hz:g} Hz",
    )
    axes.axhline(found.contact_force_mean_N, color=FILTERED, lw=0.8, ls=":")
    axes.set_ylim(0.0, None)
    axes.set_xlim(0.0, case.catenary.span_length)
    low = axes.get_ylim()[0]
    for k, x in enumerate(case.catenary.droppers.positions):
        axes.axvline(x, color=MARK, lw=0.6, alpha=0.5, label="droppers" if k == 0 else None)
        axes.plot(x, low, marker="^", color=MARK, ms=6, clip_on=False)
    axes.set_xlabel("position of the pantograph between two supports [m]")
    axes.set_ylabel("contact force [N]")
    axes.set_title(
        f"{case.catenary.name} with {case.pantograph.name} at {case.speed_kmh:g} km/h: "
        f"mean {found.contact_force_mean_N:.1f} N, standard deviation {found.contact_force_std_N:.1f} N",
        fontsize=10,
        loc="left",
    )
    axes.legend(loc="lower right", frameon=False, ncols=3, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, metadata={"Software": None})
    print(f"drawn: {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    solution = solve(case_of(compose(INPUT).job))
    if solution.statistics is None:
        sys.exit(solution.message)
    draw(solution)
