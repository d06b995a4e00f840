"""Read counters and alliances in plain words.

"Take control of Austria", "place an Understanding in Italy", "Share control of Alsace with the
French", "ally with France".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .facts import Draft, Facts, UnclearLine
from .lexer import Item
from .names import Name

#: Verbs that add nothing where a counter is named.
_VERBS = ("PLACE", "TAKE")
_LINKS = ("IN", "COLON", *_VERBS)


def read(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """Return the orders of a clause that names a counter or an alliance. Raise `Unclear`."""
    kinds = {item.kind for item in items}
    for key, reader in _READERS.items():
        if key in kinds:
            return reader(items, facts)
    raise UnclearLine


def _require_only(items: Sequence[Item], *allowed: str) -> None:
    if any(item.kind not in allowed for item in items):
        raise UnclearLine


def _require_once(items: Sequence[Item], *kinds: str) -> None:
    """Raise `Unclear` unless each of these kinds occurs exactly once."""
    if sorted(item.kind for item in items if item.kind in kinds) != sorted(kinds):
        raise UnclearLine


def _areas(items: Sequence[Item]) -> list[str]:
    """Return the areas of a list, with something between each two. Raise `Unclear`."""
    areas: list[str] = []
    before = ""
    for item in items:
        if item.kind == "NAME":
            if not item.value.area or before == "NAME":
                raise UnclearLine
            areas.append(item.value.area)
        before = item.kind
    if not areas:
        raise UnclearLine
    return areas


def _understanding(items: Sequence[Item], facts: Facts) -> list[Draft]:
    if not any(item.kind == "NAME" for item in items):
        wide = any(item.kind in ("REST", "EVERYWHERE") for item in items)
        lasting = ("STANDING UNDERSTANDING ALL",) if wide else ()
        raise UnclearLine("it does not say in which areas" if wide else "", lasting)
    _require_only(items, "UNDERSTANDING", "NAME", "SEP", "WITH", *_LINKS)
    _require_once(items, "UNDERSTANDING")
    return [Draft(f"UNDERSTANDING {area}") for area in _areas(items)]


def _control(items: Sequence[Item], facts: Facts) -> list[Draft]:
    if any(item.kind == "WITH" for item in items):
        return _share(items, facts)
    _require_only(items, "CONTROL", "NAME", "SEP", *_LINKS)
    _require_once(items, "CONTROL")
    return [Draft(f"CONTROL {area}") for area in _areas(items)]


def _share(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """Read a share: the nation comes after WITH or before AND I, the area anywhere else."""
    _require_only(items, "SHARE", "CONTROL", "NAME", "WITH", "WITH_ME", *_LINKS)
    if sum(item.kind in ("WITH", "WITH_ME") for item in items) != 1:
        raise UnclearLine
    if sum(item.kind == "CONTROL" for item in items) > 1:
        raise UnclearLine
    partners: list[Name] = []
    areas: list[Name] = []
    for index, item in enumerate(items):
        if item.kind == "NAME":
            with_me = [following.kind for following in items[index + 1 : index + 2]] == ["WITH_ME"]
            after_with = index > 0 and items[index - 1].kind == "WITH"
            (partners if after_with or with_me else areas).append(item.value)
    if len(partners) != 1 or len(areas) != 1 or not (partners[0].nation and areas[0].area):
        raise UnclearLine
    return [Draft(f"SHARE {areas[0].area} WITH {partners[0].nation}")]


def _standing(items: Sequence[Item], facts: Facts) -> list[Draft]:
    _require_only(items, "STANDING", "UNDERSTANDING", "REST", "EVERYWHERE", *_LINKS)
    _require_once(items, "STANDING", "UNDERSTANDING")
    if sum(item.kind in ("REST", "EVERYWHERE") for item in items) != 1:
        raise UnclearLine
    return [Draft("STANDING UNDERSTANDING ALL")]


def _lose(items: Sequence[Item], facts: Facts) -> list[Draft]:
    _require_only(items, "LOSE", "UNDERSTANDING", "FIRST", "NAME", "IN", "REST", "EVERYWHERE")
    _require_once(items, "LOSE", "UNDERSTANDING", "FIRST")
    if any(item.kind in ("REST", "EVERYWHERE") for item in items):
        _require_only(items, "LOSE", "UNDERSTANDING", "FIRST", "REST", "EVERYWHERE", "IN")
        return [Draft("LOSE UNDERSTANDING FIRST ALL")]
    areas = _areas(items)
    if len(areas) > 1:
        raise UnclearLine
    return [Draft(f"LOSE UNDERSTANDING FIRST {areas[0]}")]


def _pass(items: Sequence[Item], facts: Facts) -> list[Draft]:
    _require_only(items, "PASS")
    _require_once(items, "PASS")
    return [Draft("PASS")]


def _leave(items: Sequence[Item], facts: Facts) -> list[Draft]:
    _require_only(items, "LEAVE", "ALLIANCE")
    _require_once(items, "LEAVE", "ALLIANCE")
    return [Draft("LEAVE ALLIANCE")]


def _ally(items: Sequence[Item], facts: Facts) -> list[Draft]:
    _require_only(items, "ALLY", "ALLIANCE", "WITH", "NAME", "TAKE", "COLON")
    names = [item.value.nation for item in items if item.kind == "NAME"]
    keys = [item for item in items if item.kind in ("ALLY", "ALLIANCE")]
    if len(names) != 1 or not names[0] or len(keys) != 1:
        raise UnclearLine
    return [Draft(f"ALLY {names[0]}")]


#: Readers by item kind: the first of these kinds that a clause contains decides.
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
