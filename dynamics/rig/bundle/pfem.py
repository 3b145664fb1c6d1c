"""The periodic finite element model of an overhead contact line, stepped by a hardware loop: NumPy and nothing else.

A copy of this file lies in every rig bundle. The recursion is written out in the bundle's README.md.

    how = json.load(open("recommendation.json"))  # other settings, or another pantograph, may run away
    model = Pfem(read_raw("pfem.bin"), how["height_harmonics"], how["dropper_harmonics"])
    model.start(how["strategy"], how["delay_steps"], how["contact_relaxation"], ramp_steps=20000)
    height = model.step(force)          # every step

``python pfem.py pfem.bin`` runs the stored self-test.
"""

from __future__ import annotations

import math
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAGIC", "STRATEGIES", "SWEEPS", "Pfem", "read_raw"]

MAGIC = b"PFEMBIN2"
STRATEGIES = ("step_by_step", "span_by_span")
SWEEPS = 8
LARGEST_FORCE = 1.0e5


def read_raw(path: str | Path) -> dict[str, NDArray[np.float64]]:
    """Every variable of a ``pfem.bin`` by name, last index fastest; a ValueError says what is wrong with the file."""
    content = Path(path).read_bytes()
    if len(content) < 32 or content[:8] != MAGIC:
        raise ValueError(f"{path} is not the raw file of a rig bundle of this version")
    count, begin, size, checksum, names = struct.unpack_from("<IIQII", content, 8)
    if len(content) < begin + size:
        raise ValueError(f"{path} is cut short: {len(content)} bytes, of which there should be {begin + size}")
    bytes_ = memoryview(content)
    if zlib.crc32(bytes_[32 : 32 + 64 * count]) != names or zlib.crc32(bytes_[begin : begin + size]) != checksum:
        raise ValueError(f"{path} has been altered: its checksum is wrong")
    found = {}
    for i in range(count):
        name, ndim, _, *dims, offset = struct.unpack_from("<24sIIQQQQ", content, 32 + 64 * i)
        shape = tuple(dims[:ndim])
        values = np.frombuffer(content, "<f8", count=math.prod(shape), offset=offset)
        found[name.rstrip(b"\0").decode("ascii")] = values.astype(np.float64).reshape(shape)
    return found


class Pfem:
    """A line that answers contact forces with heights, step by step.

    Parameters
    ----------
    bundle : dict of str to array
        Variables of a bundle by name.
    harmonics : int
        Harmonics of the height that are kept, the mean among them; all of them if 0.
    dropper_harmonics : int
        The same of the elongation that contact forces cause; all of them if 0.
    """

    def __init__(self, bundle: dict[str, Any], harmonics: int = 0, dropper_harmonics: int = 0) -> None:
        self.N, self.M, self.offset = int(bundle["N"]), int(bundle["M"]), bundle["dropper_offset"].astype(int)
        # causes come first, so that the change of one force is one row
        self._z0 = _keep(bundle["z0"], harmonics)
        self._I_cc = _keep(np.ascontiguousarray(bundle["I_cc"].T), harmonics)
        self._I_cd = _keep(np.ascontiguousarray(bundle["I_cd"].transpose(1, 2, 0)), harmonics)
        self._I_dc = _keep_band(bundle["I_dc"], self.N, float(bundle["dt"]), dropper_harmonics)
        self._K_dd = bundle["K_dd"]
        self._F, self._stiffness = bundle["dropper_force"], float(bundle["dropper_stiffness"])
        self.start()

    def start(
        self, strategy: str = "step_by_step", delay: int = 1, relaxation: float = 1.0, ramp_steps: int = 0
    ) -> None:
        """Begin a test at a support, without force.

        Parameters
        ----------
        strategy : str
            'step_by_step' or 'span_by_span'.
        delay : int
            Steps from a force's measurement to the position that answers it, at least 1.
        relaxation : float
            Share of a new force that replaces the one of a span ago, above 0 and at most 1.
        ramp_steps : int
            Heights grow from 0 to full size over so many steps.
        """
        if strategy not in STRATEGIES or not (1 <= delay <= self.N and 0.0 < relaxation <= 1.0 and ramp_steps >= 0):
            given = f"{strategy}, {delay}, {relaxation}, {ramp_steps}"
            raise ValueError(f"strategy, delay, relaxation and ramp_steps are not possible: got {given}")
        self._how = (strategy, delay, relaxation, ramp_steps)
        self.force = np.zeros(self.N)
        self.dropper_force = np.zeros((len(self._F), self.M))
        self._z, self._fresh = self._z0.copy(), self._z0.copy()
        self._before, self._last = self._z0, self._z0
        self._k = 0

    def step(self, force: float) -> float:
        """Take the force [N] measured in this step, give the height [m] to send; a ValueError without a number."""
        if not abs(force) <= LARGEST_FORCE:
            raise ValueError(f"a force must be finite and at most {LARGEST_FORCE:g} N: got {force}")
        strategy, delay, relaxation, ramp_steps = self._how
        n, ahead = self._k % self.N, (self._k + delay) % self.N
        change = relaxation * (force - self.force[n])
        self.force[n] += change
        self._z += change * self._I_cc[n]
        self._fresh += self.force[n] * self._I_cc[n]
        self._droppers(n)
        if n == self.N - 1:
            # every force of the record has been met once: what has been added up is z, free of old rounding
            self._before, self._last, self._z, self._fresh = (
                self._last,
                self._fresh,
                self._fresh.copy(),
                self._z0.copy(),
            )
        self._k += 1
        if strategy == "step_by_step":
            height = float(self._z[ahead])
        else:
            newer = (self._k % self.N) / (self.N - 1)
            height = float((1.0 - newer) * self._before[ahead] + newer * self._last[ahead])
        return height * min(1.0, self._k / ramp_steps) if ramp_steps else height

    def _droppers(self, n: int) -> None:
        """Slack of the droppers whose record holds this step, implicit in the step itself; their part in the height."""
        M, K = self.M, self._K_dd
        samples = n - self.offset + np.array([[self.N], [0], [-self.N]])
        on_record = (samples >= 0) & (samples < M)
        d, s = np.nonzero(on_record)[1], samples[on_record]
        squeezed = np.flatnonzero(self.dropper_force.any(axis=0))
        part = self.dropper_force[:, squeezed].ravel()
        elongation = self._I_dc[d, s] @ self.force
        if squeezed.size:
            for sample in np.unique(s):  # droppers of one span share it
                at = np.flatnonzero(s == sample)
                lags = K[d[at, None, None], np.arange(len(K))[:, None], sample - squeezed + M - 1]
                elongation[at] += lags.reshape(len(at), -1) @ part
        old = self.dropper_force[d, s]
        now = old.copy()
        to_each_other = K[d[:, None], d[None, :], s[:, None] - s[None, :] + M - 1]
        give = 1.0 + self._stiffness * K[d, d, M - 1]
        for _ in range(SWEEPS):
            for a in range(len(d)):
                slack = now[a] - (self._F[d[a]] + self._stiffness * elongation[a] + now[a]) / give[a]
                was, now[a] = now[a], max(0.0, slack)
                if now[a] != was:
                    elongation += to_each_other[:, a] * (now[a] - was)
        self.dropper_force[d, s] = now
        for a in np.flatnonzero(now != old):
            self._z += (now[a] - old[a]) * self._I_cd[d[a], s[a]]
        for a in np.flatnonzero(now):
            self._fresh += now[a] * self._I_cd[d[a], s[a]]


