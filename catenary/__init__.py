"""What the line is: wires, droppers, supports, equilibrium, linearised model."""
