"""Takes identifiers apart and puts them together, so that a query's `parse_request` finds `parseRequest` and its parts.

The index holds the words a tokenizer sees, and the parts of camel-case names (`text.parts`). Everything else that makes
spellings meet happens here, on the query's side. Stemming is the tokenizer's business.
"""

import re

PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\dA-Za-z_]+")
LEXEME = re.compile(r"\w+")


def parts(name: str) -> tuple[str, ...]:
    """The lower-case parts of an identifier.

    >>> parts("parseHTTPRequest_2")
    ('parse', 'http', 'request', '2')
    """
    return tuple(part.lower() for part in PART.findall(name))


def joined(name: str) -> str:
    """An identifier as one lower-case word: `fooBar` and `foo_bar` are both `foobar`."""
    return name.replace("_", "").lower()


def compound(name: str) -> bool:
    """Whether a lexeme has more than one part."""
    return len(PART.findall(name)) > 1
