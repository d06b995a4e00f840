"""A program passes; as the gamesmaster it lets every line be done. Enough to play a campaign
through, and no opponent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import Resolution, Volumes
from ..deals.promises import NONE, Promises
from . import seeing
from .phases import resolve
from .state import SHEET, State


def orders(state: State, nation: str, salt: str, promises: Promises = NONE) -> str:
    return "REST DONE\nEND" if nation == SHEET else "PASS"


def play(
    state: State,
    salt: str,
    volumes: Volumes,
    reserves: Sequence[str],
    promises: Mapping[str, Promises] = {},
    look: object = None,
) -> Resolution:
    sent = {who: orders(state, who, salt) for who in seeing.acting(state)}
    return resolve(state, sent, volumes, reserves)
