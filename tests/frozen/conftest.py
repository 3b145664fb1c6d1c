"""The runs stand in a module of their own, which writes the frozen numbers when it is called as a program."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
