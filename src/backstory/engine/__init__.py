"""Use cases, and the root where the rest is put together: what surfaces may call.

`operations` lists every operation with its request and its function; `open` makes an `Engine` over one data folder.
What an agent asks is in `host`, what people ask of sessions in `sessions`; `docs/internals/overview.md` maps the rest.
Only here are the clock, the environment and all other packages met at once.
"""
