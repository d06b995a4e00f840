"""Play as a program: pass; as the gamesmaster, rule every line as done.

This is enough to play a campaign to its end, but no opponent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.rules import REFEREE_SEAT, Resolution, Volumes
from games.rules.deals.promises import NONE, Promises

from . import seeing
from .phases import resolve
from .state import State


def orders(state: State, nation: str, salt: str, promises: Promises = NONE) -> str:
    return "REST DONE\nEND" if nation == REFEREE_SEAT else "PASS"


def play(
    state: State,
    salt: str,
    volumes: Volumes,
    reserves: Sequence[str],
    promises: Mapping[str, Promises] = {},
    look: object = None,
) -> Resolution:
    sent = {who: orders(state, who, salt) for who in seeing.acting_nations(state)}
    return resolve(state, sent, volumes, reserves)
