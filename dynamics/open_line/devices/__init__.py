"""What is stepped or asked from outside while a line is marched, in processes of its own."""
