"""`/context config`: the settings that hold here and where each comes from; they are changed in their files."""

import msgspec

from backstory.config import keys
from backstory.engine.host.commands.about import About, told
from backstory.engine.host.commands.line import TypedWord
from backstory.errors import UsageError
from backstory.records.host import Say
from backstory.text.charts import bounded, clipped, table

MOST_ROWS, LONGEST_VALUE = 60, 60


def config(about: About, typed: list[TypedWord]) -> Say:
    """Settings that are not defaults, with `all` every one, and the files that were read.

    Raises:
        UsageError: something else than `all` was typed.
    """
    everything = [word.value for word in typed] == ["all"]
    if typed and not everything:
        raise UsageError("settings are changed in their files; see: backstory config path")
    loaded = about.settings
    rows = []
    for path, value in keys.leaves(loaded.config):
        name = keys.dotted(path)
        origin = loaded.origins.get(name, "default")
        if everything or origin != "default":
            rows.append((name, clipped(msgspec.json.encode(value).decode(), LONGEST_VALUE), origin))
    files = [(one.origin, one.path, "" if one.found else "none") for one in loaded.files]
    lines = ["Settings", *bounded(table(rows), MOST_ROWS, "more settings")] if rows else ["All settings are defaults."]
    lines += ["", "Read from, later ones win", *table(files)]
    lines += [f"! {warning}" for warning in bounded(list(loaded.remarks), 10, "more warnings")]
    return told(lines, {"settings": [row[0] for row in rows], "warnings": list(loaded.remarks)})
