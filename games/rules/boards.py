"""Read the board of a situation or position by area and nation, as all games do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from . import RulesError

T = TypeVar("T")


def entries_by_place(
    tree: object,
    areas: Collection[str],
    nations: Collection[str],
    where: str,
    read: Callable[[object, str], T],
) -> dict[tuple[str, str], T]:
    """Return the entries of a board by area and nation.

    `read` takes one entry and its key; `where` is the key of the board. Raise `RulesError` naming
    the key at fault.
    """
    if not isinstance(tree, dict):
        raise RulesError(f"{where} must be an object")
    entries: dict[tuple[str, str], T] = {}
    for area, row in tree.items():
        if area not in areas:
            raise RulesError(f"{where}.{area}: not an area of this card")
        if not isinstance(row, dict):
            raise RulesError(f"{where}.{area} must be an object")
        for nation, entry in row.items():
            if nation not in nations:
                raise RulesError(f"{where}.{area}.{nation}: not a nation of this card")
            entries[area, nation] = read(entry, f"{where}.{area}.{nation}")
    return entries


def board_line(by_area: Mapping[str, Sequence[str]]) -> str:
    """Write a board as text: “Serbia: Russia 12, Germany 3; Africa: France 10”."""
    return "; ".join(
        f"{area}: {', '.join(entries)}" for area, entries in by_area.items() if entries
    )


def pf_of(given: object, where: str, keys: Collection[str]) -> int:
    """Return the PFs of a board entry that may have only these keys.

    Raise `RulesError` naming the key at fault.
    """
    if not isinstance(given, dict):
        raise RulesError(f"{where} must be an object")
    for key in given:
        if key not in keys:
            hint = f"known {'is' if len(keys) == 1 else 'are'} {', '.join(keys)}"
            raise RulesError(f"{where}.{key}: unknown; {hint}")
    pf = given.get("pf", 0)
    if isinstance(pf, bool) or not isinstance(pf, int) or pf < 0:
        raise RulesError(f"{where}.pf must be a whole number of 0 or more")
    return pf
