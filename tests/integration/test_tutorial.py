"""The tutorial, followed step by step: at most six commands lead from a clean clone to the picture of a line."""

import re
import shlex
import shutil
from pathlib import Path

from studies import cli

ROOT = Path(__file__).resolve().parents[2]
MOST_COMMANDS = 6
TEXT = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?:bash|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SMALL = ["error_estimate=false", "periodic.spans_behind=4", "periodic.spans_ahead=4", "periodic.tolerance=2e-3"]


def test_the_tutorial_leads_to_the_picture_of_a_line(tmp_path, monkeypatch, capfd):
    commands = [line.split("#")[0].strip() for block in BLOCK.findall(TEXT) for line in block.splitlines() if line]
    assert len(commands) <= MOST_COMMANDS
    first, second, *rest = commands
    assert (first, second) == ("make venv", "source .venv/bin/activate")
    (tmp_path / "examples").mkdir()
    shutil.copy(ROOT / "examples" / "table.csv", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    for line in rest:
        program, study, *given = shlex.split(line)
        assert program == "catenary"
        small = SMALL if study == "simulate" else []
        assert cli.main([study, *given, *small]) == cli.DONE, capfd.readouterr().err
    promised = re.findall(r"`((?:outputs/)?my60[\w/.]*\.\w+)`", TEXT)
    assert {"my60.yaml", "outputs/my60/report.html", "outputs/my60/figures/contact_force.png"} <= set(promised)
    missing = [name for name in promised if not (tmp_path / name).is_file()]
    assert not missing, f"the tutorial promises {missing}"
