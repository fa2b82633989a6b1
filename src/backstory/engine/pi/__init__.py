"""Backstory inside the Pi coding agent, seen from outside: the extension put in, taken out, and looked after.

What the extension then asks of us is for `engine.host` to answer.
"""
