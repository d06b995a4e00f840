"""Two-factor login for the admin: 6 digits from an app (RFC 6238), and recovery codes.

The app's secret is computed from a nonce with the service's secret, like all tokens
(games.accounts.tokens), so that a copy of the database reveals no digits; recovery codes are stored
as keyed hashes. Digits work only once, and wrong ones are counted (games.accounts.rate_limits).
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

import pyotp
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from games.base import signing
from games.base.signing import Salt
from games.models import Person, RecoveryCode, SecondFactor

from . import rate_limits

STEP = 30  # seconds
DIGITS = 6
#: Steps of 30 seconds by which a phone's clock may be off.
STEPS_OFF = (0, -1, 1)
RECOVERY_CODES = 10
RECOVERY_SIGNS = "abcdefghjkmnpqrstuvwxyz23456789"
RECOVERY_LENGTH = 10
#: To set up or replace a second factor, a person must have logged in by letter within this time; a
#: browser left open is not enough.
FRESH_MINUTES = 30
FRESH = timedelta(minutes=FRESH_MINUTES)
#: Session keys: when the person logged in by letter, which factor they showed when, and the page
#: they requested.
LOGGED_IN, SHOWN, NEXT = "logged_in", "second_factor_shown", "second_factor_next"


class FactorRefused(Exception):
    """Raised for wrong digits or a wrong code. `str()` is one sentence for the person who typed
    them."""


def is_required(person: Person) -> bool:
    """Return whether a person must show a second factor on pages that ask for one: if they have
    one, or if the settings require it."""
    return bool(settings.ADMIN_SECOND_FACTOR) or confirmed_factor(person) is not None


def confirmed_factor(person: Person) -> SecondFactor | None:
    factors = SecondFactor.objects.filter(person=person, confirmed_at__isnull=False)
    return factors.order_by("pk").first()


def is_proven(request: HttpRequest, now: datetime) -> bool:
    """Return whether this browser has shown the person's current second factor within
    `SECOND_FACTOR_HOURS`."""
    proof = request.session.get(SHOWN)
    if not isinstance(proof, list) or len(proof) != 2:
        return False
    factor, at = proof
    recent = now - timedelta(hours=settings.SECOND_FACTOR_HOURS) < datetime.fromisoformat(at) <= now
    return (
        recent
        and SecondFactor.objects.filter(
            pk=factor, person=request.user.pk, confirmed_at__isnull=False
        ).exists()
    )


def remember(request: HttpRequest, factor: SecondFactor, now: datetime) -> None:
    """Remember that this browser has shown the second factor, under a new session key, so that the
    old key is void."""
    request.session.cycle_key()
    request.session[SHOWN] = [factor.pk, now.isoformat()]


def fresh(request: HttpRequest, now: datetime) -> bool:
    """Return whether this browser logged in by letter within `FRESH`. A stolen cookie usually fails
    this."""
    at = request.session.get(LOGGED_IN)
    return isinstance(at, str) and now - FRESH < datetime.fromisoformat(at) <= now


# --- the app ---


def secret(factor: SecondFactor, key: str | None = None) -> bytes:
    """Return the secret shared with the app: 20 bytes."""
    return bytes.fromhex(signing.derive(Salt.SECOND_FACTOR, factor.nonce, key))[:20]


def digits(key: bytes, step: int) -> str:
    """Return the digits of a 30-second step."""
    return _app(key).generate_otp(step)


def _app(key: bytes, **names: str) -> pyotp.TOTP:
    return pyotp.TOTP(base64.b32encode(key).decode(), digits=DIGITS, interval=STEP, **names)


def step_of(now: datetime) -> int:
    return int(now.timestamp()) // STEP


def begin(person: Person, now: datetime) -> SecondFactor:
    """Start setting up a second factor, discarding an unconfirmed one. It counts once its first
    digits are confirmed."""
    SecondFactor.objects.filter(person=person, confirmed_at=None).delete()
    factor, _ = SecondFactor.objects.get_or_create(
        person=person, defaults={"nonce": secrets.token_hex(32), "begun_at": now}
    )
    return factor


def address(factor: SecondFactor) -> str:
    """Return the otpauth URL for the QR code."""
    app = _app(secret(factor), name=factor.person.email, issuer="Gamesmaster")
    return app.provisioning_uri()


def grouped_secret(factor: SecondFactor) -> str:
    """Return the secret in groups of 4, for people who type it."""
    text = _app(secret(factor)).secret
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


def confirm(factor: SecondFactor, typed: str, now: datetime) -> list[str]:
    """Check the first digits, after which the factor counts. Return the recovery codes, which are
    never shown again. Raise `FactorRefused`."""
    with transaction.atomic():
        _take(factor, typed, now)
        SecondFactor.objects.filter(pk=factor.pk).update(confirmed_at=now)
        factor.confirmed_at = now
        return new_recovery_codes(factor)


def show(person: Person, typed: str, now: datetime) -> SecondFactor:
    """Check digits or a recovery code. Raise `FactorRefused`, or `TooMany` after too many wrong
    ones."""
    factor = confirmed_factor(person)
    if factor is None:
        raise FactorRefused("You have no second factor yet. Set one up first.")
    # Counted before it is looked at, so that tries at the same time cannot be more.
    rate_limits.count(rate_limits.WRONG_FACTORS, person.pk, now)
    plain = "".join(character for character in typed.lower() if character.isalnum())
    if len(plain) == RECOVERY_LENGTH:
        _use_recovery_code(factor, plain, now)
    else:
        _take(factor, plain, now)
    rate_limits.forget(rate_limits.WRONG_FACTORS, person.pk)
    return factor


def _take(factor: SecondFactor, typed: str, now: datetime) -> None:
    plain = "".join(typed.split())
    # The app has the secret of the key that the service had when the factor was set up.
    app_secrets = [secret(factor, key) for key in signing.every_key()]
    for off in STEPS_OFF:
        step = step_of(now) + off
        if any(constant_time_compare(digits(shared, step), plain) for shared in app_secrets):
            # Of two simultaneous uses of the same digits, only one succeeds.
            if SecondFactor.objects.filter(pk=factor.pk, last_step__lt=step).update(last_step=step):
                return
            raise FactorRefused(
                "This code has already been used. Wait for the next one: the app shows a new code"
                " every 30 seconds."
            )
    raise FactorRefused(
        "This is not the code that the app shows now. Check the app, and that your phone's clock is"
        " right."
    )


# --- recovery codes ---


def new_recovery_codes(factor: SecondFactor) -> list[str]:
    """Create 10 recovery codes that work once each, and revoke earlier ones."""
    codes = [
        "".join(secrets.choice(RECOVERY_SIGNS) for _ in range(RECOVERY_LENGTH))
        for _ in range(RECOVERY_CODES)
    ]
    with transaction.atomic():
        factor.recovery_codes.all().delete()
        RecoveryCode.objects.bulk_create(
            [RecoveryCode(factor=factor, code_hash=_hash(factor, code)) for code in codes]
        )
    return [f"{code[:5]}-{code[5:]}" for code in codes]


def recovery_codes_left(factor: SecondFactor) -> int:
    return factor.recovery_codes.filter(used_at=None).count()


def _use_recovery_code(factor: SecondFactor, plain: str, now: datetime) -> None:
    hashes = [_hash(factor, plain, key) for key in signing.every_key()]
    if (
        RecoveryCode.objects.filter(factor=factor, code_hash__in=hashes, used_at=None).update(
            used_at=now
        )
        != 1
    ):
        raise FactorRefused(
            "This is not one of your recovery codes, or it has been used. Each works once."
        )


def _hash(factor: SecondFactor, plain: str, key: str | None = None) -> str:
    return signing.derive(Salt.RECOVERY, f"{factor.nonce} {plain}", key)


# --- removal ---


def end(people: Iterable[Person]) -> int:
    """Remove the second factors of people whose phone is lost or replaced; return how many."""
    return (
        SecondFactor.objects.filter(person__in=list(people))
        .delete()[1]
        .get("games.SecondFactor", 0)
    )
