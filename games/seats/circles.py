"""Name who takes part in a conversation."""

from __future__ import annotations

from games.models import Press

#: The writer of a letter without a seat, and the addressee of a question.
GAMESMASTER = "the Gamesmaster"


ALL = "all nations"


UNSIGNED = "unsigned"


def conversation(press: Press) -> tuple[str, ...]:
    """Return the participants of a letter's conversation, in card order.

    Unsigned letters have UNSIGNED instead of their writer.
    """
    if press.to_all:
        return (ALL,)
    nations = [
        seat.nation for seat in sorted(press.game.seats.all(), key=lambda seat: seat.ordinal)
    ]
    participants = {
        *press.to,
        *([press.seat.nation] if press.seat is not None and press.signed else []),
    }
    masters = [GAMESMASTER] if press.to_gamesmaster or press.seat is None else []
    return (
        *(nation for nation in nations if nation in participants),
        *masters,
        *([] if press.signed else [UNSIGNED]),
    )
