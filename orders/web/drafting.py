"""A nation's orders while they are written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from games.models import Phase, Seat
from games.pages.line_forms import OrderForms
from games.rules import Choice
from games.rules.contract import Ruleset
from games.rules.markets import NEW_YORK, Market
from games.rules.plan import Plan, PlannedOrder
from games.rules.verbs import Kind


@dataclass(frozen=True)
class Drafting:
    """The nation whose orders are being written, and the state as that nation may see it."""

    rules: Ruleset
    state: Any
    nation: str
    listed: tuple[str, ...] = ()  # the published list, where only its stocks may be named
    market: Market = NEW_YORK  # the exchange of the stock symbols

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        return self.rules.planner.choices(self.state, self.nation)

    def order_forms(self) -> OrderForms | None:
        """Return the lines with blanks that the game offers beside its choices, or None."""
        forms: OrderForms | None = self.rules.writing.order_forms(self.state, self.nation)
        return forms

    def plan(self, text: str) -> Plan:
        return self.rules.planner.plan(self.state, self.nation, text)

    def revise(self, text: str, ordered: PlannedOrder, drop: bool = False) -> str:
        """Return the text with an order written into it, or removed from it."""
        return self.rules.planner.revise(self.state, self.nation, text, ordered, drop)

    def attacks(self, plan: Plan) -> list[PlannedOrder]:
        """Return the attacks of a plan, in the order written."""
        return [order for order in plan.ordered if self.kind(order.verb) == Kind.ATTACK]

    def kind(self, verb: str) -> Kind:
        return self.rules.verbs[verb].kind


def drafting_of(phase: Phase, seat: Seat, state: Any) -> Drafting:
    """Return what a seat's orders are written with in a phase that is played in a state."""
    game, rules = phase.game, phase.game.rules
    listed = tuple(game.reserves) if game.options["rng.stock_choice"] == "list_only" else ()
    return Drafting(rules, rules.view(state, seat.nation), seat.nation, listed, game.stock_market)
