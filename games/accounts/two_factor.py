"""The second factor of those who run the service: six digits that an app on their telephone shows
(RFC 6238), and codes on paper.

The app's secret is computed from a nonce with the service's secret, as all keys are
(games.accounts.tokens), so a copy of the database shows no digits to anybody; recovery codes are
kept as keyed hashes. The same digits open once only, and wrong ones are counted
(games.accounts.rate_limits).
"""

from __future__ import annotations

import base64
import hmac
import secrets
import struct
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha1, sha256
from typing import Any
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest

from games.models import Person, RecoveryCode, SecondFactor

from . import rate_limits

STEP = 30  # seconds
DIGITS = 6
#: A telephone's clock may be half a minute off either way.
STEPS_OFF = (0, -1, 1)
RECOVERY_CODES = 10
RECOVERY_SIGNS = "abcdefghjkmnpqrstuvwxyz23456789"
RECOVERY_LENGTH = 10
#: Whoever sets one up, or another, must have logged in by letter within so long: a browser left
# open is not enough.
FRESH_MINUTES = 30
FRESH = timedelta(minutes=FRESH_MINUTES)
#: Where a session keeps when its reader logged in by letter, when he showed which factor, and
# where he wanted to go.
LOGGED_IN, SHOWN, NEXT = "logged_in", "second_factor_shown", "second_factor_next"


class FactorRefused(Exception):
    """Digits or a code that open nothing. `str()` is one sentence for whoever typed them."""


def is_required(person: Any) -> bool:
    """Return whether a second factor is asked for: of staff, where it is set up or demanded."""
    if (
        not isinstance(person, Person)
        or not person.is_active
        or not (person.is_staff or person.is_superuser)
    ):
        return False
    return bool(settings.ADMIN_SECOND_FACTOR) or confirmed_factor(person) is not None


def confirmed_factor(person: Person) -> SecondFactor | None:
    factors = SecondFactor.objects.filter(person=person, confirmed_at__isnull=False)
    return factors.order_by("pk").first()


def is_proven(request: HttpRequest, now: datetime) -> bool:
    """Return whether this browser has shown its reader's present factor lately."""
    kept = request.session.get(SHOWN)
    if not isinstance(kept, list) or len(kept) != 2:
        return False
    factor, at = kept
    recent = now - timedelta(hours=settings.SECOND_FACTOR_HOURS) < datetime.fromisoformat(at) <= now
    return (
        recent
        and SecondFactor.objects.filter(
            pk=factor, person=request.user.pk, confirmed_at__isnull=False
        ).exists()
    )


def remember(request: HttpRequest, factor: SecondFactor, now: datetime) -> None:
    """Remember that this browser has shown it; under a new session key, so that the old is void."""
    request.session.cycle_key()
    request.session[SHOWN] = [factor.pk, now.isoformat()]


def fresh(request: HttpRequest, now: datetime) -> bool:
    """Return whether this browser has logged in by letter lately; a stolen cookie has not."""
    at = request.session.get(LOGGED_IN)
    return isinstance(at, str) and now - FRESH < datetime.fromisoformat(at) <= now


# --- the app ---


def secret(factor: SecondFactor) -> bytes:
    """What the app knows: twenty bytes."""
    return hmac.new(
        settings.SECRET_KEY.encode(), f"second-factor:{factor.nonce}".encode(), sha256
    ).digest()[:20]


def digits(key: bytes, step: int) -> str:
    """The digits of a half minute: HOTP (RFC 4226, 5.3) over the number of the step."""
    mark = hmac.new(key, struct.pack(">Q", step), sha1).digest()
    at = mark[-1] & 15
    number: int = struct.unpack(">I", mark[at : at + 4])[0] & 0x7FFFFFFF
    return f"{number % 10**DIGITS:0{DIGITS}d}"


def step_of(now: datetime) -> int:
    return int(now.timestamp()) // STEP


def begin(person: Person, now: datetime) -> SecondFactor:
    """Begin a factor, which counts once its first digits are typed in; anew if one was begun."""
    SecondFactor.objects.filter(person=person, confirmed_at=None).delete()
    factor, _ = SecondFactor.objects.get_or_create(
        person=person, defaults={"nonce": secrets.token_hex(32), "begun_at": now}
    )
    return factor


