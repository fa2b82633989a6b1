"""The query service: exact reads, filters, traces and searches over stored and live sessions.

It knows no engine, since the engine itself holds a service: `engine.sessions.query_open` gives it what an engine knows,
`engine.sessions.queries` asks it for surfaces.
"""
