"""The infinite line as an operator: what it answers to forces that repeat from period to period, without a march."""
