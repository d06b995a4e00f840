"""Say who is hostile to whom and who is allied, and make peace (19.12, Rules B.3).

The printed rules have no declaration of war: hostility follows from acts. A power is hostile to a
country once it has invaded it or one of its possessions, or has fought its units or its allies'
units, until they negotiate a peace. Between powers, the country is the other's home country.
"""

from __future__ import annotations

from dataclasses import replace

from .players import player_of, same_hand
from .state import Alliance, Hostility, Invasion, State


def hostile(state: State, power: str, country: str) -> bool:
    """Return whether a power's forces count as hostile in a country; never in its own home."""
    return (power, country) in state.flags_up


def are_hostile(state: State, a: str, b: str) -> bool:
    """Return whether one of two powers is hostile to the other."""
    return hostile(state, a, b) or hostile(state, b, a)


def are_allied(state: State, a: str, b: str) -> bool:
    """Return whether two powers are allied (19.12).

    Powers of one player always are. Other players have to register an alliance; under `spi.allied`
    = nonhostile it is enough that none of their powers are at odds.
    """
    if same_hand(state, a, b):
        return True
    if state.options["spi.allied"] == "nonhostile":
        return not any(are_hostile(state, x, y) for x in _hand(state, a) for y in _hand(state, b))
    return is_alliance_registered(state, a, b)


def have_treaty(state: State, a: str, b: str) -> bool:
    """Return whether two powers have one player or have registered an alliance.

    Unlike `are_allied` this ignores `spi.allied`, except under the earlier reading of the rules,
    where both are the same.
    """
    if not state.printed:
        return are_allied(state, a, b)
    return same_hand(state, a, b) or is_alliance_registered(state, a, b)


def is_alliance_registered(state: State, a: str, b: str) -> bool:
    """Return whether the players of two powers have registered an alliance."""
    pair = {player_of(state, a), player_of(state, b)}
    return any({alliance.a, alliance.b} == pair for alliance in state.alliances)


def _hand(state: State, power: str) -> tuple[str, ...]:
    return tuple(other for other in state.card.order if same_hand(state, other, power))


def set_alliance(state: State, a: str, b: str, made: bool) -> State:
    """Return the state with two players allied, or no longer.

    Any of their powers names a player.
    """
    first, second = sorted((player_of(state, a), player_of(state, b)), key=state.card.order.index)
    others = tuple(
        alliance for alliance in state.alliances if (alliance.a, alliance.b) != (first, second)
    )
    if not made or first == second:
        return replace(state, alliances=others)
    return replace(state, alliances=(*others, Alliance(first, second, state.turn)))


# --- raised ---


def note_invasion(state: State, power: str, country: str) -> tuple[State, tuple[Hostility, ...]]:
    """Note that a power's units have entered or attacked a country.

    Return the state and the flags raised by it, without those that were already up.
    """
    invaded = state.change_country(
        country, invasions=(*state.country(country).invasions, Invasion(state.turn, power))
    )
    countries = [country]
    if holder := state.card.prewar.get(country):
        countries.append(holder)  # "or a possession of a country"
    return _raise_flags(invaded, [(power, target) for target in countries], f"invaded {country}")


def fought(state: State, a: str, b: str) -> tuple[State, tuple[Hostility, ...]]:
    """Note that units of one country have fought those of another.

    Each of them that is a power becomes hostile to the other and to the other's allies.
    """
    new: tuple[Hostility, ...] = ()
    for fighter, opponent in ((a, b), (b, a)):
        if fighter in state.card.order:
            against = [
                (fighter, country)
                for country in (opponent, *allies_of(state, opponent))
                if country not in _hand(state, fighter)
            ]
            state, raised = _raise_flags(state, against, f"fought {opponent}")
            new += raised
    return state, new


def allies_of(state: State, country: str) -> tuple[str, ...]:
    """Return the allies of a country.

    These are registered ones and other powers of the same player, and by the printed rules Poland
    and France (16.9), the pro-Axis neutrals and Germany (16.12).
    """
    minors = state.card.minors
    printed = {(minor, power) for minor, power in minors.ally.items()} | {
        (minor, "Germany") for minor in minors.pro_axis
    }
    allies = [second for other, second in printed if other == country] + [
        other for other, second in printed if second == country
    ]
    if country in state.card.order:
        allies += [
            other
            for other in state.card.order
            if other != country
            and (same_hand(state, other, country) or is_alliance_registered(state, other, country))
        ]
    return tuple(area for area in state.card.areas if area in allies)


def _raise_flags(
    state: State, pairs: list[tuple[str, str]], cause: str
) -> tuple[State, tuple[Hostility, ...]]:
    new = []
    for power, country in dict.fromkeys(pairs):
        if power != country and not hostile(state, power, country):
            new.append(Hostility(power, country, state.turn, cause))
    return replace(state, hostile=(*state.hostile, *new)), tuple(new)


# --- cleared ---


def belongs_to(state: State, country: str) -> str:
    """Return the power that signs for a country.

    A home signs for itself, the holder for what it held before the war; "" means the operator.
    """
    return country if country in state.card.order else state.card.prewar.get(country, "")


def make_peace(state: State, a: str, b: str) -> tuple[State, tuple[Hostility, ...]]:
    """Make peace between two countries. Return the state and the flags lowered.

    These are the flags between the two, and between each power and what the other held before the
    war.
    """

    def concerns_both(flag: Hostility) -> bool:
        return any(
            flag.power == power
            and (
                flag.country == other
                or (other in state.card.order and belongs_to(state, flag.country) == other)
            )
            for power, other in ((a, b), (b, a))
        )

    ended = tuple(flag for flag in state.hostile if concerns_both(flag))
    return replace(state, hostile=tuple(flag for flag in state.hostile if flag not in ended)), ended
