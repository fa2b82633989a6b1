"""JSON-RPC 2.0 over standard input and output, one message a line, for hosts that keep Backstory beside them.

Start with `main`; `server` reads, works and writes, `methods` says what can be asked, `wire` how messages look.
"""
