"""Planning one model call: its settings and model, what is gathered for it, what may be sent, and the record of it."""
