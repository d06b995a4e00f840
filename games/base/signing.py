"""Sign and derive values with the service's secret, each purpose with a salt of its own.

What is signed needs no row: `sign` and `is_signed` are Django's signatures, and `sign_address` and
`is_signed_address` the same in digits that survive a mail server. Both accept those of the keys in
SECRET_KEY_FALLBACKS. What a row keeps only a hash of is derived (`derive`), because its token must
be the same each time that it is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum, unique

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.utils.crypto import constant_time_compare, salted_hmac


@unique
class Salt(StrEnum):
    """What a value is made for, in plain words: a module's path would change with a move, and void
    every token."""

    ADDRESS = "further address"
    ANSWER = "answer to a question"
    BACKUP = "mark of a backup"
    BOARD = "board of a preview"
    BOUNCE = "bounced letter"
    CALENDAR = "calendar"
    CONFIRMATION = "mail to confirm"
    GUEST = "network of a guest"
    INVITATION = "invitation"
    JOIN = "join link"
    LIMIT = "rate limit"
    LIVE = "version of a page"
    LOGIN = "login link"
    LOGIN_CODE = "login code"
    LOGIN_CODE_HASH = "hash of a login code"
    MUTE = "mute link"
    ORIGIN = "network of a pupil"
    PRACTICE = "practice game to take over"
    PRINTED_CODE = "printed code"
    PRINTED_CODE_HASH = "hash of a printed code"
    PUSH = "web push"
    RECOVERY = "hash of a recovery code"
    REPLY = "reply address"
    REQUEST = "request to run a game"
    SECOND_FACTOR = "second factor"
    SEED = "seed of a phase"
    WEBHOOK = "personal webhook"


class AddressSigner(Signer):
    """Sign with hexadecimal digits, for addresses of mail: servers change the case of letters, and
    a local part has at most 64 characters."""

    def __init__(self, salt: Salt, length: int) -> None:
        super().__init__(salt=salt)
        self.length = length

    def signature(self, value: str | bytes, key: str | bytes | None = None) -> str:
        mac = salted_hmac(self.salt, value, key or self.key, algorithm=self.algorithm)
        return mac.hexdigest()[: self.length]


def sign(salt: Salt, value: str) -> str:
    """Return the signature of a value, for a link."""
    return Signer(salt=salt).signature(value)


def is_signed(salt: Salt, value: str, signature: str) -> bool:
    """Return whether this is a signature of the value, by any of the keys."""
    return _signs(Signer(salt=salt), value, signature)


def sign_address(salt: Salt, value: str, length: int) -> str:
    """Return the signature of a value in hexadecimal digits, for an address of mail."""
    return AddressSigner(salt, length).signature(value)


def is_signed_address(salt: Salt, value: str, length: int, signature: str) -> bool:
    """Return whether this is such a signature of the value, by any of the keys."""
    return _signs(AddressSigner(salt, length), value, signature.lower())


def _signs(signer: Signer, value: str, signature: str) -> bool:
    try:
        return signer.unsign(f"{value}{signer.sep}{signature}") == value
    except (BadSignature, UnicodeEncodeError):  # no text that can be encoded is a signature
        return False


def derive(salt: Salt, value: str, key: str | None = None) -> str:
    """Return 64 hexadecimal digits of a value with a key, by default with SECRET_KEY."""
    return salted_hmac(salt, value, key, algorithm="sha256").hexdigest()


def every_key() -> tuple[str, ...]:
    """Return SECRET_KEY and the earlier keys, the newest first."""
    return (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)


def key_for(stored_hash: str, compute_hash: Callable[[str], str]) -> str:
    """Return the key with which a row's hash was computed; SECRET_KEY if none of them was."""
    if stored_hash:
        for key in every_key():
            if constant_time_compare(compute_hash(key), stored_hash):
                return key
    return str(settings.SECRET_KEY)
