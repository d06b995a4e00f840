"""Find who operates the army of a minor country and speaks for it (16, 20.0).

It is the first power that the chart names, unless it has invaded the country; then the second. As
printed the first invasion decides for good: units of the power that operates the country since then
enter it freely, and no later invasion gives it to another (12.1, 16.24). The gamesmaster operates
what the chart leaves to nobody, and under the earlier reading what all that it names have invaded
(Rules B.1). This is not control for victory points. In games of four and five an Italian invasion
counts for the German player (`spi.invader_unit` = player), or for Italy only (power).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .hostility import are_hostile, have_treaty
from .players import player_of, same_hand
from .state import ATTACKED, CROSSED, NOBODY, Invasion, State

FINLAND = "Finland"


@dataclass(frozen=True)
class Operator:
    """Who operates a country.

    `power` is NOBODY if the gamesmaster does. `why` is half a sentence; `case` the printed case.
    """

    power: str
    why: str
    case: str


def operator(state: State, country: str) -> Operator | None:
    """Return who operates a country; None if the chart has no operator for it, as for homes."""
    ruled = state.country(country).operator
    charted = _charted(state, country)
    if charted is None or ruled is None:
        return charted
    return Operator(ruled, "the gamesmaster ruled it", "20.0")


def _charted(state: State, country: str) -> Operator | None:
    """Return who operates a country by the chart and its invasions, without rulings."""
    chart = state.card.operators[state.players_count]
    if country not in chart:
        return None
    case = "20.2" if state.players_count == 4 else "20.1"
    names = chart[country]
    for place, name in enumerate(names):
        if not _has_invaded(state, name, country):
            why = "the chart names it" if place == 0 else f"{names[0]} has invaded {country}"
            return Operator(name, why, case if place == 0 else "20.0")
    verb = "have" if len(names) > 1 else "has"
    return Operator(NOBODY, f"{' and '.join(names)} {verb} invaded {country}", "20.0")


def _has_invaded(state: State, power: str, country: str) -> bool:
    return any(
        counts_for(state, invasion.power, power) for invasion in decisive_invasions(state, country)
    )


def decisive_invasions(state: State, country: str) -> tuple[Invasion, ...]:
    """Return the invasions that decide who operates a country, and the German rate (12.1, 20.0).

    As printed that is the first one.
    """
    invasions = state.country(country).invasions
    return invasions[:1] if state.printed else invasions


def counts_for(state: State, power: str, other: str) -> bool:
    """Return whether what a power does to a neutral counts for another (`spi.invader_unit`)."""
    return power == other or (
        state.options["spi.invader_unit"] == "player" and same_hand(state, power, other)
    )


def enters_freely(state: State, power: str, country: str) -> bool:
    """Return whether a power's units enter a country freely: that is no invasion (12.1, 16.24).

    They do once an invasion by others has placed its army on this power's side.
    """
    charted = _charted(state, country)
    return bool(
        state.printed
        and state.country(country).invasions
        and charted
        and charted.power != NOBODY
        and counts_for(state, power, charted.power)
    )


def entry_case(state: State, power: str, country: str) -> str:
    """Return the printed case by which a power's units enter a country without invading it."""
    minors = state.card.minors
    if country == minors.halves and counts_for(state, power, "Germany"):
        return "12.1"
    if country in minors.self_defence:
        return "16.24"
    if country in minors.pro_axis:
        return "16.31"
    return "16.9" if country in minors.ally else "12.0"


def operates(state: State, sender: str, country: str) -> bool:
    """Return whether a power's orders may move a country's army.

    Those of its operator may, and those of another power of the same player.
    """
    current = operator(state, country)
    return (
        current is not None
        and current.power != NOBODY
        and player_of(state, current.power) == player_of(state, sender)
    )


def reason_frozen(state: State, country: str) -> str:
    """Return why a minor army may not move now, as half a sentence (16.22, 16.31, 16.41).

    Return "" if nothing known here forbids it. Only the map shows whether a hostile unit has
    crossed the Finnish border; an invasion of Finland proves it.
    """
    minors = state.card.minors
    if country in minors.self_defence and not state.country(country).invasions:
        return f"the army of {country} is frozen until it is invaded (16.22)"
    if country in minors.pro_axis and not is_released(state, country):
        if country == FINLAND and may_attack(state, country):
            return f"the army of {country} may attack, but may not leave its borders (16.41)"
        limits = "may move only inside its borders and may not attack"
        finnish = "16.41, 16.42" if state.printed else "16.41"
        return f"the army of {country} {limits} ({finnish if country == FINLAND else '16.31'})"
    return ""


def state_after_attack(state: State, power: str, country: str, *, crossed: bool) -> State:
    """Return the state after a power attacked a country, or `crossed` its border.

    What this releases stays released, even if alliances change (16.31, 16.41, 16.42).
    """
    if not state.printed or power not in state.card.order:
        return state
    flags, axis = state.flags, _is_axis(state, power)
    if axis and country in ("USSR", *state.card.minors.balkans):
        flags = replace(flags, axis_attacked=tuple(dict.fromkeys((*flags.axis_attacked, country))))
    if not axis and country == FINLAND and flags.finland != CROSSED:
        flags = replace(flags, finland=CROSSED if crossed else ATTACKED)
    return replace(state, flags=flags)


def may_attack(state: State, country: str) -> bool:
    """Return whether a pro-Axis neutral may attack.

    Finland may once a Finn has been attacked (16.42).
    """
    attacked_finn = state.printed and country == FINLAND and state.flags.finland == ATTACKED
    return attacked_finn or is_released(state, country)


def is_released(state: State, country: str) -> bool:
    """Return whether a pro-Axis neutral may leave its borders and attack (16.31, 16.41)."""
    if state.printed:
        if country == FINLAND:
            return state.flags.finland == CROSSED
        return bool(state.flags.axis_attacked)
    if country == FINLAND:
        return any(
            not _is_axis(state, invasion.power) for invasion in state.country(FINLAND).invasions
        )
    return _has_axis_attacked(state, ("USSR", *state.card.minors.balkans))


def expedition(state: State, country: str) -> dict[str, int]:
    """Return Strength Points of a pro-Axis army that may serve abroad now (16.32, 16.33).

    They are given by region.
    """
    sent, balkans = state.card.minors.expedition, state.card.minors.balkans
    allowed = {}
    at_war = (
        are_hostile(state, "Germany", "USSR")
        if state.printed
        else _has_axis_attacked(state, ("USSR",), germany_alone=True)
    )
    if at_war:
        allowed["USSR"] = sent.get("war_with_USSR", {}).get(country, 0)
    in_balkans = (
        any(target in balkans for target in state.flags.axis_attacked)
        if state.printed
        else _has_axis_attacked(state, balkans)
    )
    if in_balkans:
        allowed["the Balkans"] = sent.get("attack_on_the_Balkans", {}).get(country, 0)
    return {where: points for where, points in allowed.items() if points}


def _is_axis(state: State, power: str) -> bool:
    """Return whether a power is Germany, has the same player, or is allied to it."""
    return power == "Germany" or have_treaty(state, power, "Germany")


def _has_axis_attacked(
    state: State, countries: tuple[str, ...], *, germany_alone: bool = False
) -> bool:
    attackers = [row.power for row in state.hostile if row.country in countries]
    attackers += [row.power for country in countries for row in state.country(country).invasions]
    return any(
        power == "Germany" if germany_alone else _is_axis(state, power) for power in attackers
    )
