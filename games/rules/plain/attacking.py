"""Attacks: "attack the French and the Russians in Poland with IBM", "Poland: attack Russia
(GE)"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .facts import Draft, Facts, Unclear
from .lexer import Item


@dataclass
class _Attack:
    area: str = ""
    targets: list[str] = field(default_factory=list)
    stocks: tuple[str, ...] = ()
    otherwise: list[str] = field(default_factory=list)
    minimum: int = 0
    after_else: bool = False

    @property
    def whole(self) -> bool:
        return bool(self.area and self.targets and (self.otherwise or not self.after_else))


class _Reader:
    """One clause from left to right. Areas stand either before their targets in all of it, or
    behind them."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.attacks = [_Attack()]
        self.area_first = False
        self.parted = True  # a comma or the verb stands before what comes next
        self.unparted = False  # two nations stand together without one
        self.joined = False  # a comma or AND stands behind the last area

    @property
    def now(self) -> _Attack:
        return self.attacks[-1]

    def area(self, name: str | None) -> None:
        if not name:
            raise Unclear
        if self.now.area and self.area_first and self.now.whole:
            self._next()
        elif self._in_another_area_too():
            self.attacks.append(_Attack(name, list(self.now.targets)))
            self.joined = False
            return
        if self.now.area or self.now.after_else:
            raise Unclear
        if not self.now.targets and len(self.attacks) == 1:
            self.area_first = True
        if self.area_first == bool(self.now.targets):
            raise Unclear
        self.now.area = name
        self.joined = False

    def _in_another_area_too(self) -> bool:
        """Attack Russia in Poland and Austria: the same attack in each."""
        now = self.now
        alone = not (self.area_first or now.stocks or now.minimum or now.after_else)
        return self.joined and now.whole and alone and self.facts.form != "in"

    def target(self, name: str) -> None:
        self.unparted = self.unparted or not self.parted
        if self.now.after_else:
            self.now.otherwise.append(name)
        else:
            if self.now.whole and not self.area_first:
                self._next()
            self.now.targets.append(name)
        self.parted = self.joined = False

    def _next(self) -> None:
        if self.now.after_else or self.now.minimum:
            raise Unclear  # what follows might belong to these, too
        self.attacks.append(_Attack())

    def stocks(self, symbols: tuple[str, ...]) -> None:
        if self.now.stocks or not self.now.targets:
            raise Unclear
        self.now.stocks = symbols

    def minimum(self, least: int) -> None:
        if self.now.minimum or not self.now.targets or len(self.attacks) > 1:
            raise Unclear
        self.now.minimum = least

    def otherwise(self) -> None:
        if self.now.after_else or not self.now.targets or len(self.attacks) > 1:
            raise Unclear
        self.now.after_else = self.parted = True


def read(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """The attacks of a clause. Raises `Unclear`."""
    before, body = _parts(items)
    reader = _Reader(facts)
    if before:
        reader.area(_area_before(before))
    elif len(body) == len(items) and not any(item.kind == "STOCKS" for item in items):
        raise Unclear  # neither a verb nor a stock says that it is an attack
    _take(reader, body)
    if reader.unparted or not all(attack.whole for attack in reader.attacks):
        raise _unfinished(reader)
    if len({bool(attack.stocks) for attack in reader.attacks}) > 1:
        raise Unclear("it does not say which attack the stock is for")
    return [Draft(_written(attack, facts)) for attack in reader.attacks]


def _parts(items: Sequence[Item]) -> tuple[Sequence[Item], Sequence[Item]]:
    """What stands before the verb, and what behind it."""
    places = [place for place, item in enumerate(items) if item.kind == "ATTACK"]
    if len(places) > 1:
        raise Unclear
    return (items[: places[0]], items[places[0] + 1 :]) if places else ((), items)


def _area_before(items: Sequence[Item]) -> str | None:
    """In Poland attack; Poland: attack. A nation alone before the verb might be who attacks."""
    kinds = [item.kind for item in items if item.kind != "SEP"]
    names = [item.value for item in items if item.kind == "NAME"]
    if kinds in (["IN", "NAME"], ["NAME", "COLON"], ["IN", "NAME", "COLON"]) or (
        kinds == ["NAME"] and not names[0].nation
    ):
        area: str | None = names[0].area
        return area
    raise Unclear


def _take(reader: _Reader, body: Sequence[Item]) -> None:
    for place, item in enumerate(body):
        before = body[place - 1].kind if place else ""
        after = body[place + 1].kind if place + 1 < len(body) else ""
        if item.kind == "NAME":
            if before == "IN" or after == "COLON" or not item.value.nation:
                if after == "COLON" and not (place == 0 or before in ("SEP", "IN", "COLON")):
                    raise Unclear
                reader.area(item.value.area)
                reader.parted = True
            else:
                reader.target(item.value.nation)
        elif item.kind == "STOCKS":
            reader.stocks(item.value)
        elif item.kind == "MIN":
            reader.minimum(item.value)
        elif item.kind == "ELSE":
            reader.otherwise()
        elif item.kind == "SEP":
            reader.parted = reader.joined = True
        elif item.kind == "IN":
            if after != "NAME":
                raise Unclear
        elif item.kind != "COLON" or not (place == 0 or before == "NAME"):
            raise Unclear


def _unfinished(reader: _Reader) -> Unclear:
    """Two nations that are areas, too, in no order that says which is which."""
    attack = reader.now
    areas, nations = reader.facts.areas.names, reader.facts.nations.names
    one = attack.targets
    if attack.area or len(reader.attacks) > 1 or len(one) != 2 or attack.after_else:
        return Unclear()
    readings = tuple(
        _written(_Attack(area, [target], attack.stocks, minimum=attack.minimum), reader.facts)
        for area, target in (one, one[::-1])
        if area in areas and target in nations
    )
    return Unclear("it does not say which is the area", readings)


def _written(attack: _Attack, facts: Facts) -> str:
    targets = list(dict.fromkeys(attack.targets))
    if facts.form == "in":
        if len(targets) > 1 or attack.otherwise:
            raise Unclear("in this game an attack names one nation")
        said = f"ATTACK {targets[0]} IN {attack.area}"
    else:
        said = f"ATTACK {attack.area}: {', '.join(targets)}"
    if attack.stocks:
        said += f" STOCK {'/'.join(attack.stocks)}"
    if attack.otherwise:
        said += f" ELSE {', '.join(dict.fromkeys(attack.otherwise))}"
    return said + (f" MIN {attack.minimum}-1" if attack.minimum else "")
