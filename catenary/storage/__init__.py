"""Files written whole or not at all, what they say of their origin, and statics as a labelled file."""
