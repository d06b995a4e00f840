"""Webhooks of a person: a program of their own hears when orders are due, a phase is judged or a
letter arrived (docs/api.md).

A notice names game, phase and deadline; never what an order, a letter or a result says. It is
signed as https://www.standardwebhooks.com asks, so that the program knows whose it is.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256

from django.db import transaction
from django.db.models import QuerySet

from games.accounts import tokens
from games.models import Channel, Letter, Notice, Person
from gamesmaster import links, text

from . import rows, wire

MOST = 5
#: What a person's program hears of, by the kind of the letter that tells the person.
EVENTS = {
    "opened": "orders.due",
    "reminder": "orders.due",
    "board": "phase.judged",
    "over": "phase.judged",
    "ruled": "phase.judged",
    "press": "letter.arrived",
    "question": "letter.arrived",
    "proposal": "letter.arrived",
    "proposal_answer": "letter.arrived",
}


def webhooks_of(person: Person) -> QuerySet[Channel]:
    """Return a person's webhooks, the oldest first."""
    mine = Channel.objects.filter(person=person, kind=Channel.Kind.JSON, removed_at=None)
    return mine.order_by("pk")


@transaction.atomic
def add(person: Person, url: str, label: str, now: datetime) -> Channel:
    """Keep the address of a person's program and send it a test. Raises `wire.Refused`."""
    if person.guest:
        raise wire.Refused("Guests have no webhooks. Log in with your address first.")
    wire.check(url)
    Person.objects.select_for_update().get(pk=person.pk)
    urls = webhooks_of(person).values_list("url", flat=True)
    if url in urls:
        raise wire.Refused("You have a webhook with this address already.")
    if len(urls) >= MOST:
        raise wire.Refused(f"You have {MOST} webhooks. Remove one before you make another.")
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
    """Return what the program checks signatures with. Shown once; computed, stored nowhere."""
    return "whsec_" + base64.b64encode(_key(channel)).decode()


def _key(channel: Channel) -> bytes:
    return tokens.signing_key("webhook", channel.nonce)


def test(channel: Channel, now: datetime) -> None:
    """Write a notice by way of trying, one a minute at most."""
    rows.write([channel], "test", f"test-{now:%Y%m%d%H%M}", now, {})


def pause(channel: Channel, now: datetime | None) -> None:
    """Write no notices from now on; with None, write them again."""
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


def made(letters: Iterable[Letter]) -> list[Notice]:
    """Return the notices that go with letters, to the webhooks and browsers of their readers."""
    told = [one for one in letters if one.kind in EVENTS and one.person_id is not None]
    if not told:
        return []
    found = Channel.objects.filter(
        person__in={one.person_id for one in told}, removed_at=None, paused_at=None
    )
    theirs: dict[int | None, list[Channel]] = {}
    for channel in found.order_by("pk"):
        theirs.setdefault(channel.person_id, []).append(channel)
    return [
        notice
        for one in told
        for notice in rows.rows(
            theirs.get(one.person_id, []),
            EVENTS[one.kind],
            one.key.rpartition("/person-")[0],
            one.written_at,
            _data(one),
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

    The identifier stays the same however often the notice is sent.
    """
    about = dict(notice.about)
    event, game = about.pop("event"), about.get("game")
    if game is not None:
        about["url"] = links.link("game", game)
    told = {"type": event, "timestamp": notice.written_at.isoformat(), "data": about}
    body = json.dumps(told).encode()
    name, at = f"msg_{notice.pk}", f"{now.timestamp():.0f}"
    mac = hmac.digest(_key(notice.channel), f"{name}.{at}.".encode() + body, sha256)
    signature = f"v1,{base64.b64encode(mac).decode()}"
    return body, {
        "webhook-id": name,
        "webhook-timestamp": at,
        "webhook-signature": signature,
    }
