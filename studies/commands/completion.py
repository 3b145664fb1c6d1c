"""A script with which a shell completes commands, keys and the names in conf.

catenary completion bash >> ~/.bashrc                     or: source <(catenary completion bash)
catenary completion zsh >> ~/.zshrc                       behind compinit
catenary completion fish > ~/.config/fish/completions/catenary.fish
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from catenary.errors import InputError
from catenary.spec.components import Spec
from studies.input.completion import SHELLS, completion_script, words_of
from studies.input.compose import Composed

__all__ = ["JOB", "CompletionJob", "compose", "run"]


class CompletionJob(Spec):
    """The shell that completes."""

    shell: Literal["bash", "zsh", "fish"] = Field(description="shell that the script is for, also written alone")


JOB = CompletionJob


def compose(overrides: list[str]) -> Composed[CompletionJob]:
    """Take the shell's name, alone or as shell=NAME."""
    names = [text.removeprefix("shell=") for text in overrides]
    if len(names) != 1 or names[0] not in SHELLS:
        given = " ".join(overrides) or "nothing"
        raise InputError([f"completion takes the name of a shell, one of {', '.join(SHELLS)}: got {given}"])
    return Composed(CompletionJob.model_validate({"shell": names[0]}), tuple(overrides))


def run(composed: Composed[CompletionJob]) -> int:
    """Print the script."""
    from studies.cli import FAMILIES, STUDIES

    print(completion_script(composed.job.shell, words_of(STUDIES, FAMILIES)), end="")
    return 0
