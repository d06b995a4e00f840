"""Set mail aside that nobody answers, and tell the gamesmaster of it if it concerns a player.

A message is set aside if it says that a program generated it. That it was handled by a list or a
relay, or that it asks not to be answered, says nothing about who wrote it: it is a reason only for
mail of strangers, which is not answered so that no loop begins.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q, QuerySet

from games.accounts import addresses, tokens
from games.models import Game, Invitation, Person, ReplyAddress
from games.outbox.messages import reply_letters
from orders.inbound import bounces, queue
from orders.inbound.identity import offers
from orders.inbound.parsing.message import Message
from orders.models import Handling

KIND = "automatic"
#: How long the desk lists a message that was set aside.
SHOWN = timedelta(days=14)


def reason(row: Handling, message: Message, reply: ReplyAddress | None) -> str:
    """Return why a message is set aside, as half a sentence, or ""."""
    sign = message.auto or message.unread_sender or message.handling
    if message.auto or not sign:
        return sign or _return_path_reason(row)
    if not message.unread_sender and (reply is not None or offers.find(row) is not None):
        return ""
    known = any(addresses.people_at(sender.address) for sender in message.senders)
    return "" if known else sign


def _return_path_reason(row: Handling) -> str:
    """Return that a message came to the return path of letters, as half a sentence, or "".

    People answer to Reply-To. Responders that say nothing of themselves, such as vacation(1), write
    to the return path (RFC 3834, 4), and their words are no orders.
    """
    if settings.MAIL_BOUNCES.lower() in map(queue.plain, row.mail.envelope_to):
        return "it came to the return path of letters, where only programs write"
    return ""


def record(
    row: Handling, message: Message, reply: ReplyAddress | None, words: str, now: datetime
) -> None:
    """Set a message aside; the caller saves it. `words` are the reason, in sentences.

    If it has a key or comes from a player's address, the desk of the game lists it and its
    gamesmasters get a letter. If it may be about several games of a player, each of them does.
    """
    row.status, row.kind, row.words = Handling.Status.IGNORED, KIND, words
    concerned = _by_key(row, reply) or _by_sender(message)
    if not concerned:
        return
    row.person = concerned[0][0]
    row.game = concerned[0][1] if len(concerned) == 1 else None
    for _, game in concerned:
        if not game.is_over:
            reply_letters.report_mail_set_aside(row, game, now)


def _by_key(row: Handling, reply: ReplyAddress | None) -> list[tuple[Person | None, Game]]:
    """Return the person and game to which the key in a message's address belongs."""
    if reply is not None:
        return [(reply.person, reply.game)]
    match offers.find(row):
        case Invitation() as invitation:
            return [(None, invitation.seat.game)]
        case Handling(person=person, game=Game() as game):
            return [(person, game)]
    # Responders of mail servers write to the envelope sender of a letter (RFC 3834, 4).
    for address in row.mail.envelope_to:
        letter = tokens.find_bounced(queue.key_in(address))
        if letter is not None and letter.game is not None:
            return [(letter.person, letter.game)]
    return []


def _by_sender(message: Message) -> list[tuple[Person | None, Game]]:
    """Return the people at the sender's address with their games; with the one game alone that the
    letter is about that they answer."""
    people = {
        person.pk: person
        for sender in message.senders
        for person in addresses.people_at(sender.address)
    }
    answered = bounces.letter_by_message_id(message.in_reply_to)
    if answered is not None and answered.game is not None and answered.person_id in people:
        return [(people[answered.person_id], answered.game)]
    return [
        (person, game) for person in people.values() for game in addresses.running_games(person)
    ]


def listed(game: Game, now: datetime) -> QuerySet[Handling]:
    """Return the messages set aside lately that concern a game or its people, newest first.

    Those without a game may be about another game of their sender.
    """
    people = Person.objects.filter(
        Q(sittings__seat__game=game, sittings__until=None) | Q(games_run=game)
    )
    return (
        Handling.objects.filter(
            Q(game=game) | Q(game=None, person__in=people),
            status=Handling.Status.IGNORED,
            kind=KIND,
            mail__received_at__gt=now - SHOWN,
        )
        .select_related("mail", "person")
        .order_by("-pk")
    )
