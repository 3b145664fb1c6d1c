"""A whole test without metal: settings, run, page."""
