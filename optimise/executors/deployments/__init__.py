"""Workers got and held: processes on this machine, jobs of a batch system, those of a running scheduler."""
