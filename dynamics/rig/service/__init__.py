"""A bundle stepped over UDP for a controller on the network, and the emulated pantograph on the other side."""