def _keep(columns: NDArray[np.float64], harmonics: int) -> NDArray[np.float64]:
    """Functions of the step, last index, with their first harmonics kept."""
    if not harmonics:
        return columns
    steps = columns.shape[-1]
    if not 0 < harmonics <= steps // 2 + 1:
        raise ValueError(f"harmonics must be 0 or at most {steps // 2 + 1}: got {harmonics}")
    transform = np.fft.rfft(columns)
    transform[..., harmonics:] = 0.0
    return np.fft.irfft(transform, steps)


def _keep_band(records: NDArray[np.float64], steps: int, dt: float, harmonics: int) -> NDArray[np.float64]:
    """Records (dropper, sample, step) with their frequencies up to half a harmonic above the last one that is kept.

    A record is not a period: it is followed by twice its length of zeros, so that its ends do not meet.
    """
    if not harmonics:
        return records
    if not 0 < harmonics <= steps // 2 + 1:
        raise ValueError(f"dropper_harmonics must be 0 or at most {steps // 2 + 1}: got {harmonics}")
    samples = records.shape[1]
    length = 3 * samples
    transform = np.fft.rfft(records, length, axis=1)
    transform[:, np.arange(length // 2 + 1) * (1.0 / (length * dt)) > (harmonics - 0.5) / (steps * dt)] = 0.0
    return np.ascontiguousarray(np.fft.irfft(transform, length, axis=1)[:, :samples])


def self_test(bundle: dict[str, Any]) -> dict[str, float]:
    """Largest difference of the stored self-test, relative to the largest height, by strategy."""
    model = Pfem(bundle, int(bundle["self_test_harmonics"]), int(bundle["self_test_dropper_kept"]))
    worst = {}
    for strategy, wanted in zip(STRATEGIES, bundle["self_test_height"], strict=True):
        delay, ramp = int(bundle["self_test_delay"]), int(bundle["self_test_ramp"])
        model.start(strategy, delay, float(bundle["self_test_relaxation"]), ramp)
        found = np.array([model.step(force) for force in bundle["self_test_force"]])
        worst[strategy] = float(np.abs(found - wanted).max() / np.abs(wanted).max())
    return worst


if __name__ == "__main__":
    stored = read_raw(sys.argv[1] if len(sys.argv) > 1 else "pfem.bin")
    differences = self_test(stored)
    for name, difference in differences.items():
        print(f"self-test {name}: largest relative difference {difference:.3e}")
    passed = all(difference <= float(stored["self_test_tolerance"]) for difference in differences.values())
    print("self-test passed" if passed else "self-test FAILED: these are not the heights that the bundle holds")
    sys.exit(int(not passed))
