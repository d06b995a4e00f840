"""Forecast the results of attacks before their digits are in.

The forecast of a phase is only for a gamesmaster who plays no seat; that of a what-if, for the
person who made it up.

The ruleset's own `resolve` answers two questions. What does each attack do alone, on the current
board, with each digit from 0 to 9? And what do all attacks do together, `SAMPLES` times, with
digits computed by SHA-256 from phase and sample? The same phase and orders therefore give the same
page every time, and none of these digits is related to those that will decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from games.models import Phase
from games.rules import Board, Cell, Json, RulesError, Volumes
from games.rules.contract import Ruleset
from games.rules.digits import Always, roll_number, volume_of_roll
from games.rules.rulings import FACES, JudgedPhase
from games.rules.verbs import Kind
from games.turns import judging

SAMPLES = 400
#: More than any game needs. Each attack and each character is judged some hundred times, and a
#: stranger may ask for it.
MOST_ATTACKS, LONGEST = 60, 6_000
#: Invented sales are below this many hundreds: a multiple of a hundred, and nearly one of six, so
#: that digits and faces of a die are equally likely.
MOST_HUNDREDS = 10**7
ATTACK, VOID = "attack", "void"


@dataclass(frozen=True)
class Outcome:
    """The effect of a digit or of a die's face: the result, in words, and each nation's loss."""

    digit: int
    result: str
    words: str
    losses: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Prospect:
    """An attack line. `odds` is empty for an attack that would be void; `void` has the reason."""

    nation: str
    line: int
    area: str
    targets: tuple[str, ...]
    odds: str
    attacker: int | None
    defender: int | None
    void: str
    outcomes: tuple[Outcome, ...]
    comes_to_a_throw: float


@dataclass(frozen=True)
class Expectation:
    """A nation's expectations in an area: mean PFs, and the chances of its counters."""

    now: Cell
    pf: float
    understanding: float
    control: float


@dataclass(frozen=True)
class Prospects:
    attacks: tuple[Prospect, ...]
    areas: tuple[tuple[str, tuple[Expectation, ...]], ...]
    nations: tuple[str, ...]
    leads: tuple[
        tuple[str, float, float], ...
    ]  # nation, mean score, chance to lead or to share the lead
    last: bool  # whether the game is over after this phase, so that leading is winning
    samples: int
    die: bool  # whether a die of six decides attacks, rather than a digit


class RandomFigures:
    """Figures (`games.rules.Volumes`) with digits equally likely, except those `settled`."""

    def __init__(self, seed: str, settled: Mapping[str, int | None]) -> None:
        self._seed = seed
        self._settled = settled

    def get(self, symbol: str, /) -> int | None:
        if symbol in self._settled:
            return self._settled[symbol]
        drawn = int.from_bytes(sha256(f"{self._seed}/{symbol}".encode()).digest()[:8])
        # More than the last digit of a sales figure may count: a die of six is made of two digits,
        # or of the whole figure (rules 0.1, `rng.d6`).
        return (
            volume_of_roll(drawn % 10)
            if roll_number(symbol) is not None
            else drawn % MOST_HUNDREDS * 100
        )


def prospects_of(phase: Phase) -> Prospects:
    """Return the prospects of a phase of attacks by its orders so far. May raise `RulesError`."""
    settled = {figure.symbol: figure.volume for figure in phase.figures.all()}
    game, case = phase.game, judging.case_of(phase)
    return forecast(game.rules, game.reserves, case.judge, settled, seed=f"prospects/{phase.pk}")


