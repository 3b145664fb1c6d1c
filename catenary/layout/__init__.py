"""From parameters to layout and finite-element mesh."""
