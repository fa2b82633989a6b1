"""The command line: a parser made from an operation's request, the call, and a view or JSON of the answer.

Start with `main`.
"""
