r"""Compiled step of the hardware loop: one measured force in, one height to send out (paper 001, section 3).

Legend: k global step, n = k mod N station of the measurement, f relaxed force of every station (eq. 9), fd correction
forces (dropper, local step), lo and hi the local steps between which they are not zero, zm heights that answer the
frozen block before the last; F, kd tension at rest and stiffness of the droppers. I_cc, I_cd, z0 are filtered (eq. 8).

Every height is a product of one row with the force vectors instead of a sum of changes (eqs 2 and 10): the same
number, no rounding that builds up, and no step that costs more than the others.
"""

from __future__ import annotations

from typing import Any

from numba import njit

__all__ = ["dot", "loop_step"]

_OPTIONS = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}
SETTLED = 1.0e-9  # N, change of a correction force that ends the sweeps


@njit(**_OPTIONS)
def dot(a: Any, b: Any) -> float:
    """Sum of products of two vectors."""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@njit(**_OPTIONS)
def _height(r, model, f, fd, lo, hi):
    """Height at station r that answers the forces (eq. 11)."""
    z0, I_cc, I_cd = model[0], model[1], model[2]
    z = z0[r] + dot(I_cc[r], f)
    for d in range(lo.size):
        if lo[d] < hi[d]:
            z += dot(I_cd[r, d, lo[d] : hi[d]], fd[d, lo[d] : hi[d]])
    return z


@njit(**_OPTIONS)
def _elongation(d, kk, model, f, fd, lo, hi):
    """Elongation of dropper d at its local step kk (eq. 12)."""
    I_dc, K = model[3], model[4]
    M = fd.shape[1]
    e = dot(I_dc[d, kk], f)
    for c in range(lo.size):
        if lo[c] < hi[c]:
            e += dot(K[d, c, M - 1 - kk + lo[c] : M - 1 - kk + hi[c]], fd[c, lo[c] : hi[c]])
    return e


@njit(**_OPTIONS)
def _widen(fd, lo, hi, d, kk):
    """Keep the range outside which the correction forces of a dropper are zero."""
    if fd[d, kk] != 0.0:
        if lo[d] >= hi[d]:
            lo[d], hi[d] = kk, kk + 1
        lo[d], hi[d] = min(lo[d], kk), max(hi[d], kk + 1)
        return
    while lo[d] < hi[d] and fd[d, lo[d]] == 0.0:
        lo[d] += 1
    while hi[d] > lo[d] and fd[d, hi[d] - 1] == 0.0:
        hi[d] -= 1


@njit(**_OPTIONS)
def _slacken(n, model, droppers, state, settings):
    """Correction forces of the step, solved in their own step (eqs 11, 12; mu_d = 1 gives the solution itself).

    At any time a dropper's record holds one sample for each span in which that dropper may be slack. The sweeps
    (projected Gauss-Seidel) cover all of them; what they depend on else is known.
    """
    K, (F, kd, offset) = model[4], droppers
    f, fd, lo, hi = state[0], state[1], state[2], state[3]
    who, at, e, old = state[4], state[5], state[6], state[7]
    sweeps, mu = settings[0], settings[1]
    nd, M, N = fd.shape[0], fd.shape[1], f.size
    count = 0
    first = n - offset
    kk = first % N + ((M - 1 - first % N) // N) * N
    moving = False
    while kk >= 0:
        for d in range(nd):
            who[count], at[count] = d, kk
            e[count] = _elongation(d, kk, model, f, fd, lo, hi)
            old[count] = fd[d, kk]
            moving = moving or old[count] != 0.0 or F[d] + kd * e[count] < 0.0
            count += 1
        kk -= N
    if not moving:
        return
    for _ in range(sweeps):
        change = 0.0
        for i in range(count):
            d, kk = who[i], at[i]
            was = fd[d, kk]
            new = max(0.0, was - (F[d] + kd * e[i] + was) / (1.0 + kd * K[d, d, M - 1]))
            if new != was:
                fd[d, kk] = new
                for j in range(count):
                    e[j] += K[who[j], d, M - 1 - at[j] + kk] * (new - was)
                change = max(change, abs(new - was))
        if change <= SETTLED:
            break
    for i in range(count):
        d, kk = who[i], at[i]
        fd[d, kk] = old[i] + mu * (fd[d, kk] - old[i])
        _widen(fd, lo, hi, d, kk)


@njit(**_OPTIONS)
def _freeze(state):
    """Keep the forces of the block that has just ended."""
    f, fd, lo, hi = state[0], state[1], state[2], state[3]
    ff, ffd, flo, fhi = state[8], state[9], state[10], state[11]
    ff[:] = f
    for d in range(lo.size):
        for j in range(min(lo[d], flo[d]), max(hi[d], fhi[d])):
            ffd[d, j] = fd[d, j]
        flo[d], fhi[d] = lo[d], hi[d]


@njit(**_OPTIONS)
def loop_step(k: int, force: float, model: Any, droppers: Any, state: Any, settings: Any) -> float:
    """Take the force measured at step k and give the height to send, which is reached ``delay`` steps later.

    ``model`` is (z0, I_cc, I_cd, I_dc, K_dd), the first three filtered by N_h, the last one with the lag falling;
    ``droppers`` (F, kd, offset); ``state`` (f, fd, lo, hi, who, at, e, old, then f, fd, lo, hi as frozen at the last
    block's end, zm); ``settings`` (sweeps, mu_d, mu_c, delay, compensation, span by span, slack, ramp steps).
    """
    f = state[0]
    N = f.size
    n = k % N
    mu_c, delay, ahead, by_span, slack, ramp = settings[2:]
    f[n] += mu_c * (force - f[n])
    if slack:
        _slacken(n, model, droppers, state, settings)
    r = (k + (delay if ahead else 1)) % N
    if by_span:
        m = (k + 1) % N
        if m == 0:
            _freeze(state)
        zm = state[12]
        new = _height(r, model, state[8], state[9], state[10], state[11])
        weight = m / (N - 1.0)
        z = (1.0 - weight) * zm[r] + weight * new
        zm[r] = new
    else:
        z = _height(r, model, f, state[1], state[2], state[3])
    return z * min(1.0, (k + 1.0) / ramp) if ramp > 0 else z
