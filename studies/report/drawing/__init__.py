"""Charts, tables and pages as data, and how they are drawn."""
