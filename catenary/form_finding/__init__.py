"""The static configuration that meets the stringing constraints (paper 000, section 2.4)."""
