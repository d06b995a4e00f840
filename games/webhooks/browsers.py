"""Notify a person's browser by web push (RFC 8030).

Notifications are encrypted for the browser (RFC 8291) and signed with this service's key (VAPID,
RFC 8292). Locked phones show them, so they have only game, phase and deadline; never the content or
writer of an order, a letter or a result.

`cryptography` and `webpush` are imported where they are needed: most processes never need them, and
they take 9 of the 113 MB of one that has started.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from email.utils import parseaddr
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from games.base import https, links, signing, text
from games.models import Channel, Game, Notice, Person, Phase
from games.outbox import personal_webhooks
from games.timing import local_time, schedule

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec
    from webpush import WebPush

MOST = 10
#: How many seconds a push service keeps a notification for a browser that is offline.
LIFETIME = 24 * 60 * 60
#: 65 and 16 bytes as base64url (RFC 8291, 3.1 and 3.2).
_KEY, _AUTH = re.compile(r"[\w-]{87}=?", re.ASCII), re.compile(r"[\w-]{22}(==)?", re.ASCII)
#: The order of the curve P-256: a private key is a number from 1 to one less (FIPS 186-5).
_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def browsers_of(person: Person) -> QuerySet[Channel]:
    """Return the browsers that notify a person, oldest first."""
    channels = Channel.objects.filter(person=person, kind=Channel.Kind.BROWSER, removed_at=None)
    return channels.order_by("pk")


@transaction.atomic
def subscribe(
    person: Person, endpoint: str, p256dh: str, auth: str, label: str, now: datetime
) -> Channel:
    """Store a browser's subscription and send it a test; renew its keys if we have it already.

    `endpoint`, `p256dh` and `auth` are what `PushSubscription.toJSON()` gives. Raise
    `wire.WebhookError` for guests, for too many browsers, and for a bad address or bad keys.
    """
    if person.guest:
        raise https.WebhookError("Guests get no notifications. Log in with your address first.")
    https.check(endpoint)
    _check_keys(p256dh, auth)
    Person.objects.select_for_update().get(pk=person.pk)
    label = text.one_line(label)[:60] or "Browser"
    channel = browsers_of(person).filter(url=endpoint).first()
    if channel is not None:
        channel.p256dh, channel.auth, channel.label = p256dh, auth, label
        channel.save(update_fields=["p256dh", "auth", "label"])
    elif browsers_of(person).count() >= MOST:
        raise https.WebhookError(
            f"{MOST} browsers already notify you. Remove one before you add another."
        )
    else:
        channel = Channel.objects.create(
            person=person,
            kind=Channel.Kind.BROWSER,
            url=endpoint,
            p256dh=p256dh,
            auth=auth,
            label=label,
            added_by=person,
            added_at=now,
        )
    personal_webhooks.test(channel, now)
    return channel


def fingerprint(endpoint: str) -> str:
    """Return the hash by which a page recognizes its browser's subscription among a person's."""
    return sha256(endpoint.encode()).hexdigest()


def _check_keys(p256dh: str, auth: str) -> None:
    """Raise `wire.WebhookError` for keys that cannot be used for encryption."""
    from cryptography.hazmat.primitives.asymmetric import ec

    valid = _KEY.fullmatch(p256dh) is not None and _AUTH.fullmatch(auth) is not None
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decode(p256dh))
    except ValueError:
        valid = False
    if not valid:
        raise https.WebhookError(
            "The browser sent keys we cannot use. Load the page again and retry."
        )


def _decode(value: str) -> bytes:
    return urlsafe_b64decode(value + "=" * (-len(value) % 4))


# --- text of notifications ---


def message(notice: Notice) -> tuple[bytes, dict[str, str]]:
    """Return the encrypted body of a notification and its headers."""
    from webpush import WebPushSubscription
    from webpush.types import WebPushKeys

    channel = notice.channel
    subscription = WebPushSubscription(
        endpoint=channel.url,
        keys=WebPushKeys(auth=channel.auth, p256dh=channel.p256dh),
    )
    prepared = _sender().get(json.dumps(_content(notice)), subscription)
    return prepared.encrypted, {
        "Content-Type": "application/octet-stream",
        "Content-Encoding": prepared.headers["content-encoding"],
        "TTL": prepared.headers["ttl"],
        "Authorization": prepared.headers["authorization"],
    }


def _content(notice: Notice) -> dict[str, Any]:
    """Return title, sentence and link. A newer notification of a game replaces the older one."""
    about = notice.about
    game = Game.objects.filter(pk=about.get("game")).first()
    if game is None:
        return {"title": "Gamesmaster", "body": _sentence(notice, None), "url": links.link("home")}
    return {
        "title": text.one_line(game.title),
        "body": _sentence(notice, game),
        "url": links.link("game", game.pk),
        "tag": f"game-{game.pk}",
    }


def _sentence(notice: Notice, game: Game | None) -> str:
    event, number = notice.about["event"], notice.about.get("phase")
    phase = game and Phase.objects.filter(game=game, number=number).order_by("pk").last()
    spoken, deadline = personal_webhooks.EVENTS[event], _deadline_in_words(notice)
    words = spoken.push_until if deadline and spoken.push_until else spoken.push
    return words.format(phase=phase.title if phase else "", deadline=deadline)


def _deadline_in_words(notice: Notice) -> str:
    """Return “Tuesday 24 November 2026, 09:00 New York time” in the reader's zone, or “”."""
    deadline, person = notice.about.get("deadline"), notice.channel.person
    if not deadline or person is None or (at := local_time.parse(deadline)) >= schedule.STANDS:
        return ""
    return local_time.in_words(at, person.zone)


# --- this service's key ---


def public_key() -> str:
    """Return this service's public key in the form that `pushManager.subscribe` takes."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    point = _private_key().public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return urlsafe_b64encode(point).rstrip(b"=").decode()


@lru_cache(maxsize=1)
def _sender() -> WebPush:
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )
    from webpush import WebPush

    key = _private_key()
    return WebPush(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        subscriber=parseaddr(settings.DEFAULT_FROM_EMAIL)[1],
        ttl=LIFETIME,
    )


def _private_key() -> ec.EllipticCurvePrivateKey:
    """Return the key. It is computed from `SECRET_KEY`, so operators need not create one; a new
    `SECRET_KEY` ends all subscriptions."""
    from cryptography.hazmat.primitives.asymmetric import ec

    number = (
        int.from_bytes(bytes.fromhex(signing.derive(signing.Salt.PUSH, "vapid"))) % (_ORDER - 1) + 1
    )
    return ec.derive_private_key(number, ec.SECP256R1())
