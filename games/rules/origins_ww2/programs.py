"""Bots play: `bot` plans, and `covering` lays counters face down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import Resolution, Volumes
from ..deals.promises import NONE, Promises
from . import bot, covering, keeping, seeing
from .judging import judge, resolve
from .outlook import Outlook
from .state import State, acting_nations


def orders(
    state: State,
    nation: str,
    salt: str,
    promises: Promises = NONE,
    *,
    name_stocks: bool = True,
) -> str:
    """Return a bot's orders for a nation, the same for the same salt."""
    seen = covering.guess_board(state, nation)
    text = bot.orders(seen, nation, salt, promises, name_stocks=name_stocks)
    return covering.cover_placements(state, nation, salt, text)


def play(
    state: State,
    salt: str,
    volumes: Volumes,
    reserves: Sequence[str],
    promises: Mapping[str, Promises] = {},
    look: Outlook | None = None,
) -> Resolution:
    """Play a phase in which bots send all orders, with the same result as `orders` and `resolve`.

    Texts are skipped where all nations see the same board.
    """
    readings = None if state.drawing else bot.readings(state, salt, promises, look)
    if readings is not None:
        return judge(state, readings, {}, volumes, reserves)
    sent = {
        nation: orders(
            seeing.view(state, nation),
            nation,
            salt,
            promises.get(nation, NONE),
            name_stocks=False,
        )
        for nation in acting_nations(state)
    }
    return resolve(state, keeping.in_force(state, sent), volumes, reserves)
