"""What the order page shows beside the text: of every area what may be and what is ordered there,
and the marks on the map."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from games.boards.overlay import Mark
from games.letters import wording
from games.rules import Board, Choice
from games.rules.plan import Odds, Ordered, Plan, Total

from .pointing import ONE_OPPONENT, Desk, attacks_in, minima, ordered_now, room


@dataclass(frozen=True)
class Heap:
    """Face-down counters of one value: how many lie there by the text, and whether one more may."""

    value: int
    lying: int
    more: bool


@dataclass(frozen=True)
class Count:
    verb: str
    area: str
    label: str
    number: int
    most: int  # with what is left
    # what the area takes in a turn, where that is less than what there is; 0: as much as there is
    cap: int = 0
    heaps: tuple[Heap, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.verb}:{self.area}"


@dataclass(frozen=True)
class Target:
    name: str
    strength: str
    said: str  # "3-1", "immune", "below 1-1"
    chosen: bool
    otherwise: bool


@dataclass(frozen=True)
class Made:
    """An attack that the text orders there. `key` names its fields; `against` its one opponent,
    where there may be alternatives."""

    key: str
    against: str
    stocks: str
    minimum: int | None
    odds: Odds | None
    other_odds: Odds | None

    @property
    def place(self) -> str:
        """For the ids of its fields."""
        return anchor(self.key)


@dataclass(frozen=True)
class Assault:
    area: str
    strength: int
    targets: tuple[Target, ...]
    conditions: bool
    made: tuple[Made, ...]
    barred_by: str = ""  # the area of another attack of the text whose failure ends this one
    one_opponent: bool = False  # an attack is on one nation, and one attack a turn is made
    minima: tuple[str, ...] = ()  # the lowest odds that may be asked for, as "2" for 2-1

    @property
    def blind(self) -> bool:
        return self.one_opponent and self.conditions


@dataclass(frozen=True)
class Wish:
    """`barred`: why it would come to nothing; what is written already may be taken out again."""

    do: str
    label: str
    chosen: bool
    barred: str = ""

    @property
    def disabled(self) -> bool:
        return bool(self.barred) and not self.chosen


@dataclass(frozen=True)
class Panel:
    """One area: `anchor` is its place in the page, `ordered` what the text orders there in a word
    or two."""

    area: str
    anchor: str
    standing: tuple[tuple[str, Any], ...]
    counts: tuple[Count, ...] = ()
    assault: Assault | None = None
    wishes: tuple[Wish, ...] = ()
    ordered: str = ""

    @property
    def barred(self) -> tuple[tuple[str, str], ...]:
        """Why wishes would come to nothing, each reason once, with those that it is about; with
        none where it is about all."""
        reasons = dict.fromkeys(wish.barred for wish in self.wishes if wish.barred)
        about = {
            reason: [wish.label for wish in self.wishes if wish.barred == reason]
            for reason in reasons
        }
        return tuple(
            ("" if len(labels) == len(self.wishes) else ", ".join(labels), reason)
            for reason, labels in about.items()
        )

    @property
    def idle(self) -> bool:
        return not (self.counts or self.assault or self.wishes)


@dataclass(frozen=True)
class Pointing:
    """All that changes with the text."""

    panels: tuple[Panel, ...]
    totals: tuple[Total, ...]
    everywhere: tuple[Wish, ...]
    marks: tuple[Mark, ...] = field(default=())


def anchor(area: str) -> str:
    return "at-" + re.sub(r"[^a-z0-9]+", "-", area.casefold()).strip("-")


def pointing(
    desk: Desk, board: Board, text: str, home: str | None, filled_in: Sequence[str] = ()
) -> Pointing:
    """The panels of all areas for a text. `home` is the area that PFs leave; lines that begin with
    `filled_in` have forms of their own."""
    plan = desk.plan(text)
    choices = tuple(
        choice
        for choice in desk.choices()
        if choice.area or choice.verb.partition(" ")[0] not in filled_in
    )
    said = marks(desk, plan, home)
    by_area: dict[str, list[Choice]] = {}
    for choice in choices:
        by_area.setdefault(choice.area or "", []).append(choice)
    panels = tuple(
        _panel(desk, plan, board, area, by_area.get(area, []), said) for area in board.areas
    )
    return Pointing(panels, plan.totals, tuple(_everywhere(plan, by_area.get("", []))), said)


def _blind(choice: Choice) -> bool:
    """Whether this is an attack that is written before others have placed: that nobody is there now
    says nothing of it."""
    return choice.form == ONE_OPPONENT and choice.conditions


def marks(desk: Desk, plan: Plan, home: str | None) -> tuple[Mark, ...]:
    """What a text orders, area by area, as a map shows it in a few signs. `home` is the area that
    PFs leave."""
    blind = any(_blind(choice) for choice in desk.choices())
    found: list[Mark] = []
    leaving = 0
    for one in plan.ordered:
        area = one.area or ""
        if one.verb in ("PLACE", "FROM HOME"):
            found.append(Mark(area, f"+{one.number if one.number < 1000 else '…'}", "place"))
            leaving += one.number if one.verb == "FROM HOME" else 0
        elif one.verb == "BLANKS":
            found.append(Mark(area, f"+{one.number if one.number < 1000 else '…'} blank", "place"))
        elif one.verb == "ATTACK":
            found.append(
                Mark(area, "attack" if blind and one.odds is None else attack_words(one), "attack")
            )
        elif one.verb in ("UNDERSTANDING", "CONTROL", "SHARE"):
            found.append(
                Mark(
                    area,
                    {
                        "UNDERSTANDING": "U",
                        "CONTROL": "C",
                        "SHARE": f"C with {', '.join(one.nations)}",
                    }[one.verb],
                    "wish",
                )
            )
        elif one.verb == "LOSE UNDERSTANDING FIRST":
            found.append(Mark(area, "U first", "wish"))
    if leaving and home:
        found.append(Mark(home, f"\N{MINUS SIGN}{leaving if leaving < 1000 else '…'}", "place"))
    return tuple(found)


def attack_words(one: Ordered) -> str:
    """The odds of an attack, in as few signs as will do."""
    if one.odds is None or not one.odds.targets:
        return "void"
    if one.odds.unknown:
        return "?"
    return wording.of_odds(one.odds.odds)


def _panel(
    desk: Desk, plan: Plan, board: Board, area: str, choices: Iterable[Choice], said: Sequence[Mark]
) -> Panel:
    here = board.cells.get(area, {})
    counts, wishes, assault = [], [], None
    for choice in choices:
        if choice.verb == "ATTACK":
            assault = _assault(desk, plan, choice)
        elif choice.most is not None:
            counts.append(_count(plan, choice))
        elif choice.nations:
            wishes += [
                _wish(plan, choice, _label(choice, partner), partner) for partner in choice.nations
            ]
        else:
            wishes.append(_wish(plan, choice, _label(choice)))
    standing = tuple((nation, here[nation]) for nation in board.nations if nation in here)
    ordered = ", ".join(mark.text for mark in said if mark.area == area)
    return Panel(area, anchor(area), standing, tuple(counts), assault, tuple(wishes), ordered)


def _count(plan: Plan, choice: Choice) -> Count:
    verb, area = choice.verb, choice.area or ""
    now, total = ordered_now(plan, verb, area), plan.total(verb)
    left = room(choice, now, total)
    lying = now.counters
    heaps = tuple(Heap(value, lying.count(value), value <= left) for value in choice.counters)
    cap = (
        choice.most
        if choice.most is not None and total is not None and choice.most < total.of
        else 0
    )
    return Count(verb, area, _label(choice), now.number, now.number + left, cap, heaps)


def _assault(desk: Desk, plan: Plan, choice: Choice) -> Assault:
    area = choice.area or ""
    now = ordered_now(plan, "ATTACK", area)
    attacks = (
        attacks_in(plan, area) if choice.form == ONE_OPPONENT else [now] if now.nations else []
    )
    aimed = {name for one in attacks for name in one.nations}
    targets, strength = [], 0
    for name in choice.nations:
        odds = _chances(desk, plan, choice, name)
        strength = odds.attacker if odds else strength
        known = odds.defender if odds else None
        targets.append(
            Target(
                name,
                _strength(odds, known),
                _odds_words(odds, choice),
                name in aimed,
                name in now.otherwise,
            )
        )
    several = choice.form == ONE_OPPONENT and choice.conditions
    made = tuple(
        Made(
            f"{area}:{one.nations[0]}" if several else area,
            one.nations[0] if several else "",
            "/".join(one.stocks),
            one.minimum,
            one.odds,
            one.other_odds,
        )
        for one in attacks
    )
    barred_by = _barred_by(plan, area) if made else ""
    return Assault(
        area,
        strength,
        tuple(targets),
        choice.conditions,
        made,
        barred_by,
        choice.form == ONE_OPPONENT,
        minima(desk),
    )


def _barred_by(plan: Plan, area: str) -> str:
    """Where another attack is ordered that must not fail, or this one is not made."""
    first = (
        one.area or ""
        for one in plan.ordered
        if one.verb == "ATTACK" and one.area != area and one.odds is not None and one.odds.bars
    )
    return next(first, "")


def _strength(odds: Odds | None, known: int | None) -> str:
    if odds is None or not odds.targets:
        return ""
    return f"{known}+?" if odds.unknown else str(known)


def _chances(desk: Desk, plan: Plan, choice: Choice, name: str) -> Odds | None:
    """The odds against one nation; where PFs are placed in the same phase, once those of the text
    stand."""
    area = choice.area or ""
    placed = [
        Choice("PLACE", one.area).line(one.number) for one in plan.ordered if one.verb == "PLACE"
    ]
    if choice.form != ONE_OPPONENT or not placed:
        return desk.rules.planner.chances(desk.state, desk.nation, area, [name])
    tried = desk.plan("\n".join([*placed, choice.line(nations=[name])])).ordered
    return tried[-1].odds if tried else None


def _odds_words(odds: Odds | None, choice: Choice) -> str:
    if (
        odds is None and choice.form == ONE_OPPONENT
    ):  # it may be all the same, or not yet, when the attack's turn comes
        return "" if choice.conditions else "not there, or nothing to attack with"
    if (
        odds is None
        # choices name only nations that are there, so that it is we who have nothing: blank
        # counters attack nobody
    ):
        return "nothing to attack with"
    if not odds.targets:
        return "immune"
    if odds.unknown:
        return f"{odds.least or 'below 1-1'} to {odds.best or 'below 1-1'}"
    return wording.of_odds(odds.odds)


def _label(choice: Choice, partner: str = "") -> str:
    label = choice.label or choice.verb.capitalize() + (" {}" if partner else "")
    return label.format(partner)


def _wish(plan: Plan, choice: Choice, label: str, partner: str = "") -> Wish:
    verb, area = choice.verb, choice.area or ""
    chosen = any(
        one.verb == verb and (one.area or "") == area and (not partner or partner in one.nations)
        for one in plan.ordered
    )
    do = ":".join(["wish", verb, area, *([partner] if partner else [])])
    return Wish(do, label, chosen, choice.barred.get(partner, ""))


def _everywhere(plan: Plan, choices: Iterable[Choice]) -> Iterable[Wish]:
    for choice in choices:
        chosen = any(one.verb == choice.verb for one in plan.ordered)
        if choice.nations:
            yield from (
                _wish(plan, choice, _label(choice, partner), partner) for partner in choice.nations
            )
        elif choice.verb == "PASS":
            if chosen or not plan.ordered:
                yield Wish("wish:PASS", "Send no orders on purpose", chosen)
        else:
            yield Wish(f"wish:{choice.verb}", _label(choice), chosen)
