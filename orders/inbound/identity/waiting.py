"""Mail that proved nothing and waits for the gamesmaster or its supposed sender."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from games import permissions
from games.accounts import addresses, tokens
from games.desk import addresses as desk_addresses
from games.models import Game, Invitation, Person
from games.outbox.messages import inbound as messages_inbound
from orders.inbound import parsed, queue, respond
from orders.inbound.identity import offers
from orders.models import Handling, Submission

Status = Handling.Status


#: To somebody who confirms by mail what waits no more.
USED = (
    "That letter has been decided about, or has waited too long. Send it once more, from your"
    " address on file."
)


class NotWaiting(Exception):
    """Nothing can be done with a message any more. `str()` is one sentence."""


def find(token: str, now: datetime) -> Handling:
    """The message behind the link of a letter. Looking obeys nothing. Raises `NotWaiting`."""
    rows = (
        Handling.objects.select_related("mail", "game", "person").filter(
            token_hash=tokens.hash_of(token)
        )
        if token
        else None
    )
    row = rows.first() if rows is not None else None
    if row is None or not is_fresh(row, now):
        raise NotWaiting(
            "This link has been used or has run out. Send your letter once more, from your address"
            " on file."
        )
    return row


def is_fresh(row: Handling, now: datetime) -> bool:
    """Whether a message still waits for its sender's confirmation."""
    return bool(
        row.status == Status.UNCONFIRMED and now < row.mail.received_at + queue.CONFIRMED_WITHIN
    )


def confirm(row: Handling, now: datetime, *, add_address: bool = False) -> Handling:
    """Obey a message as of when it came; `add_address`: keep its sender's address."""
    with transaction.atomic():
        row = _lock_row(row, Status.UNCONFIRMED)
        _obey(row, now, "confirmed by the player")
    if add_address and row.person is not None and not addresses.belongs(row.person, row.sender):
        desk_addresses.add(row.person, row.sender, now)
    return row


def disown(row: Handling, now: datetime) -> None:
    """The person did not write it: it is kept, and never obeyed."""
    with transaction.atomic():
        row = _lock_row(row, Status.UNCONFIRMED)
        row.status, row.words = Status.REFUSED, "The player says that they did not write it."
        queue.finish(row, now)


def held_mail(game: Game) -> QuerySet[Handling]:
    """What waits for the gamesmasters of a game, oldest first."""
    return (
        Handling.objects.filter(game=game, status=Status.HELD)
        .select_related("mail", "person")
        .order_by("pk")
    )


def let_in(row: Handling, by: Person, now: datetime) -> Handling:
    """Let a held message in: it is obeyed as of when it came."""
    with transaction.atomic():
        row = _lock_row(row, Status.HELD)
        _allow(row, by)
        row.decided_by = by
        _obey(row, now, "let in by the gamesmaster")
    return row


def refuse(row: Handling, by: Person, now: datetime) -> None:
    """Refuse a held message, and tell its supposed sender at their first address."""
    with transaction.atomic():
        row = _lock_row(row, Status.HELD)
        _allow(row, by)
        row.decided_by = by
        row.status, row.words = Status.REFUSED, f"Not let in by the gamesmaster. {row.words}"
        assert row.person is not None
        row.answer = messages_inbound.word(
            f"mail-{row.mail_id}/refused",
            row.person,
            row.game,
            now,
            heading="A letter in your name was not let in",
            sentences=[
                (
                    f"A letter in your name came from “{row.sender}” and did not prove that it was"
                    " yours."
                ),
                (
                    "The gamesmaster did not accept it, so it changed nothing. If you wrote it,"
                    " send it from your address on file."
                ),
            ],
            answers=row.mail.message_id,
        )
        queue.finish(row, now)


def newer_orders(row: Handling) -> int | None:
    """Return the number of orders sent since the message came, which it would replace."""
    if row.person is None or row.game is None:
        return None
    his = Q(seat__in=permissions.seats_held(row.person, row.game)) | Q(
        person=row.person
    )  # those of an ally are his as their sender
    newer = Submission.objects.filter(
        his, game=row.game, counts=True, received_at__gt=row.mail.received_at
    )
    newest = newer.order_by("-number").first()
    return newest.seat_number if newest else None


def _allow(row: Handling, by: Person) -> None:
    if row.game is None or not permissions.runs(by, row.game):
        raise NotWaiting("Only the gamesmaster of the game decides about mail that is held.")


def _lock_row(row: Handling, status: str) -> Handling:
    """Take the row to the end of the transaction. Raises `NotWaiting` if decided."""
    if Handling.objects.filter(pk=row.pk, status=status).update(status=status) != 1:
        raise NotWaiting("This message is already decided.")
    return Handling.objects.select_related("mail", "game", "person").get(pk=row.pk)


def _obey(row: Handling, now: datetime, how: str) -> None:
    """Obey as proven; a message over its sender's limit cannot be obeyed now."""
    assert row.game is not None
    row.due_at = None
    game, person = row.game, row.person
    assert person is not None
    if isinstance(
        offer := offers.find(row), Invitation
    ):  # an invitation, answered from an address that nobody knew
        offers.take_seat(
            row, parsed.parse_mail(row, game, parsed.NOT_ASKED).message, offer, person, now
        )
        queue.finish(row, now)
        return
    if game.is_over:
        raise NotWaiting(f"“{game.title}” is over: this message changes nothing.")
    if not (permissions.seats_held(person, game) or permissions.runs(person, game)):
        raise NotWaiting(f"{person} has no seat in “{game.title}” any more.")
    respond.obey(row, parsed.parse_mail(row, game, parsed.NOT_ASKED), now, how=how)
    if row.due_at is not None:
        raise NotWaiting(
            "This sender has sent too many messages within an hour, so this one waits. Try again"
            " in an hour."
        )
    queue.finish(row, now)
