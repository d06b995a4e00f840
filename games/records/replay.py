"""A judged phase told again step by step: what stood on the board before each attack and after it,
for whoever looks on.

Everything comes through `permissions.view`, and only what the published events tell is added to it.
Where they do not lead to the board that the phase left (counters that nobody has turned up), no
board in between is shown: the attack's own figures stand for themselves.
"""

from __future__ import annotations

from typing import NamedTuple

from games import permissions
from games.models import Game, Resolution
from games.rules import Board

FIGHTING = ("attack", "void")
#: Rulings on what a phase leaves come after everything else, and their events do not say what they
# put on the board.
AFTERWARDS = ("position", "counter")


class Moment(NamedTuple):
    """The boards before and after one attack."""

    before: Board
    after: Board


def moments(game: Game, resolution: Resolution, viewer: str | None) -> list[Moment]:
    """For every attack of a resolution, in the order of the report; none at all where the events do
    not tell what stood."""
    events = resolution.events
    if not any(event["kind"] in FIGHTING for event in events):
        return []
    rules = game.rules
    start, end = (
        permissions.view(game, position, viewer)
        for position in (resolution.before, resolution.after)
    )
    boards = [rules.board(state) for state in (start, *rules.guide.replay(start, events))]
    # What stands is compared, not who is allied: a secret alliance is in its members' view and in
    # no event.
    if boards[-1].cells != rules.board(end).cells and not any(
        event["kind"] == "ruled" and event["about"] in AFTERWARDS for event in events
    ):
        return []
    return [
        Moment(boards[place], boards[place + 1])
        for place, event in enumerate(events)
        if event["kind"] in FIGHTING
    ]
