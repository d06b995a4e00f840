"""Example orders for a nation, and the consequences of sending nothing. Both come from the ruleset;
this module repeats no rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from games.models import Game
from games.rules import Resolution, RulesError
from games.rules.orders import PASS

#: Events that come whatever the nation sends: those about the next turn, counters that are turned
#: up, and what the last report reveals.
ANYWAY = ("ally_drawn", "ally_not_drawn", "turned_up", "chart_revealed")


@dataclass(frozen=True)
class Silence:
    """The consequences of sending nothing: either `lines` count as the nation's orders, or
    `sentences` say what happens."""

    lines: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    by_team: bool = False  # several people send the nation's orders


def means(game: Game, state: Any, nation: str, *, by_team: bool = False) -> Silence:
    """Return the consequences for a nation that sends nothing in this phase, under the rules and
    options of this game."""
    return replace(_consequences(game, state, nation), by_team=by_team)


def _consequences(game: Game, state: Any, nation: str) -> Silence:
    rules = game.rules
    if silence := rules.writing.silence(nation):
        return Silence(sentences=(silence,))
    try:
        in_force = rules.in_force(state, {})
        # Comments on these lines are for programs.
        written = (line.partition("#")[0] for line in in_force.get(nation, "").splitlines())
        lines = tuple(line.strip() for line in written if line.strip())
        if lines or rules.phase(state) is None:
            return Silence(lines=lines)
        # Resolve the phase to see what the rules do with a silent nation. Nobody attacks, so no
        # digit is needed.
        judged = rules.resolve(state, in_force, {}, ())
    except RulesError:
        return Silence()
    # remarks that only the nation itself gets
    remarks = tuple(remark.message for remark in judged.remarks.get(nation, ()))
    return Silence(sentences=(*_events(judged, nation), *remarks, *_undone(game, state, nation)))


def of_pass(game: Game, state: Any, nation: str) -> tuple[str, ...]:
    """Return the consequences for a nation that sends PASS, in sentences."""
    if silence := game.rules.writing.silence(nation):
        return (silence,)
    try:
        judged = game.rules.resolve(state, game.rules.in_force(state, {nation: PASS}), {}, ())
    except RulesError:  # another nation's standing orders need a digit
        return _undone(game, state, nation)
    return (*_events(judged, nation), *_undone(game, state, nation))


def _events(judged: Resolution, nation: str) -> tuple[str, ...]:
    return tuple(
        _event_clause(event)
        for event in judged.events
        if event.get("nation") == nation and event.get("message") and event["kind"] not in ANYWAY
    )


def _undone(game: Game, state: Any, nation: str) -> tuple[str, ...]:
    """Return what a nation without orders does not do in this phase, as a sentence."""
    if (phase := game.rules.phase(state)) is None:
        return ()
    facts = game.rules.facts(phase, game.options)
    undone = [
        *(["attacks nobody"] if facts.draws else []),
        *(["places no counters"] if facts.counters else []),
    ]
    return (f"{nation} {' and '.join(undone)}.",) if undone else ()


def _event_clause(event: Any) -> str:
    if event["kind"] == "kept_home":
        number = event["pf"]
        return f"your {number} PF{' goes' if number == 1 else 's go'} to {event['area']}."
    if event["kind"] == "forfeited":
        number = event["pf"]
        return f"your {number} PF{' is' if number == 1 else 's are'} lost."
    return str(event["message"])


def examples(game: Game, state: Any, nation: str, *, heading: bool = False) -> list[str]:
    """Return a few order lines that are valid on the current board and cause no warning.

    `state` is the nation's view. `heading`: begin with a line that names the nation, for a reader
    who sends orders for several.
    """
    stocks = game.reserves or [game.stock_market.example]
    lines = game.rules.planner.samples(state, nation, stocks)
    return [f"FOR {nation}", *lines] if heading and lines else list(lines)
