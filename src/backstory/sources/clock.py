"""Reads the timestamps agents write: ISO 8601 text with or without a zone, Unix seconds or milliseconds.

Records keep integer milliseconds since the Unix epoch. Used by the adapters.
"""

from datetime import UTC, datetime

# Unix seconds stay below this until the year 5138; milliseconds passed it in 1973.
_SECONDS_BELOW = 100_000_000_000
_NUMBER = (int, float)


def milliseconds(stamp: object) -> int | None:
    """Milliseconds since the epoch, None when the stamp says nothing; a time without a zone counts as UTC."""
    if isinstance(stamp, str):
        try:
            moment = datetime.fromisoformat(stamp)
            return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
        except (ValueError, OverflowError):
            return None
    if isinstance(stamp, _NUMBER) and not isinstance(stamp, bool) and 0 < stamp < _SECONDS_BELOW * 1000:
        return int(stamp * 1000) if stamp < _SECONDS_BELOW else int(stamp)
    return None
