"""Validated description of damping: Rayleigh factors of all components or of each."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from catenary.spec.components import Spec

__all__ = ["DamperSpec", "RayleighSpec"]

COMPONENTS = ("contact_wire", "messenger_wire", "stitch", "droppers", "steady_arms")


class RayleighSpec(Spec):
    """Rayleigh damping: C = alpha M + beta K."""

    alpha: Annotated[float, Field(ge=0.0, le=10.0)] = Field(description="mass-proportional factor [1/s]")
    beta: Annotated[float, Field(ge=0.0, le=1.0e-2)] = Field(description="stiffness-proportional factor [s]")


class DamperSpec(RayleighSpec):
    """Rayleigh damping of wires, droppers and arms, one pair of factors for all or some components with their own.

    Messenger supports are excluded from beta. A component's mass is that of its wire, of droppers with their clamps,
    or of the arm bars; a stitch wire's includes its clamps.
    """

    contact_wire: RayleighSpec | None = Field(default=None, description="factors of the contact wire alone")
    messenger_wire: RayleighSpec | None = Field(default=None, description="factors of the messenger wire alone")
    stitch: RayleighSpec | None = Field(default=None, description="factors of the stitch wires alone")
    droppers: RayleighSpec | None = Field(default=None, description="factors of the droppers alone")
    steady_arms: RayleighSpec | None = Field(default=None, description="factors of the steady arms alone")

    @property
    def own(self) -> dict[str, RayleighSpec]:
        """Components with factors of their own, by name."""
        named = {name: getattr(self, name) for name in COMPONENTS}
        return {name: factors for name, factors in named.items() if factors is not None}

    @property
    def any(self) -> bool:
        """Whether anything of the line is damped."""
        return any(factors.alpha > 0.0 or factors.beta > 0.0 for factors in (self, *self.own.values()))

    def of(self, component: str) -> RayleighSpec:
        """Factors of a component, its own or those of all; also of what can have none of its own."""
        return self.own.get(component, self)

    def refusal(self, by: str) -> str | None:
        """Sentence that refuses factors of their own where ``by`` takes one pair for all; None without them."""
        if not self.own:
            return None
        return (
            f"catenary.damping must be one alpha and one beta for the whole line in {by}: got factors of their own "
            f"for {', '.join(self.own)} (remove them, or use solver=open_line)"
        )
