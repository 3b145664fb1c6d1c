"""What the line is: wires, droppers, supports, equilibrium, linearised model."""

from catenary.storage.kernel_cache import keep_kernels_by_source

keep_kernels_by_source()
