"""The hardware-in-the-loop rig: bundle, loop, stability, service."""
