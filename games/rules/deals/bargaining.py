"""Bargain for programs: what one proposes, and how it answers, by its character.

The game says what a promise is worth (`contract.Deals`); nothing here knows more than the outlook
of a nation's own view. The caller passes the deals that stand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

from ..contract import Deals
from ..names import all_of
from . import terms
from .characters import Character, talks_now
from .terms import Clause

#: How many areas that one nation would have another leave to it are compared for a price.
COMPARED = 4
#: How many areas a price may name.
PRICE = 3
TOO_LITTLE = "It brings me too little."

#: A promise that stands: its verb, the other nation, and the area.
Standing = tuple[str, str, str]


@dataclass(frozen=True)
class Reply:
    """A program's answer to a proposal. `counter`: what it would accept instead, if anything.

    `reason` tells the other nation, in words, what decided.
    """

    accepts: bool
    counter: tuple[Clause, ...] = ()
    reason: str = ""


def proposals(
    deals: Deals,
    look: Callable[[], Any],
    nation: str,
    character: Character,
    secret: str,
    phase: tuple[int, str],
    standing: Collection[Standing],
    people: Collection[str] = (),
) -> list[tuple[Clause, ...]]:
    """Return what a program proposes in a phase: the best of its ideas.

    In the first turn it also writes to one of the `people`, if it has an idea that pays both. No
    promise is `standing` already (verb, other nation, area).
    """
    turn, kind = phase
    if not talks_now(character, secret, f"{nation}/{kind}", turn):
        return []
    seen = look()
    chosen: list[tuple[Clause, ...]] = []
    for idea in deals.ideas(seen, nation):
        other = idea[0].other(nation)
        if any((clause.verb, other, clause.area) in standing for clause in idea):
            continue
        if _promised_ally(idea, standing):
            continue
        if not chosen:
            chosen.append(idea)
            if turn > 1 or other in people or not people:
                break
        elif other in people and _worth(deals, seen, other, idea) > 0:
            chosen.append(idea)
            break
    return chosen


def reply(
    deals: Deals,
    look: Any,
    nation: str,
    character: Character,
    clauses: Sequence[Clause],
    turn: int,
    *,
    standing: Collection[Standing] = (),
    may_counter: bool = True,
) -> Reply:
    """Return whether a program accepts what another nation proposes, and if not, why and what it
    would accept instead."""
    if ally := _promised_ally(clauses, standing):
        return Reply(False, reason=f"I have promised to ally with {ally}.")
    parts = deals.parts(look, nation, clauses)
    if sum(part.points for part in parts) > character.asks:
        return Reply(True)
    counter = _counter(deals, look, nation, character, clauses, turn) if may_counter else ()
    costs = [part for part in parts if part.points < 0]
    reason = min(costs).why if costs else TOO_LITTLE
    return Reply(False, counter, f"{reason} {_spoken(counter, nation)}".strip())


def _promised_ally(clauses: Sequence[Clause], standing: Collection[Standing]) -> str:
    """Return the nation with which an alliance is promised already, if these promises include one:
    each nation is in one alliance at most."""
    if all(clause.verb != terms.ALLY for clause in clauses):
        return ""
    return next((other for verb, other, _ in standing if verb == terms.ALLY), "")


def _counter(
    deals: Deals,
    look: Any,
    nation: str,
    character: Character,
    clauses: Sequence[Clause],
    turn: int,
) -> tuple[Clause, ...]:
    """Return the deal that is best for the other nation, of those that pay both."""
    other = clauses[0].other(nation)
    best: tuple[Clause, ...] = ()
    most = 0.0
    for deal in _alternatives(deals, look, nation, other, clauses, turn):
        theirs = _worth(deals, look, other, deal)
        if theirs > most and _worth(deals, look, nation, deal) > max(character.asks, 0.0):
            best, most = deal, theirs
    return best


def _worth(deals: Deals, look: Any, nation: str, deal: Sequence[Clause]) -> float:
    return sum(part.points for part in deals.parts(look, nation, deal))


def _alternatives(
    deals: Deals, look: Any, nation: str, other: str, clauses: Sequence[Clause], turn: int
) -> Iterator[tuple[Clause, ...]]:
    """Yield deals near a proposal: shorter, without one of its promises, with areas exchanged."""
    pair = nation, other
    until = max(clause.until for clause in clauses)
    asked = tuple(
        replace(clause, pair=pair, parties=pair if len(clause.parties) == 2 else clause.parties)
        for clause in clauses
    )
    bases = [asked, tuple(replace(clause, until=turn) for clause in asked), ()]
    bases += [asked[:place] + asked[place + 1 :] for place in range(len(asked))]
    theirs, mine = deals.wants(look, nation, other), deals.wants(look, other, nation)
    if any(clause.verb == terms.PEACE and not clause.area for clause in asked):
        bases += [(Clause(terms.PEACE, pair, pair, until, area),) for area in mine[:COMPARED]]
        bases += [(Clause(terms.PEACE, pair, (other,), until),)]
    for base in dict.fromkeys(bases):
        for left, given in product(_prices(theirs), _prices(mine[:1])):
            prices = [(other, area) for area in left] + [(nation, area) for area in given]
            last = max((clause.until for clause in base), default=until)
            deal = base + tuple(
                Clause(terms.LEAVE, pair, (party,), last, area) for party, area in prices
            )
            areas = [clause.area for clause in deal if clause.area]
            repeated = len(set(areas)) < len(areas)
            if deal and deal != asked and not repeated and len(deal) <= terms.MOST:
                yield deal


def _prices(areas: Sequence[str]) -> list[tuple[str, ...]]:
    return [few for size in range(PRICE + 1) for few in combinations(areas[:COMPARED], size)]


def _spoken(deal: Sequence[Clause], nation: str) -> str:
    """Return an offer as the nation says it: “My offer through turn 2: you stay out of …”."""
    if not deal:
        return ""
    ends = {clause.until for clause in deal}
    through = f" through turn {deal[0].until}" if len(ends) == 1 else ""
    promises = [
        clause.said_by(nation) + ("" if through else f" through turn {clause.until}")
        for clause in sorted(deal, key=lambda clause: nation in clause.parties)
    ]
    return f"My offer{through}: {all_of(promises)}."
