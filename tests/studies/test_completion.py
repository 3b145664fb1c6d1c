"""What a shell completes: commands, keys, names in conf and values that are listed."""

import shutil
import subprocess

import pytest

from studies.cli import FAMILIES, STUDIES
from studies.input.completion import words_of

TRY = """
source "$1"
try() {
  COMP_LINE="$1"; COMP_POINT=${#1}; read -ra COMP_WORDS <<< "${1//=/ = }"
  [[ "$1" == *" " || "$1" == *= ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]}-1)); COMPREPLY=(); _catenary
  printf '%s|' "${COMPREPLY[@]}"; echo
}
while IFS= read -r line; do try "$line"; done
"""
TYPED = {
    "catenary sim": "simulate |",
    "catenary rig em": "emulate |",
    "catenary simulate catenary=re": "re330 |",
    "catenary simulate dimension=s": "spatial |",
    "catenary optimise experiment=oc": "oc1_heights|oc2_spacing|",
    "catenary optimise report.a": "report.author=|report.approved=|",
    "catenary rig map over=d": "delay |",
    "catenary new drop": "droppers=|droppers.wire=|droppers.stiffness=|droppers.mass_per_length=|"
    "droppers.clamp_mass_contact_wire=|droppers.clamp_mass_messenger_wire=|droppers.shortest=|",
    "catenary new droppers=": "|",  # nothing of its own: the shell offers files
    "catenary new droppers=tab": "|",
    "catenary new like=re": "re330 |",
    "catenary lines re": "re330 |",
    "catenary pantographs dsa3": "dsa380 |",
}


def test_bash_completes_commands_keys_names_and_values(catenary, folder):
    ended = catenary("completion", "bash")
    assert ended.code == 0
    (folder / "completion.bash").write_text(ended.out, encoding="utf-8")
    done = subprocess.run(
        ["bash", "-c", TRY, "try", "completion.bash"], input="\n".join(TYPED) + "\n",
        capture_output=True, text=True, check=True, cwd=folder,
    )  # fmt: skip
    assert dict(zip(TYPED, done.stdout.splitlines(), strict=True)) == TYPED


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_their_script(catenary, folder, shell):
    ended = catenary("completion", shell)
    assert ended.code == 0 and "catenary=re330" in ended.out and "oc1_heights" in ended.out
    assert "report.author=" in ended.out and "rig" in ended.out
    (folder / "script").write_text(ended.out, encoding="utf-8")
    if shutil.which(shell) is not None:  # of a shell that is here, its own check of the syntax
        subprocess.run([shell, "-n", "script"], check=True, cwd=folder)


def test_every_command_has_its_words():
    words = words_of(STUDIES, FAMILIES)
    assert set(words[""]) == set(STUDIES) and set(STUDIES) < set(words)
    assert "solver=open_line" in words["simulate"] and "speed_kmh=" in words["simulate"]
    assert "like=" not in words["new"] and {"like=c350", "droppers=", "name="} <= set(words["new"])
    assert "synchronous=true" in words["optimise"] and "bundle=" in words["rig map"]


def test_another_shell_is_refused_with_those_that_there_are(catenary):
    ended = catenary("completion", "csh")
    assert ended.code == 2 and "bash, zsh, fish" in ended.err
