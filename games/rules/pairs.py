"""Pairs of nations that one person holds from the beginning (rules A.5).

They allow fewer players than nations, and make permanent alliances. Pure. A game with pairs has the
option `PREMADE`, whose value is the pairs in words: "Britain+France, Germany+Russia"; "" for none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from . import RulesError

if TYPE_CHECKING:
    from .contract import Ruleset

PREMADE = "wwi.premade"
#: At most two alliances; the fifth nation is alone.
MOST = 2
Pairs = tuple[tuple[str, str], ...]


def has_pairs(rules: Ruleset) -> bool:
    """Return whether one person may hold two allied nations of this game from the beginning."""
    return PREMADE.partition(".")[0] in rules.option_groups


def seated_nations(rules: Ruleset, seats: Iterable[tuple[str, bool]]) -> list[str]:
    """Return the nations that a game is set up with.

    `seats` has each nation, and whether nobody holds its seat. Where one person may hold two
    nations, every nation is played (A.5): the second of a pair gets its player when the game
    begins.
    """
    everyone = has_pairs(rules)
    return [nation for nation, unheld in seats if everyone or not unheld]


def read(text: str) -> Pairs:
    """Return the pairs in a text. Raise `RulesError` quoting a part that is not a pair.

    `check` compares the nations with those of the card.
    """
    pairs = []
    for part in re.split(r"\s*,\s*", text.strip()) if text.strip() else []:
        names = tuple(name.strip() for name in part.split("+"))
        if len(names) != 2 or not all(names):
            raise RulesError(f"“{part}” is not a pair of nations. Example: Britain+France")
        pairs.append((names[0], names[1]))
    return tuple(pairs)


def to_text(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join("+".join(pair) for pair in pairs)


def check(pairs: Sequence[tuple[str, str]], nations: Sequence[str]) -> Pairs:
    """Return the pairs in card order, each with its nations in card order.

    Raise `RulesError` with one sentence where such pairs are impossible.
    """
    if len(pairs) > MOST:
        raise RulesError(f"Name at most 2 pairs of nations, not {len(pairs)}.")
    named: set[str] = set()
    for pair in pairs:
        for nation in pair:
            if nation not in nations:
                raise RulesError(f"There is no nation “{nation}”; there are {', '.join(nations)}.")
            if nation in named:
                raise RulesError(
                    f"{nation} is named twice in the pairs of nations; each nation is in at most"
                    " one alliance."
                )
            named.add(nation)
    position = nations.index
    return tuple(
        sorted(
            ((a, b) if position(a) < position(b) else (b, a) for a, b in pairs),
            key=lambda pair: position(pair[0]),
        )
    )


def partner(pairs: Iterable[tuple[str, str]], nation: str) -> str | None:
    """Return the nation that is held together with this one; None if there is none."""
    return next((b if a == nation else a for a, b in pairs if nation in (a, b)), None)