def forecast(
    rules: Ruleset,
    reserves: Sequence[str],
    judge: Callable[[Volumes], JudgedPhase],
    settled: Mapping[str, int | None],
    *,
    seed: str,
) -> Prospects:
    """Forecast anything that can be judged. `settled`: the known figures.

    Raise `RulesError` for orders that are too long, and what `judge` raises.
    """
    thrown: Counter[tuple[str, int]] = Counter()
    cells: Counter[tuple[str, str, str]] = Counter()
    points: Counter[str] = Counter()
    leads: Counter[str] = Counter()
    lines: dict[tuple[str, int], Json] = {}
    judged = judge(Always(0))
    _check_length(judged)
    for number in range(SAMPLES):
        judged = judge(RandomFigures(f"{seed}/{number}", settled))
        for event in judged.resolution.events:
            if event["kind"] in (ATTACK, VOID):
                lines.setdefault((event["nation"], event["line"]), event)
                thrown[event["nation"], event["line"]] += event["kind"] == ATTACK
        _count_cells(rules.board(judged.resolution.state), cells)
        standing = rules.standing(judged.resolution.state)
        points.update(standing.scores)
        leads.update(standing.winners or _leaders(standing.scores))
    state, orders, last = judged.state, judged.orders, rules.phase(judged.resolution.state) is None
    attacks = tuple(
        _prospect(rules, state, orders, reserves, event, thrown[key] / SAMPLES)
        for key, event in lines.items()
    )
    board, nations = rules.board(state), rules.nations(state)
    areas = tuple(
        (area, tuple(_expectation(board, cells, area, nation) for nation in nations))
        for area in board.areas
    )
    chances = ((nation, points[nation] / SAMPLES, leads[nation] / SAMPLES) for nation in nations)
    leaders = tuple(sorted(chances, key=lambda chance: (-chance[2], -chance[1])))
    return Prospects(
        attacks,
        areas,
        nations,
        leaders,
        last,
        SAMPLES,
        max(digit for digit, _ in rules.guide.table().rows) <= FACES,
    )


def _check_length(judged: JudgedPhase) -> None:
    attacks = sum(event["kind"] in (ATTACK, VOID) for event in judged.resolution.events)
    length = sum(map(len, judged.orders.values()))
    if attacks > MOST_ATTACKS or length > LONGEST:
        raise RulesError(
            f"These orders have {attacks} attacks and {length:,} characters. Chances are worked out"
            f" for up to {MOST_ATTACKS} attacks and {LONGEST:,} characters: leave some out."
        )


def _leaders(scores: Mapping[str, int]) -> list[str]:
    best = max(scores.values(), default=0)
    return [nation for nation, score in scores.items() if score == best]


def _count_cells(board: Board, cells: Counter[tuple[str, str, str]]) -> None:
    for area, cells_by_nation in board.cells.items():
        for nation, cell in cells_by_nation.items():
            cells[area, nation, "pf"] += cell.pf
            cells[area, nation, "understanding"] += cell.understanding
            cells[area, nation, "control"] += cell.control


def _expectation(
    board: Board, cells: Counter[tuple[str, str, str]], area: str, nation: str
) -> Expectation:
    pf, understanding, control = (
        cells[area, nation, counter] / SAMPLES for counter in ("pf", "understanding", "control")
    )
    return Expectation(board.cell(area, nation), pf, understanding, control)


def _prospect(
    rules: Ruleset,
    state: Any,
    orders: Mapping[str, str],
    reserves: Sequence[str],
    seen: Json,
    comes_to_a_throw: float,
) -> Prospect:
    """Return the prospects of a single attack, after its nation has placed where that comes first.

    Leaves out all other lines and all other nations.
    """
    nation, number = seen["nation"], seen["line"]
    placed = {
        placement.line
        for placement in rules.planner.plan(state, nation, orders[nation]).ordered
        if rules.verbs[placement.verb].kind == Kind.COUNT
    }
    read = rules.read(orders[nation], nation, state).orders
    own_lines = [order.words() for order in read if order.line in {number, *placed}]
    alone = {nation: "\n".join(own_lines)}
    results = [
        _event(rules.resolve(state, alone, Always(digit), reserves).events) for digit in range(10)
    ]
    thrown: dict[int, Json] = {
        event["die" if "die" in event else "digit"]: event
        for event in results
        if event["kind"] == ATTACK
    }
    first = next(iter(thrown.values()), results[0])  # some digits may be no die, and decide nothing
    meanings = rules.guide.table().meanings
    outcomes = tuple(
        Outcome(
            face,
            event["result"],
            meanings.get(event["result"], ""),
            tuple(event["losses"].items()),
        )
        for face, event in thrown.items()
    )
    return Prospect(
        nation=nation,
        line=number,
        area=seen["area"],
        targets=tuple(first["targets"]),
        odds=first.get("odds", ""),
        attacker=first.get("attacker"),
        defender=first.get("defender"),
        void="" if first["kind"] == ATTACK else first["message"],
        outcomes=tuple(sorted(outcomes, key=lambda outcome: outcome.digit)),
        comes_to_a_throw=comes_to_a_throw,
    )


def _event(events: Iterable[Json]) -> Json:
    return next(event for event in events if event["kind"] in (ATTACK, VOID))
