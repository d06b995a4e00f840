"""What a sheet has come to so far: the state, the events, and what is to be said to whom."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .. import Json, Remark
from .. import event as new_event
from . import dice
from .checking import orders_of
from .orders import Order
from .players import movers
from .state import COUNT, SHEET, Request, State


class Refused(Exception):
    """An entry that cannot be so. `str()` is one sentence."""


@dataclass
class Judging:
    """What a sheet has come to so far."""

    state: State
    events: list[Json] = field(default_factory=list)
    told: dict[str, list[Remark]] = field(default_factory=dict)
    ended: bool = False

    def event(self, kind: str, rule: str, message: str, **more: object) -> None:
        self.events.append(new_event(kind, rule, message, **more))

    def tell(self, to: str, line: int, severity: str, code: str, message: str) -> None:
        self.told.setdefault(to, []).append(Remark(line, severity, code, message))

    def warn(self, line: int, code: str, message: str) -> None:
        """Warn the gamesmaster of a line of his sheet."""
        self.tell(SHEET, line, "warning", code, message)


def waiting(state: State) -> tuple[tuple[str, Order], ...]:
    """The lines of this Player-Turn that have no ruling yet, as its powers wrote them."""
    if state.step == COUNT:
        return ()
    ruled = {(one.power, one.line) for one in state.ruled}
    return tuple(
        (power, order)
        for power in movers(state)
        for order in orders_of(state.orders.get(power, ""), power, state)
        if order.for_map and (power, order.line) not in ruled
    )


def ask(judging: Judging, request: Request, rule: str) -> None:
    message = f"Dice are thrown for {dice.in_words(judging.state, request)}."
    judging.event(
        "asked", rule, message, nation=request.owner, purpose=request.purpose, number=request.number
    )
    owe(judging, request)


def owe(judging: Judging, request: Request) -> None:
    """Throw dice with those drawn ahead, or else in the phase after the report."""
    judging.state = replace(judging.state, owed=(*judging.state.owed, request))
    judging.state, events = dice.use_ahead(judging.state)
    judging.events += events
