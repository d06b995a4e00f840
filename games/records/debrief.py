"""Debrief a game: the attacks of each turn with their odds and results, and each nation's luck.

It covers only judged phases, and only what their reports told everybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from games import permissions
from games.models import Game, Phase, Resolution
from games.records import score_history
from games.rules.explaining import Risk


@dataclass(frozen=True)
class Attack:
    """An attack that was decided by a digit."""

    phase: Phase
    nation: str
    area: str
    targets: tuple[str, ...]
    attacker: int
    defender: int
    odds: str
    result: str
    result_words: str
    sentence: str
    risk: Risk
    ruled: bool

    @property
    def chance(self) -> int:
        """The chance, in percent, that such an attack ends this way."""
        return self.risk.chance(self.result)

    @property
    def own_expected(self) -> float:
        return self.risk.expected.get(self.nation, 0.0)

    @property
    def own_lost(self) -> int:
        return self.risk.lost.get(self.nation, 0)

    @property
    def theirs_expected(self) -> float:
        return sum(self.risk.expected.values()) - self.own_expected

    @property
    def theirs_lost(self) -> int:
        return sum(self.risk.lost.values()) - self.own_lost

    @property
    def luck(self) -> float:
        """The attacker's luck in points of strength; positive if the digit favored it."""
        return (self.own_expected - self.own_lost) + (self.theirs_lost - self.theirs_expected)


@dataclass(frozen=True)
class TurningPoint:
    """The phase from which the winner led to the end.

    `before` and `after` it are the winner's score and the best of the others: “9 to 7”, “14 to 8”.
    """

    phase: Phase
    winner: str
    before: tuple[int, int] | None
    after: tuple[int, int]
    last: bool  # the phase is the last of the game


@dataclass
class Balance:
    """What a nation could expect from the attacks in which it took part, and what it got."""

    nation: str
    attacks: int = 0
    attacked: int = 0
    strength: int = 0  # risked as attacker
    own_expected: float = 0.0  # to be lost in its own attacks
    own_lost: int = 0
    dealt_expected: float = 0.0  # to be destroyed by its own attacks
    dealt: int = 0
    suffered_expected: float = 0.0  # to be lost to others' attacks
    suffered: int = 0

    @property
    def luck(self) -> float:
        """Luck in points of strength; positive if the digits favored the nation."""
        return (
            (self.own_expected - self.own_lost)
            + (self.dealt - self.dealt_expected)
            + (self.suffered_expected - self.suffered)
        )


@dataclass(frozen=True)
class Turn:
    """A turn: its attacks, void ones, and the scores after it.

    `scores` is empty if they are secret until the end.
    """

    number: int
    title: str
    attacks: tuple[Attack, ...]
    void: tuple[str, ...]
    scores: Mapping[str, int]


@dataclass(frozen=True)
class Summary:
    turns: tuple[Turn, ...]
    balances: tuple[Balance, ...]
    winners: tuple[str, ...] = field(default=())

    @property
    def boldest(self) -> tuple[Attack, ...]:
        """The three attacks with the least likely results, as a start for a discussion.

        They had poor prospects and succeeded, or good ones and failed.
        """
        unruled = [attack for turn in self.turns for attack in turn.attacks if not attack.ruled]
        return tuple(sorted(unruled, key=lambda attack: attack.chance)[:3])

    @property
    def throws(self) -> tuple[Attack, ...]:
        """The throws of the market, the luckiest for its attacker first."""
        unruled = [attack for turn in self.turns for attack in turn.attacks if not attack.ruled]
        return tuple(sorted(unruled, key=lambda attack: -attack.luck))


def turning_point(marks: Sequence[score_history.Mark]) -> TurningPoint | None:
    """Return when the only winner of a game took the lead for good.

    Return None without a winner, with several, or if others had as many points in the end.
    """
    if not marks or len(marks[-1].winners) != 1:
        return None
    (winner,) = marks[-1].winners

    def lead(mark: score_history.Mark) -> tuple[int, int]:
        others = [score for nation, score in mark.scores.items() if nation != winner]
        return mark.scores.get(winner, 0), max(others, default=0)

    point: TurningPoint | None = None
    for place in range(len(marks) - 1, -1, -1):
        own_score, best_other = lead(marks[place])
        if own_score <= best_other:
            break
        before = lead(marks[place - 1]) if place else None
        last = place == len(marks) - 1
        point = TurningPoint(marks[place].phase, winner, before, (own_score, best_other), last)
    return point


def summarize(game: Game) -> Summary:
    """Return the summary of a game so far."""
    rows = Resolution.objects.filter(
        phase__game=game, phase__status=Phase.Status.RESOLVED
    ).select_related("phase")
    current = {row.phase_id: row for row in rows.order_by("phase__number", "version")}
    nations = list(game.card["order"])
    balances = {nation: Balance(nation) for nation in nations}
    turns: dict[int, tuple[list[Attack], list[str]]] = {}
    for row in current.values():
        row.phase.game = game
        attacks, void = turns.setdefault(row.phase.turn, ([], []))
        for attack in _attacks(game, row):
            attacks.append(attack)
            _count(balances, attack)
        void += [str(event.get("message", "")) for event in row.events if event["kind"] == "void"]
    scores_by_turn = {mark.phase.turn: mark.scores for mark in score_history.marks(game, None)}
    played = tuple(
        Turn(number, f"Turn {number}", tuple(attacks), tuple(void), scores_by_turn.get(number, {}))
        for number, (attacks, void) in sorted(turns.items())
    )
    newest = max(current.values(), key=lambda row: row.phase.number, default=None)
    winners = (
        tuple(newest.winners or ())
        if newest is not None and game.status == Game.Status.FINISHED
        else ()
    )
    return Summary(played, tuple(balances.values()), winners)


def _attacks(game: Game, row: Resolution) -> list[Attack]:
    attacks = []
    for event, risk in zip(
        row.events,
        game.rules.guide.risks(permissions.view(game, row.before, None), row.events),
        strict=False,
    ):
        if risk is not None:
            attacks.append(_attack(row.phase, event, risk))
    return attacks


def _attack(phase: Phase, event: Mapping[str, Any], risk: Risk) -> Attack:
    words = next(
        (words for letter, words, _ in risk.chances if letter == event["result"]), event["result"]
    )
    return Attack(
        phase=phase,
        nation=event["nation"],
        area=event["area"],
        targets=tuple(event["targets"]),
        attacker=event["attacker"],
        defender=event["defender"],
        odds=event["odds"],
        result=event["result"],
        result_words=words,
        sentence=str(event.get("message", "")),
        risk=risk,
        ruled=bool(event.get("ruled")),
    )


def _count(balances: Mapping[str, Balance], attack: Attack) -> None:
    """Count an attack for all who took part. A ruled result is not luck and does not count."""
    if attack.ruled:
        return
    balance = balances[attack.nation]
    balance.attacks += 1
    balance.strength += attack.attacker
    balance.own_expected += attack.own_expected
    balance.own_lost += attack.own_lost
    balance.dealt_expected += attack.theirs_expected
    balance.dealt += attack.theirs_lost
    for target in attack.targets:
        balances[target].attacked += 1
        balances[target].suffered_expected += attack.risk.expected.get(target, 0.0)
        balances[target].suffered += attack.risk.lost.get(target, 0)
