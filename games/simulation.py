"""Simulate many games of bots, without a database: how often each nation wins with a card, and by
how much (`manage.py simulate`).

Digits are rolled from the seed, whatever `rng.source` says: their source makes no difference to a
balance. The same card, options, seats, number and seed give the same report, on one core or many.
Pure, apart from the processes.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from math import sqrt
from typing import Any

from games.rules import Json, PhaseId, Resolution, RulesError
from games.rules.contract import Ruleset
from games.rules.deals import bargaining, characters, newcomer, outcomes, promises
from games.rules.deals.promises import Promises
from games.rules.deals.terms import Clause
from games.rules.digits import roll_number, volume_of_roll
from games.rules.options import validate
from games.rules.registry import add_scenarios, ruleset

#: Games that one process plays before it reports.
BATCH = 50
MOST_GAMES = 1_000_000
ASKED = 200  # games in which a newcomer's proposals are answered, for each nation


class RandomRolls:
    """Figures of a simulated game: an endless supply of rolls, and no stocks."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def get(self, symbol: str, /) -> int | None:
        return (
            volume_of_roll(int(10 * self._random.random()))
            if roll_number(symbol) is not None
            else None
        )


class Looks:
    """A position as a game's bots see it: with one shared outlook if all see the same."""

    def __init__(self, rules: Ruleset, state: Any) -> None:
        assert rules.deals is not None
        self.rules, self.deals, self.state = rules, rules.deals, state
        self.alike = rules.deals.seen_alike(state)
        self.shared: Any = None

    def outlook_of(self, nation: str) -> Any:
        """Return the outlook of a nation's view."""
        if not self.alike:
            return self.deals.outlook(self.rules.view(self.state, nation))
        if self.shared is None:
            self.shared = self.deals.outlook(self.state)
        return self.shared


class Table:
    """The deals of one simulated game: proposals, and how they ended.

    Each bot has its own character, and decides from its own view.
    """

    def __init__(self, rules: Ruleset, state: Any, secret: str, seats: Collection[str]) -> None:
        assert rules.deals is not None
        self.rules, self.deals, self.secret = rules, rules.deals, secret
        self.turns = rules.turns(state)
        self.characters = {nation: characters.draw(secret, nation) for nation in seats}
        #: Each accepted promise with the number of phases judged before it.
        self.agreed: list[tuple[Clause, int]] = []
        self.standing: list[Clause] = []
        self.chapters: list[outcomes.Chapter] = []

    def bargain(self, state: Any, phase: PhaseId, looks: Looks) -> dict[str, Promises]:
        """Let all acting nations propose and answer; return what their deals ask of each."""
        acting = [
            acting_nation
            for acting_nation in self.rules.acting_nations(state)
            if acting_nation in self.characters
        ]
        self.standing = [clause for clause in self.standing if clause.until >= phase.turn]
        speakers: list[str] = []
        if self.deals.bargains(state):
            speakers = sorted(acting, key=partial(self._thinking_time, phase))
        for nation in speakers:
            for deal in bargaining.proposals(
                self.deals,
                partial(looks.outlook_of, nation),
                nation,
                self.characters[nation],
                self.secret,
                (phase.turn, phase.kind),
                self._standing(nation),
            ):
                self._agree(deal, nation, phase, looks)
        return {
            nation: promises.promises(
                nation,
                self.standing,
                phase.turn,
                self.characters[nation].price_in(phase.turn, self.turns),
            )
            for nation in acting
            if any(nation in clause.pair for clause in self.standing)
        }

    def _thinking_time(self, phase: PhaseId, nation: str) -> float:
        """Return when a nation speaks, among the others: in no fixed order, as in real games."""
        return characters.part_of_ten(self.secret, f"{phase.turn}/{phase.kind}", nation)

    def _agree(self, deal: Sequence[Clause], nation: str, phase: PhaseId, looks: Looks) -> None:
        """Let the other nation answer a proposal."""
        other = deal[0].other(nation)
        if other not in self.characters:
            return
        look, character = looks.outlook_of(other), self.characters[other]
        answer = bargaining.reply(
            self.deals,
            look,
            other,
            character,
            deal,
            phase.turn,
            standing=self._standing(other),
            may_counter=False,
        )
        if answer.accepts:
            self.agreed += [(clause, len(self.chapters)) for clause in deal]
            self.standing += deal

    def _standing(self, nation: str) -> set[tuple[str, str, str]]:
        return {
            (clause.verb, clause.other(nation), clause.area)
            for clause in self.standing
            if nation in clause.pair
        }

    def keep(self, phase: PhaseId, before: Any, judged: Resolution) -> None:
        """Store a judged phase, to count later which promises were kept."""
        attacks = [event for event in judged.events if event["kind"] == "attack"]
        self.chapters.append(outcomes.Chapter(phase, before, judged.state, attacks))

    def count(self, tally: Tally) -> None:
        for clause, since in self.agreed:
            for outcome in outcomes.judge(self.rules, [clause], self.chapters[since:], None):
                tally.promised += outcome.result in (outcomes.KEPT, outcomes.BROKEN)
                tally.kept += outcome.result == outcomes.KEPT


