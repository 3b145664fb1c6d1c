"""Help that teaches: what each command does, its inputs with units and ranges, an example to copy."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from catenary.spec.keys import KeyTree, format_value
from studies.input.compose import groups_of
from studies.input.named_blocks import BLOCKS

__all__ = ["default_value", "family_page", "overview", "study_page", "written_keys"]

FIRST_STEPS = """\
Design optimisation of railway overhead contact lines.

usage: catenary <study> [key=value ...]

{studies}

First steps
  catenary demo                                        the whole chain, a few minutes
  catenary simulate                                    a stitched line at 300 km/h
  catenary simulate catenary=bruni_2015 pantograph=bruni_2015 speed_kmh=275
  catenary simulate catenary=my_line.yaml              a line of your own
  catenary simulate solver=open_line histories.animation=true    with a moving picture in the report
  catenary simulate catenary=c350 dimension=spatial    with stagger and steady arms (short for catenary.dimension)
  catenary simulate dimension=spatial track=curve_r3000 wind=crosswind_20 head=two_strips    curve, wind, rolling head
  catenary simulate catenary=c350 formulation=beam     with Euler-Bernoulli beams in place of ANCF cables
  catenary simulate catenary=re330 tension=constant    with tensions that do not change in motion, as in many codes
  catenary new droppers=table.csv name=my_line like=bruni_2015 span_length=60 encumbrance=1.4
  catenary convergence speed_kmh=320                   error against cost of meshes, steps and integrators
  catenary optimise experiment=oc1_heights campaign=first trials=200
  catenary sweep array=speed_re330                     standard deviation over the speed, 160 to 360 km/h
  catenary sensitivity inputs=twelve_bruni             what twelve inputs do: shares of the variance, derivatives
  catenary export campaign=first                       its best design, for the hardware-in-the-loop rig

Every input has a key: `catenary <study> --help` lists them with unit and range, `catenary <study> --cfg job`
prints them as resolved. Numbers may be written 50000, 50e3 or 1e-3; lists [1,2,3]. SI units, except where the
name of a key says otherwise. Input is checked as a whole before anything is written.

Choices (conf/)
{choices}

Exit codes: 0 done, 1 finished but a gate or the solver failed, 2 bad input, 75 interrupted and resumable."""

GROUPS = ("catenary", "pantograph", "experiment", "array", "inputs", "design", "scenarios", "sampler", "cluster")


def overview(studies: dict[str, str]) -> str:
    """First page: the studies, first steps and the choices that conf offers."""
    from catenary.storage.configuration import group_options

    width = max(map(len, studies))
    listed = "\n".join(f"  {name:<{width}}  {text}" for name, text in studies.items())
    choices = "\n".join(
        f"  {group:<10}  {' | '.join(options)}" for group in GROUPS if (options := group_options(group))
    )
    return FIRST_STEPS.format(studies=listed, choices=choices)


def family_page(family: str, summary: str, commands: dict[str, str]) -> str:
    """Page of a command with subcommands: what each one does."""
    width = max(map(len, commands), default=0)
    listed = [f"  {name:<{width}}  {text}" for name, text in commands.items()]
    advice = f"`catenary {family} <subcommand> --help` lists the keys of one."
    return "\n".join([f"catenary {family}: {summary}", "", *listed, "", advice])


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
