"""What an optimiser may change of a pantograph's controller."""
