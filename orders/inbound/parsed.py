"""Parse a stored message and judge whether its sender is proven."""

from __future__ import annotations

import html
import re
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parseaddr
from itertools import islice

from django.conf import settings
from django.db import transaction

from games import permissions, positions
from games.letters import rendering
from games.models import Game, Person
from orders.inbound import queue, reports
from orders.inbound.execution.execution import Sender, answered_letters
from orders.inbound.identity import signatures, trust
from orders.inbound.parsing import commands, understanding
from orders.inbound.parsing.message import Message, parse
from orders.inbound.parsing.suspects import Suspects
from orders.models import Handling, Mail

#: The letters that a message answers whose lines are recognized in a quotation.
_MOST_LETTERS = 2
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class ParsedMail:
    """A message as it was understood, and the proof of its sender."""

    message: Message
    script: commands.Script
    proof: trust.Trust


#: A placeholder where another person decides about the message, so its sender is not checked.
NOT_ASKED = trust.Trust(False, "", "Its sender has not been looked at.")


def check_signature(mail: Mail) -> trust.Trust:
    """Return the proof of a message by its DKIM signature.

    The signature is checked in the DNS of its signer, which may take as long as it likes; no
    transaction must wait for that.
    """
    raw = bytes(mail.raw)
    return trust.authenticate(parse(raw), raw, "dkim")


def parse_mail(
    row: Handling, game: Game | None, proof: trust.Trust | None = None, person: Person | None = None
) -> ParsedMail:
    """Parse a stored message of a person: `person`, or the row's person if None.

    It changes nothing and can be repeated: a confirmation page shows what would be obeyed.
    """
    mail = row.mail
    raw = bytes(mail.raw)
    sender = None if mail.envelope_from == queue.UNKNOWN else mail.envelope_from
    message = parse(raw, sender, own_domain=settings.MAIL_DOMAIN, own_addresses=own_addresses())
    nations = game.card["order"] if game is not None else []
    received = mail.received_at.astimezone(game.zoneinfo) if game else mail.received_at
    verbs = reports.verbs(game, person or row.person)
    sender_person = person or row.person

    def runs_game() -> bool:
        return (
            game is not None and sender_person is not None and permissions.runs(sender_person, game)
        )

    def letter_text() -> str:
        return _answered_text(message, game, sender_person)

    free_text = game is not None and game.rules.verbs.free_text
    script = understanding.understand(
        message,
        today=received.date(),
        nations=nations,
        verbs=verbs,
        free_text=free_text,
        runs_game=runs_game,
        suspects=Suspects([*nations, *_areas(game)], letter_text),
    )
    if proof is None:
        policy, server = settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID
        proof = trust.authenticate(message, raw, policy, server)
    return ParsedMail(message, script, proof)


def own_addresses() -> set[str]:
    """Return the service's general addresses: those that belong to no game and person."""
    return {parseaddr(settings.DEFAULT_FROM_EMAIL)[1].lower(), settings.MAIL_REPLY.lower()}


def is_addressed_to_us(mail: Mail, message: Message) -> bool:
    """Return whether the sender wrote to the address that a message came to, in To or Cc as signed.

    That is the very reply key, or a general address if there is none. The envelope is no proof of
    that: the reader of a private message can hand it on to us, and a copy may have shown them the
    key.
    """
    keys = {key for address in mail.envelope_to if (key := queue.key_in(address))}
    own = own_addresses()
    return any(
        any(queue.key_in(to.address) in keys if keys else to.address in own for to in named)
        and signatures.covers(message, bytes(mail.raw), header)
        for header, named in (("to", message.to), ("cc", message.cc))
    )


def is_read(mail: ParsedMail, sender: Sender) -> bool:
    """Return whether a line of a message is read as an order of the open phase, or may be.

    “Everything at home” is, and has no name of the card.
    """
    phase = sender.game.phases.current()
    if phase is None or not phase.takes_orders:
        return False
    state = positions.state_of(phase)
    readings = (
        sender.game.rules.read(item.text, seat.nation, state)
        for item in mail.script.items
        if isinstance(item, commands.Orders)
        for seat in sender.seats or ()
    )
    return any(reading.understood or reading.doubt is not None for reading in readings)


def _areas(game: Game | None) -> list[str]:
    return list(game.card.get("areas", ())) if game is not None else []


def _answered_text(message: Message, game: Game | None, person: Person | None) -> str:
    """Return subject and text of our letters that a message answers, as far as possible."""
    if game is None or person is None:
        return ""
    texts = []
    for letter in islice(answered_letters(message, Sender(person, game)), _MOST_LETTERS):
        # An old letter may refer to rows that are gone. Then its lines are not recognized.
        with suppress(Exception), transaction.atomic():
            rendered = rendering.render(letter)
            # Most programs quote the HTML, in which tables have other lines.
            of_html = html.unescape(_TAG.sub(" ", rendered.html))
            texts += [rendered.subject, rendered.text, of_html]
    return "\n".join(texts)
