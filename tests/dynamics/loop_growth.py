"""Growth of the time-stepped linear loop from block to block, read off its own record."""

from dataclasses import replace

import numpy as np

from dynamics.rig.loop.device_kernel import RING, Records, Rig, run_block
from dynamics.rig.loop.engine import LoopEngine

LAST = 14  # blocks from which growth is read


def emulated_growth(model, device, settings, blocks):
    """Largest factor between blocks of a loop without load, from random forces, as the device and line are stepped.

    The record is scaled back after every block. Its last blocks hold few modes; the map between them that fits best
    has their factors as eigenvalues.
    """
    engine = LoopEngine(replace(model, z0=np.zeros(model.steps)), settings)
    # forces of the block before, and the copy of them that the next block is sent heights from
    now, frozen = engine.state.now.f, engine.state.frozen.f
    now[:] = frozen[:] = np.random.default_rng(7).normal(size=model.steps)
    free = replace(device, applied_force=0.0, unilateral=False)
    ring, N, record = np.zeros(RING), model.steps, []
    for b in range(blocks):
        out = Records(*np.zeros((4, N)))
        rig = Rig(ring, 1, 0.0, 0.0, 0.0, np.inf, np.inf, np.zeros(N), 0)
        assert run_block(b * N, engine.loop, free.constants, free.state, rig, out) == N
        scale = 1.0 / np.abs(out.force).max()
        for array in (now, frozen, engine.state.zm, ring, *free.state):
            array *= scale
        record = [scale * past for past in [*record, out.force]][-LAST:]
    X = np.array(record).T
    U, S, V = np.linalg.svd(X[:, :-1], full_matrices=False)
    kept = 1e-9 * S[0] < S
    fit = U[:, kept].T @ X[:, 1:] @ V[kept].T / S[kept]
    return float(np.abs(np.linalg.eigvals(fit)).max())
