"""Where Backstory keeps its files; everything else is an argument of the operation that it concerns."""
