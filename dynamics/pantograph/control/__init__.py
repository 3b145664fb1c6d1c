"""Controllers of a pantograph: laws, their form in discrete time, compiled steps."""
