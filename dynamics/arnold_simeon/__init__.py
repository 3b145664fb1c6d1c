"""The pantograph-catenary benchmark of Arnold & Simeon (paper 002): constraints instead of penalties, PDAE to DAE."""
