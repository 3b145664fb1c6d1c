"""Published references case by case: what is run, what it is compared with, what is drawn."""
