"""The bank of suggested lists: what a gamesmaster may publish as his reserve list without looking
stocks up himself.

One file a list in `lists/`: `title`, `why` in one sentence, `market` (New York unless said), and
`symbols` parted by blanks, in the order in which they are read.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path

from games.rules import markets
from games.rules.markets import Market
from games.rules.options import LIQUID_STOCKS
from games.rules.plain.words import COMPANIES

LISTS = Path(__file__).parent / "lists"


@dataclass(frozen=True)
class SuggestedList:
    """A list by the name of its file."""

    name: str
    title: str
    why: str
    symbols: tuple[str, ...]
    market: str  # an id of games.rules.markets


@functools.lru_cache(maxsize=1)
def suggested_lists() -> dict[str, SuggestedList]:
    """Every list of the bank by its name, in the order of the titles."""
    return {
        one.name: one for one in sorted(map(_load, LISTS.glob("*.toml")), key=lambda one: one.title)
    }


@functools.lru_cache(maxsize=1)
def companies() -> dict[str, str]:
    """Return what stocks of these lists are called when read aloud: GE is General Electric."""
    return COMPANIES


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
    """The reserve list of a game whose gamesmaster chooses none: large companies of its market."""
    if market is markets.NEW_YORK:
        return LIQUID_STOCKS
    return next(one.symbols for one in suggested_lists().values() if one.market == market.id)
