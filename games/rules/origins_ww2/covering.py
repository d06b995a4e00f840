"""How a program lays its counters face down (F9, F10), and what it takes those of others for: what
its plan is made of knows neither."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from ..orders import lines
from .face_down import BLANKS_A_TURN, FaceDown, fewest
from .reading import Place, read_line
from .state import State


def guess_board(state: State, nation: str) -> State:
    """The board as the nation may take it to be: its own counters turned up, those of others at
    what its owner had for each.

    How many PFs everybody has to place is on the card, and how many counters lie where is on the
    board. Blanks are not reckoned with.
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
    return replace(state, pieces=pieces, face_down=FaceDown())


def cover_placements(state: State, nation: str, salt: str, text: str) -> str:
    """A program's placements with counters named for some of them, and its blanks laid where it may
    want to be feared."""
    if not (state.lays_face_down and state.placing and text):
        return text
    found = []
    for line in lines(text):
        order = read_line(line, state.card, face_down=True, market=state.market)
        luck = _luck(salt, state, nation, line.text)
        if isinstance(order, Place) and order.pf <= state.allocation(nation) and luck < 128:
            order = replace(order, counters=_split(order.pf, luck))
        found.append(order.words())
    if found == ["PASS"]:
        return text
    open_areas = [area for area in state.card.areas if not state.pieces.closed(area)]
    where = sorted(open_areas, key=lambda area: _luck(salt, state, nation, "blank", area))[
        :BLANKS_A_TURN
    ]
    return "\n".join(
        [*found, *_blanks(where, _luck(salt, state, nation, "blanks") % (BLANKS_A_TURN + 1))]
    )


def _split(pf: int, luck: int) -> tuple[int, ...]:
    """Many small counters, or a few small ones beside what is left in the fewest."""
    ones = pf if luck < 32 else min(pf, luck % 4)
    return (*fewest(pf - ones), *(1,) * ones)


def _blanks(where: Sequence[str], number: int) -> list[str]:
    """So many blanks, one or two an area."""
    return [
        f"BLANKS {1 + (place < number - len(where))} {area}"
        for place, area in enumerate(where[:number])
    ]


def _luck(*about: object) -> int:
    """A number from 0 to 255, the same for the same salt."""
    said = "\x1f".join(
        f"{one.turn}/{one.step}" if isinstance(one, State) else str(one) for one in about
    )
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()[0]
