"""The state of judging a referee report."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from games.rules import REFEREE_SEAT, Json, Remark
from games.rules import event as new_event

from . import dice
from .checking import orders_of
from .orders import Order
from .players import movers
from .state import COUNT, Request, State


class RefusedEntry(Exception):
    """An entry cannot apply. `str()` is one sentence."""


@dataclass
class Judging:
    """The position so far, the events, and the remarks for each reader."""

    state: State
    events: list[Json] = field(default_factory=list)
    told: dict[str, list[Remark]] = field(default_factory=dict)
    ended: bool = False

    def event(self, kind: str, rule: str, message: str, **more: object) -> None:
        self.events.append(new_event(kind, rule, message, **more))

    def tell(self, to: str, line: int, severity: str, code: str, message: str) -> None:
        self.told.setdefault(to, []).append(Remark(line, severity, code, message))

    def warn(self, line: int, code: str, message: str) -> None:
        """Warn the gamesmaster of a line of their report."""
        self.tell(REFEREE_SEAT, line, "warning", code, message)


def waiting(state: State) -> tuple[tuple[str, Order], ...]:
    """Return the lines of this Player-Turn that have no ruling yet, as its powers wrote them."""
    if state.step == COUNT:
        return ()
    ruled = {(ruling.power, ruling.line) for ruling in state.ruled}
    return tuple(
        (power, order)
        for power in movers(state)
        for order in orders_of(state.orders.get(power, ""), power, state)
        if order.for_map and (power, order.line) not in ruled
    )


def ask(judging: Judging, request: Request, rule: str) -> None:
    """Request dice and announce them."""
    message = f"Dice are thrown for {dice.describe_request(judging.state, request)}."
    judging.event(
        "asked", rule, message, nation=request.owner, purpose=request.purpose, number=request.number
    )
    owe(judging, request)


def owe(judging: Judging, request: Request) -> None:
    """Owe dice, and throw those that were drawn ahead.

    The phase after the report throws the rest.
    """
    judging.state = replace(judging.state, owed=(*judging.state.owed, request))
    judging.state, events = dice.use_ahead(judging.state)
    judging.events += events
