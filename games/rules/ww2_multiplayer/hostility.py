"""Who is hostile to whom, who is allied, and how peace is made (19.12, Rules B.3).

The printed rules have no declaration of war: hostility comes of acts. A power is hostile to a
country once it has invaded it or a possession of it, or has fought its units or its allies' units,
until a peace is negotiated. Between powers it means the other's home country.
"""

from __future__ import annotations

from dataclasses import replace

from .players import player_of, same_hand
from .state import Alliance, Hostility, Invasion, State


def hostile(state: State, power: str, country: str) -> bool:
    """Whether a power's forces count as hostile in a country. Nobody is hostile to his own home."""
    return (power, country) in state.flags_up


def at_odds(state: State, a: str, b: str) -> bool:
    """Whether one of two powers is hostile to the other."""
    return hostile(state, a, b) or hostile(state, b, a)


def allied(state: State, a: str, b: str) -> bool:
    """Registered by both sides, or by `spi.allied` = nonhostile merely not at odds (19.12). Powers
    in one hand always are."""
    if same_hand(state, a, b):
        return True
    if state.options["spi.allied"] == "nonhostile":
        return not any(at_odds(state, x, y) for x in _hand(state, a) for y in _hand(state, b))
    return registered(state, a, b)


def by_treaty(state: State, a: str, b: str) -> bool:
    """Whether two powers are in one hand or have signed an alliance, whatever `spi.allied` pays
    for; by the earlier reading whether they are `allied`."""
    if not state.printed:
        return allied(state, a, b)
    return same_hand(state, a, b) or registered(state, a, b)


def registered(state: State, a: str, b: str) -> bool:
    pair = {player_of(state, a), player_of(state, b)}
    return any({one.a, one.b} == pair for one in state.alliances)


def _hand(state: State, power: str) -> tuple[str, ...]:
    return tuple(one for one in state.card.order if same_hand(state, one, power))


def with_alliance(state: State, a: str, b: str, made: bool) -> State:
    """The state with two players allied, or not any more. Named by any of their powers."""
    first, second = sorted((player_of(state, a), player_of(state, b)), key=state.card.order.index)
    others = tuple(one for one in state.alliances if (one.a, one.b) != (first, second))
    if not made or first == second:
        return replace(state, alliances=others)
    return replace(state, alliances=(*others, Alliance(first, second, state.turn)))


# --- raised ---


def invaded(state: State, power: str, country: str) -> tuple[State, tuple[Hostility, ...]]:
    """A power's units have entered or attacked a country: the flags that this raises, which are
    those that were not up before."""
    told = state.put(
        country, invasions=(*state.country(country).invasions, Invasion(state.turn, power))
    )
    countries = [country]
    if holder := state.card.prewar.get(country):
        countries.append(holder)  # "or a possession of a country"
    return _raised(told, [(power, one) for one in countries], f"invaded {country}")


def fought(state: State, a: str, b: str) -> tuple[State, tuple[Hostility, ...]]:
    """Units of a country have fought those of another: each that is a power becomes hostile to the
    other and to its allies."""
    new: tuple[Hostility, ...] = ()
    for one, other in ((a, b), (b, a)):
        if one in state.card.order:
            against = [
                (one, country)
                for country in (other, *allies_of(state, other))
                if country not in _hand(state, one)
            ]
            state, raised = _raised(state, against, f"fought {other}")
            new += raised
    return state, new


def allies_of(state: State, country: str) -> tuple[str, ...]:
    """The countries that are a country's allies: registered ones, another power in the same hand,
    and by the printed rules Poland and France (16.9), the pro-Axis neutrals and Germany (16.12)."""
    minors = state.card.minors
    printed = {(minor, power) for minor, power in minors.ally.items()} | {
        (minor, "Germany") for minor in minors.pro_axis
    }
    found = [other for one, other in printed if one == country] + [
        one for one, other in printed if other == country
    ]
    if country in state.card.order:
        found += [
            one
            for one in state.card.order
            if one != country
            and (same_hand(state, one, country) or registered(state, one, country))
        ]
    return tuple(area for area in state.card.areas if area in found)


def _raised(
    state: State, pairs: list[tuple[str, str]], cause: str
) -> tuple[State, tuple[Hostility, ...]]:
    new = []
    for power, country in dict.fromkeys(pairs):
        if power != country and not hostile(state, power, country):
            new.append(Hostility(power, country, state.turn, cause))
    return replace(state, hostile=(*state.hostile, *new)), tuple(new)


# --- cleared ---


def belongs_to(state: State, country: str) -> str:
    """The power that signs for a country: its own for a home, the holder for what was held before
    the war, else "" (its operator)."""
    return country if country in state.card.order else state.card.prewar.get(country, "")


def made_peace(state: State, a: str, b: str) -> tuple[State, tuple[Hostility, ...]]:
    """Peace between two countries: every flag between them, and between each power and what the
    other held before the war."""

    def between(one: Hostility) -> bool:
        return any(
            one.power == power
            and (
                one.country == other
                or (other in state.card.order and belongs_to(state, one.country) == other)
            )
            for power, other in ((a, b), (b, a))
        )

    gone = tuple(one for one in state.hostile if between(one))
    return replace(state, hostile=tuple(one for one in state.hostile if one not in gone)), gone
