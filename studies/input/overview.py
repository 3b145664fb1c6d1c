"""First page of the help: the commands, first steps, what conf offers; it loads as little as it can."""

from __future__ import annotations

from catenary.storage.configuration import group_options

__all__ = ["GROUPS", "family_page", "overview"]

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
