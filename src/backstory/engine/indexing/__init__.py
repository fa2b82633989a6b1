"""Bringing the index up to date: which places are looked into, one pass over them, and what they were found to hold."""
