"""Charts of the arms of articulated pantographs over a run: forces in the joints, and how far the bodies turn."""

from __future__ import annotations

import numpy as np

from dynamics.charts.parts import Chart, Curve, Role, Stations
from dynamics.pantograph.bodies import BODIES, JOINTS
from studies.report.content.history_content import Histories

__all__ = ["arm_charts"]

ROLES: tuple[Role, ...] = ("best", "nominal", "other", "fourth")


def arm_charts(histories: Histories) -> tuple[Chart, ...]:
    """Force in every joint, and turn of every body from its mean, of each pantograph with arms."""
    charts: list[Chart] = []
    for p, one in enumerate(histories.pantographs):
        if not one.joint_force.shape[1]:
            continue
        title = f", {one.name}" if one.name else ""
        suffix = f"_{p + 1}" if len(histories.pantographs) > 1 else ""
        turned = np.rad2deg(one.body_angle - one.body_angle.mean(axis=0))
        for name, what, names, values, unit, caption in (
            ("joint_force", "Force in the joints", JOINTS, one.joint_force, "N",
             "Size of the force; result.nc has it forwards and up. Those on the base load the roof."),
            ("body_angle", "Turn of arms and rod", BODIES, turned, "deg",
             "From the mean over what is shown, positive from forwards to up."),
        ):  # fmt: skip
            curves = tuple(
                Curve(label, one.x, own, "m", unit, role)
                for label, own, role in zip(names, values.T, ROLES, strict=False)
            )
            charts.append(Chart(
                name=f"{name}{suffix}",
                title=what + title,
                caption=caption,
                x_label="Station of the pantograph",
                y_label=what.partition(" ")[0],
                curves=curves,
                stations=(Stations("supports", histories.supports, full_height=True),),
                x_range=(float(histories.supports[0]), float(histories.supports[-1])),
                height=0.34,
            ))  # fmt: skip
    return tuple(charts)
