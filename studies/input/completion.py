"""Completion of commands, keys and names in a shell: a script that is made once, and runs nothing when it completes."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from catenary.spec.keys import KeyTree
from catenary.storage.configuration import group_options
from studies.input.compose import SHORT_KEYS, groups_of
from studies.input.named_blocks import BLOCKS

__all__ = ["SHELLS", "completion_script", "words_of"]

BASH = """\
# completion of catenary: source this file, or put its text into ~/.bashrc
_catenary() {{
  local typed="${{COMP_LINE:0:$COMP_POINT}}" words="" command
  local last="${{typed##* }}"
  command="${{COMP_WORDS[1]}}"
  [[ "$command" == rig && $COMP_CWORD -gt 2 ]] && command="rig ${{COMP_WORDS[2]}}"
  [[ $COMP_CWORD -le 1 ]] && command=""
  case "$command" in
{cases}
  esac
  COMPREPLY=( $(compgen -W "$words" -- "$last") )
  # behind a key without values of its own the shell offers files
  if [[ "$last" == *= && ${{#COMPREPLY[@]}} -eq 1 && "${{COMPREPLY[0]}}" == "$last" ]]; then COMPREPLY=(); fi
  if [[ ${{#COMPREPLY[@]}} -eq 1 && "${{COMPREPLY[0]}}" != *= ]]; then COMPREPLY=( "${{COMPREPLY[0]}} " ); fi
  # the shell puts in what follows the last of its own divisions of the word
  if [[ "$last" == *=* && "$COMP_WORDBREAKS" == *"="* ]]; then COMPREPLY=( "${{COMPREPLY[@]#"${{last%%=*}}="}}" ); fi
}}
complete -o default -o nospace -F _catenary catenary
"""
ZSH = """\
# completion of catenary: source this file, or put its text into ~/.zshrc behind compinit
_catenary() {{
  local command="${{words[2]}}"
  [[ "$command" == rig && $CURRENT -gt 3 ]] && command="rig ${{words[3]}}"
  [[ $CURRENT -le 2 ]] && command=""
  local -a found
  case "$command" in
{cases}
  esac
  compadd -S '' -- ${{found:#*[^=]}}
  compadd -- ${{found:#*=}}
  compset -P '*='
  _files
}}
compdef _catenary catenary
"""
SHELLS = ("bash", "zsh", "fish")


def words_of(studies: Mapping[str, str], families: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """What may follow each command: its keys, its choices with every name that conf offers, values that are listed.

    A command's ``own_words`` are those that its keys do not say. The empty command has all commands; a family such as
    ``rig`` has its subcommands.
    """
    found: dict[str, tuple[str, ...]] = {"": tuple(studies)}
    for study in studies:
        if study not in families:
            found[study] = _words(study, import_module(f"studies.commands.{study}"))
            continue
        commands: dict[str, str] = import_module(f"studies.{study}").COMMANDS
        found[study] = tuple(commands)
        for name in commands:
            found[f"{study} {name}"] = _words(name, import_module(f"studies.commands.{study}_{name}"))
    return found


def completion_script(shell: str, words: Mapping[str, tuple[str, ...]]) -> str:
    """Script for one of `SHELLS` that completes these words."""
    if shell == "fish":
        return _fish(words)
    if shell == "zsh":
        cases = [f'    "{command}") found=({" ".join(known)}) ;;' for command, known in words.items()]
        return ZSH.format(cases="\n".join(cases))
    cases = [f'    "{command}") words="{" ".join(known)}" ;;' for command, known in words.items()]
    return BASH.format(cases="\n".join(cases))


def _fish(words: Mapping[str, tuple[str, ...]]) -> str:
    """One line a command; fish knows which words were typed before."""
    lines = ["# completion of catenary: save as ~/.config/fish/completions/catenary.fish"]
    for command, known in words.items():
        seen = " ".join(f"; and __fish_seen_subcommand_from {word}" for word in command.split())
        condition = seen.removeprefix("; and ") or "__fish_use_subcommand"
        if command and f"{command} {known[0] if known else ''}" in words:  # a family, until its subcommand is typed
            condition += f"; and not __fish_seen_subcommand_from {' '.join(known)}"
        lines.append(f"complete -c catenary -n '{condition}' -a '{' '.join(known)}'")
    return "\n".join(lines) + "\n"


def _words(study: str, module: ModuleType) -> tuple[str, ...]:
    config, tree = getattr(module, "CONFIG", study), KeyTree(module.JOB)
    left_out = getattr(module, "NOT_TYPED", ())
    groups = {group: group_options(group) for group in groups_of(config)}
    found = [f"{group}={name}" for group, names in groups.items() for name in names]
    for short, path in SHORT_KEYS.items():
        if tree.node(path.split(".")) is not None:
            named = group_options(BLOCKS[path]) if path in BLOCKS else []
            found += [f"{short}={name}" for name in named] or _values(short, tree.node(path.split(".")))
    for path in tree.paths:
        if path not in left_out and path not in groups and not tree.children(path.split(".")):
            found += _values(path, tree.node(path.split(".")))
    own = getattr(module, "own_words", tuple)()
    keys = {word.partition("=")[0] for word in own}
    found = [*own, *(word for word in found if word.partition("=")[0] not in keys)]
    return (*dict.fromkeys(found), "--help", *(("--cfg",) if tree.paths else ()))


def _values(key: str, node: Mapping[str, Any] | None) -> list[str]:
    """Key with each value that a list of them names; with nothing behind it where the value is any number or text."""
    if node is None:
        return []
    listed = node.get("enum") or (["true", "false"] if node.get("type") == "boolean" else [])
    return [f"{key}={value}" for value in listed] or [f"{key}="]
