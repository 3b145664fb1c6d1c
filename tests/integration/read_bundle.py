"""A reader of rig bundles that knows nothing but NumPy and a file reader, as a laboratory would write it.

It closes the loop that the bundle leaves open: a lumped pantograph pressed on the line by a contact spring, with
droppers that slacken. Unknowns are the contact force f (step) and the forces f_d that stand for the missing tension
of slack droppers. Time step: Newmark 1/4-1/2, of which a periodic pantograph is the transfer function at
s = (2i / dt) tan(pi k / N).
"""

from pathlib import Path

import netCDF4
import numpy as np
import scipy.io


def read_netcdf(path: Path) -> dict:
    """All arrays of a bundle's netCDF file."""
    with netCDF4.Dataset(str(path)) as data:
        return {name: np.asarray(variable[...], dtype=float) for name, variable in data.variables.items()}


def read_matlab(path: Path, like: dict) -> dict:
    """The same arrays from the MATLAB file, in which vectors are columns and scalars matrices."""
    data = scipy.io.loadmat(str(path))
    return {name: np.asarray(data[name], dtype=float).reshape(np.shape(like[name])) for name in like}


def pantograph(masses, dampings, stiffnesses, steps: int, dt: float) -> tuple[np.ndarray, float]:
    """Fall of the head per contact force over one period (step, step), and its rise per applied force [m/N]."""
    n = len(masses)

    def chain(links):
        join = np.eye(n) - np.eye(n, k=1)
        return join.T @ np.diag(links) @ join

    K, C, transfer = chain(stiffnesses), chain(dampings), np.zeros(steps // 2 + 1, complex)
    for k in range(len(transfer)):
        if 2 * k != steps:
            s = 2j / dt * np.tan(np.pi * k / steps)
            transfer[k] = np.linalg.inv(s * s * np.diag(masses) + s * C + K)[0, 0]
    fall = np.fft.irfft(transfer[:, None] * np.fft.rfft(np.eye(steps), axis=0), steps, axis=0)
    return fall, float(np.linalg.inv(K)[0, -1])


def elongation(bundle: dict, force: np.ndarray, squeeze: np.ndarray) -> np.ndarray:
    """Elongation of every dropper at its local steps [m]."""
    out, count = bundle["I_dc"] @ force, squeeze.shape[1]
    for cause in np.flatnonzero(squeeze.any(axis=1)):
        for d in range(len(squeeze)):
            out[d] += np.convolve(bundle["K_dd"][d, cause], squeeze[cause])[count - 1 : 2 * count - 1]
    return out


def solve(bundle: dict, panto: tuple, applied: float, contact_stiffness: float) -> tuple[np.ndarray, np.ndarray]:
    """Contact force (step) and dropper corrections (dropper, dropper step) [N] of the steady state.

    Slack is found on a set of candidates, by projected Gauss-Seidel in time order; droppers that turn out to be in
    compression outside the set join it.
    """
    N, k = int(bundle["N"]), float(bundle["dropper_stiffness"])
    fall, rise = pantograph(*panto, N, float(bundle["dt"]))
    inverse = np.linalg.inv(np.eye(N) / contact_stiffness + fall + bundle["I_cc"])
    unslackened = inverse @ (rise * applied - bundle["z0"])
    static = bundle["dropper_force"][:, None]
    squeeze = np.zeros(bundle["I_dc"].shape[:2])
    count = squeeze.shape[1]
    force = unslackened
    active = static + k * elongation(bundle, force, squeeze) < 0.0
    for _ in range(40):
        dropper, step = np.nonzero(active)
        order = np.argsort(step, kind="stable")
        dropper, step = dropper[order], step[order]
        I_cd, I_dc = bundle["I_cd"][:, dropper, step], bundle["I_dc"][dropper, step]
        lag = step[:, None] - step[None, :] + count - 1
        matrix = bundle["K_dd"][dropper[:, None], dropper[None, :], lag] - I_dc @ (inverse @ I_cd)
        matrix += np.eye(len(step)) / k
        found = projected_gauss_seidel(matrix, static[dropper, 0] / k + I_dc @ unslackened, squeeze[dropper, step])
        squeeze[:] = 0.0
        squeeze[dropper, step] = found
        force = unslackened - inverse @ (I_cd @ found)
        tension = static + k * elongation(bundle, force, squeeze) + squeeze
        pressed = (tension < -1e-6) & ~active
        if not pressed.any():
            return force, squeeze
        active |= pressed
    raise RuntimeError("the set of slack droppers does not settle")


def projected_gauss_seidel(matrix: np.ndarray, offset: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Solve x >= 0, matrix x + offset >= 0, complementary, one unknown after the other in time order."""
    x = start.copy()
    for _ in range(1000):
        change = 0.0
        for i in range(len(x)):
            new = max(0.0, x[i] - (offset[i] + matrix[i] @ x) / matrix[i, i])
            change, x[i] = max(change, abs(new - x[i])), new
        if change < 1e-7:
            return x
    raise RuntimeError("slack droppers do not converge")


def low_pass(signal: np.ndarray, dt: float, cutoff: float = 20.0) -> np.ndarray:
    """The published filter on one period: Butterworth of order 4, forward and backward."""
    harmonics, frequency = np.fft.rfft(signal), np.fft.rfftfreq(len(signal), dt)
    warped = np.tan(np.pi * np.minimum(frequency * dt, 0.4999)) / np.tan(np.pi * cutoff * dt)
    return np.fft.irfft(harmonics / (1.0 + warped**8), len(signal))
