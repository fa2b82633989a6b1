"""Backstory gives coding agents, and the people who use them, their memory back."""

__version__ = "0.1.0"
