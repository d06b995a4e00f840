"""Diplomatic attacks (Rules A.2, A.8): each nation makes one attack on one other, in
card order. Each result counts before the next attack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .. import Attempt, Choice, Json, Reading
from ..digits import Draw, Drawer, NamedStocks, die_of, skipped_stocks
from . import table, telling
from .reading import VERBS, Attack
from .state import Pair, State

#: Results set by a ruling, by nation and line: a result of the table, or `VOID`.
Results = Mapping[tuple[str, int], str]
VOID = "void"
NONE: frozenset[str] = frozenset()
#: The most lines for one attack where orders are written before the board is known (A.8).
ALTERNATIVES = 3


class Line(NamedTuple):
    """An attack line and the stocks that do not count for it."""

    order: Attack
    without: frozenset[str]
    further: bool  # more lines than one attack may have: always void


def lines(state: State, readings: Mapping[str, Reading]) -> dict[str, list[Line]]:
    """Return every nation's attack lines in the order in which they are judged.

    A nation has one attack, and alternative lines belong to that attack. So a nation's stock is not
    skipped because one of its own earlier lines names it; stocks that other nations name first are
    skipped where rng.duplicate_stock says so.
    """
    written = {
        nation: [order for order in readings[nation].orders if isinstance(order, Attack)]
        for nation in state.movers
    }
    most = ALTERNATIVES if state.is_choosing else 1
    skipped: dict[tuple[str, int], frozenset[str]] = {}
    if state.options["rng.duplicate_stock"] == "reserve_always":
        naming = [
            NamedStocks(nation, 1, tuple(stock for order in orders for stock in order.stocks))
            for nation, orders in written.items()
            if orders
        ]
        skipped = skipped_stocks(naming, state.card.order, state.options)
    return {
        nation: [
            Line(order, skipped.get((nation, 1), NONE), place >= most)
            for place, order in enumerate(orders)
        ]
        for nation, orders in written.items()
        if orders
    }


def stocks_in_order(state: State, readings: Mapping[str, Reading]) -> tuple[str, ...]:
    """Return the stocks whose sales may be needed, in order of first use, without skipped ones."""
    has_symbol = state.market.has_symbol
    stocks = (
        stock
        for of_nation in lines(state, readings).values()
        for line in of_nation
        if not line.further
        for stock in line.order.stocks
        if stock not in line.without and has_symbol(stock)
    )
    return tuple(dict.fromkeys(stocks))


class Conflict:
    """The attacks of one phase.

    `pf` is the board as it changes, by area and nation. Where nations place and attack in turn,
    placement writes to it too.
    """

    def __init__(
        self,
        state: State,
        readings: Mapping[str, Reading],
        drawer: Drawer,
        results: Results | None = None,
    ) -> None:
        self.state = state
        self.options = state.options
        self.rule = state.options["rng.d6"]
        self.lines = lines(state, readings) if state.is_attacking else {}
        self.drawer = drawer
        self.results = results or {}
        self.pf: dict[Pair, int] = dict(state.piles.pf)
        self.events: list[Json] = []
        self.attempts: dict[tuple[str, int], tuple[Attempt, ...]] = {}

    def attack(self, nation: str) -> None:
        """Judge one nation's attack: its line, or the first of its alternatives that can be
        made."""
        over = False
        for line in self.lines.get(nation, ()):
            if line.further:
                self._void(nation, line.order, "second_attack_in_area")
            elif not over:
                over = self._one(nation, line) and self.state.is_choosing

    def _one(self, nation: str, line: Line) -> bool:
        """Judge one line. Return True if it came to a draw, so that no alternative is needed."""
        order, area = line.order, line.order.area
        forbidden = self.options["wwi.attack_ally"] == "forbidden"
        if forbidden and self.state.ally_of(nation) == order.target:
            # An event would reveal a secret alliance; the nation was warned when it sent the order.
            if not self.state.secret:
                self._void(nation, order, "ally")
            return False
        mine, theirs = self.pf.get((area, nation), 0), self.pf.get((area, order.target), 0)
        if not mine or not theirs:
            self._void(nation, order, "no_target" if mine else "attacker_absent")
            return False
        column = table.column(mine, theirs)
        if order.minimum and column < order.minimum:
            self._void(nation, order, "below_min")
            return False
        ruled = self.results.get((nation, order.line))
        lacks = ruled is not None
        draw = self.drawer.draw(order.stocks, line.without, self._is_die, may_lack=lacks)
        self.attempts[nation, order.line] = tuple(self.drawer.attempts)
        if ruled == VOID or (draw is None and ruled is None):
            self._void(nation, order, "ruled" if ruled else "no_digit")
        else:
            self._fight(nation, order, (mine, theirs, column), draw, ruled)
        return True

    def _is_die(self, draw: Draw) -> bool:
        return die_of(draw, self.rule) is not None

    def _fight(
        self,
        nation: str,
        order: Attack,
        match: tuple[int, int, int],
        draw: Draw | None,
        ruled: str | None,
    ) -> None:
        """Apply the result by the table or by the ruling, which needs no die, and the losses."""
        mine, theirs, column = match
        die = die_of(draw, self.rule) if draw else None
        result = ruled if ruled is not None or die is None else table.result(column, die)
        assert result is not None, "an attack with neither die nor ruling is void"
        area, target = order.area, order.target
        lost = table.losses(result, mine, theirs)
        for side, left in ((nation, mine - lost[0]), (target, theirs - lost[1])):
            if left:
                self.pf[area, side] = left
            else:
                del self.pf[area, side]
        taken = {nation: lost[0], target: lost[1]}
        event: Json = {
            "kind": "attack",
            "nation": nation,
            "area": area,
            "targets": [target],
            "line": order.line,
            "attacker": mine,
            "defender": theirs,
            "odds": table.COLUMNS[column],
            "stock": draw.stock if draw else "",
            "volume": draw.volume if draw else None,
            "digit": draw.digit if draw else None,
            "die": die,
            "result": result,
            "losses": {side: taken[side] for side in self.state.card.order if taken.get(side)},
            "rejected": self.drawer.rejected,
            "rule": "A A.2",
        }
        if draw and draw.rolled:
            event["rolled"] = True
        if ruled is not None:
            event |= {"ruled": True, "rule": "ruling"}
        event["message"] = telling.attack(event, self.options)
        self.events.append(event)

    def _void(self, nation: str, order: Attack, reason: str) -> None:
        event: Json = {
            "kind": "void",
            "nation": nation,
            "area": order.area,
            "targets": [order.target],
            "line": order.line,
            "reason": reason,
            "rule": telling.VOID[reason][0],
        }
        if reason == "ruled":
            event["ruled"] = True
        if reason == "no_digit" and self.drawer.rejected:
            event["rejected"] = self.drawer.rejected
        event["message"] = telling.void(event)
        self.events.append(event)


def offers(state: State, nation: str) -> list[Choice]:
    """Return the areas where the nation and others stand, with those others.

    Where others place before the attack, return all areas and nations.
    """
    forbidden = state.ally_of(nation) if state.options["wwi.attack_ally"] == "forbidden" else None
    offers = []
    for area in state.card.areas:
        others = tuple(
            other
            for other in state.card.order
            if other not in (nation, forbidden)
            and (state.is_choosing or state.piles.pf_at(area, other))
        )
        if others and (state.is_placing or state.piles.pf_at(area, nation)):
            attack = VERBS.choice(
                "ATTACK", area, nations=others, stock=True, conditions=state.is_choosing
            )
            offers.append(attack)
    return offers
