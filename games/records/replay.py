"""Replay a judged phase step by step: the board before and after each attack, for spectators.

Positions come through `permissions.view`, and only published events are applied to them. If these
do not lead to the board at the end of the phase (because of counters that nobody has turned up), no
board in between is shown, only the attack's own figures.
"""

from __future__ import annotations

from typing import NamedTuple

from games import permissions
from games.models import Game, Resolution
from games.rules import Board

FIGHTING = ("attack", "void")
#: Rulings that change the final position. They come after everything else, and their events do not
# say what they put on the board.
AFTERWARDS = ("position", "counter")


class Moment(NamedTuple):
    """The boards before and after one attack."""

    before: Board
    after: Board


def moments(game: Game, resolution: Resolution, viewer: str | None) -> list[Moment]:
    """Return the moments of all attacks of a resolution, in the order of the report.

    Return none if the events do not lead to the final board.
    """
    events = resolution.events
    if not any(event["kind"] in FIGHTING for event in events):
        return []
    rules = game.rules
    start, end = (
        permissions.view(game, position, viewer)
        for position in (resolution.before, resolution.after)
    )
    boards = [rules.board(state) for state in (start, *rules.guide.replay(start, events))]
    # Compare cells, not alliances: a secret alliance is in its members' view, but in no event.
    if boards[-1].cells != rules.board(end).cells and not any(
        event["kind"] == "ruled" and event["about"] in AFTERWARDS for event in events
    ):
        return []
    return [
        Moment(boards[place], boards[place + 1])
        for place, event in enumerate(events)
        if event["kind"] in FIGHTING
    ]
