"""The nouns that everybody shares: sessions, entries, messages, filters, plans, manifests, requests and answers.

Structs without behaviour beyond their own fields; nothing here reads, decides or stores. Requests of operations also
hold the help texts of the command line. Start with `session` (what a source yields) and `message` (what a model call
carries).
"""
