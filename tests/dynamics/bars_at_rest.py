"""A line as a network of straight bars in space: a second form-finding, which shares no code with the program's.

Every bay of every wire is a chain of equal bars with a point mass at each end; bending is the curvature between
neighbouring bars. Of a line's data alone, layout, unstretched lengths and cut lengths are found by Newton's method on
the balance of forces at points. Errors fall with the square of the bars' length.

Legend: r (point, 3) places; l0 unstretched lengths of bars; N their tensions; e their directions.
"""

from __future__ import annotations

import numpy as np
from bar_chains import MESSENGER, chains
from scipy.sparse import block_diag, coo_array, csr_array, hstack, vstack
from scipy.sparse.linalg import spsolve

WEIGHT = 9.81


class BarLine:
    """A line of ``spans`` spans at rest, heights prescribed: places, lengths, forces."""

    def __init__(self, spec, spans, size):
        self.spec, self.parts, self.spatial = spec, chains(spec, spans, size), spec.dimension == "spatial"
        wires = (spec.contact_wire, spec.messenger_wire, spec.stitch)
        wire = self.parts.wire
        self.EA, self.rho, self.T = (
            np.array([getattr(w, name) if w else 0.0 for w in wires])[wire]
            for name in ("axial_stiffness", "mass_per_length", "tension")
        )
        self.inside = self._tensions()
        self.bends = self._bends()
        self._prescribe()
        self._hang()

    def _tensions(self):
        """Tension of every bar as a taut string: over a stitch the messenger wire carries the rest (bar,)."""
        p, spec = self.parts, self.spec
        found = self.T.copy()
        for s in p.x[p.support_high[1:-1]] if spec.stitch else ():
            over = (p.wire == MESSENGER) & (np.abs(p.x[p.ends].mean(axis=1) - s) < 0.5 * spec.stitch.length)
            found[over] -= spec.stitch.tension
        return found

    def _bends(self):
        """Stiffness of bending (coordinate, coordinate)."""
        p = self.parts
        width = np.sqrt(-2.0 / p.factor[:, 1])
        at = np.isin(p.bend[:, 1], [point for *_, point in p.keys])
        tension = self.inside[p.before]
        # bars of length h carry waves like a string of stiffness T (1 - (k h)^2 / 12): bending makes up for it
        smooth, layer2 = tension * width**2 / 12.0, p.bending / width / tension
        self.bending = p.bending + width * smooth
        self.bending *= np.where(at, 1.0 + _stiffer(width, layer2, self.bending / width / tension), 1.0)
        block = self.bending[:, None, None] * p.factor[:, :, None] * p.factor[:, None, :]
        across = np.diag([0.0, 1.0, 1.0])  # a slender beam's: along the track nothing bends
        return self._spread(p.bend, block[:, :, None, :, None] * across[:, None, :])

    def _shear(self):
        """Force across named bars by places (3 named, coordinate): the change of the bending moment along them."""
        p = self.parts
        out = np.zeros((len(p.named), 3, 3 * len(p.x)))
        for k, bar in enumerate(p.named):
            ends = p.ends[bar]
            for sign, point in ((1.0, ends[0]), (-1.0, ends[1])):
                # a clamp is the end of a stitch wire too, which has bends of its own; a wire's end has none
                of_wire = np.isin(p.bend, ends).sum(axis=1) == 2
                for b in np.flatnonzero(of_wire & (p.bend[:, 1] == point)):
                    moment = self.bending[b] / np.sqrt(-2.0 / p.factor[b, 1]) * p.factor[b]
                    for c in (1, 2):
                        out[k, c, 3 * p.bend[b] + c] += sign * moment / abs(p.x[ends[1]] - p.x[ends[0]])
        return csr_array(out.reshape(-1, 3 * len(p.x)))

    def _spread(self, points, blocks):
        """Matrix from blocks (block, point, 3, point, 3)."""
        n, (count, k) = 3 * len(self.parts.x), points.shape
        dof = (3 * points[:, :, None] + np.arange(3)).reshape(count, 3 * k)
        rows, cols = np.repeat(dof, 3 * k, axis=1), np.tile(dof, (1, 3 * k))
        return csr_array(coo_array((blocks.reshape(-1), (rows.ravel(), cols.ravel())), shape=(n, n)))

    def _prescribe(self):
        """Coordinates that are given, and those whose balance a support keeps."""
        p, spec = self.parts, self.spec
        given, kept = {}, set()
        for *_, point in p.keys:
            given[3 * point] = p.x[point]
        own, n = spec.section, len(p.support_low)
        heights = np.tile(spec.droppers.contact_wire_heights, 1 if own else n - 1)
        given.update(zip((3 * p.low + 2).tolist(), heights, strict=True))
        turn = (-1.0) ** np.arange(n)
        above = np.array(own.encumbrances) if own and own.encumbrances else np.full(n, spec.encumbrance)
        side = -np.array(own.staggers) if own and own.staggers else spec.support.stagger * turn
        for points, z, y in (
            (p.support_low, np.zeros(n), side),
            (p.support_high, above, spec.support.messenger_stagger * turn),
        ):
            for k, point in enumerate(points):
                given[3 * point + 2], given[3 * point + 1] = z[k], y[k]
                kept |= {3 * point + 1, 3 * point + 2}
            kept |= {3 * points[0], 3 * points[-1]}
        if not self.spatial:
            given.update({3 * k + 1: 0.0 for k in range(len(p.x))})
            kept |= {3 * k + 1 for k in range(len(p.x))}
        self.given, self.kept = given, kept

    def bars(self, r, l0):
        """Tension, direction and length of every bar."""
        span = r[self.parts.ends[:, 1]] - r[self.parts.ends[:, 0]]
        length = np.linalg.norm(span, axis=1)
        return self.EA * (length / l0 - 1.0), span / length[:, None], length

    def droppers(self, r):
        """Direction and length of every dropper."""
        span = r[self.parts.high] - r[self.parts.low]
        length = np.linalg.norm(span, axis=1)
        return span / length[:, None], length

    def masses(self, l0, length):
        """Point masses (point,) [kg] that weigh; those of arms are apart."""
        p, drops = self.parts, self.spec.droppers
        mass = np.zeros(len(p.x))
        for k in (0, 1):
            np.add.at(mass, p.ends[:, k], 0.5 * self.rho * l0)
        half = 0.5 * drops.mass_per_length * length
        np.add.at(mass, p.low, half + drops.clamp_mass_contact_wire)
        np.add.at(mass, p.high, half + drops.clamp_mass_messenger_wire)
        if len(p.clamps):
            mass[p.clamps] += self.spec.stitch.clamp_mass
        return mass

    def balance(self, r, l0, pull):
        """Force that is missing at every coordinate (point, 3)."""
        p = self.parts
        N, e, _ = self.bars(r, l0)
        axis, length = self.droppers(r)
        out = (self.bends @ r.ravel()).reshape(-1, 3)
        for sign, k in ((-1.0, 0), (1.0, 1)):
            np.add.at(out, p.ends[:, k], sign * N[:, None] * e)
        np.add.at(out, p.low, -pull[:, None] * axis)
        np.add.at(out, p.high, pull[:, None] * axis)
        out[:, 2] += WEIGHT * self.masses(l0, length)
        return out

    def stiffness(self, r, l0, pull, along=0.0):
        """Stiffness of bars, bends and droppers, of which ``along`` is the droppers' own."""
        p = self.parts
        (N, e, length), (axis, drop) = self.bars(r, l0), self.droppers(r)
        pair = np.array([[1.0, -1.0], [-1.0, 1.0]])

        def blocks(direction, own, across):
            outer = direction[:, :, None] * direction[:, None, :]
            one = own[:, None, None] * outer + across[:, None, None] * (np.eye(3) - outer)
            return pair[None, :, None, :, None] * one[:, None, :, None, :]

        wires = self._spread(p.ends, blocks(e, self.EA / l0, N / length))
        hung = np.stack([p.low, p.high], axis=1)
        return self.bends + wires + self._spread(hung, blocks(axis, np.full(len(axis), along), pull / drop))

    def _hang(self):
        """Newton's method on places, lengths of bays and forces of droppers."""
        p, n = self.parts, 3 * len(self.parts.x)
        bays, named = p.bay.max() + 1, p.named
        drops, shear = len(p.low), self._shear()
        r, pull = self._first()
        _, _, length = self.bars(r, np.ones(len(p.bay)))
        lengths = np.bincount(p.bay, length / (1.0 + self.T / self.EA))
        free = np.setdiff1d(np.arange(n), list(self.given))
        rows = np.setdiff1d(np.arange(n), list(self.kept))
        for _ in range(60):
            l0 = lengths[p.bay] * p.share
            (N, e, length), (axis, _) = self.bars(r, l0), self.droppers(r)
            section = N[named, None] * e[named] + (shear @ r.ravel()).reshape(-1, 3)
            total = np.linalg.norm(section, axis=1)
            unit = section / total[:, None]
            missing = np.concatenate([self.balance(r, l0, pull).ravel()[rows], total - self.T[named]])
            if np.abs(missing).max() < 1e-4:  # rounding of EA leaves some 1e-5 N
                break
            softer = -self.EA * length / l0**2 * p.share
            at = 3 * p.ends[:, :, None] + np.arange(3)
            values = np.stack([-softer[:, None] * e, softer[:, None] * e], axis=1)
            by_bay = coo_array((values.ravel(), (at.ravel(), np.repeat(p.bay, 6))), shape=(n, bays))
            at = 3 * np.stack([p.low, p.high], axis=1)[:, :, None] + np.arange(3)
            values = np.stack([-axis, axis], axis=1)
            by_pull = coo_array((values.ravel(), (at.ravel(), np.repeat(np.arange(drops), 6))), shape=(n, drops))
            ends = np.repeat(np.arange(len(named)), 6)
            at = (3 * p.ends[named][:, :, None] + np.arange(3)).ravel()
            outer, own = e[named, :, None] * e[named, None, :], np.einsum("ki,ki->k", unit, e[named])
            turned = (N / length)[named, None, None] * (np.eye(3) - outer) + (self.EA / l0)[named, None, None] * outer
            rate = np.einsum("ki,kij->kj", unit, turned)
            stretch = csr_array(coo_array((np.stack([-rate, rate], 1).ravel(), (ends, at)), shape=(len(named), n)))
            stretch = stretch + block_diag([u[None] for u in unit], format="csr") @ shear
            own = coo_array((own * softer[named], (np.arange(len(named)), p.bay[named])), shape=(len(named), bays))
            top = [self.stiffness(r, l0, pull)[rows][:, free], csr_array(by_bay)[rows], csr_array(by_pull)[rows]]
            low = [stretch[:, free], own, csr_array((len(named), drops))]
            step = spsolve(vstack([hstack(top), hstack(low)], format="csc"), -missing)
            scale = min(1.0, 1.0 / np.abs(step[: len(free)]).max())
            r.ravel()[free] += scale * step[: len(free)]
            lengths += scale * step[len(free) : len(free) + bays]
            pull += scale * step[len(free) + bays :]
        else:
            raise ArithmeticError(f"bars do not hang: {np.abs(missing).max():.3g} N are missing")
        self.r, self.l0, self.force = r, lengths[p.bay] * p.share, pull
        self.reaction = self.balance(r, self.l0, pull)
        self.length = self.droppers(r)[1]
        self.cut = self.length - pull / self.spec.droppers.stiffness

    def _first(self):
        """Taut strings under their weight and that of what they carry."""
        p, spec = self.parts, self.spec
        x, n = p.x, len(p.x)
        step = np.abs(x[p.ends[:, 1]] - x[p.ends[:, 0]])
        share = spec.contact_wire.mass_per_length * WEIGHT * spec.span_length / (len(spec.droppers.positions) + 1)
        pull, load = np.full(len(p.low), share), np.zeros(n)
        for k in (0, 1):
            np.add.at(load, p.ends[:, k], -0.5 * self.rho * WEIGHT * step)
        np.add.at(load, p.high, -share)
        np.add.at(load, p.low, share)
        string = _laplacian(p.ends, self.inside / step, n)
        r = np.stack([x, np.zeros(n), np.zeros(n)], axis=1)
        for c, matrix, force in (
            (2, string, load),
            (1, string + _laplacian(np.stack([p.low, p.high], 1), pull, n), 0 * load),
        ):
            fixed = np.array([k for k in range(n) if 3 * k + c in self.given])
            r[fixed, c] = [self.given[3 * k + c] for k in fixed]
            free = np.setdiff1d(np.arange(n), fixed)
            if len(free):
                r[free, c] = spsolve(matrix[free][:, free].tocsc(), (force - matrix @ r[:, c])[free])
        return r, pull


def _stiffer(step, layer2, own2):
    """How much stiffer a bend is where a load kinks the wire, so that its rounding is the beam's on bars of any length.

    Under a point load P a beam in tension T stays P b / 2 T below a string's kink, b^2 = EI / T (``layer2``). Bars of
    length h with bends c^2 = E'I' / T alike (``own2``) stay P (c^2 / h) g / T below it, g = 1 / sqrt(1 + 4 c^2 / h^2);
    with the bend at the load 1 + s times as stiff, (c^2 / h) g (1 + s g / (1 + s (1 - g))) of P / T.
    """
    share = 1.0 / np.sqrt(1.0 + 4.0 * own2 / step**2)
    wanted = 0.5 * np.sqrt(layer2) * step / (own2 * share) - 1.0
    return wanted / (share - wanted * (1.0 - share))


def _laplacian(ends, values, n):
    rows, cols = ends[:, [0, 0, 1, 1]].ravel(), ends[:, [0, 1, 0, 1]].ravel()
    return csr_array(coo_array((np.outer(values, [1, -1, -1, 1]).ravel(), (rows, cols)), shape=(n, n)))
