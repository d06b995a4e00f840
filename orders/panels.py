"""What the order page shows beside the text: of every area what may be and what is ordered there, and the marks on the map."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from games.atlas.overlay import Mark
from games.rules import Board, Choice
from games.rules.plan import Odds, Ordered, Plan, Total

from .pointing import Desk, ordered_now

#: What a count is called in a panel: a label, and what “all” means.
COUNTED = {"PLACE": "New PFs placed here", "FROM HOME": "PFs brought here from home", "BLANKS": "Blank counters laid here"}
#: Wishes that have a button of their own.
WISHES = {"UNDERSTANDING": "Understanding", "CONTROL": "CONTROL", "LOSE UNDERSTANDING FIRST": "lose the Understanding first"}
#: And those that are about no area.
WISHES_EVERYWHERE = {
    "STANDING UNDERSTANDING ALL": "Every Understanding my sheet allows, this turn and later",
    "LOSE UNDERSTANDING FIRST ALL": "Everywhere, a partial loss takes my Understanding first",
}


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
class Assault:
    area: str
    strength: int
    targets: tuple[Target, ...]
    conditions: bool
    made: bool
    stocks: str
    minimum: int | None
    odds: Odds | None
    other_odds: Odds | None
    barred_by: str = ""  # the area of another attack of the text whose failure ends this one


@dataclass(frozen=True)
class Wish:
    do: str
    label: str
    chosen: bool


@dataclass(frozen=True)
class Panel:
    """One area: `anchor` is its place in the page, `ordered` what the text orders there in a word or two."""

    area: str
    anchor: str
    standing: tuple[tuple[str, Any], ...]
    counts: tuple[Count, ...] = ()
    assault: Assault | None = None
    wishes: tuple[Wish, ...] = ()
    ordered: str = ""

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


def pointing(desk: Desk, board: Board, text: str, home: str | None) -> Pointing:
    """The panels of all areas for a text. `home` is the area that PFs leave."""
    plan, choices = desk.plan(text), desk.choices()
    said = marks(plan, home)
    by_area: dict[str, list[Choice]] = {}
    for choice in choices:
        by_area.setdefault(choice.area or "", []).append(choice)
    panels = tuple(_panel(desk, plan, board, area, by_area.get(area, []), said) for area in board.areas)
    return Pointing(panels, plan.totals, tuple(_everywhere(plan, by_area.get("", []))), said)


def marks(plan: Plan, home: str | None) -> tuple[Mark, ...]:
    """What a text orders, area by area, as a map shows it in a few signs."""
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
            found.append(Mark(area, attack_words(one), "attack"))
        elif one.verb in ("UNDERSTANDING", "CONTROL", "SHARE"):
            found.append(Mark(area, {"UNDERSTANDING": "U", "CONTROL": "C", "SHARE": f"C with {', '.join(one.nations)}"}[one.verb], "wish"))
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
    return one.odds.odds or "below 1-1"


def _panel(desk: Desk, plan: Plan, board: Board, area: str, choices: Iterable[Choice], said: Sequence[Mark]) -> Panel:
    here = board.cells.get(area, {})
    counts, wishes, assault = [], [], None
    for choice in choices:
        if choice.verb == "ATTACK":
            assault = _assault(desk, plan, choice)
        elif choice.most is not None:
            counts.append(_count(plan, choice))
        elif choice.verb == "SHARE":
            wishes += [_wish(plan, "SHARE", area, f"share CONTROL with {partner}", partner) for partner in choice.nations]
        else:
            wishes.append(_wish(plan, choice.verb, area, WISHES.get(choice.verb, choice.verb.capitalize())))
    standing = tuple((nation, here[nation]) for nation in board.nations if nation in here)
    ordered = ", ".join(mark.text for mark in said if mark.area == area)
    return Panel(area, anchor(area), standing, tuple(counts), assault, tuple(wishes), ordered)


def _count(plan: Plan, choice: Choice) -> Count:
    verb, area = choice.verb, choice.area or ""
    now, total = ordered_now(plan, verb, area), plan.total(verb)
    left = total.left if total else choice.most or 0
    lying = now.counters
    heaps = tuple(Heap(value, lying.count(value), value <= left) for value in choice.counters)
    return Count(verb, area, COUNTED.get(verb, verb.capitalize()), now.number, now.number + left, heaps)


def _assault(desk: Desk, plan: Plan, choice: Choice) -> Assault:
    area = choice.area or ""
    now = ordered_now(plan, "ATTACK", area)
    targets, strength = [], 0
    for name in choice.nations:
        odds = desk.rules.chances(desk.state, desk.nation, area, [name])
        strength = odds.attacker if odds else strength
        known = odds.defender if odds else None
        targets.append(Target(name, _strength(odds, known), _odds_words(odds), name in now.nations, name in now.otherwise))
    stocks = "/".join(now.stocks)
    made = bool(now.nations)
    odds, barred_by = (now.odds, _barred_by(plan, area)) if made else (None, "")
    return Assault(area, strength, tuple(targets), choice.conditions, made, stocks, now.minimum, odds, now.other_odds, barred_by)


def _barred_by(plan: Plan, area: str) -> str:
    """Where another attack is ordered that must not fail, or this one is not made."""
    first = (one.area or "" for one in plan.ordered if one.verb == "ATTACK" and one.area != area and one.odds is not None and one.odds.bars)
    return next(first, "")


def _strength(odds: Odds | None, known: int | None) -> str:
    if odds is None or not odds.targets:
        return ""
    return f"{known}+?" if odds.unknown else str(known)


def _odds_words(odds: Odds | None) -> str:
    if odds is None:  # choices name only nations that are there, so that it is we who have nothing: blank counters attack nobody
        return "nothing to attack with"
    if not odds.targets:
        return "immune"
    if odds.unknown:
        return f"{odds.least or 'below 1-1'} to {odds.best or 'below 1-1'}"
    return odds.odds or "below 1-1"


def _wish(plan: Plan, verb: str, area: str, label: str, partner: str = "") -> Wish:
    chosen = any(one.verb == verb and one.area == area and (not partner or partner in one.nations) for one in plan.ordered)
    return Wish(":".join(["wish", verb, area, *([partner] if partner else [])]), label, chosen)


def _everywhere(plan: Plan, choices: Iterable[Choice]) -> Iterable[Wish]:
    for choice in choices:
        chosen = any(one.verb == choice.verb for one in plan.ordered)
        if choice.verb == "PASS":
            if chosen or not plan.ordered:
                yield Wish("wish:PASS", "Send no orders on purpose", chosen)
        else:
            yield Wish(f"wish:{choice.verb}", WISHES_EVERYWHERE.get(choice.verb, choice.verb.capitalize()), chosen)
