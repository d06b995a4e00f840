"""A program plays: `bot` plans, and `covering` lays counters face down."""

from __future__ import annotations

from collections.abc import Sequence

from .. import Resolution, Volumes
from . import bot, covering, keeping, seeing
from .judging import judge, resolve
from .state import State, acting


def orders(state: State, nation: str, salt: str, *, name_stocks: bool = True) -> str:
    """Orders of a program that plays for a nation, the same for the same salt."""
    text = bot.orders(covering.guess_board(state, nation), nation, salt, name_stocks=name_stocks)
    return covering.cover_placements(state, nation, salt, text)


def play(state: State, salt: str, volumes: Volumes, reserves: Sequence[str]) -> Resolution:
    """A phase in which programs send all orders: what `bot` and `resolve` come to, without
    texts where all see alike."""
    readings = None if state.drawing else bot.readings(state, salt)
    if readings is not None:
        return judge(state, readings, {}, volumes, reserves)
    sent = {
        nation: orders(seeing.view(state, nation), nation, salt, name_stocks=False)
        for nation in acting(state)
    }
    return resolve(state, keeping.in_force(state, sent), volumes, reserves)
