"""One short module for each command of `catenary`."""
