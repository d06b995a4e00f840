"""World War II, Multi-Player rules, as a ruleset for refereed games (docs/refereed.md).

It implements the contract of a ruleset and that of a refereed game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.rules import Json, PhaseFacts, PhaseId
from games.rules.contract import Ruleset
from games.rules.digits import needs_figure
from games.rules.lands import SP
from games.rules.options import validate

from . import (
    flow,
    phases,
    planning,
    players,
    programs,
    reading,
    referee,
    scoring,
    seeing,
    situations,
    spoken,
    writing,
)
from .calendar import printed_label
from .card import GAME
from .charts import card_of
from .editing import Editor
from .guide import Guide
from .orders import VERBS
from .state import COUNT, DICE, DIPLOMACY, REFEREE, State, dump, load

LAST_TURN = 23  # 5.7 mentions no later turn


class WW2MultiPlayer(Ruleset):
    id = GAME
    title = "World War II, Multi-Player"
    option_groups: tuple[str, ...] = ("rng", "orders", "seat", "spi")
    unit = SP
    playable = False  # a program cannot judge free text: it would pass every phase
    verbs = VERBS
    speech = spoken
    planner = planning
    guide = Guide()
    editor = Editor()
    bot = programs
    foreseeable = False
    names_stocks = False
    teams = False
    shares_players = True
    printed_charts = True
    score_sheets = True
    seals_orders = True
    timed_kinds: tuple[str, ...] = ("diplomacy", "orders")
    deals = None
    writing = writing
    referee = referee

    setup = staticmethod(phases.setup)
    dump = staticmethod(dump)
    phase = staticmethod(flow.phase)
    acting_nations = staticmethod(seeing.acting_nations)
    controllers = staticmethod(players.controllers)
    view = staticmethod(seeing.view)
    board = staticmethod(seeing.board)
    read = staticmethod(reading.read)
    merge = staticmethod(reading.merge)
    resolve = staticmethod(phases.resolve)
    standing = staticmethod(scoring.standing)
    situation = staticmethod(situations.situation)
    answer = staticmethod(situations.answer)

    def check_card(self, tree: Json) -> None:
        card_of(tree)

    def load(self, card: Json, options: Mapping[str, Any], position: Json) -> State:
        return load(card_of(card), validate(options), position)

    def facts(self, phase: PhaseId, options: Mapping[str, Any]) -> PhaseFacts:
        step = phase.kind.partition("-")[0]
        return PhaseFacts(
            f"Turn {phase.turn} ({printed_label(phase.turn)}), {flow.title(phase)}",
            draws=step == DICE,
            idle=step == DICE,
            kept_until=_secrecy_end(phase, options),
            # A power without anything to sign need not send orders in diplomacy.
            voluntary=phase.kind == DIPLOMACY,
            days=_days(phase, options),
            # Columns are sealed in the diplomacy before turn 1 (19.2) and hidden until the count.
            sealed=phase.kind == DIPLOMACY and phase.turn == 1,
            awaited=flow.waiting_sentence(phase) if step in (REFEREE, COUNT) else "",
        )

    def nations(self, state: State) -> tuple[str, ...]:
        return state.card.order

    def turns(self, state: State) -> int:
        return state.last_turn

    def in_force(self, state: State, sent: Mapping[str, str]) -> dict[str, str]:
        """Return only what was sent.

        What holds from turn to turn (alliances, grants, Italy's instruction) is in the position.
        """
        return {power: sent[power] for power in self.acting_nations(state) if power in sent}

    def stocks(self, state: State, orders: Mapping[str, str]) -> tuple[str, ...]:
        return ()  # orders name no stocks: dice are read from the published list only

    def stocks_to_read(
        self, state: State, orders: Mapping[str, str], reserves: Sequence[str]
    ) -> tuple[str, ...] | None:
        throws = needs_figure(lambda volumes: self.resolve(state, orders, volumes, reserves))
        return () if throws else None


def _days(phase: PhaseId, options: Mapping[str, Any]) -> int | None:
    """Return the days of a phase of diplomacy: twice as many before the first Game-Turn (4.2).

    Return None for other phases, and if the option is 0: then the schedule ends the phase, as it
    does for orders.
    """
    days: int = options.get("spi.diplomacy_days", 0)
    return None if phase.kind != DIPLOMACY or not days else 2 * days if phase.turn == 1 else days


def _secrecy_end(phase: PhaseId, options: Mapping[str, Any]) -> PhaseId | None:
    """Return the phase until which texts stay secret: the count.

    Return None for phases of dice and the count. Rulings on lines are published, but not the lines
    (`refereeing`).
    """
    last = options.get("spi.last_turn") or LAST_TURN
    return None if phase.kind.partition("-")[0] in (DICE, COUNT) else PhaseId(last, COUNT)


RULESET = WW2MultiPlayer()
