"""Nations that one person holds together from the beginning (rules A.5): fewer players than
nations, and alliances made for good.

PURE. Where a game has them it has the option `PREMADE`, whose value is the pairs in words:
"Britain+France, Germany+Russia"; "" for none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from . import RulesError

if TYPE_CHECKING:
    from .contract import Ruleset

PREMADE = "wwi.premade"
#: Two alliances at most, and a fifth nation alone.
MOST = 2
Pairs = tuple[tuple[str, str], ...]


def has_pairs(rules: Ruleset) -> bool:
    """Whether one person may hold two nations of this game as allies from the beginning."""
    return PREMADE.partition(".")[0] in rules.option_groups


def seated_nations(rules: Ruleset, seats: Iterable[tuple[str, bool]]) -> list[str]:
    """Return the nations a game is set up with. `seats`: each nation, and whether nobody holds its
    seat.

    Where one person may hold two nations every nation is played (A.5): the second of a pair gets
    its player when the game begins.
    """
    everyone = has_pairs(rules)
    return [nation for nation, unheld in seats if everyone or not unheld]


def read(text: str) -> Pairs:
    """The pairs as they are written. Raises `RulesError` that quotes what is none; which nations
    there are the card says (`check`)."""
    found = []
    for part in re.split(r"\s*,\s*", text.strip()) if text.strip() else []:
        names = tuple(name.strip() for name in part.split("+"))
        if len(names) != 2 or not all(names):
            raise RulesError(f"“{part}” is not a pair of nations. Example: Britain+France")
        found.append((names[0], names[1]))
    return tuple(found)


def to_text(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join("+".join(pair) for pair in pairs)


def check(pairs: Sequence[tuple[str, str]], nations: Sequence[str]) -> Pairs:
    """The pairs in card order, each with its nations in card order. Raises `RulesError` with one
    sentence where they cannot be so."""
    if len(pairs) > MOST:
        raise RulesError(f"Name at most 2 pairs of nations, not {len(pairs)}.")
    named: set[str] = set()
    for pair in pairs:
        for nation in pair:
            if nation not in nations:
                raise RulesError(f"There is no nation “{nation}”; there are {', '.join(nations)}.")
            if nation in named:
                raise RulesError(
                    f"{nation} stands in two places of the pairs of nations; each is in one"
                    " alliance at most."
                )
            named.add(nation)
    place = nations.index
    return tuple(
        sorted(
            ((a, b) if place(a) < place(b) else (b, a) for a, b in pairs),
            key=lambda pair: place(pair[0]),
        )
    )


def partner(pairs: Iterable[tuple[str, str]], nation: str) -> str | None:
    """Who is held together with a nation; None where nobody is."""
    return next((b if a == nation else a for a, b in pairs if nation in (a, b)), None)
