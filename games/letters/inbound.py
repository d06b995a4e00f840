"""Letters about mail that came in: keys for it, short answers where nothing was obeyed, and what
the gamesmaster must know of it."""

from __future__ import annotations

from datetime import timedelta

from games.accounts import addresses, tokens
from games.models import Address, Invitation, Letter, Person
from gamesmaster.links import link
from gamesmaster.text import one_line
from orders.models import Handling

from .context import Build, Context, Facts


def _address(context: Context) -> Facts:
    row = Address.objects.select_related("person").get(pk=context.about["address"])
    return {
        "link": link("address-confirm", tokens.address_token(row)),
        "address": row.email,
        "first": row.person.email,
        "until": context.in_words(row.added_at + addresses.LASTS),
    }


def _confirm(context: Context) -> Facts:
    handling = Handling.objects.select_related("mail").get(pk=context.about["handling"])
    return {
        "link": link("mail-confirm", tokens.key_of("confirm", handling.nonce)),
        "sender": one_line(handling.sender),
        "why": one_line(handling.words),
        "received": context.in_words(handling.mail.received_at),
        "until": context.in_words(handling.mail.received_at + timedelta(days=7)),
    }


def _word(context: Context) -> Facts:
    about = context.about
    return {
        "heading": one_line(about["heading"]),
        "sentences": [one_line(s) for s in about["sentences"]],
        "links": about["links"],
    }


def _declined(context: Context) -> Facts:
    invitation = Invitation.objects.select_related("seat").get(pk=context.about["invitation"])
    return {"nation": invitation.seat.nation, "address": invitation.email}


def _bouncing(context: Context) -> Facts:
    person = Person.objects.get(pk=context.about["person"])
    lost = Letter.objects.get(pk=context.about["letter"])
    seats = context.game.seats.filter(sittings__person=person, sittings__until=None)
    return {
        "whose": one_line(person),
        "nations": " and ".join(seat.nation for seat in seats),
        "address": lost.address,
        "telephone": one_line(person.telephone),
        "count": context.about["count"],
        "fault": one_line(lost.fault),
    }


def _muted(context: Context) -> Facts:
    person = Person.objects.get(pk=context.about["person"])
    seats = context.game.seats.filter(sittings__person=person, sittings__until=None)
    nations = " and ".join(seat.nation for seat in seats)
    return {
        "whose": one_line(person),
        "nations": nations,
        "silent": context.about["silent"],
        "telephone": one_line(person.telephone),
    }


def _mail_held(context: Context) -> Facts:
    about = context.about
    return {
        "sender": one_line(about["sender"]),
        "why": one_line(about["words"]),
        "link": link("mail-held", context.game.pk),
    }


def _mail_failed(context: Context) -> Facts:
    person = Person.objects.filter(pk=context.about["person"]).first()
    return {
        "sender": one_line(context.about["sender"]),
        "whose": one_line(person or ""),
        "fault": one_line(context.about["fault"]),
    }


BUILDERS: dict[str, Build] = {
    "address": _address,
    "confirm": _confirm,
    "word": _word,
    "declined": _declined,
    "bouncing": _bouncing,
    "muted": _muted,
    "mailheld": _mail_held,
    "mailfailed": _mail_failed,
}
