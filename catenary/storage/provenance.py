"""Origin of a result file: hash of the input, versions, commit, machine."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import BaseModel

__all__ = ["HASHED", "commit", "config_json", "config_sha256", "machine", "versions"]

LIBRARIES = ("numpy", "scipy", "numba", "pydantic", "hydra-core", "optuna", "dask", "xarray", "netCDF4")
# context of an input that is written to be hashed: what is new in it and as of old is left out
HASHED = {"hashed": True}


def config_json(spec: BaseModel, exclude: Mapping[str, Any] | None = None) -> str:
    """Resolved input as JSON with sorted keys, the text that is hashed; names to leave out as pydantic takes them."""
    left_out = dict(exclude) if exclude else None
    content = spec.model_dump(mode="json", exclude=left_out, context=HASHED)
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)


def config_sha256(spec: BaseModel, exclude: Mapping[str, Any] | None = None) -> str:
    """SHA-256 of the resolved input; two inputs with the same hash describe the same run."""
    return hashlib.sha256(config_json(spec, exclude).encode("utf-8")).hexdigest()


@cache
def versions() -> dict[str, str]:
    """Versions of this program, of Python and of the libraries that move a number."""
    found = {"python": platform.python_version()}
    for name in ("catenary-optimisation", *LIBRARIES):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


@cache
def commit() -> str:
    """Commit that the program runs from, '-dirty' when tracked files differ; 'unknown' outside a checkout."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return "unknown"
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip() or "unknown"


@cache
def machine() -> str:
    """Processor, number of cores, operating system and Python of this machine, as one line of text."""
    named = platform.processor()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), named)
    cores = os.cpu_count() or 1
    parts = (named or platform.machine(), f"{cores} core{'s' if cores > 1 else ''}", platform.system())
    return ", ".join((*parts, f"Python {platform.python_version()}"))
