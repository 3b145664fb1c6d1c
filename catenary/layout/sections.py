"""Tension sections of a line: each as a line of its own, and their meshes as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.layout.geometry import KeyPoint, Layout, periodic_layout
from catenary.layout.mesh import Mesh, elements_of_bay
from catenary.spec.line import CatenarySpec
from catenary.spec.parts.auxiliary import AuxiliarySpec
from catenary.spec.section import BY_SUPPORT, DROPPER_MAKES, SectionSpec

__all__ = ["Part", "dropper_order", "joined_line", "joined_mesh", "most_elements", "parts_of"]

BY_DROPPER = ("positions", "contact_wire_heights", "lengths")
BY_MAIN_DROPPER = ("positions", "auxiliary_wire_heights", "lengths")
# arrays of a mesh that number nodes, and those that number something else or nothing
OF_NODES = ("elem_nodes", "dropper_bottom", "dropper_top", "support_contact", "support_messenger", "support_auxiliary")
OF_NODES += ("clamp_messenger", "crossing", "mass_nodes", "wire_ends")
PLAIN = ("node_wire", "elem_shift", "elem_mirror", "elem_wire", "elem_length", "group_wire")


@dataclass(frozen=True)
class Part:
    """One tension section as a line of its own, whose stations count from its first support.

    Attributes
    ----------
    name : str
    line : CatenarySpec
    begin : float
        Station of its first support on the whole line [m].
    first_support : int
        Number of that support, the line's first one being 0.
    """

    name: str
    line: CatenarySpec
    begin: float
    first_support: int


def parts_of(spec: CatenarySpec) -> tuple[Part, ...]:
    """Split a line into its tension sections; a line without any is one part."""
    own = spec.section
    if own is None or not own.tension_sections:
        return (Part("", spec, 0.0, 0),)
    hung = list(pairwise(accumulate(spec.droppers.by_section, initial=0)))
    held = list(pairwise(accumulate((s.supports for s in own.tension_sections), initial=0)))
    parts = []
    for k, (each, droppers, supports) in enumerate(zip(own.tension_sections, hung, held, strict=True)):
        first, last = each.first_support, each.last_support
        begin = spec.supports[first]
        drops = {name: getattr(spec.droppers, name)[slice(*droppers)] for name in BY_DROPPER}
        drops["positions"] = tuple(round(x - begin, 9) for x in drops["positions"])
        lists = {name: getattr(own, name)[slice(*supports)] for name in BY_SUPPORT}
        makes = {name: getattr(own, name)[slice(*droppers)] for name in DROPPER_MAKES.values()}
        section = own.model_copy(update={**lists, **makes, "tension_sections": (), **_attached(spec, own, k)})
        spans = spec.spans[first:last]
        update: dict[str, Any] = {
            "span_length": spans[0],
            "further_spans": spans[1:],
            "droppers": spec.droppers.model_copy(update={**drops, "by_section": ()}),
            "section": section,
            "auxiliary_wire": _auxiliary_of(spec.auxiliary_wire, k, begin),
            "temperature": spec.temperature.everywhere if spec.temperature and spec.temperature.fixes(each) else None,
            "track": None if spec.track is None else spec.track.beginning(begin),
        }
        parts.append(Part(each.name, spec.model_copy(update=update), begin, first))
    return tuple(parts)


def _auxiliary_of(own: AuxiliarySpec | None, k: int, begin: float) -> AuxiliarySpec | None:
    """Auxiliary wire of tension section k, whose main droppers are counted from its first support [m]."""
    if own is None:
        return None
    hung = slice(*list(pairwise(accumulate(own.droppers.by_section, initial=0)))[k])
    drops = {name: getattr(own.droppers, name)[hung] for name in BY_MAIN_DROPPER}
    drops["positions"] = tuple(round(x - begin, 9) for x in drops["positions"])
    return own.model_copy(update={"droppers": own.droppers.model_copy(update={**drops, "by_section": ()})})


def dropper_order(layouts: Sequence[Layout]) -> NDArray[np.int64]:
    """Droppers of all tension sections, then all of their main droppers: which of those counted section by section."""
    main = [layout.dropper_is_main or (False,) * len(layout.dropper_x) for layout in layouts]
    return np.argsort(np.concatenate(main), kind="stable")


def most_elements(spec: CatenarySpec) -> int:
    """Count the elements of the bay of a line that has most of them."""
    runs = [points for part in parts_of(spec) for _, points in periodic_layout(part.line).runs]
    return max(elements_of_bay(b.x - a.x, spec.mesh) for points in runs for a, b in pairwise(points))


def _attached(spec: CatenarySpec, own: SectionSpec, k: int) -> dict[str, Any]:
    """What is attached, worn or defective in tension section k, counted from its first support."""
    each = own.tension_sections[k]
    begin, end = spec.supports[each.first_support], spec.supports[each.last_support]
    defects = [
        d
        for d in own.defects
        if (d.section or each.name) == each.name and each.first_support < d.span <= each.last_support
    ]

    def mine(section: str | None, station: float) -> bool:
        return (section or each.name) == each.name and begin <= station <= end

    masses = [m for m in own.masses if mine(m.section, m.station)]
    elements = [e for e in own.elements if mine(e.section, e.station)]
    worn = [w for w in own.wear if mine(w.section, min(max(w.begin, begin), w.end))]
    return {
        "elements": tuple(
            e.model_copy(update={"station": round(e.station - begin, 9), "section": None}) for e in elements
        ),
        "wear": tuple(
            w.model_copy(update={"begin": w.begin - begin, "end": w.end - begin, "section": None}) for w in worn
        ),
        "masses": tuple(m.model_copy(update={"station": round(m.station - begin, 9), "section": None}) for m in masses),
        "defects": tuple(d.model_copy(update={"span": d.span - each.first_support, "section": None}) for d in defects),
        # the running surface is that of the whole line, counted from its first support
        "profiles": (),
        "kinks": (),
        "irregularity": None,
    }


def joined_line(spec: CatenarySpec, lines: Sequence[CatenarySpec]) -> CatenarySpec:
    """Put tension sections together again, whose droppers may have changed, as a line with its defects has them."""
    own = spec.section
    assert own is not None
    begins = [part.begin for part in parts_of(spec)]
    drops: dict[str, Any] = {
        name: tuple(value for line in lines for value in getattr(line.droppers, name)) for name in BY_DROPPER[1:]
    }
    drops["positions"] = tuple(x + b for line, b in zip(lines, begins, strict=True) for x in line.droppers.positions)
    drops["by_section"] = tuple(len(line.droppers.positions) for line in lines)
    drops["prescribed"] = lines[0].droppers.prescribed
    makes = {
        name: tuple(v for line in lines for v in line.dropper_makes(key)[: len(line.droppers.positions)])
        for key, name in DROPPER_MAKES.items()
    }
    masses = [
        m.model_copy(update={"station": m.station + b})
        for line, b in zip(lines, begins, strict=True)
        for m in (line.section.masses if line.section is not None else ())
    ]
    section = own.model_copy(update={**makes, "masses": tuple(masses), "defects": ()})
    changed = {"droppers": spec.droppers.model_copy(update=drops), "section": section}
    return spec.model_copy(update={**changed, "auxiliary_wire": _joined_auxiliary(spec.auxiliary_wire, lines)})


def _joined_auxiliary(own: AuxiliarySpec | None, lines: Sequence[CatenarySpec]) -> AuxiliarySpec | None:
    """Auxiliary wire whose main droppers are prescribed as those of its tension sections."""
    each = [line.auxiliary_wire.droppers for line in lines if line.auxiliary_wire is not None]
    if own is None:
        return None
    drops: dict[str, Any] = {
        name: tuple(value for main in each for value in getattr(main, name)) for name in BY_MAIN_DROPPER[1:]
    }
    drops["prescribed"] = each[0].prescribed
    return own.model_copy(update={"droppers": own.droppers.model_copy(update=drops)})


def joined_mesh(spec: CatenarySpec, meshes: Sequence[Mesh]) -> Mesh:
    """Number the meshes of all tension sections through, one section after another, stations from the first support."""
    parts = parts_of(spec)
    begins = [part.begin for part in parts]
    nodes = _before([len(mesh.node_x) for mesh in meshes])
    dofs = _before([mesh.n_dof for mesh in meshes])
    elems = _before([len(mesh.elem_wire) for mesh in meshes])
    groups = _before([len(mesh.group_wire) for mesh in meshes])
    runs = _before([len(mesh.layout.runs) for mesh in meshes])
    order = dropper_order([mesh.layout for mesh in meshes])

    def moved(name: str, by: Sequence[float]) -> NDArray[Any]:
        return np.concatenate([getattr(mesh, name) + move for mesh, move in zip(meshes, by, strict=True)])

    def plain(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(mesh, name) for mesh in meshes])

    return Mesh(
        node_x=moved("node_x", begins),
        dof=np.concatenate([np.where(m.dof >= 0, m.dof + by, -1) for m, by in zip(meshes, dofs, strict=True)]),
        n_dof=sum(mesh.n_dof for mesh in meshes),
        elem_group=moved("elem_group", groups),
        elem_run=moved("elem_run", runs),
        group_elems=moved("group_elems", elems),
        tension_elem=moved("tension_elem", elems),
        layout=_joined_layout(spec, [mesh.layout for mesh in meshes]),
        **{name: moved(name, nodes)[order if name.startswith("dropper") else ...] for name in OF_NODES},
        **{name: plain(name) for name in PLAIN},
    )


def _before(counts: Sequence[int]) -> list[int]:
    """How many there are in the sections before each."""
    return list(accumulate(counts[:-1], initial=0))


def _joined_layout(spec: CatenarySpec, layouts: Sequence[Layout]) -> Layout:
    """Layouts of all tension sections as one, whose values by support stand section by section."""
    parts, order = parts_of(spec), dropper_order(layouts)
    begins, number = [part.begin for part in parts], np.argsort(order).tolist()

    def listed(name: str) -> tuple[Any, ...]:
        return tuple(value for layout in layouts for value in getattr(layout, name))

    def by_dropper(values: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(values[k] for k in order.tolist()) if values else ()

    runs: list[tuple[int, tuple[KeyPoint, ...]]] = []
    counted: dict[str, int] = dict.fromkeys(("support", "dropper", "clamp", "crossing", "mass"), 0)
    for layout, begin in zip(layouts, begins, strict=True):
        points = [p for _, on in layout.runs for p in on]
        runs += [
            (wire, tuple(replace(p, x=p.x + begin, index=p.index + counted[p.what]) for p in on))
            for wire, on in layout.runs
        ]
        counted = {w: n + 1 + max((p.index for p in points if p.what == w), default=-1) for w, n in counted.items()}
    stations = [x + b for layout, b in zip(layouts, begins, strict=True) for x in layout.dropper_x]
    hung = _before([len(layout.dropper_x) for layout in layouts])
    return Layout(
        runs=tuple(
            (wire, tuple(replace(p, index=number[p.index]) if p.what == "dropper" else p for p in on))
            for wire, on in runs
        ),
        length=spec.period,
        supports=spec.supports,
        periodic=False,
        dropper_kind=tuple(range(len(stations))),
        dropper_x=by_dropper(stations),
        sections=tuple((part.first_support, part.first_support + len(part.line.spans)) for part in parts),
        dropper_height=by_dropper(listed("dropper_height")),
        dropper_on_stitch=by_dropper(listed("dropper_on_stitch")),
        dropper_is_main=by_dropper(listed("dropper_is_main")),
        shared_clamps=tuple(
            (number[n + low], number[n + high])
            for layout, n in zip(layouts, hung, strict=True)
            for low, high in layout.shared_clamps
        ),
        auxiliary_height=listed("auxiliary_height"),
        auxiliary_side=listed("auxiliary_side"),
        contact_height=listed("contact_height"),
        messenger_height=listed("messenger_height"),
        contact_side=listed("contact_side"),
        messenger_side=listed("messenger_side"),
        masses=listed("masses"),
        elements=tuple(
            (element, tuple(k + before for k in numbers))
            for layout, before in zip(layouts, _before([len(each.masses) for each in layouts]), strict=True)
            for element, numbers in layout.elements
        ),
    )
