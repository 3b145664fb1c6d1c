"""The pantograph-catenary benchmark of Arnold & Simeon: constraints instead of penalties, PDAE to DAE."""
