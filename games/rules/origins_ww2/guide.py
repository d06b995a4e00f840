"""The printed charts, notes and tables, and explanations of judged phases."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .. import Json, ResultTable, contract
from ..explaining import Chart
from ..options import NEEDS_RESERVES
from . import allies, choices, replaying, risks, scoring
from . import blind as blind_game
from . import table as printed
from .card import Card, card_of
from .examples import examples
from .state import State


class Guide(contract.Guide):
    examples = staticmethod(examples)
    nation_facts = staticmethod(scoring.nation_facts)
    replay = staticmethod(replaying.states)
    risks = staticmethod(risks.risks)

    def charts(self, state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple(
            (nation, blind_game.chart_lines(state, nation, lines))
            for nation, lines in choices.charts(state.card)
        )

    def further_charts(self, card: Json) -> tuple[Chart, ...]:
        """Return the scenarios that a blind game draws from, one chart each."""
        return tuple(_chart(scenario) for scenario in card_of(card).scenarios.values())

    def table(self) -> ResultTable:
        rows = tuple((digit, tuple(results)) for digit, results in printed.TABLE.items())
        return ResultTable(
            tuple(f"{column}-1" for column in range(1, printed.BEST + 1)), rows, printed.OUTCOMES
        )

    def notes(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        weak = options["ow2.sub_1_1"] == "attacker_removed" or options["ow2.hidden"] == "face_down"
        below = "attacker below 1-1 loses everything there" if weak else "attack below 1-1 is void"
        exchange = (
            "the targets lose everything, and so does the attacker"
            if options["ow2.x_attacker_loss"] == "all"
            else "both lose what the weaker side has"
        )
        in_turn = options["ow2.resolution"] == "ordered"
        order = (
            "Attacks are judged nation by nation in printed order, each after the losses before it."
            if in_turn
            else "All attacks are judged on the board as published; losses count after them."
        )
        lasts = options["ow2.immunity_ends"] == "only_by_host"
        immune = "A nation with an Understanding in your home area is immune to you everywhere else"
        return (
            f"Odds are your strength to theirs, rounded down; an {below}."
            " An Understanding counts 5.",
            f"In an exchange {exchange}. {order}",
            f"{immune}{', that turn even if others remove the Understanding' if lasts else ''}.",
        )

    def draws(self, state: State) -> tuple[str, ...]:
        return (*blind_game.draws(state), *allies.draws(state))

    def lots(self, state: State) -> tuple[str, ...]:
        return (*blind_game.lots(state), *allies.lots(state))

    def contradictions(
        self, options: Mapping[str, Any], seats: Collection[str], lent: Collection[str]
    ) -> Iterator[str]:
        def chosen(option: str, value: str) -> bool:
            return bool(options.get(option) == value)

        blind, hidden = blind_game.is_blind(options), not chosen("ow2.hidden", "off")
        everyone = bool(seats) and not lent
        if chosen("ow2.blind_draw", "with_replacement") and not blind:
            yield "You chose how to draw the charts of a blind game. Choose the blind game too."
        if chosen("ow2.four_without_usa", "yes") and len(set(seats) & set(lent)) != 1:
            yield (
                "“Four players without the United States” needs 4 nations with players and"
                " nobody for the United States."
            )
        if chosen("ow2.ally_draw", "own_session") and everyone:
            yield (
                "Every nation has a player, so there is nothing to draw. Leave out the phase of the"
                " draw, or leave a nation without a player."
            )
        if chosen("ow2.nonplayer_wins", "yes") and everyone:
            yield (
                "Every nation has a player, so this choice has no effect. Set it back to the"
                " default, or leave a nation without a player."
            )
        if chosen("ow2.hidden", "until_placed") and not chosen("ow2.placement", "ordered"):
            yield (
                "If all nations place by one deadline, nobody sees what the others place. For “face"
                " down until all have placed”, let nations place one after the other."
            )
        if chosen("ow2.attacks", "sequential") and chosen("ow2.resolution", "frozen_odds"):
            yield (
                "If nations attack one after the other, losses must count before the next attack."
                " Change one of the two options."
            )
        if chosen("ow2.attacks", "sequential") and chosen("ow2.immunity_ends", "only_by_host"):
            yield (
                "If nations attack one after the other, immunity ends with the Understanding. Set"
                " that option back to the default."
            )
        if chosen("ow2.attacks", "sequential") and chosen("ow2.u_loss", "owner_says"):
            yield (
                "If nations attack one after the other, the others cannot choose what they lose"
                " first. Choose “plain PFs first” or “the Understanding first”."
            )
        if chosen("rng.no_stock", "attack_void") and blind:
            yield NEEDS_RESERVES
        if hidden and chosen("ow2.unplaced", "gm_places"):
            yield (
                "Only the owner may see counters face down, so the gamesmaster cannot place them."
                " Let unplaced PFs go home or be lost."
            )
        if chosen("ow2.hidden", "face_down") and chosen("ow2.resolution", "frozen_odds"):
            yield (
                "Attacks turn up counters one by one, so losses must count before the next attack."
                " Change one of the two options."
            )


def _chart(card: Card) -> Chart:
    """Return allocation and objectives of a scenario, with one column per nation."""
    allocation = tuple(", ".join(map(str, card.allocation[nation])) for nation in card.order)
    rows = [("PFs a turn", *allocation)]
    for area in card.areas:
        paid = (card.objectives.get(nation, {}).get(area, {}) for nation in card.order)
        cells = tuple(
            ", ".join(f"{kind.replace('_', ' ')} {points}" for kind, points in kinds.items())
            for kinds in paid
        )
        rows.append((area, *cells))
    return Chart(card.title, ("Area", *card.order), tuple(rows), card.note)
