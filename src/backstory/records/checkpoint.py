"""How far a file has been read, and what it looked like then."""

from backstory.records.base import Record


class Stamp(Record, frozen=True):
    """What `stat` says of a file: enough to call it unchanged without opening it."""

    size: int
    mtime_ns: int
    inode: int


class Checkpoint(Record, frozen=True):
    """The state of one file after a read.

    `offset` is the logical (decompressed) byte after the last newline-terminated record and `position` the physical
    byte from which reading goes on; in a plain file they are equal, in a compressed file `position` is the start of
    the first frame that was not finished and `base` that frame's logical offset. `head` and `tail` are SHA-256 of the
    first `head_size` physical bytes and of the physical bytes from `tail_start` to `position`. `line` and `seq` count
    the physical lines and sequence numbers before `offset`. `open_tail` says that an unterminated last record was
    also taken in, and must be read again when the file grows.
    """

    stamp: Stamp
    offset: int = 0
    position: int = 0
    base: int = 0
    head_size: int = 0
    head: bytes = b""
    tail_start: int = 0
    tail: bytes = b""
    line: int = 0
    seq: int = 0
    open_tail: bool = False
