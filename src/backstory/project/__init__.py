"""Lists, reads and cuts the files of a project, and asks Git about them; knows no database.

Whoever calls has checked trust. Before it: the file system; after it: `backstory.index.projects`.
"""
