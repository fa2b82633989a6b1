"""The write side: finds out what changed in logs and projects, and makes the stored rows say the same.

Start with `look` (what changed) and `sync` (sessions), or `projects` (files of a project).
"""
