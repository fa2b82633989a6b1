"""The one detector of credentials: a gate of plain literals, and anchored rules behind it.

Everything that stores or shows text asks here, so that all of them agree. The gate costs one substring search per
literal; almost all text stops there. Rules begin with a literal, keep to possessive or bounded repeats (time is
linear in the text), and write `[redacted:<rule>]`, which no rule finds again. A credential without a known shape or
a telling name beside it is not found; nothing here guesses by entropy alone.
Neighbours: `privacy.classify` uses this for restricted content, `index` before it stores text.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache

from backstory.records.base import Record

# Compiled by `re` when a rule has matched, as seldom as that is.
_PLACEHOLDER = (
    r"(?i)x{4}|\*{3}|\.{3}|example|sample|placeholder|changeme|change_me|redacted|dummy|insert|your[-_ ]?|foobar|"
    r"1234567|abcdef|deadbeef|^(?:test|fake|mock|null|none|true|false|undefined)"
)
_WORDS = r"(?a)[A-Za-z]++\d{0,2}+(?:[-_./:@][A-Za-z]++\d{0,2}+)*"
_ASSIGNED = (
    r"""(?i:[_-]?(?:access[_-]?)?key)?["']{0,2}\]?[ \t]{0,8}(?::=|=>|[:=])[ \t]{0,8}"""
    r"""(?:[bru]?(?P<quote>\\?["'])(?P<quoted>[^\s"'\\]{6,256})(?=\\?["'])|(?P<value>[A-Za-z0-9!#$%^*@~+/._-]{6,}+={0,2})(?![(\[]))"""
)
# What stands for a password in addresses; the last one is what a host asks for beside a token.
_NO_PASSWORDS = frozenset({"password", "pass", "pwd", "token", "x-oauth-basic"})
_PASSWORDS = ("assword", "ASSWORD", "asswd", "ASSWD")
_KEYS = ("ecret", "ECRET", "oken", "OKEN", "pi_key", "PI_KEY", "piKey")


class Rule(Record, frozen=True):
    """One anchored rule: text without any of `literals` cannot match `pattern`.

    The group `value` of a match (the whole match when there is none) is replaced if `check` agrees.
    """

    name: str
    literals: tuple[str, ...]
    source: str
    check: Callable[[re.Match[str]], bool] | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when the gate first opens: most runs of the command line never get that far."""
        return _compiled(self.source)


def _password(found: re.Match[str]) -> bool:
    """Whether the value beside a password's name is one, and not a placeholder, a word or code."""
    value = found["quoted"] or found["value"]
    if re.search(_PLACEHOLDER, value) or value[0] in "$%.&*@{<" or "(" in value:
        return False
    symbol = found["quoted"] is not None and any(mark in "!#$%^&*@~+" for mark in value)
    lettered = any(map(str.isalpha, value))
    return (
        lettered and (symbol or any(map(str.isdigit, value))) and (len(value) < 12 or not re.fullmatch(_WORDS, value))
    )


def _key(found: re.Match[str]) -> bool:
    """Whether the value beside a key's or token's name is long and mixed enough to be one."""
    value = found["quoted"] or found["value"]
    if len(value) < 16 or re.search(_PLACEHOLDER, value) or value[0] in "$%.&*@{<" or "(" in value:
        return False
    digits, letters = sum(map(str.isdigit, value)), sum(map(str.isalpha, value))
    return digits >= 3 and letters >= 3 and not re.fullmatch(_WORDS, value)


def _mixed(found: re.Match[str]) -> bool:
    """Whether a token body has a digit, a letter and no placeholder: `sk-` also ends ordinary hyphenated words."""
    body = found["body"]
    return any(map(str.isdigit, body)) and any(map(str.isalpha, body)) and not re.search(_PLACEHOLDER, body)


def _real(found: re.Match[str]) -> bool:
    return not re.search(_PLACEHOLDER, found["value"])


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.ASCII)


def _rule(name: str, literals: str, pattern: str, check: Callable[[re.Match[str]], bool] | None = None) -> Rule:
    return Rule(name, tuple(literals.split("|")), pattern, check)


