"""A project's source: trust, the index, search with live checking, measuring and watching."""
