"""What of a session's past goes into a call beside its messages: the card, excerpts, and matches of the request."""