RULES = (
    _rule(
        "pem",
        "PRIVATE KEY-----",
        r"-----BEGIN [A-Z ]{0,40}+(?<=PRIVATE KEY)-----"
        r"(?P<value>[^-]*+(?:-(?!----)[^-]*+){0,4096}(?=-----END )|[A-Za-z0-9+/=\s\\]{60,}+)",
        lambda found: len(found["value"]) >= 60,
    ),
    _rule("github", "ghp_|gho_|ghu_|ghs_|ghr_", r"gh(?<![A-Za-z0-9_-]gh)[pousr]_[A-Za-z0-9]{30,}+"),
    _rule("github", "github_pat_", r"github_pat_(?<![A-Za-z0-9_-]github_pat_)\w{30,}+"),
    _rule("gitlab", "glpat-", r"glpat-(?<![A-Za-z0-9_-]glpat-)[\w-]{20,}+"),
    _rule("slack", "xox", r"xox(?<![A-Za-z0-9_-]xox)[abeoprs]-(?P<body>[\w-]{10,}+)", _mixed),
    _rule("slack", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows)/(?P<value>[\w/+-]{20,}+)"),
    _rule("aws", "AKIA", r"AKIA(?<![A-Za-z0-9_-]AKIA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _rule("anthropic", "sk-", r"sk-ant-(?<![A-Za-z0-9_-]sk-ant-)(?P<body>[\w-]{20,}+)", _mixed),
    _rule("openai", "sk-", r"sk-(?<![A-Za-z0-9_-]sk-)(?P<body>[\w-]{20,}+)", _mixed),
    _rule("stripe", "_live_", r"_live_(?<=[rs]k_live_)(?<![A-Za-z0-9_-].k_live_)(?P<value>[A-Za-z0-9]{16,}+)"),
    _rule("google", "AIza", r"AIza(?<![A-Za-z0-9_-]AIza)[\w-]{35}(?![\w-])"),
    _rule("huggingface", "hf_", r"hf_(?<![A-Za-z0-9_-]hf_)[A-Za-z0-9]{30,}+"),
    _rule("npm", "npm_", r"npm_(?<![A-Za-z0-9_-]npm_)[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    _rule("pypi", "pypi-AgE", r"pypi-AgE(?<![A-Za-z0-9_-]pypi-AgE)[\w-]{50,}+"),
    _rule("sendgrid", "SG.", r"SG\.(?<![A-Za-z0-9_-]SG\.)[\w-]{16,32}+\.[\w-]{16,}+"),
    _rule("jwt", "eyJ", r"eyJ(?<![A-Za-z0-9_-]eyJ)[\w-]{8,}+\.eyJ[\w-]{8,}+\.[\w-]{16,}+"),
    _rule(
        "header",
        "uthorization",
        r"uthorization[\"'\\]{0,3}[ ]?[:=]\s{0,4}[\"'\\]{0,3}"
        r"(?i:bearer|basic|token)[ ](?P<value>[A-Za-z0-9+/=._~-]{16,}+)",
        lambda found: _real(found) and any(map(str.isdigit, found["value"])),
    ),
    _rule(
        "url",
        "@",
        r"://[^\s/:@\"'<>\[\]]{0,64}+:(?P<value>[^\s/:@\"'<>\[\]{}$]{3,128}+)@(?=[A-Za-z0-9])",
        lambda found: _real(found) and found["value"].lower() not in _NO_PASSWORDS,
    ),
    *(_rule("password", word, re.escape(word) + _ASSIGNED, _password) for word in _PASSWORDS),
    *(_rule("key", word, re.escape(word) + _ASSIGNED, _key) for word in _KEYS),
)
# Fewest searches that let no rule's text pass: shorter literals stand for longer ones.
_NAMES = ("oken", "ecret", "assw", "ASSW", "pi_key", "PI_KEY", "piKey", "OKEN", "ECRET")
_LITERALS = (
    *("@", "sk-", *_NAMES, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "hooks.slack.com/"),
    *("AKIA", "_live_", "AIza", "hf_", "npm_", "pypi-AgE", "SG.", "eyJ", "PRIVATE KEY-----", "uthorization"),
)
# What must follow them at least, as the rules behind them say; `\x01` stands for a letter of `_ANCHORS`.
_FOLLOWS = {
    **dict.fromkeys(("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "hf_"), rb"[A-Za-z0-9\x01]{30}"),
    **dict.fromkeys(("sk-", "glpat-"), rb"[\w\x01]{20}"),
    **dict.fromkeys(
        _NAMES, rb"(?:ord|ORD|d|D)?(?i:\x01?(?:[a\x01][c\x01]{2}ess\x01?)?\x01ey)?[\"']{0,2}\]?[ \t]{0,8}[:=]"
    ),
    "npm_": rb"[A-Za-z0-9\x01]{36}",
    "_live_": rb"[A-Za-z0-9\x01]{16}",
    "xox": rb"[abeoprs]\x01[\w\x01]{10}",
    "AKIA": rb"[A-Z2-7\x01]{16}",
    "AIza": rb"[\w\x01]{35}",
    "SG.": rb"[\w\x01]{16}",
    # At the start of a word alone, from which all of it is read: from the middle that would be done once per letter.
    "eyJ": rb"(?<![\w\x01]ey\x01)[\w\x01]{8,}+\.ey\x01",
}
# Letters of the literals that are rare in logs. All become one mark, for which a pattern looks faster than for several.
# What a text has of the mark itself becomes another, as it ends a word.
_ANCHORS = b"KJzGVxWA_Ck-"
_MARKED = bytes.maketrans(_ANCHORS + b"\1", b"\1" * len(_ANCHORS) + b"\2")
# Have none of them, but are rare themselves.
_UNMARKED = {literal.encode(): literal for literal in ("@", "assw", "ecret")}
# What surrounds the mark at least where a literal ends with its only one.
_END = rb"(?<=[fmoprstuy]\x01)(?=[\w\x01]{8})"
# What stands for credentials that source and its documentation make up all the time.
_MADE_UP = ("[redacted:url]", "[redacted:header]")
# For fewer characters than this, one search per literal costs less.
_SHORT = 32


@cache
def _gate() -> re.Pattern[bytes]:
    """Matches in every text, marked, that a rule finds something in, but for `_UNMARKED`, and in few others.

    Alternatives are told apart by what follows the mark; looking back at what stands before it costs more.
    """
    by_next: dict[bytes, list[bytes]] = {}
    for literal in _LITERALS:
        if literal not in _UNMARKED.values():
            marked = literal.encode().translate(_MARKED)
            after = marked[marked.index(b"\x01") + 1 :]
            whole = b"(?<=%b)%b" % (re.escape(marked), _FOLLOWS.get(literal, b""))
            by_next.setdefault(after[:1], []).append(re.escape(after[1:]) + whole)
    ends = by_next.pop(b"")
    found = [b"%b(?:%b)" % (re.escape(following), b"|".join(each)) for following, each in by_next.items()]
    return re.compile(b"\x01(?:%b|%b(?:%b))" % (b"|".join(found), _END, b"|".join(ends)))


def _left(raw: bytes) -> Sequence[str]:
    """The literals that may stand in a text, given in UTF-8: of those that the gate tells by marks, none or all."""
    if _gate().search(raw.translate(_MARKED)):
        return _LITERALS
    # `in` would first try to take the bytes for a number, which costs as much as looking through a short text.
    return [literal for given, literal in _UNMARKED.items() if raw.find(given) >= 0]


@cache
def _behind(literal: str) -> tuple[re.Pattern[str], ...]:
    """Patterns of the rules for which this literal of the gate stands."""
    return tuple(rule.pattern for rule in RULES if any(literal in longer for longer in rule.literals))


def suspect(text: str, *, many: bool = False, raw: bytes | None = None) -> bool:
    """Whether `text` seems to hold a credential: false means that `redact` would change nothing.

    `many` says that so many texts are asked about that compiling the gate pays; the answer is the same. `raw` is the
    text in UTF-8, from who has it anyway.
    """
    if not many or len(text) < _SHORT:
        return _opens(text, _LITERALS)
    return _opens(text, _left(text.encode("utf-8", "replace") if raw is None else raw))


def _opens(text: str, literals: Iterable[str]) -> bool:
    for literal in literals:
        if literal in text:
            for pattern in _behind(literal):
                if pattern.search(text):
                    return True
    return False


def redact(text: str, *, many: bool = False) -> tuple[str, int]:
    """`text` with every credential replaced by `[redacted:<rule>]`, and how many there were.

    Text without one is returned as it is (the same object). Redacting again changes nothing. `many` is that of
    `suspect`.
    """
    return _replaced(text) if suspect(text, many=many) else (text, 0)


def redact_each(texts: Sequence[str]) -> list[str]:
    """Some short texts as `redact` leaves them; literals that none of them holds are looked for once."""
    together = "\n".join(texts)
    literals = [literal for literal in _LITERALS if literal in together]
    return [_replaced(text)[0] if _opens(text, literals) else text for text in texts]


def _replaced(text: str) -> tuple[str, int]:
    hits = 0
    for rule in RULES:
        text, found = _apply(rule, text)
        hits += found
    return text, hits


def presentable(text: str) -> str | None:
    """`text` without what its addresses and headers of requests hold; None where it holds any other credential.

    Source and its documentation are full of made-up ones, too many to do without such files. Lines stay lines.
    """
    found, hits = redact(text)
    return found if hits == sum(found.count(mark) - text.count(mark) for mark in _MADE_UP) else None


def clean(text: str | None) -> str | None:
    """A title or another short field without credentials."""
    return redact(text)[0] if text else text


@lru_cache(maxsize=1_000)
def named(name: str | None) -> str | None:
    """The name of a tool, file or folder, which come again and again, without credentials."""
    return clean(name)


def _apply(rule: Rule, text: str) -> tuple[str, int]:
    """Replace what one rule finds, left to right."""
    for literal in rule.literals:
        if literal in text:
            break
    else:
        return text, 0
    parts: list[str] = []
    end = 0
    for found in rule.pattern.finditer(text):
        if rule.check is None or rule.check(found):
            start, stop = _value_span(found)
            parts += (text[end:start], f"[redacted:{rule.name}]")
            end = stop
    if not parts:
        return text, 0
    return "".join([*parts, text[end:]]), len(parts) // 2


def _value_span(found: re.Match[str]) -> tuple[int, int]:
    """Where the credential itself stands in a match: its `quoted` or `value` group, else all of it."""
    for group in ("quoted", "value"):
        if found.re.groupindex.get(group) and found[group] is not None:
            return found.span(group)
    return found.span()
