"""The rig bundle: the periodic finite element model of a line in files that a hardware loop loads as they are."""

from dynamics.rig_bundle.contents import CONVENTIONS, SCHEMA_VERSION, VARIABLES
from dynamics.rig_bundle.write import FILES, RECOMMENDATION, add_to_bundle, write_bundle

__all__ = ["CONVENTIONS", "FILES", "RECOMMENDATION", "SCHEMA_VERSION", "VARIABLES", "add_to_bundle", "write_bundle"]
