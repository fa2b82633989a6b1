"""Reads native session logs and never writes one. A source is an adapter, its location and a row in the registry.

`base` is the seam every format plugs into; `reading` turns one file into placed entries. After it: `backstory.index`.
"""
