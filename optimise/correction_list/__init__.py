"""As-built lines from measured heights, and the fewest droppers to cut again so that limits are met."""
