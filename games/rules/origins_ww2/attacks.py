"""Attacks (Rules C.2, K1-K20 and I1-I13): targets, odds, and losses.

Nations attack in card order, each in its own home area first. Every loss counts before the next
attack unless the odds are frozen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .. import Attempt, Cell, Choice, Json, Reading, Volumes
from ..digits import Draw, Drawer, NamedStocks, skipped_stocks
from . import table, telling
from .face_down import FaceDownCounters
from .reading import VERBS, Attack, LoseFirst
from .state import COUNTER_PF, Pieces, State, cell_of, strength


def attacks_in_order(state: State, readings: Mapping[str, Reading]) -> list[tuple[str, Attack]]:
    """Return all attack lines in the order in which they are judged (K1)."""
    attacks = []
    for nation in state.card.order:
        lines = [order for order in readings[nation].orders if isinstance(order, Attack)]
        if len(lines) > 1 and state.options["ow2.home_first"] == "auto":
            home = state.home(nation)
            lines.sort(key=lambda order: order.area != home)
        attacks += [(nation, order) for order in lines]
    return attacks


def stocks_in_order(state: State, readings: Mapping[str, Reading]) -> tuple[str, ...]:
    """Return the stocks whose sales may be needed, in order of first use.

    Leave out stocks of a second attack in the same area, and stocks that are skipped.
    """
    attacks = attacks_in_order(state, readings)
    skipped = _skipped_stocks(state, attacks)
    first: dict[tuple[str, str], Attack] = {}
    for nation, order in attacks:
        first.setdefault((nation, order.area), order)
    stocks = (
        stock
        for (nation, _), order in first.items()
        for stock in order.stocks
        if stock not in skipped[nation, order.line] and state.market.has_symbol(stock)
    )
    return tuple(dict.fromkeys(stocks))


def _skipped_stocks(
    state: State, attacks: Sequence[tuple[str, Attack]]
) -> dict[tuple[str, int], frozenset[str]]:
    naming = [NamedStocks(nation, order.line, order.stocks) for nation, order in attacks]
    return skipped_stocks(naming, state.card.order, state.options)


#: Results set by a ruling, by nation and line: a result of the table, or `VOID`.
Results = Mapping[tuple[str, int], str]
VOID = "void"


def resolve(
    state: State, readings: Mapping[str, Reading], drawer: Drawer, results: Results | None = None
) -> tuple[Pieces, FaceDownCounters, list[Json]]:
    """Return the board after all attacks of this phase, the counters still face down, and the
    events."""
    conflict = _fight_all(state, readings, drawer, results)
    pieces, down = conflict.pieces, conflict.down
    for area, nation in down:  # counted on the board while the attacks were judged
        pieces = pieces.add(area, nation, -down.value(area, nation))
    return pieces, down, conflict.events


def attempts(
    state: State,
    readings: Mapping[str, Reading],
    volumes: Volumes,
    reserves: Sequence[str],
    results: Results | None = None,
) -> dict[tuple[str, int], tuple[Attempt, ...]]:
    """Return the stocks tried for each attack, by nation and line; an attack that was void before
    its draw has no entry."""
    return _fight_all(state, readings, Drawer(volumes, reserves, state.options), results).attempts


def _counters_first(state: State, readings: Mapping[str, Reading]) -> frozenset[tuple[str, str]]:
    """Return the piles, as area and nation, where a partial loss takes the Understanding first
    (K17, ow2.u_loss)."""
    if state.options["ow2.u_loss"] == "u_first":
        return frozenset((area, nation) for nation in state.card.order for area in state.card.areas)
    if not state.has_loss_orders:
        return frozenset()
    return frozenset(
        (area, nation)
        for nation in state.card.order
        for order in readings[nation].orders
        if isinstance(order, LoseFirst)
        for area in ((order.area,) if order.area else state.card.areas)
    )


def _fight_all(
    state: State, readings: Mapping[str, Reading], drawer: Drawer, results: Results | None
) -> _Conflict:
    attacks = attacks_in_order(state, readings)
    conflict = _Conflict(
        state,
        drawer,
        _skipped_stocks(state, attacks),
        results or {},
        _counters_first(state, readings),
    )
    for nation, order in attacks:
        conflict.attack(nation, order)
    if state.mover in (None, state.in_play[-1]):
        conflict.turn_up_the_rest()
    return conflict


class Match(NamedTuple):
    """An attack that can be made: the nations really attacked, both strengths, and the column."""

    targets: tuple[str, ...]
    attacker: int
    defender: int
    column: int


class _Conflict:
    """One phase of attacks.

    `pieces` is the board as it changes; `odds_board` the one on which odds are judged.
    """

    def __init__(
        self,
        state: State,
        drawer: Drawer,
        skipped: Mapping[tuple[str, int], frozenset[str]],
        results: Results,
        first: frozenset[tuple[str, str]],
    ) -> None:
        self.results = results
        self.counters_first = first
        #: Nations that lost their Understanding before plain PFs in this attack, as they ordered.
        self.asked: list[str] = []
        self.state = state
        self.options = state.options
        self.frozen = state.options["ow2.resolution"] == "frozen_odds"
        self.by_host = not self.frozen and self.options["ow2.immunity_ends"] == "only_by_host"
        self.drawer = drawer
        self.skipped = skipped
        # Face-down PFs count at their value; those not turned up yet are also in `down`.
        self.published = self.pieces = state.face_up_pieces
        self.down: FaceDownCounters = state.face_down
        self.events: list[Json] = []
        self.attempts: dict[tuple[str, int], tuple[Attempt, ...]] = {}
        self.areas: set[tuple[str, str]] = set()
        self.barred: set[str] = set()
        # For ow2.immunity_ends = only_by_host: (host, owner) of every Understanding that gave
        # immunity when the phase began.
        homes = state.card.home if self.by_host else {}
        self.immunities = {
            (host, owner)
            for host, home in homes.items()
            for owner in state.pieces.present(home) - {host}
            if state.immune(owner, host)
        }

    @property
    def odds_board(self) -> Pieces:
        """The board on which odds, presence and immunity are judged: the current one, or under
        frozen_odds the published one."""
        return self.published if self.frozen else self.pieces

    def attack(self, nation: str, order: Attack) -> None:
        """Carry out the attack of one line, from its targets to its losses."""
        area = order.area
        if (nation, area) in self.areas:
            return self._void(nation, order, "second_attack_in_area")
        self.areas.add((nation, area))
        if nation in self.barred:
            return self._void(nation, order, "home_attack_failed")
        if not self.odds_board.strength(area, nation):
            # Only blanks, which cannot attack (F10). The reason reveals them anyway.
            self._turn_up(area, nation)
            return self._void(nation, order, "attacker_absent")
        conditional = self.options["ow2.conditionals"] == "else_and_min"
        minimum = order.minimum if conditional else None
        match = reason = self._match(nation, order, order.targets, minimum)
        if (
            isinstance(match, str)
            and conditional
            and order.otherwise
            and not self._is_repelled(match)
        ):
            match = self._match(nation, order, order.otherwise, minimum)
        if isinstance(match, str):
            return self._void(nation, order, match if self._is_repelled(match) else str(reason))
        ruled = self.results.get((nation, order.line))
        without = self.skipped[nation, order.line]
        draw = self.drawer.draw(order.stocks, without, may_lack=ruled is not None)
        self.attempts[nation, order.line] = tuple(self.drawer.attempts)
        if ruled == VOID:
            return self._void(nation, order, "ruled")
        if draw is None and ruled is None:
            return self._void(nation, order, "no_digit")
        self._fight(nation, order, match, draw, ruled)

    def _match(
        self, nation: str, order: Attack, listed: tuple[str, ...], minimum: int | None
    ) -> Match | str:
        """Carry out steps 3 to 5 for one target list. Return the attack, or the reason why there is
        none.

        With counters face down, a nation that has any there may be attacked. Then its counters and
        the attacker's are turned up, and a target with nothing but blanks is dropped (F9, F10).
        """
        area = order.area
        seen = self.odds_board
        present = self._present(area, listed)
        at_home = area == self.state.home(nation)
        targets = tuple(
            target for target in present if at_home or not self._is_immune(target, nation)
        )
        dropped_immune = len(targets) < len(present)
        whole = self.options["ow2.absent_target"] == "void"
        if not targets or (whole and len(targets) < len(listed)):
            return "immune" if dropped_immune else "no_target"
        if self.down:
            for owner in self.state.card.order:
                if owner == nation or owner in targets:
                    self._turn_up(area, owner)
            targets = tuple(target for target in targets if self.odds_board.strength(area, target))
        if not targets or (whole and len(targets) < len(listed)):
            return "immune" if dropped_immune else "no_target"
        attacker = seen.strength(area, nation)
        defender = sum([seen.strength(area, target) for target in targets])
        column = table.odds(attacker, defender)
        if column is None:
            return "below_1_1"
        if minimum and column < minimum:
            return "below_min"
        return Match(targets, attacker, defender, column)

    def _is_repelled(self, reason: str) -> bool:
        """Return whether an attack is repelled (F9): where PFs lie face down, an attacker below 1-1
        loses, and neither ELSE nor MIN saves it."""
        return self.state.fights_face_down and reason == "below_1_1"

    def _turn_up(self, area: str, nation: str) -> None:
        """Turn up all of the nation's face-down counters there, blanks too."""
        number = self.down.number(area, nation)
        if not number:
            return
        counters = self.down.counters(area, nation)
        self.down = self.down.remove(area, nation)
        # In a view the values of others are unknown, so a preview gets their number only
        # (`Ruleset.view`).
        contents: Json = {"number": number} if counters is None else {"counters": list(counters)}
        event: Json = {
            "kind": "turned_up",
            "nation": nation,
            "area": area,
            **contents,
            "rule": "C F9",
        }
        event["message"] = telling.turning_up(event)
        self.events.append(event)

    def turn_up_the_rest(self) -> None:
        """Turn up the rest after the last attack, before counters are placed (F9)."""
        if self.down:
            for area in self.state.card.areas:
                for nation in self.state.card.order:
                    self._turn_up(area, nation)

    def _present(self, area: str, targets: Sequence[str]) -> list[str]:
        return [
            target
            for target in targets
            if self.odds_board.strength(area, target) or self.down.number(area, target)
        ]

    def _is_immune(self, target: str, nation: str) -> bool:
        """Return whether an Understanding in the attacker's home protects the target (I1, I11).

        With frozen odds losses count only after all attacks, so a destroyed Understanding still
        protects its owner until the end of the phase.
        """
        if self.by_host:
            return (nation, target) in self.immunities
        home = self.state.home(nation)
        return home is not None and self.odds_board.cell_at(home, target).understanding

    def _fight(
        self, nation: str, order: Attack, match: Match, draw: Draw | None, ruled: str | None = None
    ) -> None:
        """Apply the result of the table, or the ruled one, which needs no digit; then the
        losses."""
        area = order.area
        result = ruled
        if ruled is None and draw is not None:
            result = table.result(match.column, draw.digit)
        assert result is not None, "an attack with neither digit nor ruling is void"
        at_home = area == self.state.home(nation)
        guests = [
            owner
            for owner in match.targets
            if at_home and self.odds_board.cell_at(area, owner).understanding
        ]
        losses: dict[str, int] = {}
        self.asked = []
        if result in "DX":
            for target in match.targets:
                losses[target] = self._lose(area, target, self.pieces.strength(area, target))
        if result == "A" or (result == "X" and self.options["ow2.x_attacker_loss"] == "all"):
            losses[nation] = self._lose(area, nation, self.pieces.strength(area, nation))
        elif result == "X":
            losses[nation] = self._lose(area, nation, match.defender)
        if guests and result in "DX":
            # The host itself destroyed these Understandings, so their immunity ends under both
            # readings of I11.
            self.immunities -= {(nation, guest) for guest in guests}
        if guests and result in "A-" and self.options["ow2.failed_home"] == "no_more_attacks":
            self.barred.add(nation)
        event: Json = {
            "kind": "attack",
            "nation": nation,
            "area": area,
            "targets": list(match.targets),
            "line": order.line,
            "attacker": match.attacker,
            "defender": match.defender,
            "odds": f"{match.column}-1",
            "stock": draw.stock if draw else "",
            "volume": draw.volume if draw else None,
            "digit": draw.digit if draw else None,
            "result": result,
            "losses": self._sort_by_card(losses),
            "rule": {"A": "C K11", "D": "C K10", "X": "C K12", "-": "C K2"}[result],
        }
        if draw and draw.rolled:
            event["rolled"] = True
        if ruled is not None:
            event |= {"ruled": True, "rule": "ruling"}
        if self.asked:
            event["understanding_first"] = [
                owner for owner in self.state.card.order if owner in self.asked
            ]
        event["message"] = telling.attack(event)
        self.events.append(event)

    def _void(self, nation: str, order: Attack, reason: str) -> None:
        event: Json = {
            "kind": "void",
            "nation": nation,
            "area": order.area,
            "targets": list(order.targets),
            "line": order.line,
            "reason": reason,
            "rule": telling.VOID[reason][0],
        }
        if reason == "ruled":
            event["ruled"] = True
        if reason == "below_1_1" and (
            self.options["ow2.sub_1_1"] == "attacker_removed" or self.state.fights_face_down
        ):
            # K4 with the penalty of the printed variation with hidden counters, where it is not
            # optional (F9).
            event["rule"] = "C F9" if self.state.fights_face_down else event["rule"]
            lost = self._lose(order.area, nation, self.pieces.strength(order.area, nation))
            event["losses"] = self._sort_by_card({nation: lost})
        immune = [
            target
            for target in self._present(order.area, order.targets)
            if self._is_immune(target, nation)
        ]
        event["message"] = telling.void(event, immune, self.state.home(nation))
        self.events.append(event)

    def _lose(self, area: str, nation: str, asked: int) -> int:
        """Remove strength from the board, at most what is there. Return what was lost."""
        cell = self.pieces.cell_at(area, nation)
        lost = min(asked, strength(cell))
        u_first = (area, nation) in self.counters_first
        left = cell_after_loss(cell, lost, u_first)
        if self.state.has_loss_orders and u_first and left != cell_after_loss(cell, lost):
            self.asked.append(nation)
        self.pieces = self.pieces.with_cell(area, nation, left)
        return lost

    def _sort_by_card(self, losses: Mapping[str, int]) -> dict[str, int]:
        return {nation: losses[nation] for nation in self.state.card.order if losses.get(nation)}


