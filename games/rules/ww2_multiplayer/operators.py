"""Who moves the army of a minor country and speaks for it (16, 20.0): the first name of the chart,
unless he has invaded it; then the second.

It is not control for victory points. Where both have invaded it, or the only one has, the
gamesmaster runs it (Rules B.1). In games of four and five an Italian invasion is the German
player's (`spi.invader_unit` = player), or Italy's alone (power).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .hostility import at_odds, by_treaty
from .players import player_of, same_hand
from .state import ATTACKED, CROSSED, NOBODY, State

FINLAND = "Finland"


@dataclass(frozen=True)
class Operator:
    """`power` is NOBODY where the gamesmaster runs the country. `why` is half a sentence; `case`
    what it rests on."""

    power: str
    why: str
    case: str


def operator(state: State, country: str) -> Operator | None:
    """Return who operates a country; None without an army: a home, or not on the chart."""
    chart = state.card.operators[state.version]
    if country not in chart:
        return None
    ruled = state.country(country).operator
    if ruled is not None:
        return Operator(ruled, "the gamesmaster ruled it", "20.0")
    case = "20.2" if state.version == 4 else "20.1"
    names = chart[country]
    for place, name in enumerate(names):
        if not _has_invaded(state, name, country):
            why = "the chart names it" if place == 0 else f"{names[0]} has invaded {country}"
            return Operator(name, why, case if place == 0 else "20.0")
    verb = "have" if len(names) > 1 else "has"
    return Operator(NOBODY, f"{' and '.join(names)} {verb} invaded {country}", "20.0")


def _has_invaded(state: State, power: str, country: str) -> bool:
    if state.options["spi.invader_unit"] == "power":
        return state.country(country).invaded_by(power)
    return any(same_hand(state, one.power, power) for one in state.country(country).invasions)


def operates(state: State, sender: str, country: str) -> bool:
    """Whether a power's orders may move a country's army: its operator's do, and those of another
    power in the same hand."""
    found = operator(state, country)
    return (
        found is not None
        and found.power != NOBODY
        and player_of(state, found.power) == player_of(state, sender)
    )


def frozen(state: State, country: str) -> str:
    """Why a minor army may not move now, as half a sentence; "" where nothing that is known here
    keeps it (16.22, 16.31, 16.41).

    Whether a hostile unit has crossed the Finnish border is on the map alone; an invasion of
    Finland says so for certain.
    """
    minors = state.card.minors
    if country in minors.self_defence and not state.country(country).invasions:
        return f"the army of {country} is frozen until it is invaded (16.22)"
    if country in minors.pro_axis and not released(state, country):
        if country == FINLAND and may_attack(state, country):
            return f"the army of {country} may attack, but may not leave its borders (16.41)"
        limits = "may move only inside its borders and may not attack"
        finnish = "16.41, 16.42" if state.printed else "16.41"
        return f"the army of {country} {limits} ({finnish if country == FINLAND else '16.31'})"
    return ""


def attacked(state: State, power: str, country: str, *, crossed: bool) -> State:
    """Return the state once a power has attacked a country, or `crossed` its border: what this
    releases stays released, whatever becomes of alliances (16.31, 16.41, 16.42)."""
    if not state.printed or power not in state.card.order:
        return state
    flags, axis = state.flags, _axis(state, power)
    if axis and country in ("USSR", *state.card.minors.balkans):
        flags = replace(flags, axis_attacked=tuple(dict.fromkeys((*flags.axis_attacked, country))))
    if not axis and country == FINLAND and flags.finland != CROSSED:
        flags = replace(flags, finland=CROSSED if crossed else ATTACKED)
    return replace(state, flags=flags)


def may_attack(state: State, country: str) -> bool:
    """Whether a pro-Axis neutral may attack: Finland once a Finn has been attacked (16.42)."""
    attacked_finn = state.printed and country == FINLAND and state.flags.finland == ATTACKED
    return attacked_finn or released(state, country)


def released(state: State, country: str) -> bool:
    """Whether a pro-Axis neutral may leave its borders and attack (16.31, 16.41)."""
    if state.printed:
        if country == FINLAND:
            return state.flags.finland == CROSSED
        return bool(state.flags.axis_attacked)
    if country == FINLAND:
        return any(not _axis(state, one.power) for one in state.country(FINLAND).invasions)
    return _axis_attacked(state, ("USSR", *state.card.minors.balkans))


def expedition(state: State, country: str) -> dict[str, int]:
    """Strength Points of a pro-Axis army that may serve abroad now, by where (16.32, 16.33)."""
    sent, balkans = state.card.minors.expedition, state.card.minors.balkans
    found = {}
    at_war = (
        at_odds(state, "Germany", "USSR")
        if state.printed
        else _axis_attacked(state, ("USSR",), germany_alone=True)
    )
    if at_war:
        found["USSR"] = sent.get("war_with_USSR", {}).get(country, 0)
    in_balkans = (
        any(one in balkans for one in state.flags.axis_attacked)
        if state.printed
        else _axis_attacked(state, balkans)
    )
    if in_balkans:
        found["the Balkans"] = sent.get("attack_on_the_Balkans", {}).get(country, 0)
    return {where: points for where, points in found.items() if points}


def _axis(state: State, power: str) -> bool:
    """Germany, and whoever is in its hand or allied to it."""
    return power == "Germany" or by_treaty(state, power, "Germany")


def _axis_attacked(
    state: State, countries: tuple[str, ...], *, germany_alone: bool = False
) -> bool:
    attackers = [one.power for one in state.hostile if one.country in countries]
    attackers += [one.power for country in countries for one in state.country(country).invasions]
    return any(power == "Germany" if germany_alone else _axis(state, power) for power in attackers)
