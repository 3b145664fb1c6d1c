"""A model of what designs have shown, and the designs that it proposes."""
