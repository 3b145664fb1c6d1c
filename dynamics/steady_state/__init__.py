"""The steady state of one pantograph on the infinite periodic line, and the long transient."""
