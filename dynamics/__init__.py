"""What happens: pantographs, contact, steady state, influence matrices."""

from catenary.storage.kernel_cache import keep_kernels_by_source

keep_kernels_by_source()
