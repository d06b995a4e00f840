"""Explain the printed game, and what a judged phase meant."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from games.rules import Json, NationFacts, ResultTable, contract
from games.rules import cards as shipped
from games.rules.explaining import Chart, Example

from . import examples as worked
from . import printed, scoring, seeing
from .card import GAME
from .charts import card_of
from .phases import resolve, setup
from .players import player_of
from .state import State

_OUTCOMES = {
    "landed": "lands safely",
    "aborted": "goes back and does nothing more",
    "eliminated": "is lost",
}


class Guide(contract.Guide):
    charts = staticmethod(seeing.charts)
    draws = staticmethod(seeing.draws)
    lots = staticmethod(seeing.lots)

    def further_charts(self, card: Json) -> tuple[Chart, ...]:
        return printed.charts(card_of(card))

    def nation_facts(self, state: State, nation: str) -> NationFacts:
        seat = player_of(state, nation)
        ruled = 0 if state.scores_hidden else state.points.get(seat, 0)
        return NationFacts(nation, (), scoring.objectives(state, seat), ruled)

    def table(self) -> ResultTable:
        """Return the Mediterranean table, the only one by which a die alone decides (6.53)."""
        outcomes = ("landed", "landed", "landed", "aborted", "aborted", "eliminated")
        return ResultTable(
            ("die",),
            tuple((face, (outcome,)) for face, outcome in enumerate(outcomes, start=1)),
            _OUTCOMES,
        )

    def examples(self) -> tuple[Example, ...]:
        card = shipped.load(GAME, shipped.names(GAME)[0])
        return worked.examples(setup(card, {}, card["order"]), resolve)

    def contradictions(
        self, options: Mapping[str, Any], seats: Collection[str], lent: Collection[str]
    ) -> Iterator[str]:
        """Yield sentences about options that have no effect in this game.

        They concern the dice of American intervention and two powers of one player.
        """
        if options.get("spi.us_entry") == "base_schedule" and (
            options.get("spi.us_dice") == "either_order"
            or options.get("spi.us_special") == "instead"
            or options.get("spi.us_trigger_units") == "german_player"
        ):
            yield (
                "You decide when the USA enters, so the options for its dice have no effect. Set"
                " them back to the default, or let the dice decide."
            )
        if not seats or lent:
            return
        for option, value, about in (
            ("spi.us_trigger_units", "german_player", "which invasions cause a throw"),
            ("spi.invader_unit", "power", "whose invasion it is"),
            ("spi.blend", "any_mix", "a column made of two"),
        ):
            if options.get(option) == value:
                yield (
                    f"Every power has its own player, so “{about}” has no effect. Set it back to"
                    " the default, or give two powers to one player."
                )
