"""Sea transport (5.7): whose the Allied points are, what the permanent capacities carry, and what
has been used.

The Allied total of a turn stands on the base game's track: the gamesmaster enters it. All of it is
Britain's on turns 1 to 5; from turn 6 on naval and amphibious points are each divided evenly, the
odd point to Britain. Until the USA is at war its half lies idle, or is Britain's too
(`spi.pre_entry_us_share`). From 4/44 on the USA has no amphibious transport (18.0).
"""

from __future__ import annotations

from typing import NamedTuple

from .players import has_entered
from .state import State

NAVAL, AMPHIBIOUS = "naval", "amphibious"
MED, BALTIC = "MED", "BALTIC"
#: Where the permanent capacities may be used, and by which case; the Allied points go anywhere.
_SEAS = {"France": ((MED,), "5.75"), "Italy": ((MED,), "5.77"), "Germany": ((BALTIC, MED), "5.77")}
_CALLED = {MED: "the Mediterranean", BALTIC: "the Baltic"}


class Split(NamedTuple):
    britain: int
    usa: int
    idle: int = 0


def split(turn: int, total: int, halved_from: int = 6) -> tuple[int, int]:
    """Britain's and the USA's part of an Allied total, by the calendar alone (5.7)."""
    return (total, 0) if turn < halved_from else ((total + 1) // 2, total // 2)


def shares(state: State, kind: str, turn: int | None = None) -> Split | None:
    """Split the Allied track between Britain and the USA; None where it is not entered."""
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
    """Return points a power may use this turn; None where its track is not entered."""
    table = state.card.transport
    if owner in ("Britain", "USA"):
        found = shares(state, kind)
        return None if found is None else (found.britain if owner == "Britain" else found.usa)
    if kind == AMPHIBIOUS:
        # German and Italian amphibious points are the base game's.
        return 0 if owner == "France" else None
    row = table.get(owner)
    return 0 if row is None else int(row.get("strength", row.get("naval", 0)))


def used(state: State, owner: str, kind: str) -> int:
    return sum(
        one.points
        for one in state.uses
        if one.turn == state.turn and one.owner == owner and one.kind == kind
    )


def carries(state: State, owner: str, sender: str) -> bool:
    """Whether a power's transport may carry another's Strength Points at all (5.75, 5.77)."""
    said = state.card.transport.get(owner, {}).get("carries", "anyone")
    if isinstance(said, dict):
        said = said.get(str(state.version), "anyone")
    return said in ("anyone", sender)


def sea_of(owner: str, named: str) -> str:
    """The sea that a movement leads through: the one that is named, or the only one in which its
    transport may be used; "" where that only the gamesmaster can tell."""
    seas, _ = _SEAS.get(owner, ((), ""))
    return named or (seas[0] if len(seas) == 1 else "")


def faults(
    state: State, owner: str, sender: str, kind: str, points: int, named: str = ""
) -> list[str]:
    """What speaks against a sea movement, in sentences: the sea named, cargo, and points left. What
    is not known here is not said."""
    found = []
    seas, case = _SEAS.get(owner, ((), ""))
    if named and seas and kind == NAVAL and named not in seas:
        found.append(
            f"{owner}'s transport may only be used in {' and '.join(_CALLED[sea] for sea in seas)}"
            f" ({case})."
        )
    if not carries(state, owner, sender):
        found.append(
            f"With {state.version} players {owner}'s transport carries only its own Strength"
            " Points (5.77)."
        )
    most = capacity(state, owner, kind)
    if most is not None and used(state, owner, kind) + points > most:
        left = max(0, most - used(state, owner, kind))
        found.append(
            f"{owner} has {left} of {most} {kind} point{'' if most == 1 else 's'} left this turn"
            " (5.7)."
        )
    return found


def italian_limit(state: State) -> int | None:
    """Return the most Italian Strength Points in North Africa; None without limit (5.77)."""
    limit = state.card.transport.get("italian_limit_in_north_africa", {}).get(str(state.version))
    return None if limit is None else int(limit)


def barred_by_turkey(state: State) -> bool:
    """No sea transport passes Turkish hexes while nobody has invaded Turkey (12.4)."""
    return not state.country(state.card.minors.bars_sea).invasions
