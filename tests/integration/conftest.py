"""The stand-alone reader is imported by name, as in a laboratory that has only the bundle."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
