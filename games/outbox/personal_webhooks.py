"""Webhooks of a person.

Their own program is notified when orders are due, a phase is judged or a letter arrives
(docs/api.md). A notice has game, phase and deadline; never the content of an order, a letter or a
result. It is signed by https://www.standardwebhooks.com, so that the program can verify its sender.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.db import transaction
from django.db.models import QuerySet

from games.base import https, links, signing, text
from games.models import Channel, Letter, Notice, Person
from games.outbox import notices

MOST = 5


@dataclass(frozen=True)
class PersonalEvent:
    """An event of which a person's programs and browsers are notified.

    - `letters`: the kinds of letters that it goes with.
    - `when`: when it happens, as documented (docs/api.md).
    - `push`, `push_until`: what a browser shows, without and with a deadline. A locked phone shows
      it too.
    """

    letters: tuple[str, ...]
    when: str
    push: str
    push_until: str = ""


#: All events by type.
EVENTS = {
    "orders.due": PersonalEvent(
        letters=("opened", "reminder"),
        when="a game begins, or you are reminded",
        push="{phase}: your orders are due.",
        push_until="{phase}: your orders are due by {deadline}.",
    ),
    "phase.judged": PersonalEvent(
        letters=("board", "over", "ruled"),
        when="there is a result or a ruling",
        push="{phase}: see what happened.",
        push_until="{phase}: see what happened. Next orders are due by {deadline}.",
    ),
    "letter.arrived": PersonalEvent(
        letters=("press", "question", "proposal", "proposal_answer"),
        when="another person wrote to you",
        push="You have a new message.",
    ),
    "test": PersonalEvent(
        letters=(),
        when="you asked for it",
        push="Notifications work in this browser.",
    ),
}
_BY_LETTER = {letter: name for name, event in EVENTS.items() for letter in event.letters}


def webhooks_of(person: Person) -> QuerySet[Channel]:
    """Return a person's webhooks, oldest first."""
    channels = Channel.objects.filter(person=person, kind=Channel.Kind.JSON, removed_at=None)
    return channels.order_by("pk")


@transaction.atomic
def add(person: Person, url: str, label: str, now: datetime) -> Channel:
    """Store the address of a person's program and send it a test.

    Raise `wire.WebhookError` for guests, for too many webhooks, and for a bad or already stored
    address.
    """
    if person.guest:
        raise https.WebhookError("Guests have no webhooks. Log in with your address first.")
    https.check(url)
    Person.objects.select_for_update().get(pk=person.pk)
    urls = webhooks_of(person).values_list("url", flat=True)
    if url in urls:
        raise https.WebhookError("You already have a webhook with this address.")
    if len(urls) >= MOST:
        raise https.WebhookError(f"You have {MOST} webhooks. Remove one before you make another.")
    channel = Channel.objects.create(
        person=person,
        kind=Channel.Kind.JSON,
        url=url,
        label=text.one_line(label)[:60] or "Webhook",
        nonce=secrets.token_hex(32),
        added_by=person,
        added_at=now,
    )
    test(channel, now)
    return channel


def secret(channel: Channel) -> str:
    """Return the key with which the program checks signatures.

    Shown once; computed, never stored.
    """
    return "whsec_" + base64.b64encode(_key(channel)).decode()


def _key(channel: Channel) -> bytes:
    return bytes.fromhex(signing.derive(signing.Salt.WEBHOOK, channel.nonce))


def test(channel: Channel, now: datetime) -> None:
    """Write a test notice, at most one per minute."""
    notices.write([channel], "test", f"test-{now:%Y%m%d%H%M}", now, {})


def pause(channel: Channel, now: datetime | None) -> None:
    """Stop writing notices; with None, resume."""
    Channel.objects.filter(pk=channel.pk).update(paused_at=now)


def remove(channel: Channel, now: datetime) -> None:
    """End a webhook and delete its address and keys. Notices not sent yet are dropped."""
    Channel.objects.filter(pk=channel.pk, removed_at=None).update(
        removed_at=now,
        removed_because="Removed by its owner.",
        url="",
        nonce="",
        p256dh="",
        auth="",
    )


def make_notices(letters: Iterable[Letter]) -> list[Notice]:
    """Return the notices that go with letters, to the webhooks and browsers of their readers."""
    announced = [
        letter for letter in letters if letter.kind in _BY_LETTER and letter.person_id is not None
    ]
    if not announced:
        return []
    channels = Channel.objects.filter(
        person__in={letter.person_id for letter in announced}, removed_at=None, paused_at=None
    )
    by_person: dict[int | None, list[Channel]] = {}
    for channel in channels.order_by("pk"):
        by_person.setdefault(channel.person_id, []).append(channel)
    return [
        notice
        for letter in announced
        for notice in notices.rows(
            by_person.get(letter.person_id, []),
            _BY_LETTER[letter.kind],
            letter.key.rpartition("/person-")[0],
            letter.written_at,
            _data(letter),
        )
    ]


def _data(letter: Letter) -> dict[str, object]:
    return {
        "game": letter.game_id,
        "phase": letter.phase.number if letter.phase is not None else None,
        "deadline": letter.about.get("deadline"),
    }


def message(notice: Notice, now: datetime) -> tuple[bytes, dict[str, str]]:
    """Return the body of a notice and the headers that sign it.

    The identifier stays the same in every retry.
    """
    about = dict(notice.about)
    event, game = about.pop("event"), about.get("game")
    if game is not None:
        about["url"] = links.link("game", game)
    facts = {"type": event, "timestamp": notice.written_at.isoformat(), "data": about}
    body = json.dumps(facts).encode()
    name, at = f"msg_{notice.code}", f"{now.timestamp():.0f}"
    mac = hmac.digest(_key(notice.channel), f"{name}.{at}.".encode() + body, sha256)
    signature = f"v1,{base64.b64encode(mac).decode()}"
    return body, {
        "webhook-id": name,
        "webhook-timestamp": at,
        "webhook-signature": signature,
    }
