"""Pictures that move: what they show, and how they are drawn, as a still and as a file."""
