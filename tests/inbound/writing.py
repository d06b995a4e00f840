"""Write and deliver letters as players send them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from itertools import count

from games.accounts import tokens
from games.models import Letter
from orders.inbound import handle, queue
from orders.models import Handling, Mail
from tests.support.campaign import MONDAY, PLAYERS, Campaign

_numbers = count(1)


def address_of(campaign: Campaign, nation: str) -> str:
    """Return the reply address of a nation's player."""
    return tokens.reply_address(campaign.players[nation], campaign.game, campaign.now)


def written(
    sender: str,
    to: str,
    text: str,
    *,
    subject: str = "Orders",
    message_id: str = "",
    **headers: str,
) -> bytes:
    """Return a message as a mail program sends it, by default when the game began."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Message-ID"] = message_id or f"<{next(_numbers)}@mail.example.org>"
    headers.setdefault("Date", format_datetime(MONDAY))
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(text)
    return message.as_bytes()


def send(
    campaign: Campaign,
    nation: str,
    text: str,
    *,
    sender: str = "",
    to: str = "",
    subject: str = "Orders",
    message_id: str = "",
    at: datetime | None = None,
    headers: Mapping[str, str] | None = None,
) -> Handling:
    """Deliver a letter of a nation's player by LMTP. Return its handling."""
    sender = sender or f"{PLAYERS[nation]}@example.org"
    to = to or address_of(campaign, nation)
    more = {"Date": format_datetime(at or campaign.now), **(headers or {})}
    raw = written(sender, to, text, subject=subject, message_id=message_id, **more)
    return hand_in(campaign, raw, to, at=at)


def hand_in(
    campaign: Campaign,
    raw: bytes,
    *to: str,
    way: str = Mail.Way.LMTP,
    sender: str | None = "x@example.org",
    at: datetime | None = None,
) -> Handling:
    """Deliver a message, by default to Germany's address. Return its handling."""
    mail = handle.take_in(
        raw,
        way=way,
        envelope_from=sender,
        envelope_to=list(to) or [address_of(campaign, "Germany")],
        now=at or campaign.now,
    )
    return Handling.objects.select_related("answer").get(mail=mail)


def keep(campaign: Campaign, nation: str, text: str, *, at: datetime) -> Handling:
    """Store a letter of a nation's player without handling it."""
    to = address_of(campaign, nation)
    raw = written(f"{PLAYERS[nation]}@example.org", to, text, Date=format_datetime(at))
    mail = queue.keep(raw, "lmtp", "x@example.org", [to], at).mail
    return Handling.objects.get(mail=mail)


def answers(name: str) -> list[Letter]:
    """Return all letters that answer a person's own, oldest first."""
    return list(
        Letter.objects.filter(
            kind__in=("answer", "word", "confirm"), address=f"{name}@example.org"
        ).order_by("pk")
    )
