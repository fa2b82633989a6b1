"""When a daily job is due next, in the time zone it was meant in."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo


def next_daily(after: datetime, at: time, zone: str) -> datetime:
    """The first moment after `after` at which clocks in `zone` show `at`.

    On the day the clocks go forward a time that does not exist is taken an hour later; on the day they go back the
    first of the two counts.
    """
    local = after.astimezone(ZoneInfo(zone))
    day = local.date()
    while True:
        wanted = datetime.combine(day, at, tzinfo=ZoneInfo(zone))
        real = wanted.astimezone(ZoneInfo("UTC"))
        if real > after:
            return real
        day += timedelta(days=1)
