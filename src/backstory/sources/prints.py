"""What tells whether a file is the one that was read: its stamp, and the hashes of its head and of its last bytes.

Looking at these is all that an unchanged or grown file costs. Neighbours: `reading` makes checkpoints of them,
`index.checkpoint` decides what a changed stamp means.
"""

import os
from hashlib import sha256
from typing import BinaryIO

from backstory.config.paths import open_file
from backstory.errors import UnreadableSourceError
from backstory.records.checkpoint import Checkpoint, Stamp

HEAD = 4096
TAIL = 64 << 10


def stamp(path: str) -> Stamp:
    """The stamp of a file.

    Raises:
        UnreadableSourceError: the file is gone or may not be looked at.
    """
    try:
        found = os.stat(path)
    except OSError as error:
        raise UnreadableSourceError(path, error.strerror or str(error)) from error
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ino)


def continues(path: str, checkpoint: Checkpoint) -> bool:
    """Whether the bytes before a checkpoint still look the same: its head and its last 64 KiB have the same hashes.

    Of a compressed file also the bytes behind it that were there: records of a frame without an end were taken, and
    what begins a frame says where the one before ends. Never for a checkpoint inside its first frame, as none lies
    before it.

    Raises:
        UnreadableSourceError: the file cannot be read.
    """
    if checkpoint.offset and not checkpoint.position:
        return False
    try:
        with open_file(path) as file:
            end = checkpoint.position if checkpoint.position == checkpoint.offset else checkpoint.stamp.size
            head, tail = prints(file, checkpoint.head_size, checkpoint.tail_start, end)
    except OSError as error:
        raise UnreadableSourceError(path, error.strerror or str(error)) from error
    return (head, tail) == (checkpoint.head, checkpoint.tail)


def prints(file: BinaryIO, head_size: int, tail_start: int, end: int) -> tuple[bytes, bytes]:
    """Hashes of the head of a file, and of its bytes from `tail_start` to `end`."""
    file.seek(0)
    head = sha256(file.read(head_size)).digest()
    file.seek(tail_start)
    tail = sha256()
    while tail_start < end and (data := file.read(min(TAIL, end - tail_start))):
        tail.update(data)
        tail_start += len(data)
    return head, tail.digest()
