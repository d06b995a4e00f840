"""Name who takes part in a conversation."""

from __future__ import annotations

from games.models import Press

#: Who a letter without a seat is from, and who a question goes to.
GAMESMASTER = "the Gamesmaster"


ALL = "all nations"


UNSIGNED = "unsigned"


def conversation(press: Press) -> tuple[str, ...]:
    """Return the circle of a letter, in card order; unsigned letters say so and not whose."""
    if press.to_all:
        return (ALL,)
    nations = [
        seat.nation for seat in sorted(press.game.seats.all(), key=lambda seat: seat.ordinal)
    ]
    inside = {*press.to, *([press.seat.nation] if press.seat is not None and press.signed else [])}
    masters = [GAMESMASTER] if press.to_gamesmaster or press.seat is None else []
    return (
        *(nation for nation in nations if nation in inside),
        *masters,
        *([] if press.signed else [UNSIGNED]),
    )
