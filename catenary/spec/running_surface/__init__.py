"""Running surface of the contact wire: how far it lies over or under a smooth wire."""
