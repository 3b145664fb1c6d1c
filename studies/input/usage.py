"""Help that teaches: what each command does, its inputs with units and ranges, an example to copy."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from catenary.spec.keys import KeyTree, format_value
from studies.input.compose import groups_of
from studies.input.named_blocks import BLOCKS
from studies.input.overview import GROUPS

__all__ = ["default_value", "study_page", "written_keys"]


def study_page(name: str, summary: str, module: ModuleType) -> str:
    """Page of one study: what it does, examples, choices and every input key."""
    from catenary.storage.configuration import group_options

    lines = [f"catenary {name}: {summary}", ""]
    text = (module.__doc__ or "").strip().partition("\n")[2].strip()
    lines += [*text.splitlines(), ""] if text else []
    config = getattr(module, "CONFIG", name)
    experiment = getattr(module, "EXPERIMENT", None)
    taken = {**groups_of(config), **(groups_of(f"experiment/{experiment}") if experiment else {})}
    chosen = [group for group in groups_of(config) if group in GROUPS]
    if chosen:
        lines.append("Choices")
        for group in chosen:
            own = " | PATH.yaml" if group in ("catenary", "pantograph") else ""
            known = taken[group] and group not in getattr(module, "ASKED", ())
            default = f"  (default {taken[group]})" if known else ""
            lines.append(f"  {group}={' | '.join(group_options(group))}{own}{default}")
        known_keys = KeyTree(module.JOB)
        for key, group in BLOCKS.items():
            if known_keys.node(key.split(".")) is not None:
                lines.append(f"  {group}={' | '.join(group_options(group))} | PATH.yaml  (sets {key})")
        lines.append("")
    written = written_keys(config, experiment)
    keys = list(_key_lines(KeyTree(module.JOB), getattr(module, "NOT_TYPED", ()), written))
    if keys:
        lines += ["Keys (key=value; default; meaning, unit and range)", *keys]
    return "\n".join(lines).rstrip()


def written_keys(config: str, experiment: str | None) -> dict[str, Any]:
    """Keys that conf sets at the top level for a command; they override the defaults of the Specs."""
    from catenary.storage.configuration import conf_content

    found: dict[str, Any] = {}
    files = ["case/default", config, *([f"experiment/{experiment}"] if experiment else [])]
    for name in files if "case" in groups_of(config) else [config]:
        for key, value in conf_content(name).items():
            same = isinstance(value, dict) and isinstance(found.get(key), dict)
            found[key] = {**found[key], **value} if same else value
    return found


def default_value(tree: KeyTree, written: dict[str, Any], parts: list[str]) -> Any:
    """Value that holds where nothing is given: conf's, or else that of the Spec."""
    block: Any = written
    for part in parts:
        block = block.get(part) if isinstance(block, dict) else None
    return tree.default(parts) if block is None else block


def _key_lines(tree: KeyTree, left_out: tuple[str, ...], written: dict[str, Any]) -> Iterator[str]:
    for path in tree.paths:
        if path in left_out:
            continue
        parts = path.split(".")
        if tree.children(parts):
            yield f"  {path}:  {tree.description(parts)}".rstrip().removesuffix(":")
            continue
        default = default_value(tree, written, parts)
        shown = "" if default is None else f" = {format_value(default)}"
        allowed = tree.allowed(parts)
        meaning = tree.description(parts) + (f"; {allowed}" if allowed else "")
        yield f"  {path}{shown}" + (f"  {meaning}" if meaning else "")
