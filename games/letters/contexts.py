"""Which module says what a letter of a kind says. Each has a table `TELLERS`: kind to a function
from the row to the letter's facts."""

from __future__ import annotations

from games import permissions
from games.models import Letter

from . import (
    answers,
    closures,
    desk,
    facts,
    headers,
    inbound,
    once,
    press,
    referee,
    restored,
    ruled,
    webhooks,
)
from .facts import Facts

TELLERS = {
    **facts.TELLERS,
    **desk.TELLERS,
    **answers.TELLERS,
    **press.TELLERS,
    **inbound.TELLERS,
    **ruled.TELLERS,
    **webhooks.TELLERS,
    **closures.TELLERS,
    **restored.TELLERS,
    **referee.TELLERS,
}


def of(letter: Letter) -> Facts:
    """Everything that a letter's templates need. Raises `KeyError` for a kind that nobody has
    written."""
    told = facts.common(letter)
    if letter.game is not None:
        told |= facts.of_game(letter, letter.game)
    plays = _plays(letter)
    told |= {"plays": plays} | _by_mail(letter, plays)
    return told | TELLERS[letter.kind](letter)


def _plays(letter: Letter) -> bool:
    """Whether the letter goes to a player: one who only runs the game is not told how to send
    orders."""
    if letter.game is None or letter.person is None or letter.about.get("seats"):
        return True
    person, game = letter.person, letter.game
    found: bool = once.ask(
        ("plays", game.pk, person.pk),
        lambda: (
            not permissions.is_gamesmaster(person, game)
            or bool(permissions.seats_held(person, game))
        ),
    )
    return found


def _by_mail(letter: Letter, plays: bool) -> Facts:
    """The line above which an answer is written, where mail comes in and the reader has a mail
    program."""
    from orders.inbound.parsing.quoting import MARKER, MARKER_OF_ASKING

    if headers.asks(letter):
        return {"marker": MARKER_OF_ASKING, "asks_by_mail": True}
    on = headers.answerable(letter) and letter.person is not None and not letter.person.by_post
    marker = MARKER if plays else MARKER_OF_ASKING
    return {
        "marker": marker if on else "",
        "order_by_mail": on and plays and letter.kind not in headers.OWN_THREADS,
    }
