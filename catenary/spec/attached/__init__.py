"""What is attached to single places of a line by stations, and stretches of its contact wire that differ."""
