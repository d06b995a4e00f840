"""Suggested lists of stocks that a gamesmaster may publish as their reserve list without looking up
stocks themselves.

Each list is a file in `lists/` with `title`, `why` in one sentence, `market` (default New York),
and `symbols` separated by spaces, in the order in which they are read.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from games.rules import markets
from games.rules.markets import Market
from games.rules.options import LIQUID_STOCKS

LISTS = Path(__file__).parent / "lists"


@dataclass(frozen=True)
class SuggestedList:
    """A suggested list. `name` is that of its file."""

    name: str
    title: str
    why: str
    symbols: tuple[str, ...]
    market: str  # an id of games.rules.markets


@functools.lru_cache(maxsize=1)
def suggested_lists() -> dict[str, SuggestedList]:
    """Return all suggested lists by name, ordered by title."""
    suggested = sorted(map(_load, LISTS.glob("*.toml")), key=attrgetter("title"))
    return {suggestion.name: suggestion for suggestion in suggested}


def _load(path: Path) -> SuggestedList:
    tree = tomllib.loads(path.read_text(encoding="utf-8"))
    return SuggestedList(
        path.stem,
        tree["title"],
        tree["why"],
        tuple(tree["symbols"].split()),
        tree.get("market", markets.DEFAULT),
    )


def usual(market: Market) -> tuple[str, ...]:
    """Return the default reserve list of a market: large companies."""
    if market is markets.NEW_YORK:
        return LIQUID_STOCKS
    return next(
        suggested.symbols
        for suggested in suggested_lists().values()
        if suggested.market == market.id
    )
