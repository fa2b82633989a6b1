"""Delivers a signed web hook."""

import hashlib
import hmac
import json
import os
import urllib.request
from typing import Any

TIMEOUT_SECONDS = 30


class DeliveryError(Exception):
    """The receiver did not say that it took the hook."""


def sign(body: bytes, key: str) -> str:
    """The signature that a receiver checks."""
    return hmac.new(key.encode(), body, hashlib.sha256).hexdigest()


def deliver(payload: dict[str, Any], attempt_id: str) -> None:
    """Posts a payload; `attempt_id` goes out as Idempotency-Key so that a receiver may recognise a repeat.

    A timeout raises DeliveryError like a refusal does, but it does not mean that nothing was received.
    """
    body = json.dumps(payload["event"]).encode()
    request = urllib.request.Request(payload["url"], data=body, method="POST")
    request.add_header("Idempotency-Key", attempt_id)
    request.add_header("Harbour-Signature", sign(body, os.environ["HARBOUR_SIGNING_KEY"]))
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            if answer.status >= 300:
                raise DeliveryError(f"{payload['url']} answered {answer.status}")
    except OSError as error:
        raise DeliveryError(f"{payload['url']}: {error}") from error
