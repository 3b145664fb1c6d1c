"""From one design to its figures, in one case or in many scenarios."""
