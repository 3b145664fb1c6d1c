"""Evaluations that cost next to nothing, in a module that worker processes can import."""

import math
import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import yaml

from catenary.spec.line import CatenarySpec
from dynamics.spec.case import CaseSpec, PantographSpec
from optimise.evaluation.constraints import Reference, sampler_value
from optimise.evaluation.job import Job
from optimise.evaluation.outcome import Outcome, OutcomeStatus, failed
from optimise.spec.campaign import CampaignSpec

CONF = Path(__file__).resolve().parents[2] / "conf"
TIME_LIMIT_NUMBER = 3


def case_of(line="re330", pantograph="dsa380"):
    def read(group, name):
        return yaml.safe_load((CONF / group / f"{name}.yaml").read_text(encoding="utf-8"))

    return CaseSpec(
        catenary=CatenarySpec.model_validate(read("catenary", line)),
        pantograph=PantographSpec.model_validate(read("pantograph", pantograph)),
        speed_kmh=300.0,
        mean_force_N=157.3,
    )


def campaign_of(**content):
    standard = {
        "name": "test",
        "trials": 30,
        "seed": 3,
        "cluster": {"kind": "serial"},
        "design": {"kind": "both"},
    }
    return CampaignSpec.model_validate({**standard, **content})


def prepare_nothing(case, directions=True):
    return None


def first_move(task, setting):
    """How far the first dropper stands from its place [m]."""
    return task.catenary.droppers.positions[0] - setting.case.catenary.droppers.positions[0]


def feasible(task, setting, sigma):
    """Outcome of a design that keeps all limits, whatever its line is."""
    reference = setting.reference or Reference(sigma, 50.0)
    g = {"g_uplift": 50.0 / (1.1 * reference.uplift_mm) - 1.0, "g_static_dropper_force": -1.0, "g_contact_loss": 0.0}
    return Outcome(
        task.number,
        OutcomeStatus.OK,
        sigma_N=sigma,
        constraints=g,
        sampler_value_N=sigma,
        statistics={"contact_force_std_N": sigma, "max_uplift_at_supports_mm": 50.0},
        static_dropper_force_min_N=60.0,
        applied_force_N=150.0,
    )


def bowl(task, setting):
    """A bowl whose lowest point is off the nominal line, and on which far designs break the uplift limit."""
    x, z = task.catenary.droppers.positions, task.catenary.droppers.contact_wire_heights
    x0 = setting.case.catenary.droppers.positions
    half = len(x) // 2
    sigma = 30.0 + sum((a - b - 0.5) ** 2 for a, b in zip(x[:half], x0[:half], strict=True))
    sigma += sum((1e2 * (h + 0.01)) ** 2 for h in z)
    uplift = 50.0 + 25.0 * sum(abs(h) for h in z)
    reference = setting.reference or Reference(sigma, uplift)
    g = {
        "g_uplift": uplift / (1.1 * reference.uplift_mm) - 1.0,
        "g_static_dropper_force": -1.0,
        "g_contact_loss": 0.0,
    }
    return Outcome(
        number=task.number,
        status=OutcomeStatus.OK,
        sigma_N=sigma,
        constraints=g,
        sampler_value_N=sampler_value(sigma, g, reference.sigma_N),
        statistics={
            "contact_force_std_N": sigma,
            "contact_force_max_N": 157.3 + 2.5 * sigma,
            "contact_force_min_N": 157.3 - 2.0 * sigma,
            "contact_force_statistical_min_N": 157.3 - 3.0 * sigma,
            "max_uplift_at_supports_mm": uplift,
        },
        static_dropper_force_min_N=20.0,
        applied_force_N=150.0,
        wall_time_s={"total": 0.0},
    )


def bowl_of_tension(task, setting):
    """What the contact wire's tension alone decides."""
    found = bowl(Job(task.number, setting.case.catenary), setting)
    sigma = 30.0 + 1e-3 * abs(task.catenary.contact_wire.tension - 26.0e3)
    statistics = {**found.statistics, "contact_force_std_N": sigma}
    return replace(found, number=task.number, sigma_N=sigma, sampler_value_N=sigma, statistics=statistics)


def slow_bowl(task, setting):
    time.sleep(0.03)
    return bowl(task, setting)


def slower_bowl(task, setting):
    time.sleep(0.4)
    return bowl(task, setting)


def bowl_of_a_tenth(task, setting):
    """A design of 0.1 s."""
    time.sleep(0.1)
    return bowl(task, setting)


def uneven_bowl(task, setting):
    """Evaluations that end in another order than they began."""
    time.sleep(0.02 * ((7 * task.number) % 5))
    return bowl(task, setting)


def bowl_with_failures(task, setting):
    return failed(task.number, "no convergence") if task.number % 5 == 3 else bowl(task, setting)


def bowl_with_slack_designs(task, setting):
    """Some designs hang a dropper slack at rest, so that none of their objectives is computed."""
    if task.number % 3 != 2:
        return bowl(task, setting)
    g = {"g_static_dropper_force": 1.0 + 0.1 * (task.number % 7)}
    told = sampler_value(None, g, setting.reference.sigma_N)
    return Outcome(task.number, OutcomeStatus.STATIC_SLACK, "slack", constraints=g, sampler_value_N=told)


def bowl_until_interrupted(task, setting):
    """The nominal line; whoever works on is interrupted."""
    if task.number > 0:
        raise KeyboardInterrupt
    return bowl(task, setting)


def bowl_that_raises(task, setting):
    if task.number == 2:
        raise RuntimeError("broken on the worker")
    return bowl(task, setting)


def bowl_that_writes_when(task, setting):
    begin = time.monotonic()
    time.sleep(0.3)
    with open(os.environ["CHEAP_EVALUATION_FLAG"], "a", encoding="utf-8") as file:
        file.write(f"{begin} {time.monotonic()}\n")
    return bowl(task, setting)


def bowl_that_kills_its_worker_once(task, setting):
    flag = Path(os.environ["CHEAP_EVALUATION_FLAG"])
    if task.number == 4 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return slow_bowl(task, setting)


def bowl_that_always_kills_its_worker(task, setting):
    if task.number == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return bowl(task, setting)


def bowl_that_hangs(task, setting):
    if task.number == TIME_LIMIT_NUMBER:
        time.sleep(60.0)
    return bowl(task, setting)


FAULTS = {3: "raise", 13: "NaN", 23: "hang", 33: "kill"}


def bowl_with_every_fault(task, setting):
    """One design of ten raises, has no number, hangs or kills its process."""
    fault = FAULTS.get(task.number % 40)
    if fault == "raise":
        raise RuntimeError("broken on the worker")
    if fault == "hang":
        time.sleep(600.0)
    if fault == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    found = bowl(task, setting)
    return replace(found, sigma_N=math.nan, sampler_value_N=math.nan) if fault == "NaN" else found