def cell_after_loss(cell: Cell, lost: int, u_first: bool = False) -> Cell:
    """Return a cell after a loss (K17).

    Plain PFs go first. The Understanding stays while 5 or more are left; otherwise the rest is
    plain PFs. With `u_first` any loss takes the Understanding, and its value beyond the loss is
    returned as plain PFs.
    """
    left = strength(cell) - lost
    keeps = cell.understanding and left >= COUNTER_PF and not (u_first and lost)
    return cell_of(left - COUNTER_PF if keeps else left, keeps, cell.control)


def offers(state: State, nation: str) -> Iterator[Choice]:
    """Yield an attack for each area where the nation and others stand.

    Immune nations are included, because their immunity may end before the attack (I4).
    """
    state = state.view_for(nation)
    standing = {(area, owner) for area, owner, cell in state.face_up_pieces if strength(cell)}
    standing |= {
        (area, owner) for area, owner in state.face_down if state.face_down.unknown(area, owner)
    }
    conditions = state.options["ow2.conditionals"] != "none"
    for area in state.card.areas:
        if (area, nation) in standing:
            there = [owner for owner in state.card.order if (area, owner) in standing]
            if others := tuple([owner for owner in there if owner != nation]):
                yield VERBS.choice(
                    "ATTACK", area, nations=others, stock=True, conditions=conditions
                )
    yield from _losses(state, nation)


def _losses(state: State, nation: str) -> tuple[Choice, ...]:
    """Return the choices to lose the Understanding first in a partial loss, where owners decide
    (`ow2.u_loss`, K17)."""
    areas = state.card.areas if state.has_loss_orders else ()
    areas_held = [area for area in areas if state.pieces.cell_at(area, nation).understanding]
    offers = [VERBS.choice("LOSE UNDERSTANDING FIRST", area) for area in areas_held]
    return (*offers, *([VERBS.choice("LOSE UNDERSTANDING FIRST ALL")] if areas_held else []))
