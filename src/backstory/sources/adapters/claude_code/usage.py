"""What Claude Code notes of a call's tokens. Read by `message` only: indexing has no use for it."""

import msgspec

from backstory.records.budget import Usage


class _Counted(msgspec.Struct, gc=False):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = 0
    cache_creation_input_tokens: int | None = 0


_decoder = msgspec.json.Decoder(_Counted)


def counted(raw: msgspec.Raw) -> Usage | None:
    """The usage of an answer, None where none was counted or its shape is unknown."""
    if not bytes(raw):
        return None
    try:
        found = _decoder.decode(raw)
    except msgspec.DecodeError:
        return None
    usage = Usage(
        found.input_tokens,
        found.cache_read_input_tokens or 0,
        found.cache_creation_input_tokens or 0,
        found.output_tokens,
    )
    return usage if usage.prompt > 0 else None
