"""A board of a situation or a position, area by area and nation by nation: what all games share in
reading it (contract 4)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from . import RulesError

T = TypeVar("T")


def by_place(
    tree: object,
    areas: Collection[str],
    nations: Collection[str],
    where: str,
    read: Callable[[object, str], T],
) -> dict[tuple[str, str], T]:
    """What stands where, by area and nation. `read` takes one entry and its key. Raises
    `RulesError` naming the key at fault."""
    if not isinstance(tree, dict):
        raise RulesError(f"{where} must be an object")
    found: dict[tuple[str, str], T] = {}
    for area, here in tree.items():
        if area not in areas:
            raise RulesError(f"{where}.{area}: no area of this card")
        if not isinstance(here, dict):
            raise RulesError(f"{where}.{area} must be an object")
        for nation, given in here.items():
            if nation not in nations:
                raise RulesError(f"{where}.{area}.{nation}: no nation of this card")
            found[area, nation] = read(given, f"{where}.{area}.{nation}")
    return found


def in_one_line(by_area: Mapping[str, Sequence[str]]) -> str:
    """Write a board as text: “Serbia: Russia 12, Germany 3; Africa: France 10”."""
    return "; ".join(f"{area}: {', '.join(here)}" for area, here in by_area.items() if here)


def entries_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield area and entry (“Russia 12”) of what `in_one_line` wrote. Raises `RulesError`."""
    for part in filter(None, (part.strip() for part in text.split(";"))):
        area, colon, nations = part.partition(":")
        if not colon:
            raise RulesError(f"“{part}” has no colon after its area")
        yield from ((area.strip(), said.strip()) for said in nations.split(","))


def pf_of(given: object, where: str, keys: Collection[str]) -> int:
    """The PFs of an entry that has these keys and no others."""
    if not isinstance(given, dict):
        raise RulesError(f"{where} must be an object")
    for key in given:
        if key not in keys:
            known = f"known {'is' if len(keys) == 1 else 'are'} {', '.join(keys)}"
            raise RulesError(f"{where}.{key}: unknown; {known}")
    pf = given.get("pf", 0)
    if isinstance(pf, bool) or not isinstance(pf, int) or pf < 0:
        raise RulesError(f"{where}.pf must be a whole number of 0 or more")
    return pf
