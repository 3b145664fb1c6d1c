"""What a line stands in: the track that it follows and the wind that blows on it."""
