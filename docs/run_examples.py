"""Runs the scripts of examples/ and writes a page of each: ``python docs/run_examples.py [name ...]``.

A page has the script, what it printed and the pictures it drew, with date, machine, load and commit. Each script runs
in an empty folder. All of them together take some twenty minutes on two cores.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from catenary.storage.files import write_text_atomic
from catenary.storage.provenance import commit
from studies.writing.result_page import origin_table

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
PAGES = ROOT / "docs" / "examples"
FENCE = "```"


def write_example(name: str) -> None:
    """Run one script and write its page and pictures."""
    script = EXAMPLES / f"{name}.py"
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        done = subprocess.run([sys.executable, script], cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
        seconds = time.monotonic() - begin
        pictures = sorted(Path(folder).glob("*.png"))
        for picture in pictures:
            shutil.copy(picture, PAGES / f"{name}_{picture.name}")
    parts = (
        f"# {name}.py",
        f"`make examples` wrote this page; the script took {seconds:.0f} s.",
        origin_table(),
        f'{FENCE}python\n--8<-- "examples/{name}.py"\n{FENCE}',
        "It printed",
        f"{FENCE}text\n{done.stdout.rstrip()}\n{FENCE}",
        *(f"![{picture.stem}]({name}_{picture.name})" for picture in pictures),
    )
    write_text_atomic(PAGES / f"{name}.md", "\n\n".join(parts) + "\n")
    print(f"Wrote docs/examples/{name}.md, {len(pictures)} pictures, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    commit()  # kept for all pages: the first picture makes the checkout differ from it
    for chosen in sys.argv[1:] or sorted(file.stem for file in EXAMPLES.glob("*.py")):
        write_example(chosen)
