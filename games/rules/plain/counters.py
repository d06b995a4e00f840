"""Counters and alliances: "Take control of Austria", "place an Understanding in Italy", "Share
control of Alsace with the French", "ally with France"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .facts import Draft, Facts, Unclear
from .lexer import Item
from .names import Name

#: Verbs that say nothing more where a counter is named.
_VERBS = ("PLACE", "TAKE")
_LINKS = ("IN", "COLON", *_VERBS)


def read(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """The orders of a clause that names a counter or an alliance. Raises `Unclear`."""
    kinds = {item.kind for item in items}
    for key, reader in _READERS.items():
        if key in kinds:
            return reader(items, facts)
    raise Unclear


def _only(items: Sequence[Item], *allowed: str) -> None:
    if any(item.kind not in allowed for item in items):
        raise Unclear


def _once(items: Sequence[Item], *kinds: str) -> None:
    """Each of these stands there exactly once."""
    if sorted(item.kind for item in items if item.kind in kinds) != sorted(kinds):
        raise Unclear


def _areas(items: Sequence[Item]) -> list[str]:
    """A list of areas, with something between each two."""
    found: list[str] = []
    before = ""
    for item in items:
        if item.kind == "NAME":
            if not item.value.area or before == "NAME":
                raise Unclear
            found.append(item.value.area)
        before = item.kind
    if not found:
        raise Unclear
    return found


def _understanding(items: Sequence[Item], facts: Facts) -> list[Draft]:
    _only(items, "UNDERSTANDING", "NAME", "SEP", "WITH", *_LINKS)
    _once(items, "UNDERSTANDING")
    return [Draft(f"UNDERSTANDING {area}") for area in _areas(items)]


def _control(items: Sequence[Item], facts: Facts) -> list[Draft]:
    if any(item.kind == "WITH" for item in items):
        return _share(items, facts)
    _only(items, "CONTROL", "NAME", "SEP", *_LINKS)
    _once(items, "CONTROL")
    return [Draft(f"CONTROL {area}") for area in _areas(items)]


def _share(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """The nation stands behind WITH, the area anywhere else."""
    _only(items, "SHARE", "CONTROL", "NAME", "WITH", *_LINKS)
    _once(items, "WITH")
    if sum(item.kind == "CONTROL" for item in items) > 1:
        raise Unclear
    partners: list[Name] = []
    areas: list[Name] = []
    for place, item in enumerate(items):
        if item.kind == "NAME":
            after_with = place > 0 and items[place - 1].kind == "WITH"
            (partners if after_with else areas).append(item.value)
    if len(partners) != 1 or len(areas) != 1 or not (partners[0].nation and areas[0].area):
        raise Unclear
    return [Draft(f"SHARE {areas[0].area} WITH {partners[0].nation}")]


def _standing(items: Sequence[Item], facts: Facts) -> list[Draft]:
    _only(items, "STANDING", "UNDERSTANDING", "REST", "EVERYWHERE", *_LINKS)
    _once(items, "STANDING", "UNDERSTANDING")
    if sum(item.kind in ("REST", "EVERYWHERE") for item in items) != 1:
        raise Unclear
    return [Draft("STANDING UNDERSTANDING ALL")]


def _lose(items: Sequence[Item], facts: Facts) -> list[Draft]:
    _only(items, "LOSE", "UNDERSTANDING", "FIRST", "NAME", "IN", "REST", "EVERYWHERE")
    _once(items, "LOSE", "UNDERSTANDING", "FIRST")
    if any(item.kind in ("REST", "EVERYWHERE") for item in items):
        _only(items, "LOSE", "UNDERSTANDING", "FIRST", "REST", "EVERYWHERE", "IN")
        return [Draft("LOSE UNDERSTANDING FIRST ALL")]
    areas = _areas(items)
    if len(areas) > 1:
        raise Unclear
    return [Draft(f"LOSE UNDERSTANDING FIRST {areas[0]}")]


def _pass(items: Sequence[Item], facts: Facts) -> list[Draft]:
    _only(items, "PASS")
    _once(items, "PASS")
    return [Draft("PASS")]


def _leave(items: Sequence[Item], facts: Facts) -> list[Draft]:
    _only(items, "LEAVE", "ALLIANCE")
    _once(items, "LEAVE", "ALLIANCE")
    return [Draft("LEAVE ALLIANCE")]


def _ally(items: Sequence[Item], facts: Facts) -> list[Draft]:
    _only(items, "ALLY", "ALLIANCE", "WITH", "NAME", "TAKE", "COLON")
    names = [item.value.nation for item in items if item.kind == "NAME"]
    keys = [item for item in items if item.kind in ("ALLY", "ALLIANCE")]
    if len(names) != 1 or not names[0] or len(keys) != 1:
        raise Unclear
    return [Draft(f"ALLY {names[0]}")]


#: What a clause is about: the first of these that stands in it.
_READERS: dict[str, Callable[[Sequence[Item], Facts], list[Draft]]] = {
    "PASS": _pass,
    "LOSE": _lose,
    "LEAVE": _leave,
    "ALLY": _ally,
    "ALLIANCE": _ally,
    "STANDING": _standing,
    "SHARE": _share,
    "UNDERSTANDING": _understanding,
    "CONTROL": _control,
}
KEYS = tuple(_READERS)
