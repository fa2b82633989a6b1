"""Which arguments go with which action, the grammar of the names among them, and what a reason may not hold."""

from msgspec import UNSET

from backstory.engine.host.tools.results import Unavailable
from backstory.plan.memory import rules
from backstory.privacy import classify
from backstory.privacy.persistence import NAME, REVISION
from backstory.privacy.secrets import redact
from backstory.records.base import Record
from backstory.records.tools import Persistence

READ, CANONICAL, POLICY = "read-only", "canonical-jsonl", "derived-local-policy"


class Form(Record, frozen=True):
    """What an action is (`kind` pin, memory or source; its persistence class), needs, and may have besides."""

    kind: str
    persistence: str
    needed: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()


_TARGET = ("id", "target_revision")
_LISTED = ("active_only", "max_results")
FORMS = {
    "pins_list": Form("pin", READ, (), _LISTED),
    "memory_list": Form("memory", READ, (), _LISTED),
    "pins_find": Form("pin", READ, ("query",), _LISTED),
    "memory_find": Form("memory", READ, ("query",), _LISTED),
    "memory_sources": Form("source", READ, (), ("max_results",)),
    "pin_add": Form("pin", CANONICAL, ("content",), ("scope", "classification")),
    "memory_add": Form("memory", CANONICAL, ("content",), ("scope", "key", "classification")),
    "pin_supersede": Form("pin", CANONICAL, (*_TARGET, "content"), ("classification",)),
    "memory_supersede": Form("memory", CANONICAL, (*_TARGET, "content"), ("classification",)),
    "pin_unpin": Form("pin", CANONICAL, _TARGET, ("reason",)),
    "memory_invalidate": Form("memory", CANONICAL, _TARGET, ("reason",)),
    "memory_expire": Form("memory", CANONICAL, _TARGET, ("reason",)),
    "memory_source_exclude": Form("source", POLICY, _TARGET, ("reason",)),
    "memory_source_include": Form("source", POLICY, _TARGET, ()),
}


def check(arguments: Persistence) -> Form:
    """The form of an action.

    Raises:
        Unavailable: an argument is missing, does not go with the action, or is not of its kind; a reason is private.
    """
    form = FORMS[arguments.action]
    given = {name for name in arguments.__struct_fields__ if name != "action" and getattr(arguments, name) is not UNSET}
    missing = [name for name in form.needed if name not in given]
    strange = sorted(given.difference(form.needed, form.allowed))
    if missing:
        raise Unavailable("invalid-parameters", f"{arguments.action} needs {_camel(missing[0])}.")
    if strange:
        raise Unavailable("invalid-parameters", f"{_camel(strange[0])} does not go with {arguments.action}.")
    if arguments.action == "memory_add" and arguments.scope == "branch":
        raise Unavailable("invalid-scope", "A memory belongs to the session or the project, not to a branch.")
    if "id" in given and not NAME.match(str(arguments.id)):
        raise Unavailable("invalid-parameters", "id is no id.")
    if "target_revision" in given and not REVISION.match(str(arguments.target_revision)):
        raise Unavailable("invalid-parameters", "targetRevision is no revision.")
    if "reason" in given:
        _reason(str(arguments.reason))
    if "content" in given:
        _size(form.kind, " ".join(str(arguments.content).split()))
    return form


def _reason(text: str) -> None:
    if len(text) > rules.LONGEST_REASON:
        raise Unavailable("invalid-parameters", "The reason is too long.")
    if redact(text)[1] or classify.level(text) != "normal":
        raise Unavailable("secret-in-reason", "The reason holds a credential or a privacy mark; nothing was changed.")


def _size(kind: str, text: str) -> None:
    if not text:
        raise Unavailable("invalid-parameters", "content is empty.")
    if kind == "pin" and len(text) > rules.LONGEST_PIN:
        raise Unavailable("content-too-long", f"A pin has at most {rules.LONGEST_PIN} characters.")
    if kind == "memory" and len(text) > rules.LONGEST_CLAIM:
        raise Unavailable("claim-too-long", f"A claim has at most {rules.LONGEST_CLAIM} characters.")


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
