"""The tools a host offers its model: looking into earlier history, and proposing what to keep.

A tool answers with a step: a bounded text with quoted data, or for a write a question to a person and an append. Bad
arguments are an answer too. Neighbours: `offered` is the table, `history`, `reading` and `artifacts` look things up,
`engine.host.persistence` holds the protocol of writes.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from backstory.engine.host.hosted import Hosted, encodable, hosted
from backstory.engine.host.tools import results
from backstory.engine.host.tools.offered import OFFERS, Offer
from backstory.engine.host.tools.results import HISTORY, Unavailable
from backstory.engine.loading import load
from backstory.engine.open import Engine
from backstory.errors import BackstoryError
from backstory.records.host import HostCall, Say, Step
from backstory.records.tools import ArtifactSearch, Persistence, Tool

_LONGEST_REASON = 300
_CODES = {"scope": "invalid-scope", "classification": "invalid-classification"}


def tools() -> tuple[Tool, ...]:
    """All tools, as a host registers them."""
    return tuple(offer.tool for offer in OFFERS)


def run(engine: Engine, call: HostCall, name: str, arguments: Any) -> Step:
    """Carry out a tool; no name and no arguments raise."""
    offer = next((one for one in OFFERS if one.tool.name == name), None)
    if offer is None:
        return results.unavailable(HISTORY, "unknown-tool", "There is no such tool.")
    try:
        given = msgspec.convert(_plain(arguments), offer.arguments)
        handle: Callable[[Hosted, Any], Step] = load(f"engine.{offer.handler}")
        return handle(_about(engine, call, offer), given)
    except msgspec.ValidationError as error:
        why = Unavailable(_code(str(error)), f"The arguments do not fit: {str(error)[:_LONGEST_REASON]}.")
    except Unavailable as error:
        why = error
    except BackstoryError as error:
        why = Unavailable("runtime-unavailable", f"The history cannot be used: {str(error)[:_LONGEST_REASON]}.")
    return _refused(offer, why, arguments)


def _code(reason: str) -> str:
    """The code of what is wrong with arguments; some of them have codes of their own."""
    if reason.endswith("`$.content`") and "<=" in reason:
        return "content-too-long"
    return next((code for field, code in _CODES.items() if reason.endswith(f"`$.{field}`")), "invalid-parameters")


def _about(engine: Engine, call: HostCall, offer: Offer) -> Hosted:
    if call.ephemeral or call.file is None:
        raise Unavailable("runtime-unavailable", "This session has no log, so there is nothing to look into or keep.")
    about = hosted(engine, call)
    config = about.settings.config
    wanted = config.tools.persistence if offer.arguments is Persistence else config.tools.history
    if config.mode == "off" or not (wanted or offer.arguments is ArtifactSearch):
        raise Unavailable("action-unavailable", "This tool is switched off in the settings.")
    return about


def _refused(offer: Offer, why: Unavailable, arguments: Any) -> Say:
    if offer.arguments is Persistence:
        refusal: Callable[[Any, str, str], Say] = load("engine.host.persistence.results:refused")
        return refusal(arguments.get("action") if isinstance(arguments, dict) else None, why.code, str(why))
    return results.unavailable(offer.schema, why.code, str(why))


def _plain(value: Any) -> Any:
    """Arguments in which every text can be stored and searched for: no lone surrogates, no NUL."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value[:100]]
    if isinstance(value, dict):
        return {_plain(key): _plain(one) for key, one in value.items()}
    return value
