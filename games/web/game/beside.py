"""What stands beside the map of a game: the newest letters, open votes, the last act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from games import permissions
from games.models import Act, Game, Motion, Person, Phase, Press, Seat
from games.press import conversations

LETTERS_SHOWN = 3


@dataclass(frozen=True)
class NewLetter:
    """A letter of another nation to the reader's, as it is named beside the map."""

    press: Press
    writer: str
    unread: bool


@dataclass(frozen=True)
class Beside:
    """`motions`: open votes of the phase. `act`: the last one that everybody may know."""

    letters: tuple[NewLetter, ...] = ()
    motions: tuple[Motion, ...] = ()
    act: Act | None = None


def beside_map(
    game: Game, person: permissions.Someone, held: Sequence[Seat], phase: Phase, *, runs: bool
) -> Beside:
    """Return it for a game in progress. `held`: the seats of the reader, of a game whose seats
    are read; `phase`: the newest, annotated with `voting`. At most four queries.

    Who runs the game is not told of the last act: it was theirs, and the desk lists all."""
    letters: tuple[NewLetter, ...] = ()
    if held and isinstance(person, Person) and game.last_press:
        unread = {
            code
            for seat in held
            for sitting in seat.sitting_now or ()
            if sitting.person_id == person.pk
            for code in sitting.unread
        }
        letters = tuple(
            NewLetter(press, conversations.writer(press), press.code in unread)
            for press in islice(permissions.letters_to(person, game), LETTERS_SHOWN)
        )
    motions = (
        tuple(Motion.objects.filter(phase=phase, closed_at=None).order_by("pk"))
        if getattr(phase, "voting", False)
        else ()
    )
    if runs:
        return Beside(letters, motions)
    acts = Act.objects.filter(game=game, private=False)
    if motions:  # an open vote is told already
        acts = acts.exclude(kind="vote")
    return Beside(letters, motions, acts.order_by("-done_at", "-pk").first())
