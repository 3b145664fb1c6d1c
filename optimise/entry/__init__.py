"""What an engineer calls: the jobs that Python's arguments and the command line's keys make, and what they give."""
