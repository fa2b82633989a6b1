"""The nouns that everybody shares: sessions, entries, messages, filters, plans, manifests, requests and answers.

Structs without behaviour beyond their own fields; nothing here reads, decides or stores. A module named by a noun holds
things (`plan`, `memory`, `config`); one named by an activity, or by requests, holds what operations of that kind are
asked and answer (`planning`, `searching`, `memory_requests`), with the help texts of the command line. Start with
`session` (what a source yields) and `message` (what a model call carries).
"""
