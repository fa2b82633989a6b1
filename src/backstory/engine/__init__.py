"""Use cases, and the root where the rest is put together: what surfaces may call.

`operations` lists every operation with its request and its function; `open` makes an `Engine` over one data folder.
Only here are the clock, the environment and all other packages met at once.
"""
