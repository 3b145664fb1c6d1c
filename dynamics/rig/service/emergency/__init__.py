"""The emergency stop: a listener of its own, its process, and the state that both share."""
