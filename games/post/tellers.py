"""Which module says what a letter of a kind says. Each has a table `TELLERS`: kind to a function from the row to the letter's facts."""

from __future__ import annotations

from games.models import Letter

from . import facts
from .facts import Facts

TELLERS = {**facts.TELLERS}


def of(letter: Letter) -> Facts:
    """Everything that a letter's templates need. Raises `KeyError` for a kind that nobody has written."""
    told = facts.common(letter)
    if letter.game is not None:
        told |= facts.of_game(letter, letter.game)
    return told | TELLERS[letter.kind](letter)
