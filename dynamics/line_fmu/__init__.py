"""An open line as an FMU for whoever simulates the vehicle: contact force in, heights of the contact wire out."""
