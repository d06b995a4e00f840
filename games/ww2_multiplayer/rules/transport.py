"""Compute sea transport (5.7): Allied points, what permanent capacities carry, and points used.

The Allied total of a turn is on the base game's track, and the gamesmaster enters it. On turns 1 to
5 all of it is Britain's; from turn 6 on naval and amphibious points are each divided evenly, and an
odd point goes to Britain. Until the USA is at war its half is idle, or Britain's too
(`spi.pre_entry_us_share`). From 4/44 on the USA has no amphibious transport (18.0).
"""

from __future__ import annotations

from typing import NamedTuple

from .players import has_entered
from .state import State

NAVAL, AMPHIBIOUS = "naval", "amphibious"
MED, BALTIC = "MED", "BALTIC"
#: Seas in which permanent capacities may be used, and the case. Allied points go anywhere.
_SEAS = {"France": ((MED,), "5.75"), "Italy": ((MED,), "5.77"), "Germany": ((BALTIC, MED), "5.77")}
_CALLED = {MED: "the Mediterranean", BALTIC: "the Baltic"}


class Split(NamedTuple):
    britain: int
    usa: int
    idle: int = 0


def split(turn: int, total: int, halved_from: int = 6) -> tuple[int, int]:
    """Return Britain's and the USA's part of an Allied total, by the calendar only (5.7)."""
    return (total, 0) if turn < halved_from else ((total + 1) // 2, total // 2)


def shares(state: State, kind: str, turn: int | None = None) -> Split | None:
    """Split the Allied track between Britain and the USA; None if it has not been entered."""
    turn = state.turn if turn is None else turn
    if turn not in state.tracks:
        return None
    total = state.tracks[turn][kind == AMPHIBIOUS]
    britain, usa = split(turn, total, state.card.transport["Allied"]["halved_from_turn"])
    if kind == AMPHIBIOUS and turn >= state.card.us.amphibious_lost:
        return Split(britain, 0)
    if not has_entered(state):
        return (
            Split(britain + usa, 0)
            if state.options["spi.pre_entry_us_share"] == "british"
            else Split(britain, 0, usa)
        )
    return Split(britain, usa)


def capacity(state: State, owner: str, kind: str) -> int | None:
    """Return the points a power may use this turn; None if its track has not been entered."""
    table = state.card.transport
    if owner in ("Britain", "USA"):
        parts = shares(state, kind)
        return None if parts is None else (parts.britain if owner == "Britain" else parts.usa)
    if kind == AMPHIBIOUS:
        # German and Italian amphibious points are the base game's.
        return 0 if owner == "France" else None
    row = table.get(owner)
    return 0 if row is None else int(row.get("strength", row.get("naval", 0)))


def points_used(state: State, owner: str, kind: str) -> int:
    return sum(
        use.points
        for use in state.uses
        if use.turn == state.turn and use.owner == owner and use.kind == kind
    )


def carries(state: State, owner: str, sender: str) -> bool:
    """Return whether a power's transport may carry another's Strength Points (5.75, 5.77)."""
    allowed = state.card.transport.get(owner, {}).get("carries", "anyone")
    if isinstance(allowed, dict):
        allowed = allowed.get(str(state.players_count), "anyone")
    return allowed in ("anyone", sender)


def sea_of(owner: str, named: str) -> str:
    """Return the sea that a movement crosses: the named one, or the only one open to the owner.

    Return "" if only the gamesmaster can tell.
    """
    seas, _ = _SEAS.get(owner, ((), ""))
    return named or (seas[0] if len(seas) == 1 else "")


def faults(
    state: State, owner: str, sender: str, kind: str, points: int, named: str = ""
) -> list[str]:
    """Return what is wrong with a sea movement: the sea named, cargo, and points left.

    Nothing is said about points whose track has not been entered.
    """
    sentences = []
    seas, case = _SEAS.get(owner, ((), ""))
    if named and seas and kind == NAVAL and named not in seas:
        sentences.append(
            f"{owner}'s transport may only be used in {' and '.join(_CALLED[sea] for sea in seas)}"
            f" ({case})."
        )
    if not carries(state, owner, sender):
        sentences.append(
            f"With {state.players_count} players {owner}'s transport carries only its own Strength"
            " Points (5.77)."
        )
    most = capacity(state, owner, kind)
    if most is not None and points_used(state, owner, kind) + points > most:
        left = max(0, most - points_used(state, owner, kind))
        sentences.append(
            f"{owner} has {left} of {most} {kind} point{'' if most == 1 else 's'} left this turn,"
            f" not {points} (5.7)."
        )
    return sentences


def italian_limit(state: State) -> int | None:
    """Return the most Italian Strength Points in North Africa; None if there is no limit (5.77)."""
    limit = state.card.transport.get("italian_limit_in_north_africa", {}).get(
        str(state.players_count)
    )
    return None if limit is None else int(limit)


def is_barred_by_turkey(state: State) -> bool:
    """Return whether Turkey bars sea transport. It does until it is invaded (12.4)."""
    return not state.country(state.card.minors.bars_sea).invasions
