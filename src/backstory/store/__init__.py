"""The only package that speaks SQL: one module and one `.sql` file per noun, over the history and project databases.

What is written and found is decided elsewhere. Start with `history` (a connection) and `migrations/history`.
"""
