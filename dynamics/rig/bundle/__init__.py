"""The rig bundle: the periodic finite element model of a line in files that a hardware loop loads as they are."""

from dynamics.rig.bundle.contents import CONVENTIONS, SCHEMA_VERSION, VARIABLES
from dynamics.rig.bundle.made_for import MadeFor, made_for
from dynamics.rig.bundle.recommendation import RECOMMENDATION, recommendation_mismatch
from dynamics.rig.bundle.write import FILES, add_to_bundle, write_bundle

__all__ = [
    "CONVENTIONS",
    "FILES",
    "RECOMMENDATION",
    "SCHEMA_VERSION",
    "VARIABLES",
    "MadeFor",
    "add_to_bundle",
    "made_for",
    "recommendation_mismatch",
    "write_bundle",
]
