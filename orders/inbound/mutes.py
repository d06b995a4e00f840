"""Stop and restart a game's letters for the reader of an address: MUTE alone, or one click."""

from __future__ import annotations

from datetime import datetime

from games.models import Game, Person, ReplyAddress
from games.outbox import subscriptions
from games.outbox.messages import reply_letters
from orders.inbound import canned
from orders.inbound.parsing import commands
from orders.models import Handling


def wish_in(script: commands.Script) -> bool | None:
    """Return True if a message only asks to stop a game's letters, False to restart them.

    Return None if it asks for anything else.
    """
    mute_values = [item.mute for item in script.items if isinstance(item, commands.Mute)]
    return (
        mute_values[-1]
        if mute_values and len(mute_values) == len(script.items) and not script.refused
        else None
    )


def mute_silently(row: Handling, reply: ReplyAddress, now: datetime) -> None:
    """Stop a game's letters without an answer.

    A mail program that unsubscribes writes by itself and needs no answer. The key proves that it is
    the reader's own address.
    """
    row.game, row.person, row.kind = reply.game, reply.person, "mute"
    try:
        if subscriptions.mute(reply.person, reply.game, now):
            reply_letters.confirm_mute(reply.person, reply.game, now)
    except subscriptions.MuteRefused as refused:
        row.words = str(refused)
    else:
        row.status = Handling.Status.DONE
        row.words = "The reader turned off letters of this game by their link."


def set_muted(
    row: Handling, game: Game, person: Person, wish: bool, now: datetime, *, proven: bool
) -> None:
    """Stop or restart a game's letters, and answer: to their sender if that is `proven`.

    The key alone is enough to stop letters, as in the unsubscribe link.
    """
    answer, why = (canned.MUTED if wish else canned.UNMUTED), ""
    try:
        if wish:
            subscriptions.mute(person, game, now)
        else:
            subscriptions.unmute(person, game, now)
    except subscriptions.MuteRefused as refused:
        answer, why = canned.NOT_MUTED, str(refused)
    to = row.sender if proven else person.email
    canned.give(row, answer, now, to=to, proven=proven, why=why)
