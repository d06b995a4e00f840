"""Check what one power allows another, and who has to allow it.

These are cases 9.12, 9.32, 9.33, 9.42, 10.35, 10.51, 10.82, 16.24 and 16.31. A grant needs only its
giver's word and holds until the giver takes it back; its receiver consents by using it. Alliances
and peace bind both sides and need both (`diplomacy.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from games.rules.names import all_of, fold

from .card import ANY, GRANT_CASES, OPERATOR
from .hostility import are_hostile
from .operators import operator
from .players import same_hand
from .state import State

FRENCH_CENTERS = 3


@dataclass(frozen=True)
class PermissionCheck:
    """A permission that is needed: its case, its giver, whether it is given, and why."""

    case: str
    by: str
    given: bool
    why: str


def cases(state: State) -> tuple[str, ...]:
    """Return the cases that apply in a game of this many players."""
    return tuple(
        permission.case
        for permission in state.card.grants
        if state.players_count in permission.players
    )


def giver(state: State, case: str, country: str = "") -> str:
    """Return who gives a permission: a power, or "" if the gamesmaster operates the country.

    With four players Lend-Lease is Britain's to give (10.35).
    """
    by = next(permission.by for permission in state.card.grants if permission.case == case)
    if by == OPERATOR:
        current = operator(state, country)
        return current.power if current else ""
    if case == "10.35" and state.players_count == 4:
        return "Britain"
    return "" if by == ANY else by


def why_idle(state: State, by: str, to: str, kind: str, place: str = "") -> str:
    """Return why a grant permits nothing, as a sentence (10.35, 16.31); "" if it may."""
    if kind == "lend_lease":
        if by != (owner := giver(state, "10.35")):
            return f"Lend-Lease is {owner}'s to give (10.35), so this permits nothing."
        if to != "USSR":
            return "Lend-Lease goes to the USSR alone (10.35), so this permits nothing."
    country = next((one for one in state.card.minors.pro_axis if fold(one) == fold(place)), "")
    if kind == "transit" and country and by != (owner := giver(state, "16.31", country)):
        return f"{owner} decides who may pass {country} (16.31), so this permits nothing."
    return ""


def is_granted(state: State, by: str, to: str, kind: str, place: str = "") -> bool:
    """Return whether a grant is in effect. One without a place applies everywhere."""
    return any(
        grant.by == by
        and grant.to == to
        and grant.kind == kind
        and (not grant.place or not place or fold(grant.place) == fold(place))
        for grant in state.grants
    )


def check_permission(state: State, case: str, to: str, country: str = "") -> PermissionCheck:
    """Return whether a power has the permission of a case now."""
    if case not in cases(state):
        return PermissionCheck(
            case, "", True, f"{state.players_count} players need no permission ({case})"
        )
    if any(grant.case == case and grant.by == ANY for grant in state.card.grants):
        kind = GRANT_CASES[case][0]
        helpers = tuple(
            helper for helper in state.card.order if is_granted(state, helper, to, kind, country)
        )
        if not helpers:
            return PermissionCheck(case, "", False, f"nobody has allowed it ({case})")
        verb = "allow" if len(helpers) > 1 else "allows"
        return PermissionCheck(case, helpers[0], True, f"{all_of(helpers)} {verb} it ({case})")
    by = giver(state, case, country)
    if by and same_hand(state, by, to):
        return PermissionCheck(case, by, True, f"{by} and {to} have the same player")
    if case == "9.33" and state.players_count == 4 and to == "USA":
        return PermissionCheck(
            case, by, True, "American units are always in supply in Britain (9.33)"
        )
    kind, place = GRANT_CASES[case]
    granted = is_granted(state, by, to, kind, country or place)
    verb = "allows" if granted else "has not allowed"
    return PermissionCheck(case, by, granted, f"{by or 'nobody'} {verb} it ({case})")


def french_abroad(state: State) -> str:
    """Return in a sentence whether French units abroad can be in supply from France (9.42).

    They trace supply to any three of its resource centers outside enemy control, or use a friendly
    country's supply.
    """
    row = state.country("France")
    otherwise = "or a friendly country supplies them at its discretion"
    if row.centres is None:
        return f"French units abroad need three resource centers in France, {otherwise} (9.42)."
    enemy = sum(count for power, count in row.held.items() if are_hostile(state, power, "France"))
    free = row.centres - enemy
    centers = f"{free} of {row.centres} French resource centers are outside enemy control"
    if free >= FRENCH_CENTERS:
        return f"{centers}: French units abroad may trace to any three of them, {otherwise} (9.42)."
    return f"{centers}: French units abroad have only what a friendly country supplies (9.42)."


def passage(state: State, to: str, country: str) -> PermissionCheck | None:
    """Return whether an army may pass through a country (16.31).

    Return None unless the country is a pro-Axis neutral.
    """
    return (
        check_permission(state, "16.31", to, country)
        if country in state.card.minors.pro_axis
        else None
    )


def sea(state: State, owner: str, to: str) -> PermissionCheck:
    """Return whether a power may use another's transport points, by the owner's TRANSPORT grant."""
    if same_hand(state, owner, to):
        both = f"{owner} and {to} have the same player"
        why = f"the points are {owner}'s own" if owner == to else both
        return PermissionCheck("5.77", owner, True, why)
    granted = is_granted(state, owner, to, "transport")
    verb = "allows" if granted else "has not allowed"
    return PermissionCheck("5.77", owner, granted, f"{owner} {verb} {to} to use its transport")
