"""The steady state of one pantograph, or of several, on the infinite periodic line, and the long transient."""
