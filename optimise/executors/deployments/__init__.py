"""Start and keep workers: processes on this machine, jobs of a batch system, those of a running scheduler."""
