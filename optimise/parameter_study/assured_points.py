"""The points that a sweep's verdict rests on, each on numerics of its own, with the error of its standard deviation.

A sweep runs on a short window, which near a resonance may lose a tenth of sigma. Which point is the lowest and which
the highest is therefore searched among refined figures: the extremes of the sweep and those that might take their
place are refined. All other points keep the figures of the sweep, whose error is not estimated, unless every point is
asked for.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catenary.storage.files import read_json, write_json_atomic
from catenary.storage.provenance import config_sha256
from dynamics.spec.case import CaseSpec
from optimise.evaluation.evaluate import evaluate
from optimise.evaluation.figures import SIGMA
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import Outcome
from optimise.executors import Evaluate, open_executor, run_all
from optimise.parameter_study.sweep_result import AssuredPoint, Index, SweepInput, SweepResult
from optimise.spec.campaign import ClusterSpec

__all__ = ["assure_points", "read_assured"]

# points refined at each end of a sweep's figures: the extreme, then those that may be more extreme still
FIRST, FURTHER = 1, 1
# points that are refined before what is known goes to the disk, where every point is asked for
KEPT = 16


def assure_points(
    result: SweepResult,
    cluster: ClusterSpec,
    file: Path,
    progress: Callable[[int, int], None],
    evaluate: Evaluate = evaluate,
    *,
    everywhere: bool = False,
) -> SweepResult:
    """Refine the points that the verdict of a filled sweep rests on, and write them whole or not at all.

    Every point, where that is asked for, is on record soon after it is refined: an interruption loses little.

    Parameters
    ----------
    result : SweepResult
        The filled array.
    cluster : ClusterSpec
        Where they are evaluated.
    file : Path
        Where they are kept; what stands there for the same sweep is not computed again.
    progress : callable
        Takes the number of points done and their total.
    evaluate : callable
        Picklable function of a job and its setting, in place of `evaluate`.
    everywhere : bool
        Whether every point that has figures is refined.
    """
    held = read_assured(result, file)
    sigma = result.figures(SIGMA)
    if not np.isfinite(sigma).any() or (held.assured and not everywhere):
        return held
    longer = cluster.for_assured
    setting = Setting(result.case, time_limit_s=longer.time_limit_s, assured=True, names=tuple(result.sweep.values))
    with open_executor(longer, evaluate, setting, folder=result.path) as executor:
        found = {point.index: point for point in held.assured}
        first = len(found)
        for indices in _rounds(result, sigma, found, everywhere):
            jobs = [Job(k, values=_values(result, i)) for k, i in enumerate(indices)]
            before = len(found)
            of = int(np.isfinite(sigma).sum()) if everywhere else before + len(jobs)
            answers = run_all(executor, jobs, lambda done, before=before, of=of: progress(before + done, of))
            found |= {index: _assured(result, index, answers[k]) for k, index in enumerate(indices)}
            if everywhere:
                _write(replace(result, assured=tuple(found.values())), file)
    done = replace(result, assured=tuple(found.values()))
    if not everywhere and len(found) > first:
        _write(done, file)
    return done


def _rounds(
    result: SweepResult, sigma: NDArray[np.float64], found: dict[Index, AssuredPoint], everywhere: bool
) -> Iterator[list[Index]]:
    """Points to refine next, round by round: each sees what was ``found`` before."""
    if not everywhere:
        for most in (FIRST, FURTHER):
            yield _wanted(replace(result, assured=tuple(found.values())), sigma, most)
        return
    missing = [i for i in np.ndindex(sigma.shape) if np.isfinite(sigma[i]) and i not in found]
    for k in range(0, len(missing), KEPT):
        yield missing[k : k + KEPT]


def _write(result: SweepResult, file: Path) -> None:
    content = {"schema_version": 1, "sweep_sha256": _key(result), "points": [asdict(p) for p in result.assured]}
    write_json_atomic(file, content)


def read_assured(result: SweepResult, file: Path) -> SweepResult:
    """Sweep with its refined points on record; unchanged without any, or with those of other figures alone."""
    try:
        content = read_json(file)
        if content["sweep_sha256"] != _key(result):
            return result
        points = tuple(AssuredPoint(**{**p, "index": tuple(p["index"])}) for p in content["points"])
    except (OSError, ValueError, KeyError, TypeError):
        return result
    return replace(result, assured=points)


def _wanted(result: SweepResult, sigma: NDArray[np.float64], most: int) -> list[Index]:
    """Points to refine next, from both ends: the extreme of the sweep, then what may be more extreme than refined."""
    found: dict[Index, None] = {}
    for end in result.ends() or ():
        sign = 1.0 if end.word == "highest" else -1.0
        for index in sorted(end.rivals, key=lambda i, s=sign: -s * float(sigma[i]))[:most]:
            found[index] = None
    return list(found)


def _values(result: SweepResult, index: Index) -> tuple[float, ...]:
    return tuple(values[i] for values, i in zip(result.sweep.values.values(), index, strict=True))


def _assured(result: SweepResult, index: Index, found: Outcome) -> AssuredPoint:
    sigma, error = found.sigma_N, found.sigma_error_N
    known = sigma is not None and math.isfinite(sigma)
    return AssuredPoint(index, sigma if known else None, error if known else None, found.message, found.seconds)


def _key(result: SweepResult) -> str:
    """Hash of a sweep and of its figures, to which refined points belong."""
    case: CaseSpec = result.case
    text = config_sha256(SweepInput(sweep=result.sweep, case=case)).encode()
    return hashlib.sha256(text + result.figures(SIGMA).tobytes()).hexdigest()
