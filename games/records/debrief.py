"""A game to be discussed: turn by turn what was dared at which odds and what came of it, and for
each nation what luck did to it.

Only of phases that have been judged, and only what their reports have told everybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from games import permissions
from games.models import Game, Phase, Resolution
from games.records import score_history
from games.rules.risks import Risk


@dataclass(frozen=True)
class Attack:
    """An attack that came to a throw."""

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
        """Return the chance in percent that such an attack ends this way."""
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
        """Return the attacker's, in points of strength: above nothing the digit was kind to it."""
        return (self.own_expected - self.own_lost) + (self.theirs_lost - self.theirs_expected)


@dataclass(frozen=True)
class TurningPoint:
    """The phase from which the winner led to the end, and by how much: “9 to 7” before it and
    “14 to 8” after it, the winner's score and the best of the others'."""

    phase: Phase
    winner: str
    before: tuple[int, int] | None
    after: tuple[int, int]


@dataclass
class Balance:
    """What a nation might expect of a game's attacks in which it took part, and what it had."""

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
        """In points of strength: above nothing the digits were kind to it, below they were not."""
        return (
            (self.own_expected - self.own_lost)
            + (self.dealt - self.dealt_expected)
            + (self.suffered_expected - self.suffered)
        )


@dataclass(frozen=True)
class Turn:
    """A turn: its attacks, those that were void, and the scores that it left (empty where nobody is
    told before the end)."""

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
        """The three attacks with the poorest prospects that succeeded, or the best that failed:
        what a class may talk about first."""
        judged = [attack for turn in self.turns for attack in turn.attacks if not attack.ruled]
        return tuple(sorted(judged, key=lambda attack: attack.chance)[:3])

    @property
    def throws(self) -> tuple[Attack, ...]:
        """The throws of the market, the luckiest for its attacker first."""
        judged = [attack for turn in self.turns for attack in turn.attacks if not attack.ruled]
        return tuple(sorted(judged, key=lambda attack: -attack.luck))


def turning_point(marks: Sequence[score_history.Mark]) -> TurningPoint | None:
    """Return when the one winner of a game took the lead for good; None where none is to be named:
    no winner, several, or one who did not have the most points alone in the end."""
    if not marks or len(marks[-1].winners) != 1:
        return None
    (winner,) = marks[-1].winners

    def lead(mark: score_history.Mark) -> tuple[int, int]:
        others = [score for nation, score in mark.scores.items() if nation != winner]
        return mark.scores.get(winner, 0), max(others, default=0)

    found: TurningPoint | None = None
    for place in range(len(marks) - 1, -1, -1):
        own, best = lead(marks[place])
        if own <= best:
            break
        before = lead(marks[place - 1]) if place else None
        found = TurningPoint(marks[place].phase, winner, before, (own, best))
    return found


def summarize(game: Game) -> Summary:
    """The summary of a game as it stands now."""
    rows = Resolution.objects.filter(
        phase__game=game, phase__status=Phase.Status.RESOLVED
    ).select_related("phase")
    holds = {row.phase_id: row for row in rows.order_by("phase__number", "version")}
    nations = list(game.card["order"])
    balances = {nation: Balance(nation) for nation in nations}
    turns: dict[int, tuple[list[Attack], list[str]]] = {}
    for row in holds.values():
        row.phase.game = game
        attacks, void = turns.setdefault(row.phase.turn, ([], []))
        for attack in _attacks(game, row):
            attacks.append(attack)
            _count(balances, attack)
        void += [str(event.get("message", "")) for event in row.events if event["kind"] == "void"]
    left = {mark.phase.turn: mark.scores for mark in score_history.marks(game, None)}
    told = tuple(
        Turn(number, f"Turn {number}", tuple(attacks), tuple(void), left.get(number, {}))
        for number, (attacks, void) in sorted(turns.items())
    )
    newest = max(holds.values(), key=lambda row: row.phase.number, default=None)
    winners = (
        tuple(newest.winners or ())
        if newest is not None and game.status == Game.Status.FINISHED
        else ()
    )
    return Summary(told, tuple(balances.values()), winners)


def _attacks(game: Game, row: Resolution) -> list[Attack]:
    found = []
    for event, risk in zip(
        row.events,
        game.rules.guide.risks(permissions.view(game, row.before, None), row.events),
        strict=False,
    ):
        if risk is not None:
            found.append(_attack(row.phase, event, risk))
    return found


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
    """Count an attack for all who took part. A ruled result is no throw, and nobody's luck."""
    if attack.ruled:
        return
    own = balances[attack.nation]
    own.attacks += 1
    own.strength += attack.attacker
    own.own_expected += attack.own_expected
    own.own_lost += attack.own_lost
    own.dealt_expected += attack.theirs_expected
    own.dealt += attack.theirs_lost
    for target in attack.targets:
        balances[target].attacked += 1
        balances[target].suffered_expected += attack.risk.expected.get(target, 0.0)
        balances[target].suffered += attack.risk.lost.get(target, 0)
