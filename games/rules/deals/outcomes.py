"""Judge the promises of a deal: kept, broken, not yet due, or could not be done.

The judgment uses what reports tell everybody (events, boards as the reader may see them) and order
texts that the reader may read: a player's own during the game, everybody's once it is over. One
nation's page therefore never reveals another's orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import Json, PhaseId
from ..contract import Deals, Ruleset
from ..verbs import Kind
from . import terms
from .terms import Clause

KEPT, BROKEN, OPEN, IMPOSSIBLE = "kept", "broken", "open", "impossible"
WORDS = {
    KEPT: "kept",
    BROKEN: "broken",
    OPEN: "not yet due",
    IMPOSSIBLE: "could not be done",
}
#: Events by which a nation puts something into an area.
_COMES = ("placed", "placed_face_down", "understanding", "control", "shared_control")


@dataclass(frozen=True)
class Chapter:
    """A judged phase, as far as the reader may know it.

    `orders` are the texts in force, by nation.
    """

    phase: PhaseId
    before: Any
    after: Any
    events: Sequence[Json]
    orders: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What became of one nation's promise.

    `why` is a sentence, "" if there is nothing to say.
    """

    nation: str
    clause: Clause
    result: str
    why: str = ""

    @property
    def words(self) -> str:
        return WORDS[self.result]


def judge(
    rules: Ruleset, clauses: Sequence[Clause], chapters: Sequence[Chapter], turn: int | None
) -> tuple[Outcome, ...]:
    """Return what became of each promise of each nation.

    `chapters` are the phases judged since both agreed; `turn` is the turn being played, None once
    the game is over.
    """
    outcomes: list[Outcome] = []
    for clause in clauses:
        relevant = [chapter for chapter in chapters if chapter.phase.turn <= clause.until]
        is_due = turn is None or turn > clause.until
        for nation in clause.parties:
            outcomes.append(_judge(rules, clause, nation, relevant, is_due))
    return tuple(outcomes)


def _judge(
    rules: Ruleset, clause: Clause, nation: str, chapters: Sequence[Chapter], is_due: bool
) -> Outcome:
    if clause.verb in terms.TOGETHER:
        assert rules.deals is not None
        return _joint_outcome(rules.deals, clause, nation, chapters, is_due)
    if clause.verb == terms.ATTACK:
        return _attack(rules, clause, nation, chapters, is_due)
    for chapter in chapters:
        for event in chapter.events:
            if _breaks(event, clause, nation):
                why = f"Turn {chapter.phase.turn}: {event.get('message', '')}"
                return Outcome(nation, clause, BROKEN, why)
    if is_due and not chapters:
        return _unjudged_outcome(nation, clause)
    return Outcome(nation, clause, KEPT if is_due else OPEN)


def _breaks(event: Json, clause: Clause, nation: str) -> bool:
    """Return whether an event breaks a promise to keep the peace, or to stay out of an area."""
    involved = nation == event.get("nation") or nation in event.get("nations", ())
    if not involved or (clause.area and event.get("area") != clause.area):
        return False
    if clause.verb == terms.PEACE:
        return bool(event["kind"] == "attack" and clause.other(nation) in event["targets"])
    return event["kind"] == "attack" or event["kind"] in _COMES


def _attack(
    rules: Ruleset, clause: Clause, nation: str, chapters: Sequence[Chapter], is_due: bool
) -> Outcome:
    could = False
    for chapter in chapters:
        for event in chapter.events:
            if (
                event["kind"] == "attack"
                and event["nation"] == nation
                and event["area"] == clause.area
                and clause.target in event["targets"]
            ):
                return Outcome(
                    nation, clause, KEPT, f"Turn {chapter.phase.turn}: {event['message']}"
                )
        could = could or may_attack(rules, chapter.before, nation, clause.area, clause.target)
    if not is_due:
        return Outcome(nation, clause, OPEN)
    if not chapters:
        return _unjudged_outcome(nation, clause)
    if could:
        return Outcome(nation, clause, BROKEN, f"{nation} did not attack {clause.target} there.")
    why = f"{nation} could not attack {clause.target} in {clause.area}."
    return Outcome(nation, clause, IMPOSSIBLE, why)


def may_attack(rules: Ruleset, state: Any, nation: str, area: str, target: str) -> bool:
    """Return whether a nation may attack another in an area in this phase, with a chance."""
    return any(
        rules.verbs[choice.verb].kind == Kind.ATTACK
        and choice.area == area
        and target in choice.nations
        and target not in choice.barred
        for choice in rules.planner.choices(state, nation)
    )


def _joint_outcome(
    deals: Deals, clause: Clause, nation: str, chapters: Sequence[Chapter], is_due: bool
) -> Outcome:
    """Judge a joint promise: both nations kept it once it has come about.

    Otherwise a nation that ordered its part kept it. Where its orders are not known, a reader who
    ordered their own part knows that the other nation did not.
    """
    if any(deals.has_come_about(chapter.after, clause) for chapter in chapters):
        return Outcome(nation, clause, KEPT)
    if not is_due:
        return Outcome(nation, clause, OPEN)
    if not chapters:
        return _unjudged_outcome(nation, clause)
    if why := deals.bar(chapters[0].before, chapters[-1].after, clause):
        return Outcome(nation, clause, IMPOSSIBLE, why)
    other = clause.other(nation)
    ordered, other_ordered = (
        _has_ordered(deals, clause, nation, chapters),
        _has_ordered(deals, clause, other, chapters),
    )
    if ordered:
        return Outcome(nation, clause, KEPT, f"{nation} ordered it; {other} did not.")
    if ordered is False or other_ordered:
        return Outcome(nation, clause, BROKEN, f"{nation} did not order it.")
    return Outcome(nation, clause, IMPOSSIBLE, "It did not happen.")


def _has_ordered(
    deals: Deals, clause: Clause, nation: str, chapters: Sequence[Chapter]
) -> bool | None:
    """Return whether a nation ordered its part; None where the reader may not see its orders."""
    visible = [chapter for chapter in chapters if nation in chapter.orders]
    if any(
        deals.orders_it(phase.before, nation, phase.orders[nation], clause) for phase in visible
    ):
        return True
    return False if len(visible) == len(chapters) else None


def _unjudged_outcome(nation: str, clause: Clause) -> Outcome:
    return Outcome(nation, clause, IMPOSSIBLE, "No phase was judged before it ended.")