@dataclass
class Tally:
    """Sums over some games, and by nation how often it had which score and won among how many."""

    games: int = 0
    scores: Counter[tuple[str, int]] = field(default_factory=Counter)
    won: Counter[tuple[str, int]] = field(default_factory=Counter)
    ties: int = 0
    winning: int = 0  # the winners' scores
    promised: int = 0  # promises that could be kept
    kept: int = 0
    turns: int = 0
    seconds: float = 0.0  # of processor time

    def game(self, scores: Mapping[str, int], winners: Sequence[str], turns: int) -> None:
        self.games += 1
        self.turns += turns
        self.ties += len(winners) > 1
        self.winning += max(scores[winner] for winner in winners)
        self.won.update((winner, len(winners)) for winner in winners)
        self.scores.update(scores.items())

    def add(self, other: Tally) -> None:
        self.games += other.games
        self.turns += other.turns
        self.ties += other.ties
        self.winning += other.winning
        self.promised += other.promised
        self.kept += other.kept
        self.seconds += other.seconds
        self.won.update(other.won)
        self.scores.update(other.scores)


@dataclass(frozen=True)
class Line:
    """A nation's results: its share of the wins, the share of the games that it won alone or with
    others, the mean and the standard deviation of its score, the lowest and the highest score.
    """

    nation: str
    wins: float
    won: float
    mean: float
    spread: float
    lowest: int
    highest: int


@dataclass(frozen=True)
class Report:
    card: str
    title: str
    games: int
    seed: str
    lines: tuple[Line, ...]
    ties: float  # share of the games that more than one nation won
    winning: float  # the winners' mean score
    turns: float
    deals: float  # promises a game
    kept: float  # share of them that was kept
    rate: float  # games a second of one core

    def as_json(self) -> Json:
        nations = {
            line.nation: {
                "wins": round(line.wins, 4),
                "mean": round(line.mean, 2),
                "spread": round(line.spread, 2),
                "lowest": line.lowest,
                "highest": line.highest,
            }
            for line in self.lines
        }
        return {
            "card": self.card,
            "games": self.games,
            "seed": self.seed,
            "nations": nations,
            "ties": round(self.ties, 4),
            "winning": round(self.winning, 2),
            "turns": round(self.turns, 2),
            "promises": round(self.deals, 2),
            "kept": round(self.kept, 4),
            "games_a_second": round(self.rate),
        }


def simulate(
    card: Json,
    games: int,
    seed: str,
    options: Mapping[str, Any] | None = None,
    seats: Sequence[str] | None = None,
    processes: int = 1,
    silent: Collection[str] = (),
) -> Report:
    """Play `games` games and report.

    `seats`: the nations with their own player; all if none are named. They bargain, except the
    `silent` ones. Raise `RulesError` (`CardError` for an invalid card) if no such game can be
    played.
    """
    if not 1 <= games <= MOST_GAMES:
        raise RulesError(f"choose from 1 to {MOST_GAMES:,} games, not {games:,}")
    rules = ruleset(str(card.get("game", "")))
    rules.check_card(card)
    if not rules.playable:
        raise RulesError(f"bots cannot play {rules.title}, so it cannot be simulated")
    complete = validate({**(options or {}), "rng.source": "commit_reveal"})
    card = add_scenarios(rules, card, complete)
    seated = tuple(seats or card["order"])
    rules.setup(card, complete, seated, _secret(seed, 0))
    talking = tuple(seat for seat in seated if seat not in silent and rules.deals is not None)
    tally = Tally()
    batches = [
        (card, complete, seated, seed, first, min(BATCH, games - first), talking)
        for first in range(0, games, BATCH)
    ]
    if processes > 1 and len(batches) > 1:
        with ProcessPoolExecutor(min(processes, len(batches))) as pool:
            for part in pool.map(_batch, batches):
                tally.add(part)
    else:
        for batch in batches:
            tally.add(_batch(batch))
    return _report(
        card, seed, tally, rules.nations(rules.setup(card, complete, seated, _secret(seed, 0)))
    )


