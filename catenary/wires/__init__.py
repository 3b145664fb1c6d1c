"""Wires and droppers by name: what each is made of, and where its values come from."""
