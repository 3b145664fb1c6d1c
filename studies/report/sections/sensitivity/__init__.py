"""A sensitivity study: which inputs matter to which output, and how surely."""
