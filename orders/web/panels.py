"""The panels and the map marks beside the text: orders possible and written, by area."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from games.boards.overlay import Mark
from games.rules import Board, Choice, wording
from games.rules.orders import write_line
from games.rules.plan import Odds, Plan, PlannedOrder, Total
from games.rules.verbs import Kind

from .drafting import Drafting
from .pointing import attacks_in, current_order, minima, room

#: How the map shows the mark of an order.
MARK_KINDS = {Kind.COUNT: "place", Kind.WISH: "wish", Kind.MAP: "attack"}


@dataclass(frozen=True)
class Heap:
    """Face-down counters of one value.

    `lying`: how many the text lays there. `more`: whether another one can be laid.
    """

    value: int
    lying: int
    more: bool


@dataclass(frozen=True)
class Count:
    """A number that can be ordered in an area: PFs to place or move, or blanks."""

    verb: str
    area: str
    label: str
    number: int
    most: int  # what is ordered now plus what is left
    # the area's limit for a turn, where it is lower than the total; 0 means no such limit
    cap: int = 0
    heaps: tuple[Heap, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.verb}:{self.area}"


@dataclass(frozen=True)
class Target:
    """A nation that an attack in the area can name, with its strength and the odds."""

    name: str
    strength: str
    said: str  # "3-1", "immune", "below 1-1"
    chosen: bool
    otherwise: bool


@dataclass(frozen=True)
class OrderedAttack:
    """An attack that the text orders in an area.

    `key` names its form fields. `against` is its one opponent, where the text may have
    alternatives.
    """

    key: str
    against: str
    stocks: str
    minimum: int | None
    odds: Odds | None
    other_odds: Odds | None

    @property
    def place(self) -> str:
        """Return the prefix for the ids of its fields."""
        return anchor(self.key)


@dataclass(frozen=True)
class Assault:
    """The attack form of an area, and the attacks that the text orders there."""

    area: str
    strength: int
    targets: tuple[Target, ...]
    conditions: bool
    made: tuple[OrderedAttack, ...]
    # the area of another attack in the text; if that attack fails, this one is not made
    barred_by: str = ""
    one_opponent: bool = False  # each attack is on one nation, and only one is made in a turn
    minima: tuple[str, ...] = ()  # the minimum odds a player may set, as "2" for 2-1

    @property
    def blind(self) -> bool:
        """Return whether attacks here are written before other nations have placed."""
        return self.one_opponent and self.conditions


@dataclass(frozen=True)
class Wish:
    """A wish for a counter, as a button.

    `barred`: why it would have no effect. A wish that is already written can still be removed.
    """

    do: str
    label: str
    chosen: bool
    barred: str = ""

    @property
    def disabled(self) -> bool:
        return bool(self.barred) and not self.chosen


@dataclass(frozen=True)
class Panel:
    """The panel of one area.

    `anchor` is its id in the page. `ordered` says in a word or two what the text orders there.
    """

    area: str
    anchor: str
    standing: tuple[tuple[str, Any], ...]
    counts: tuple[Count, ...] = ()
    assault: Assault | None = None
    wishes: tuple[Wish, ...] = ()
    ordered: str = ""

    @property
    def barred(self) -> tuple[tuple[str, str], ...]:
        """Return each reason why wishes would have no effect, as pairs of labels and reason.

        The labels are empty where the reason applies to all wishes of the panel.
        """
        reasons = dict.fromkeys(wish.barred for wish in self.wishes if wish.barred)
        labels_by_reason = {
            reason: [wish.label for wish in self.wishes if wish.barred == reason]
            for reason in reasons
        }
        return tuple(
            ("" if len(labels) == len(self.wishes) else ", ".join(labels), reason)
            for reason, labels in labels_by_reason.items()
        )

    @property
    def idle(self) -> bool:
        """Return whether nothing can be ordered here."""
        return not (self.counts or self.assault or self.wishes)


@dataclass(frozen=True)
class Pointing:
    """All parts of the page that change with the text."""

    panels: tuple[Panel, ...]
    totals: tuple[Total, ...]
    everywhere: tuple[Wish, ...]
    marks: tuple[Mark, ...] = field(default=())


def anchor(area: str) -> str:
    """Return the id of an area's panel in the page."""
    return "at-" + re.sub(r"[^a-z0-9]+", "-", area.casefold()).strip("-")


