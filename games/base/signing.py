"""Derive tokens from the service's secret, also after SECRET_KEY was changed.

New tokens are derived with SECRET_KEY. Those made with a key in SECRET_KEY_FALLBACKS stay valid.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from hashlib import sha256

from django.conf import settings


def derive(text: str, key: str | None = None) -> str:
    """Return 64 hexadecimal digits of a text with a key, by default with SECRET_KEY."""
    return hmac.new((key or settings.SECRET_KEY).encode(), text.encode(), sha256).hexdigest()


def every_key() -> tuple[str, ...]:
    """Return SECRET_KEY and the earlier keys, the newest first."""
    return (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)


def key_for(stored_hash: str, compute_hash: Callable[[str], str]) -> str:
    """Return the key with which a row's hash was computed; SECRET_KEY if none of them was."""
    if stored_hash:
        for key in every_key():
            if same(compute_hash(key), stored_hash):
                return key
    return str(settings.SECRET_KEY)


def is_derived(given: str, compute: Callable[[str], str]) -> bool:
    """Return whether any of the keys gives this token."""
    return any(same(compute(key), given) for key in every_key())


def same(key: str, given: str) -> bool:
    """Compare in constant time; as bytes, because user input need not be ASCII."""
    return hmac.compare_digest(key.encode(), given.encode(errors="replace"))
