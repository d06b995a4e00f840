"""What a nation may send, by example, and what happens if it sends nothing. Both are asked of the
ruleset, never retold here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from games.models import Game
from games.rules import RulesError

#: Events of a phase that are about the turn after it, whatever the nation sends.
NEXT_TURN = ("ally_drawn", "ally_not_drawn")


@dataclass(frozen=True)
class Silence:
    """`lines` count as the nation's orders; else `sentences` tell what becomes of it."""

    lines: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()


class AnyDigit:
    """Sales that give a digit whatever the stock, so that the rules judge an attack; the throw
    itself is not looked at."""

    def get(self, symbol: str, /) -> int | None:
        return 100


def means(game: Game, state: Any, nation: str) -> Silence:
    """What counts for a nation that sends nothing in this phase, by the rules and options of this
    game."""
    rules = game.rules
    if rules.referee:
        said = (
            f"nothing is played out in the name of {nation}; alliances, leave and instructions"
            " stand as they are."
        )
        return Silence(sentences=(said,))
    phase = rules.phase(state)
    try:
        in_force = rules.in_force(state, {})
        lines = tuple(
            line.strip() for line in in_force.get(nation, "").splitlines() if line.strip()
        )
        if lines or phase is None:
            return Silence(lines=lines)
        # What the rules do with a silent nation is told by what they do. Nobody attacks, so that
        # no digit is asked for.
        judged = rules.resolve(state, in_force, {}, ())
    except RulesError:
        return Silence()
    told = [
        _of_silence(event)
        for event in judged.events
        if event.get("nation") == nation and event.get("message") and event["kind"] not in NEXT_TURN
    ]
    # what only the nation itself is told
    told += [remark.message for remark in judged.remarks.get(nation, ())]
    if rules.facts(phase, game.options).draws:
        counters = " and places no counters" if rules.counters else ""
        told.append(f"{nation} attacks nobody{counters}.")
    return Silence(sentences=tuple(told))


def _of_silence(event: Any) -> str:
    if event["kind"] == "kept_home":
        number = event["pf"]
        return f"your {number} PF{' goes' if number == 1 else 's go'} to {event['area']}."
    if event["kind"] == "forfeited":
        number = event["pf"]
        return f"your {number} PF{' is' if number == 1 else 's are'} lost."
    return str(event["message"])


def examples(game: Game, state: Any, nation: str, *, heading: bool = False) -> list[str]:
    """A few lines that are taken as they stand, work on the present board and raise no warning.

    `state` is the nation's view. `heading`: the reader sends orders for several nations, so that a
    line says for which.
    """
    stocks = game.reserves or [game.stock_market.example]
    lines = game.rules.planner.samples(state, nation, stocks)
    return [f"FOR {nation}", *lines] if heading and lines else list(lines)
