"""Decides what one model call holds: records in, records out, no file, clock or database. Start with `planner`.

`evidence` is what a call may quote of the session's past, `memory` what people asked to keep; the modules beside them
are the call itself. Reading what is planned over, and storing what came of it, is `engine`'s part.
"""
