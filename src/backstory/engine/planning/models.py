"""Which model a call is for, and its profile: named by the request, described by a host, or the one the session used.

Windows and prices come from a host, a person's settings or the log itself; none are built in, because they change.
"""

from itertools import accumulate

import msgspec

from backstory.engine.context import Context
from backstory.engine.open import Engine
from backstory.errors import UsageError
from backstory.plan import profile, usage
from backstory.records.browsing import SessionRow
from backstory.records.budget import Budget, Model, Override, Prices, Profile
from backstory.records.config import Config
from backstory.records.planning import PlanRequest
from backstory.store import context as rows

WINDOW = 200_000
# Fewer tokens than this hold a request and hardly a word beside it.
_FEW = 500
UNKNOWN = "unknown"
# Agents that name a model without its provider use that of their own maker.
_MAKERS = {"claude-code": "anthropic", "codex": "openai", "gemini": "google"}


def chosen(request: PlanRequest, host: Model | None) -> Model | None:
    """The model that the caller names, None when the session is to say. A window of 0 stands for an unknown one.

    Raises:
        UsageError: the name is not PROVIDER/ID.
    """
    if request.model is None:
        return host
    provider, slash, name = request.model.partition("/")
    if not (provider and slash and name):
        raise UsageError(f"--model wants PROVIDER/ID, not {request.model!r}")
    if host is not None and (host.provider, host.id) == (provider, name):
        return host
    return Model(provider, name, 0)


def guessed(row: SessionRow) -> Model:
    """The model that a session used last, as the index knows it."""
    return _model(row.model, row.source)


def recorded(engine: Engine, context: Context) -> Model:
    """The newest model that the branch of a call names, in an answer or a change, with prices from its log."""
    items, messages = context.items, context.messages
    read = [
        (at, message) for at in context.read if (message := messages[at]) is not None and message.role == "assistant"
    ]
    answers = [(seq, one.model) for at, one in read if (seq := items[at].seq) is not None]
    real = {name for name in {name for _, name in answers} if _real(name)}
    newest, name = max((answer for answer in answers if answer[1] in real), default=(-1, None))
    changes = rows.models(engine.history, context.key, newest)
    on_branch = frozenset(context.branch) if changes else frozenset[int]()
    for seq, text in changes:
        if seq in on_branch and text:
            name = text
            break
    source = context.row.source
    found = _model(name or context.row.model, source)
    counted = [(message.model, message.usage) for _, message in read if message.usage is not None]
    same = {name for name in {name for name, _ in counted} if _model(name, source).id == found.id}
    told = (usage for name, usage in counted if name in same)
    return msgspec.structs.replace(found, prices=usage.prices(told))


def priced(named: Model, said: Model) -> Model:
    """A model with the prices that the log states for it, where nobody else states any."""
    if (named.provider, named.id) != (said.provider, said.id) or named.prices != Prices():
        return named
    return msgspec.structs.replace(named, prices=said.prices)


def resolved(model: Model, request: PlanRequest, config: Config) -> Profile:
    """The profile of a model under a person's overrides and what the request says outright."""
    overrides = config.models if config.budget.model_aware else {}
    given = Override(window=request.window, max_output=request.max_output)
    known = model if model.window > 0 else msgspec.structs.replace(model, window=WINDOW)
    return profile.resolve(known, overrides, given)


def unsure(model: Model, known: Profile, request: PlanRequest, config: Config) -> str | None:
    """A warning when the window is assumed, and the call depends on it."""
    stated = any(override.window for key in known.matched if (override := config.models.get(key)))
    if model.window > 0 or stated or request.window is not None or request.budget is not None:
        return None
    name = "of this session's model" if model.provider == UNKNOWN else f"of {model.provider}/{model.id}"
    assumed = f"{WINDOW:,} tokens are assumed; --window says it, or models in the settings"
    return f"the context window {name} is not known; {assumed}"


def narrow(limits: Budget, request: PlanRequest) -> str | None:
    """A warning when the window leaves hardly anything for messages."""
    left = max(0, limits.nominal_hard - request.fixed)
    if request.budget is not None or left >= _FEW:
        return None
    kept = [
        f"{limits.reserve:,} are kept for the answer",
        f"{limits.margin:,} for what estimates miss",
        *([f"{request.fixed:,} are taken before the messages"] if request.fixed else []),
    ]
    told = f"a window of {limits.window:,} tokens is too small for a plan and leaves {left:,} for messages"
    return f"{told}: {', '.join(kept)} (see --window, --max-output and --budget)"


def answers(context: Context) -> list[usage.AnsweredCall]:
    """The answers of a context whose tokens its log counted; several records of one answer count once."""
    found: list[usage.AnsweredCall] = []
    names: dict[str | None, str] = {}
    items, first = context.items, context.read[0] if context.read else 0
    before = list(accumulate([item.tokens for item in items[first:]], initial=sum(context.sizes[:first])))
    prompt = -1
    for at in context.read:
        message, seq = context.messages[at], items[at].seq
        if message is None or message.usage is None or seq is None or message.usage.prompt == prompt:
            continue
        if message.model not in names:
            name = _model(message.model, context.row.source)
            names[message.model] = f"{name.provider}/{name.id}"
        prompt = message.usage.prompt
        found.append(usage.AnsweredCall(seq, names[message.model], message.usage, before[at - first], message.stop))
    return found


def _model(name: str | None, source: str) -> Model:
    if not _real(name):
        return Model(UNKNOWN, UNKNOWN, 0)
    provider, slash, rest = str(name).partition("/")
    return Model(provider, rest, 0) if slash and rest else Model(_MAKERS.get(source, UNKNOWN), str(name), 0)


def _real(name: str | None) -> bool:
    """Whether a name is that of a model: agents put words in angle brackets where they answer themselves."""
    return bool(name) and not str(name).startswith("<")
