"""Letters about mail that came in: keys for it, short answers where nothing was obeyed, and what
the gamesmaster must know of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from games.accounts import addresses, tokens
from games.models import Address, Invitation, Letter, Person
from gamesmaster.links import link
from gamesmaster.text import one_line

from .facts import Facts, game_of, told_at

if TYPE_CHECKING:
    pass


# --- what they say ---


def _address(letter: Letter) -> Facts:
    row = Address.objects.select_related("person").get(pk=letter.about["address"])
    return {
        "link": link("address-confirm", tokens.address_token(row)),
        "address": row.email,
        "first": row.person.email,
        "until": told_at(letter, row.added_at + addresses.LASTS),
    }


def _confirm(letter: Letter) -> Facts:
    from orders.models import Handling

    handling = Handling.objects.select_related("mail").get(pk=letter.about["handling"])
    return {
        "link": link("mail-confirm", tokens.key_of("confirm", handling.nonce)),
        "sender": one_line(handling.sender),
        "why": one_line(handling.words),
        "received": told_at(letter, handling.mail.received_at),
        "until": told_at(letter, handling.mail.received_at + timedelta(days=7)),
    }


def _word(letter: Letter) -> Facts:
    about = letter.about
    return {
        "heading": one_line(about["heading"]),
        "sentences": [one_line(s) for s in about["sentences"]],
        "links": about["links"],
    }


def _declined(letter: Letter) -> Facts:
    invitation = Invitation.objects.select_related("seat").get(pk=letter.about["invitation"])
    return {"nation": invitation.seat.nation, "address": invitation.email}


def _bouncing(letter: Letter) -> Facts:
    person = Person.objects.get(pk=letter.about["person"])
    lost = Letter.objects.get(pk=letter.about["letter"])
    seats = game_of(letter).seats.filter(sittings__person=person, sittings__until=None)
    return {
        "whose": one_line(person),
        "nations": " and ".join(seat.nation for seat in seats),
        "address": lost.address,
        "telephone": one_line(person.telephone),
        "count": letter.about["count"],
        "fault": one_line(lost.fault),
    }


def _muted(letter: Letter) -> Facts:
    person = Person.objects.get(pk=letter.about["person"])
    seats = game_of(letter).seats.filter(sittings__person=person, sittings__until=None)
    nations = " and ".join(seat.nation for seat in seats)
    return {
        "whose": one_line(person),
        "nations": nations,
        "silent": letter.about["silent"],
        "telephone": one_line(person.telephone),
    }


def _mail_held(letter: Letter) -> Facts:
    about = letter.about
    return {
        "sender": one_line(about["sender"]),
        "why": one_line(about["words"]),
        "link": link("mail-held", game_of(letter).pk),
    }


def _mail_failed(letter: Letter) -> Facts:
    person = Person.objects.filter(pk=letter.about["person"]).first()
    return {
        "sender": one_line(letter.about["sender"]),
        "whose": one_line(person or ""),
        "fault": one_line(letter.about["fault"]),
    }


TELLERS: dict[str, Callable[[Letter], Facts]] = {
    "address": _address,
    "confirm": _confirm,
    "word": _word,
    "declined": _declined,
    "bouncing": _bouncing,
    "muted": _muted,
    "mailheld": _mail_held,
    "mailfailed": _mail_failed,
}
