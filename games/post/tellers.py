"""Which module says what a letter of a kind says. Each has a table `TELLERS`: kind to a function from the row to the letter's facts."""

from __future__ import annotations

from games.models import Letter

from . import answers, desk_letters, facts, headers, mail_letters, press, ruled
from .facts import Facts

TELLERS = {**facts.TELLERS, **desk_letters.TELLERS, **answers.TELLERS, **press.TELLERS, **mail_letters.TELLERS, **ruled.TELLERS}


def of(letter: Letter) -> Facts:
    """Everything that a letter's templates need. Raises `KeyError` for a kind that nobody has written."""
    told = facts.common(letter)
    if letter.game is not None:
        told |= facts.of_game(letter, letter.game)
    told |= _by_mail(letter)
    return told | TELLERS[letter.kind](letter)


def _by_mail(letter: Letter) -> Facts:
    """The line above which an answer is written, where mail comes in and the reader has a mail program."""
    from orders.mail.quoting import MARKER, MARKER_OF_ASKING

    if headers.asks(letter):
        return {"marker": MARKER_OF_ASKING, "asks_by_mail": True}
    on = headers.answerable(letter) and letter.person is not None and not letter.person.by_post
    return {"marker": MARKER if on else "", "order_by_mail": on and letter.kind not in headers.OWN_THREADS}
