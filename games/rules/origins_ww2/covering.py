"""How a bot lays its own counters face down (F9, F10), and how it estimates those of others.

The bot's planner works with face-up PFs only and knows neither.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from ..orders import lines
from .face_down import BLANKS_A_TURN, FaceDownCounters, fewest
from .reading import Place, read_line
from .state import State


def guess_board(state: State, nation: str) -> State:
    """Return the board as the nation may estimate it: its own counters turned up, others estimated.

    How many PFs each nation has to place is on the card, and how many counters lie where is on the
    board. Each counter of another nation is estimated at an equal share of that nation's PFs,
    rounded up. Blanks are ignored.
    """
    if not state.face_down:
        return state
    seen = state.view_for(nation)
    pieces = seen.face_up_pieces
    laid: dict[str, int] = {}
    for area, owner in seen.face_down:
        laid[owner] = laid.get(owner, 0) + seen.face_down.number(area, owner)
    for area, owner in seen.face_down:
        if unknown := seen.face_down.unknown(area, owner):
            pieces = pieces.add(area, owner, -(-state.allocation(owner) * unknown // laid[owner]))
    return replace(state, pieces=pieces, face_down=FaceDownCounters())


def cover_placements(state: State, nation: str, salt: str, text: str) -> str:
    """Return a bot's placements, with counters chosen for some of them, and its blanks laid where
    it may want to look strong."""
    if not (state.lays_face_down and state.is_placing and text):
        return text
    written = []
    for line in lines(text):
        order = read_line(line, state.card, face_down=True, market=state.market)
        luck = _luck(salt, state, nation, line.text)
        if isinstance(order, Place) and order.pf <= state.allocation(nation) and luck < 128:
            order = replace(order, counters=_split(order.pf, luck))
        written.append(order.words())
    if written == ["PASS"]:
        return text
    open_areas = [area for area in state.card.areas if not state.pieces.closed(area)]
    where = sorted(open_areas, key=lambda area: _luck(salt, state, nation, "blank", area))[
        :BLANKS_A_TURN
    ]
    return "\n".join(
        [*written, *_blanks(where, _luck(salt, state, nation, "blanks") % (BLANKS_A_TURN + 1))]
    )


def _split(pf: int, luck: int) -> tuple[int, ...]:
    """Return counters for these PFs: all counters of 1, or a few of 1 and the rest as few as
    possible."""
    ones = pf if luck < 32 else min(pf, luck % 4)
    return (*fewest(pf - ones), *(1,) * ones)


def _blanks(where: Sequence[str], number: int) -> list[str]:
    """Return orders for this number of blanks, one or two per area."""
    return [
        f"BLANKS {1 + (place < number - len(where))} {area}"
        for place, area in enumerate(where[:number])
    ]


def _luck(*about: object) -> int:
    """Return a number from 0 to 255, the same for the same arguments."""
    text = "\x1f".join(
        f"{part.turn}/{part.step}" if isinstance(part, State) else str(part) for part in about
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0]