def pointing(drafting: Drafting, board: Board, text: str, home: str | None) -> Pointing:
    """Return the panels of all areas for a text. `home` is the area that PFs leave."""
    plan, verbs = drafting.plan(text), drafting.rules.verbs
    choices = [choice for choice in drafting.choices if verbs[choice.verb].as_button]
    map_marks = marks(drafting, plan, home)
    by_area: dict[str, list[Choice]] = {}
    for choice in choices:
        by_area.setdefault(choice.area or "", []).append(choice)
    panels = tuple(
        _panel(drafting, plan, board, area, by_area.get(area, []), map_marks)
        for area in board.areas
    )
    everywhere = tuple(_everywhere(drafting, plan, by_area.get("", [])))
    return Pointing(panels, plan.totals, everywhere, map_marks)


def _blind(choice: Choice) -> bool:
    """Return whether this attack is written before other nations have placed.

    Then an area that is empty now may have a defender when the attack is made.
    """
    return choice.stock and not choice.many and choice.conditions


def marks(drafting: Drafting, plan: Plan, home: str | None) -> tuple[Mark, ...]:
    """Return what a text orders as short marks for the map, area by area.

    `home` is the area that PFs leave.
    """
    blind = any(_blind(choice) for choice in drafting.choices)
    map_marks: list[Mark] = []
    leaving = 0
    for order in plan.ordered:
        verb = drafting.rules.verbs[order.verb]
        number = order.number if order.placed is None else order.placed
        if verb.kind == Kind.ATTACK:
            unknown = blind and order.odds is None
            map_marks.append(
                Mark(order.area or "", "attack" if unknown else attack_words(order), "attack")
            )
        elif verb.mark and order.area and (number or verb.kind != Kind.COUNT):
            words = write_line(
                verb.mark, {"number": str(number), "nations": ", ".join(order.nations)}
            )
            map_marks.append(Mark(order.area, words, MARK_KINDS[verb.kind]))
        leaving += number if verb.from_home else 0
    if leaving and home:
        map_marks.append(Mark(home, f"\N{MINUS SIGN}{leaving}", "place"))
    return tuple(map_marks)


def attack_words(attack: PlannedOrder) -> str:
    """Return the odds of an attack in a few characters."""
    if attack.odds is None or not attack.odds.targets:
        return "void"
    if attack.odds.unknown:
        return "?"
    return wording.odds_words(attack.odds.odds)


def _panel(
    drafting: Drafting,
    plan: Plan,
    board: Board,
    area: str,
    choices: Iterable[Choice],
    said: Sequence[Mark],
) -> Panel:
    """Return the panel of an area: its counters, its forms and what the text orders there."""
    here = board.cells.get(area, {})
    counts, wishes, assault = [], [], None
    for choice in choices:
        if drafting.kind(choice.verb) == Kind.ATTACK:
            assault = _assault(drafting, plan, choice)
        elif choice.most is not None:
            counts.append(_count(plan, choice))
        elif choice.nations:
            wishes += [
                _wish(plan, choice, _label(choice, partner), partner) for partner in choice.nations
            ]
        else:
            wishes.append(_wish(plan, choice, _label(choice)))
    counters = tuple((nation, here[nation]) for nation in board.nations if nation in here)
    ordered = ", ".join(mark.text for mark in said if mark.area == area)
    return Panel(area, anchor(area), counters, tuple(counts), assault, tuple(wishes), ordered)


def _count(plan: Plan, choice: Choice) -> Count:
    """Return how many are ordered in an area, and how many can be."""
    verb, area = choice.verb, choice.area or ""
    now, total = current_order(plan, verb, area), plan.total(verb)
    left = room(choice, now, total)
    lying = now.counters
    heaps = tuple(Heap(value, lying.count(value), value <= left) for value in choice.counters)
    cap = (
        choice.most
        if choice.most is not None and total is not None and choice.most < total.of
        else 0
    )
    return Count(verb, area, _label(choice), now.number, now.number + left, cap, heaps)


