"""Copies the README's validated figures from the pages of results: ``python docs/readme_figures.py``."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
HEAD = "| source | what | accepted (published) | here |\n|---|---|---|---|\n"
SOURCES = {"steady": "PACDIN, steady state", "pacdin": "PACDIN, open line", "en50318": "EN 50318:2002"}
# page of results, quantity, case
CHOSEN = (
    ("steady", "mean contact force", "275 km/h, planar, applied 152.25 N"),
    ("steady", "span mean of the static elasticity", "bruni_2015, planar, 200 N, 12 elements a bay"),
    ("pacdin", "applied force", "one pantograph, planar, 275 km/h, case 2a, mean 143.36 N"),
    ("en50318", "standard deviation σ", "250 km/h, planar"),
    ("en50318", "largest uplift at supports", "300 km/h, planar"),
)


def row_of(key: str, quantity: str, case: str) -> dict[str, str]:
    """Cells by heading of one row of ``validation_<key>.md``."""
    text = (RESULTS / f"validation_{key}.md").read_text(encoding="utf-8").replace("\\", "")
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    (head,) = [cells for cells in lines if cells[:2] == ["quantity", "case"]]
    (found,) = [cells for cells in lines if cells[:2] == [quantity, case]]
    return dict(zip(head, found, strict=True))


def table() -> str:
    """The README's table."""
    rows = []
    for key, quantity, case in CHOSEN:
        row = row_of(key, quantity, case)
        accepted = f"{row['accepted']} {row['unit']} ({row['published']})"
        link = f"[{SOURCES[key]}](docs/results/validation_{key}.md)"
        rows.append(f"| {link} | {quantity}, {case} | {accepted} | {row['here']} {row['unit']} |\n")
    return HEAD + "".join(rows)


def with_table(readme: str) -> str:
    """The README with its table of validated figures as the pages of results have them."""
    before, _, rest = readme.partition("## Validated\n\n")
    after = rest.partition("\n\n[All results]")[2]
    return f"{before}## Validated\n\n{table()}\n[All results]{after}"


if __name__ == "__main__":
    file = ROOT / "README.md"
    file.write_text(with_table(file.read_text(encoding="utf-8")), encoding="utf-8")
