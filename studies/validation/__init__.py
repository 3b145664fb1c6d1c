"""Published references case by case: what is run, what it is held against, what is drawn."""
