"""What one power may allow another, and who must be asked (9.12, 9.32, 9.33, 9.42, 10.35, 10.51,
10.82, 16.24, 16.31).

A grant is its giver's word alone and stands until he takes it back; whoever it is for consents by
using it. Alliances and peace, which bind both, need both (`diplomacy.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..names import all_of, fold
from .card import ANY, GRANT_CASES, OPERATOR
from .hostility import at_odds
from .operators import operator
from .players import same_hand
from .state import State

FRENCH_CENTERS = 3


@dataclass(frozen=True)
class Asked:
    """A permission that is needed: by which case, whose to give, whether given now, and why."""

    case: str
    by: str
    given: bool
    why: str


def cases(state: State) -> tuple[str, ...]:
    """The cases that mean something in a game of this many players."""
    return tuple(one.case for one in state.card.grants if state.version in one.players)


def giver(state: State, case: str, country: str = "") -> str:
    """Whose a permission is to give: a power, or "" where the gamesmaster runs the country.
    Lend-Lease is Britain's with four (10.35)."""
    by = next(one.by for one in state.card.grants if one.case == case)
    if by == OPERATOR:
        found = operator(state, country)
        return found.power if found else ""
    if case == "10.35" and state.version == 4:
        return "Britain"
    return "" if by == ANY else by


def granted(state: State, by: str, to: str, kind: str, place: str = "") -> bool:
    """Whether a grant stands. One without a place holds everywhere."""
    return any(
        one.by == by
        and one.to == to
        and one.kind == kind
        and (not one.place or not place or fold(one.place) == fold(place))
        for one in state.grants
    )


def asked(state: State, case: str, to: str, country: str = "") -> Asked:
    """Whether a power has the permission of a case now."""
    if case not in cases(state):
        return Asked(case, "", True, f"{state.version} players need no permission ({case})")
    if any(one.case == case and one.by == ANY for one in state.card.grants):
        kind = GRANT_CASES[case][0]
        helpers = tuple(one for one in state.card.order if granted(state, one, to, kind, country))
        if not helpers:
            return Asked(case, "", False, f"nobody has allowed it ({case})")
        verb = "allow" if len(helpers) > 1 else "allows"
        return Asked(case, helpers[0], True, f"{all_of(helpers)} {verb} it ({case})")
    by = giver(state, case, country)
    if by and same_hand(state, by, to):
        return Asked(case, by, True, f"{by} and {to} have the same player")
    if case == "9.33" and state.version == 4 and to == "USA":
        return Asked(case, by, True, "American units are always in supply in Britain (9.33)")
    kind, place = GRANT_CASES[case]
    given = granted(state, by, to, kind, country or place)
    verb = "allows" if given else "has not allowed"
    return Asked(case, by, given, f"{by or 'nobody'} {verb} it ({case})")


def french_abroad(state: State) -> str:
    """Say whether French units outside France can be in supply from France: they trace to any three
    of its resource centers outside enemy control, or use a friendly country's supply (9.42)."""
    told = state.country("France")
    otherwise = "or a friendly country supplies them at its discretion"
    if told.centres is None:
        return f"French units abroad need three resource centers in France, {otherwise} (9.42)."
    enemy = sum(count for power, count in told.held.items() if at_odds(state, power, "France"))
    free = told.centres - enemy
    centers = f"{free} of {told.centres} French resource centers are outside enemy control"
    if free >= FRENCH_CENTERS:
        return f"{centers}: French units abroad may trace to any three of them, {otherwise} (9.42)."
    return f"{centers}: French units abroad have only what a friendly country supplies (9.42)."


def passage(state: State, to: str, country: str) -> Asked | None:
    """Whether an army may pass through a country: asked of pro-Axis neutrals alone (16.31)."""
    return asked(state, "16.31", to, country) if country in state.card.minors.pro_axis else None


def sea(state: State, owner: str, to: str) -> Asked:
    """Whether a power may use another's transport points: by its owner's TRANSPORT grant."""
    if same_hand(state, owner, to):
        both = f"{owner} and {to} have the same player"
        why = f"the points are {owner}'s own" if owner == to else both
        return Asked("5.77", owner, True, why)
    given = granted(state, owner, to, "transport")
    verb = "allows" if given else "has not allowed"
    return Asked("5.77", owner, given, f"{owner} {verb} {to} to use its transport")
