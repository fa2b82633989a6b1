"""The query service: exact reads, filters, traces and searches over stored and live sessions.

It knows no engine. `engine.query_open` gives it what an engine knows, `engine.queries` asks it for surfaces; both stand
outside, since the engine itself holds a service.
"""
