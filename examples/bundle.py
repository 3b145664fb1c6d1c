"""A line as a bundle for the hardware-in-the-loop rig: its periodic finite element model on the controller's clock."""

from typing import Any

import catenary
import dynamics


def main(folder: str = "rig/re330", **how: Any) -> float:
    """Write the bundle; returns the speed that it is made for [km/h]: a span takes a whole number of steps."""
    line = catenary.load_line("re330").with_droppers(heights_mm=[0, -5, -8, -9, -8, -5, -3, -1, 0])
    bundle = dynamics.export_bundle(line, "dsa380", 300, folder, **how)
    print(f"{bundle.folder}: {len(bundle.parts)} files, truncation error {bundle.truncation_error:.1e}")
    return bundle.case.speed_kmh


if __name__ == "__main__":
    main()