def address(factor: SecondFactor) -> str:
    """What the app is told, as the QR code holds it."""
    label = quote(f"Gamesmaster:{factor.person.email}")
    asked = {
        "secret": grouped_secret(factor).replace(" ", ""),
        "issuer": "Gamesmaster",
        "digits": DIGITS,
        "period": STEP,
    }
    return f"otpauth://totp/{label}?{urlencode(asked)}"


def grouped_secret(factor: SecondFactor) -> str:
    """The secret for whoever types it in, in groups of four."""
    text = base64.b32encode(secret(factor)).decode()
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


def confirm(factor: SecondFactor, typed: str, now: datetime) -> list[str]:
    """Take the first digits: the factor counts. Return recovery codes, never shown again."""
    with transaction.atomic():
        _take(factor, typed, now)
        SecondFactor.objects.filter(pk=factor.pk).update(confirmed_at=now)
        factor.confirmed_at = now
        return new_recovery_codes(factor)


def show(person: Person, typed: str, now: datetime) -> SecondFactor:
    """Take digits or a recovery code. Raises `FactorRefused`, or `TooMany` after wrong ones."""
    factor = confirmed_factor(person)
    if factor is None:
        raise FactorRefused("You have no second factor yet; set one up first.")
    rate_limits.check(rate_limits.WRONG_FACTORS, person.pk, now)
    plain = "".join(sign for sign in typed.lower() if sign.isalnum())
    try:
        if len(plain) == RECOVERY_LENGTH:
            _use_recovery_code(factor, plain, now)
        else:
            _take(factor, plain, now)
    except FactorRefused:
        rate_limits.count(rate_limits.WRONG_FACTORS, person.pk, now)
        raise
    rate_limits.forget(rate_limits.WRONG_FACTORS, person.pk)
    return factor


def _take(factor: SecondFactor, typed: str, now: datetime) -> None:
    plain, key = "".join(typed.split()), secret(factor)
    for off in STEPS_OFF:
        step = step_of(now) + off
        if hmac.compare_digest(digits(key, step).encode(), plain.encode()):
            # Of two who show the same digits at once only one gets in.
            if SecondFactor.objects.filter(pk=factor.pk, last_step__lt=step).update(last_step=step):
                return
            raise FactorRefused(
                "These digits have been used already. Wait for the next ones: they come every half"
                " minute."
            )
    raise FactorRefused(
        "Those are not the digits that the app shows now. Look again, and see that the telephone's"
        " clock is right."
    )


# --- codes on paper ---


def new_recovery_codes(factor: SecondFactor) -> list[str]:
    """Ten codes, each good once; those made before are ended."""
    made = [
        "".join(secrets.choice(RECOVERY_SIGNS) for _ in range(RECOVERY_LENGTH))
        for _ in range(RECOVERY_CODES)
    ]
    with transaction.atomic():
        factor.recovery_codes.all().delete()
        RecoveryCode.objects.bulk_create(
            [RecoveryCode(factor=factor, code_hash=_hash(factor, code)) for code in made]
        )
    return [f"{code[:5]}-{code[5:]}" for code in made]


def recovery_codes_left(factor: SecondFactor) -> int:
    return factor.recovery_codes.filter(used_at=None).count()


def _use_recovery_code(factor: SecondFactor, plain: str, now: datetime) -> None:
    if (
        RecoveryCode.objects.filter(
            factor=factor, code_hash=_hash(factor, plain), used_at=None
        ).update(used_at=now)
        != 1
    ):
        raise FactorRefused(
            "That is none of your recovery codes, or it has been used. Each is good once."
        )


def _hash(factor: SecondFactor, plain: str) -> str:
    return hmac.new(
        settings.SECRET_KEY.encode(), f"recovery:{factor.nonce}:{plain}".encode(), sha256
    ).hexdigest()


# --- its end ---


def end(people: Iterable[Person]) -> int:
    """End the factors of these people, whose telephone is lost or replaced; return how many."""
    return (
        SecondFactor.objects.filter(person__in=list(people))
        .delete()[1]
        .get("games.SecondFactor", 0)
    )
