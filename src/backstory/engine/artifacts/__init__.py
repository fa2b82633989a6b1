"""Large tool results of planned calls: shortened in a context, kept, looked into, checked, and made again from logs."""
