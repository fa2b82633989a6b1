"""Here-documents, shared by the languages that have them: where the body of `<<WORD` ends."""

import re


def heredoc_end(text: str, start: int, word: str, *, indented: bool, alone: bool = True) -> int | None:
    """The offset after the word that closes the here-document opened before `start`; None when nothing closes it.

    `indented` allows blanks before the closing word, `alone` demands that nothing follows it on its line.
    """
    position = text.find("\n", start)
    while position >= 0:
        following = text.find("\n", position + 1)
        line = text[position + 1 : following if following >= 0 else len(text)]
        body = line.lstrip() if indented else line
        if body.startswith(word):
            rest = body[len(word) :].rstrip("\r")
            if not rest or (not alone and not (rest[0].isalnum() or rest[0] == "_")):
                return position + 1 + len(line) - len(body) + len(word)
        position = following
    return None


def heredocs_end(text: str, match: re.Match[str], opening: re.Pattern[str]) -> int | None:
    """The end of the last of the here-documents that one line opens, the first of them by `match`.

    Their bodies follow each other. `opening` has the groups `dash`, with which the closing word may be indented, and
    `word`; what nothing closes behind the first one is none.
    """
    last = text.find("\n", match.end())
    end = heredoc_end(text, match.end(), match["word"], indented=bool(match["dash"]))
    for other in opening.finditer(text, match.end(), max(last, match.end())):
        if end is not None:
            end = heredoc_end(text, end, other["word"], indented=bool(other["dash"])) or end
    return end
