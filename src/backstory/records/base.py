"""The base of every record: a frozen struct whose class costs microseconds to create and whose JSON form is free.

Records are plain data shared by all layers. They hold no behaviour beyond small derived properties.
`msgspec.Struct` is used instead of dataclasses because 100 frozen dataclasses cost 180 ms of start-up; see
docs/decisions/0002-records-are-structs.md.
"""

import msgspec


class Record(msgspec.Struct, frozen=True, gc=False):
    """A frozen, slotted value."""
