"""The query service: exact reads, filters, traces and searches over stored and live sessions."""
