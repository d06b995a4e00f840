"""National objectives: the column by which a player scores (19.1, 19.2).

With five and four players one player has two powers. They use the German or the American column, or
seal one of their own before turn 1. It is blended from their two: for each country one of the two
printed entries or none (`spi.blend` = choose_one), or also both (any_mix), for at most 25 points.
It is published at the end. Each entry of a blend stays the entry of the power that it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from games.rules import RulesError

from .card import Aim
from .players import powers_of
from .state import State


@dataclass(frozen=True)
class Entry:
    """What a player's column pays for a country.

    `of` is the power of whose printed column it is.
    """

    country: str
    aim: Aim
    of: str


def has_two(state: State, seat: str) -> bool:
    return len(powers_of(state, seat)) > 1


def column_power(state: State, seat: str) -> str:
    """Return the power whose printed column a seat uses (19.2).

    It is the seat's own; a player of two powers uses the German or American one.
    """
    powers = powers_of(state, seat)
    return (
        next((power for power in ("Germany", "USA") if power in powers), seat)
        if len(powers) > 1
        else seat
    )


def column(state: State, seat: str) -> tuple[Entry, ...]:
    """Return the column a seat scores by, in chart order.

    While it is sealed that is the printed one.
    """
    if seat in state.columns:
        chosen = set(state.columns[seat])
        return tuple(
            Entry(country, aim, power)
            for country in state.card.areas
            for power in state.card.order
            if (country, power) in chosen and (aim := state.card.aim(power, country))
        )
    power = column_power(state, seat)
    return tuple(
        Entry(country, aim, power)
        for country in state.card.areas
        if (aim := state.card.aim(power, country))
    )


def total(state: State, chosen: Iterable[tuple[str, str]]) -> int:
    return sum(aim.points for country, power in chosen if (aim := state.card.aim(power, country)))


def check_blend(
    state: State, seat: str, chosen: Iterable[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    """Return the blend in chart order. Raise `RulesError` with a sentence if it is not allowed."""
    pairs = list(dict.fromkeys(chosen))
    powers = powers_of(state, seat)
    if len(powers) < 2:
        raise RulesError(f"{seat} is a single power, so its printed column counts (19.2)")
    for country, power in pairs:
        if power not in powers:
            raise RulesError(
                f"{power} is not one of this player's powers, {' and '.join(powers)} (19.2)"
            )
        if state.card.aim(power, country) is None:
            raise RulesError(f"the printed column of {power} has nothing for {country}")
    if state.options["spi.blend"] == "choose_one":
        for country in dict.fromkeys(country for country, _ in pairs):
            if sum(1 for other, _ in pairs if other == country) > 1:
                raise RulesError(
                    f"{country} is listed twice: take at most one of its two printed entries"
                )
    limit = int(state.card.victory["column_limit"])
    if (points := total(state, pairs)) > limit:
        raise RulesError(f"this column adds up to {points} points; the limit is {limit} (19.2)")
    order = state.card.areas.index
    return tuple(sorted(pairs, key=lambda pair: (order(pair[0]), state.card.order.index(pair[1]))))


def could_score_control(state: State, seat: str, country: str) -> bool:
    """Return whether a player's column pays them for controlling a country."""
    return any(
        entry.country == country and entry.aim.kind == "control" for entry in column(state, seat)
    )
