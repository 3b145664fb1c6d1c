"""A window of identical cells that travels with the pantograph, marched in compiled kernels."""
