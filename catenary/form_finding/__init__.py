"""The static configuration that meets the stringing constraints (PACDIN, section 2.4)."""
