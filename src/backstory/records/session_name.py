"""How requests take the name of a session: one wording for all. What it may be is for `engine.naming` to say."""

from msgspec import Meta as Help

SESSION = Help(description="session id, unique prefix, source:id, or the path of its file", extra={"positional": True})
