"""Decides what one model call holds: records in, records out, no file, clock or database. Start with `planner`.

Reading what is planned over, and storing what came of it, is `engine`'s part.
"""
