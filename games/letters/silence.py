"""What a nation may send, by example, and what happens if it sends nothing. Both are asked of the
ruleset, never retold here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from games.models import Game
from games.rules import Choice, RulesError

EXAMPLES = 3
#: Never examples: a pass needs no teaching, and a standing wish is not to be sent by way of trying.
NOT_SHOWN = ("PASS", "STANDING")


@dataclass(frozen=True)
class Silence:
    """`lines` count as the nation's orders; else `sentences` tell what becomes of it."""

    lines: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()


def means(game: Game, state: Any, nation: str) -> Silence:
    """What counts for a nation that sends nothing in this phase, by the rules and options of this
    game."""
    rules = game.rules
    phase = rules.phase(state)
    try:
        in_force = rules.in_force(state, {})
        if rules.referee:
            said = (
                f"nothing is played out in the name of {nation}; alliances, leave and instructions"
                " stand as they are."
            )
            return Silence(sentences=(said,))
        lines = tuple(
            line.strip() for line in in_force.get(nation, "").splitlines() if line.strip()
        )
        if lines or phase is None:
            return Silence(lines=lines)
        if rules.facts(phase, game.options).draws:
            return Silence(
                sentences=(
                    f"No attack is made and no counter is asked for in the name of {nation}.",
                )
            )
        # Without orders nothing is drawn: what the rules do with a silent nation is told by what
        # they do.
        judged = rules.resolve(state, in_force, {}, ())
    except RulesError:
        return Silence()
    told = [
        str(event["message"])
        for event in judged.events
        if event.get("nation") == nation and event.get("message")
    ]
    told += [
        remark.message for remark in judged.remarks.get(nation, ())
    ]  # what only the nation itself is told
    return Silence(sentences=tuple(told))


def examples(game: Game, state: Any, nation: str) -> list[str]:
    """Two or three lines that would be taken as they stand: one of each verb first, then more of
    the same."""
    if game.rules.referee and (samples := game.rules.referee.samples(state, nation)):
        return list(samples)
    by_verb: dict[str, list[Choice]] = {}
    for choice in game.rules.planner.choices(state, nation):
        if not choice.verb.startswith(NOT_SHOWN):
            by_verb.setdefault(choice.verb, []).append(choice)
    chosen: list[Choice] = []
    while len(chosen) < EXAMPLES and any(by_verb.values()):
        for verb in list(by_verb):
            if by_verb[verb] and len(chosen) < EXAMPLES:
                # From the middle of the list: the first of each would be the same well-worn area in
                # every game.
                chosen.append(by_verb[verb].pop(len(by_verb[verb]) // 2))
    stock = game.reserves[:1] or [game.stock_market.example]
    lines: list[str] = []
    for choice in _in_order(chosen):
        number = _share(choice, chosen)
        # The first that may say which counters it lays does so; the others show that it need not be
        # said.
        counters = (
            _counters(choice, number)
            if not any(line.startswith(choice.verb) for line in lines)
            else ()
        )
        lines.append(choice.line(number, stocks=stock if choice.stock else (), counters=counters))
    return lines


def _counters(choice: Choice, number: int) -> list[int]:
    """The number in counters that are less than the whole of it: 5 as 3+1+1."""
    found: list[int] = []
    for value in sorted(choice.counters, reverse=True):
        while value <= number - sum(found) and (value < number or number == 1):
            found.append(value)
    return found


def _share(choice: Choice, chosen: list[Choice]) -> int:
    """A number such that all lines of one verb together ask for no more than there is."""
    most = choice.most or 1
    return max(1, most // sum(1 for other in chosen if other.verb == choice.verb))


def _in_order(chosen: list[Choice]) -> list[Choice]:
    verbs = list(dict.fromkeys(choice.verb for choice in chosen))
    return sorted(chosen, key=lambda choice: verbs.index(choice.verb))
