"""Pure functions over strings: tokens, queries and MATCH expressions, snippets, quoting, hashing, canonical JSON.

No module here knows sessions, projects or a database.
"""