def _assault(drafting: Drafting, plan: Plan, choice: Choice) -> Assault:
    """Return the attack form of an area."""
    area = choice.area or ""
    now = current_order(plan, choice.verb, area)
    attacks = [now] if now.nations else []
    if not choice.many:
        attacks = attacks_in(drafting, plan, area)
    aimed = {name for attack in attacks for name in attack.nations}
    targets, strength = [], 0
    for name in choice.nations:
        odds = _chances(drafting, plan, choice, name)
        strength = odds.attacker if odds else strength
        defender = odds.defender if odds else None
        targets.append(
            Target(
                name,
                _strength(odds, defender),
                _odds_words(odds, choice),
                name in aimed,
                name in now.otherwise,
            )
        )
    has_alternatives = _blind(choice)
    attacks_made = tuple(
        OrderedAttack(
            f"{area}:{attack.nations[0]}" if has_alternatives else area,
            attack.nations[0] if has_alternatives else "",
            "/".join(attack.stocks),
            attack.minimum,
            attack.odds,
            attack.other_odds,
        )
        for attack in attacks
    )
    barred_by = _prerequisite_area(drafting, plan, area) if attacks_made else ""
    return Assault(
        area,
        strength,
        tuple(targets),
        choice.conditions,
        attacks_made,
        barred_by,
        not choice.many,
        minima(drafting),
    )


def _prerequisite_area(drafting: Drafting, plan: Plan, area: str) -> str:
    """Return the area of another attack that must succeed before this one can be made, or ""."""
    areas = (
        order.area or ""
        for order in drafting.attacks(plan)
        if order.area != area and order.odds is not None and order.odds.bars
    )
    return next(areas, "")


def _strength(odds: Odds | None, known: int | None) -> str:
    if odds is None or not odds.targets:
        return ""
    return f"{known}+?" if odds.unknown else str(known)


def _chances(drafting: Drafting, plan: Plan, choice: Choice, name: str) -> Odds | None:
    """Return the odds against one nation.

    Where PFs are placed in the same phase, count the placements of the text.
    """
    area = choice.area or ""
    placed = [
        drafting.rules.verbs[order.verb].line(number=str(order.number), area=order.area or "")
        for order in plan.ordered
        if drafting.kind(order.verb) == Kind.COUNT
    ]
    if choice.many or not placed:
        return drafting.rules.planner.chances(drafting.state, drafting.nation, area, [name])
    planned = drafting.plan("\n".join([*placed, choice.line(nations=[name])])).ordered
    return planned[-1].odds if planned else None


def _odds_words(odds: Odds | None, choice: Choice) -> str:
    # Other nations may have placed by the time of the attack, or not.
    if odds is None and not choice.many:
        return "" if choice.conditions else "not there, or nothing to attack with"
    if (
        odds is None
        # Choices name only nations that are in the area, so it is the attacker who has nothing:
        # blank counters cannot attack.
    ):
        return "nothing to attack with"
    if not odds.targets:
        return "immune"
    if odds.unknown:
        return f"{odds.least or 'below 1-1'} to {odds.best or 'below 1-1'}"
    return wording.odds_words(odds.odds)


def _label(choice: Choice, partner: str = "") -> str:
    label = choice.label or choice.verb.capitalize() + (" {}" if partner else "")
    return label.format(partner)


def _wish(plan: Plan, choice: Choice, label: str, partner: str = "") -> Wish:
    verb, area = choice.verb, choice.area or ""
    chosen = any(
        order.verb == verb
        and (order.area or "") == area
        and (not partner or partner in order.nations)
        for order in plan.ordered
    )
    do = ":".join(["wish", verb, area, *([partner] if partner else [])])
    return Wish(do, label, chosen, choice.barred.get(partner, ""))


def _everywhere(drafting: Drafting, plan: Plan, choices: Iterable[Choice]) -> Iterable[Wish]:
    for choice in choices:
        chosen = any(order.verb == choice.verb for order in plan.ordered)
        if choice.nations:
            yield from (
                _wish(plan, choice, _label(choice, partner), partner) for partner in choice.nations
            )
        elif drafting.kind(choice.verb) != Kind.PASS or chosen or not plan.ordered:
            yield Wish(f"wish:{choice.verb}", _label(choice), chosen)
