"""What each command takes."""
