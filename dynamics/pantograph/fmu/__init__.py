"""A supplier's pantograph as an FMU: unpacked, loaded and stepped in a process of its own, with a time limit."""
