"""From the command line and files to validated input."""