@dataclass(frozen=True)
class Talks:
    """What bargaining brings a nation: how often the others agree to what a newcomer in its seat
    proposes in turn 1, and how many games it wins, alone or with others, and its score, with
    bargaining and without its own.
    """

    nation: str
    accepted: float
    priced: float  # declined, but for a price
    won: tuple[float, float]
    score: tuple[float, float]


def compare_talks(
    card: Json, games: int, seed: str, options: Mapping[str, Any] | None = None, processes: int = 1
) -> tuple[Talks, ...]:
    """Play `games` games in which all bargain, and as many in which one nation does not, for each
    nation. Raise `RulesError` as `simulate` does, and for games without deals."""
    together = simulate(card, games, seed, options, processes=processes)
    rules, seats = ruleset(card["game"]), tuple(card["order"])
    if rules.deals is None:
        raise RulesError(f"there are no deals in {rules.title}")
    complete = validate({**(options or {}), "rng.source": "commit_reveal"})
    card = add_scenarios(rules, card, complete)
    rows = []
    for line in together.lines:
        alone = simulate(card, games, seed, options, processes=processes, silent=[line.nation])
        without = next(other for other in alone.lines if other.nation == line.nation)
        replies: Counter[str] = Counter()
        for secret in (_secret(seed, number) for number in range(min(games, ASKED))):
            state = rules.setup(card, complete, seats, secret)
            replies += newcomer.answers(rules, state, line.nation, seats, secret)
        rows.append(
            Talks(
                line.nation,
                replies[newcomer.ACCEPTED] / replies.total(),
                replies[newcomer.COUNTERED] / replies.total(),
                (line.won, without.won),
                (line.mean, without.mean),
            )
        )
    return tuple(rows)


def _secret(seed: str, number: int) -> str:
    """Return the seed of a game's secret draws, if it has any."""
    return sha256(f"{seed}/{number}".encode()).hexdigest()


def _batch(
    asked: tuple[Json, dict[str, Any], tuple[str, ...], str, int, int, tuple[str, ...]],
) -> Tally:
    card, options, seats, seed, first, games, talking = asked
    rules = ruleset(card["game"])
    tally = Tally()
    began = time.process_time()
    secretive = rules.needs_secret(options)  # otherwise all games begin alike
    start = rules.setup(card, options, seats, _secret(seed, first))
    for number in range(first, first + games):
        salt, rolls = f"{seed}/{number}", RandomRolls(f"{seed}/{number}")
        state = rules.setup(card, options, seats, _secret(seed, number)) if secretive else start
        turns, table = 0, None
        if talking:
            table = Table(rules, state, _secret(seed, number), talking)
        while (phase := rules.phase(state)) is not None:
            turns = phase.turn
            looks = Looks(rules, state) if table else None
            promises = table.bargain(state, phase, looks) if table and looks else {}
            look = looks.shared if looks else None
            judged = rules.bot.play(state, salt, rolls, (), promises, look)
            if table:
                table.keep(phase, state, judged)
            state = judged.state
        standing = rules.standing(state)
        tally.game(standing.scores, standing.winners or (), turns)
        if table:
            table.count(tally)
    tally.seconds = time.process_time() - began
    return tally


def _report(card: Json, seed: str, tally: Tally, nations: Sequence[str]) -> Report:
    games = tally.games

    def line(nation: str) -> Line:
        scores = {score: times for (of, score), times in tally.scores.items() if of == nation}
        won = {among: times for (by, among), times in tally.won.items() if by == nation}
        mean = sum(score * times for score, times in scores.items()) / games
        squares = sum(score * score * times for score, times in scores.items())
        spread = sqrt(max(0.0, squares / games - mean * mean))
        wins = sum(times / among for among, times in won.items()) / games  # a tie is shared
        lowest, highest = min(scores, default=0), max(scores, default=0)
        return Line(nation, wins, sum(won.values()) / games, mean, spread, lowest, highest)

    return Report(
        card["name"],
        card["title"],
        games,
        seed,
        tuple(line(nation) for nation in nations),
        tally.ties / games,
        tally.winning / games,
        tally.turns / games,
        tally.promised / games,
        tally.kept / max(tally.promised, 1),
        games / max(tally.seconds, 1e-9),
    )
