"""Build the context of letters about inbound mail: confirmation links, short answers where nothing
was executed, and notices to the gamesmaster."""

from __future__ import annotations

from datetime import datetime

from games import permissions
from games.accounts import addresses, tokens
from games.base.links import link
from games.base.signing import Salt
from games.base.text import one_line
from games.models import Address, Invitation, Letter, Person, Proposal
from games.outbox.messages import reply_letters
from games.outbox.messages.deal_letters import PROPOSAL
from orders.models import Handling

from .context import Context, Facts, builds, outdated


@builds(reply_letters.ADDRESS)
def _address(context: Context) -> Facts:
    row = Address.objects.select_related("person").get(pk=context.about["address"])
    return {
        "link": link("address-confirm", tokens.address_token(row)),
        "address": row.email,
        "first": row.person.email,
        "until": context.describe_instant(addresses.ends(row.added_at)),
    }


@outdated(reply_letters.ADDRESS)
def _address_outdated(letter: Letter, now: datetime) -> str:
    kept = Address.objects.filter(pk=letter.about["address"], removed_at=None).exists()
    return "" if kept else "The address was removed before the letter could be sent."


@builds(reply_letters.CONFIRM)
def _confirm(context: Context) -> Facts:
    handling = Handling.objects.select_related("mail").get(pk=context.about["handling"])
    return {
        "link": link(
            "mail-confirm", tokens.key_of(Salt.CONFIRMATION, handling.nonce, handling.token_hash)
        ),
        "sender": one_line(handling.sender),
        "why": one_line(handling.words),
        "received": context.describe_instant(handling.mail.received_at),
        "until": context.describe_instant(handling.answerable_until),
    }


@builds(reply_letters.CHOICE)
def _choice(context: Context) -> Facts:
    about, phase = context.about, context.letter.phase
    handling = Handling.objects.get(pk=about["handling"])
    page = link(
        "mail-confirm", tokens.key_of(Salt.CONFIRMATION, handling.nonce, handling.token_hash)
    )
    return {
        "answered": one_line(about["answered"]),
        "addressees": one_line(about["addressees"]),
        "why_not": one_line(about["why_not"]),
        "may_order": about["may_order"],
        "lines": about["lines"],
        "more": about["more"],
        "send_link": f"{page}?choice=send",
        "orders_link": f"{page}?choice=orders",
        "phase_title": phase.short_title if phase is not None else "",
        "until": context.describe_instant(phase.deadline) if phase and about["open"] else "",
        "deal": _deal_to_answer(about.get("letter")),
        "deals_link": link("deals", context.game.pk),
    }


def _deal_to_answer(letter: int | None) -> int | None:
    """Return the number by which the reader can answer the proposal in a letter; None for another
    letter, an own proposal or one that has its answer."""
    row = Letter.objects.filter(pk=letter, kind=PROPOSAL.id).first() if letter else None
    if row is None:
        return None
    proposals = Proposal.objects.exclude(seat__in=row.about["seats"])
    proposal = proposals.filter(pk=row.about["proposal"], answer=None).first()
    return proposal.to_number if proposal is not None else None


@builds(reply_letters.WORD)
def _word(context: Context) -> Facts:
    """Return the context; an invited person, and one who has left, takes no part in the game."""
    about, letter = context.about, context.letter
    return {
        "takes_part": letter.game is None
        or letter.person is None
        or permissions.runs(letter.person, letter.game)
        or bool(permissions.held_seats(letter.person, letter.game)),
        "heading": one_line(about["heading"]),
        "sentences": [one_line(s) for s in about["sentences"]],
        "links": about["links"],
    }


@builds(reply_letters.DECLINED)
def _decline_facts(context: Context) -> Facts:
    invitation = Invitation.objects.select_related("seat").get(pk=context.about["invitation"])
    return {"nation": invitation.seat.nation, "address": one_line(invitation.addressee)}


@builds(reply_letters.BOUNCING)
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


@builds(reply_letters.MUTED)
def _mute_facts(context: Context) -> Facts:
    person = Person.objects.get(pk=context.about["person"])
    seats = context.game.seats.filter(sittings__person=person, sittings__until=None)
    nations = " and ".join(seat.nation for seat in seats)
    return {
        "whose": one_line(person),
        "nations": nations,
        "silent": context.about["silent"],
        "telephone": one_line(person.telephone),
    }


@builds(reply_letters.MAIL_HELD)
def _held_mail_facts(context: Context) -> Facts:
    about = context.about
    return {
        "sender": one_line(about["sender"]),
        "why": one_line(about["words"]),
        "link": link("mail-held", context.game.pk),
    }


@builds(reply_letters.MAIL_ASIDE)
def _set_aside_facts(context: Context) -> Facts:
    about = context.about
    return {
        "sender": one_line(about["sender"]) or "an address that cannot be read",
        "why": one_line(about["words"]),
        "link": f"{link('desk', context.game.pk)}#aside",
    }


@builds(reply_letters.MAIL_FAILED)
def _failed_mail_facts(context: Context) -> Facts:
    person = Person.objects.filter(pk=context.about["person"]).first()
    return {
        "sender": one_line(context.about["sender"]),
        "whose": one_line(person or ""),
        "fault": one_line(context.about["fault"]),
    }
