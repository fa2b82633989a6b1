"""The read side: from a query to ordered candidates, of sessions and of projects.

Reads the database through `store`, never a log or a live file. `rank` is pure. Start with `relevance`;
`project` is a package of its own.
"""
