"""What happens: pantographs, contact, steady state, influence matrices."""
