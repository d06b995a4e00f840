"""Read attacks in plain words.

"attack the French and the Russians in Poland with IBM", "Poland: attack Russia (GE)".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from .facts import Draft, Facts, UnclearLine
from .lexer import Item

#: Words between two nations that may part two attacks, or join the nations in one.
_IN_TURN = ("then", "and then", "followed by")


@dataclass
class _Attack:
    area: str = ""
    targets: list[str] = field(default_factory=list)
    stocks: tuple[str, ...] = ()
    otherwise: list[str] = field(default_factory=list)
    minimum: int = 0
    after_else: bool = False
    turns: list[int] = field(default_factory=list)  # how many targets come before each THEN

    @property
    def whole(self) -> bool:
        return bool(self.area and self.targets and (self.otherwise or not self.after_else))


class _Reader:
    """Reads one clause from left to right.

    Areas must come before their targets in all of it, or after them in all of it.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.attacks = [_Attack()]
        self.area_first = False
        self.parted = True  # a comma or the verb comes before the next item
        self.unparted = False  # two nations follow each other without one
        self.joined = False  # a comma or AND follows the last area
        self.in_turn = False  # THEN comes before the next item

    @property
    def now(self) -> _Attack:
        return self.attacks[-1]

    def area(self, name: str | None) -> None:
        if not name:
            raise UnclearLine
        self.in_turn = False
        if self.now.area and self.area_first and self.now.whole:
            self._next()
        elif self._repeats_in_another_area():
            self.attacks.append(_Attack(name, list(self.now.targets)))
            self.joined = False
            return
        if self.now.area or self.now.after_else:
            raise UnclearLine
        if not self.now.targets and len(self.attacks) == 1:
            self.area_first = True
        if self.area_first == bool(self.now.targets):
            raise UnclearLine
        self.now.area = name
        self.joined = False

    def _repeats_in_another_area(self) -> bool:
        """Return whether the same attack follows in another area: Russia in Poland and Austria."""
        now = self.now
        alone = not (self.area_first or now.stocks or now.minimum or now.after_else)
        return self.joined and now.whole and alone and not self.facts.one_opponent

    def target(self, name: str) -> None:
        self.unparted = self.unparted or not self.parted
        if self.now.after_else:
            self.now.otherwise.append(name)
        else:
            if self.now.whole and not self.area_first:
                self._next()
            if self.in_turn and self.now.targets:
                self.now.turns.append(len(self.now.targets))
            self.now.targets.append(name)
        self.parted = self.joined = self.in_turn = False

    def separate(self, item: Item) -> None:
        """Read a comma, AND or THEN."""
        self.parted = self.joined = True
        self.in_turn = self.in_turn or item.text.casefold() in _IN_TURN

    def _next(self) -> None:
        if self.now.after_else or self.now.minimum:
            raise UnclearLine  # the next words might belong to this attack, too
        self.attacks.append(_Attack())

    def stocks(self, symbols: tuple[str, ...]) -> None:
        if self.now.stocks or not self.now.targets:
            raise UnclearLine
        self.now.stocks = symbols

    def minimum(self, least: int) -> None:
        if self.now.minimum or not self.now.targets or len(self.attacks) > 1:
            raise UnclearLine
        self.now.minimum = least

    def otherwise(self) -> None:
        if self.now.after_else or not self.now.targets or len(self.attacks) > 1:
            raise UnclearLine
        self.now.after_else = self.parted = True


def read(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """Return the attacks of a clause. Raise `Unclear`."""
    before, body = _parts(items)
    reader = _Reader(facts)
    _check_strength(body)
    if before and before[0].kind == "STOCKS":  # with GE, attack Russia in Poland
        before, body = _strip_comma(before[1:]), [*body, before[0]]
    if before:
        reader.area(_area_before(before))
    elif len(body) == len(items) and not any(item.kind == "STOCKS" for item in items):
        raise UnclearLine  # neither a verb nor a stock says that it is an attack
    _take(reader, body)
    if reader.unparted or not all(attack.whole for attack in reader.attacks):
        raise _incomplete_fault(reader)
    if len({bool(attack.stocks) for attack in reader.attacks}) > 1:
        raise UnclearLine("it does not say which attack the stock is for, so write two lines")
    if any(attack.turns for attack in reader.attacks):
        raise _in_turn_fault(reader)
    return [Draft(_attack_line(attack, facts)) for attack in reader.attacks]


def _in_turn_fault(reader: _Reader) -> UnclearLine:
    """Return the fault of “France, then Russia in Poland”, with both readings."""
    together = [_attack_line(attack, reader.facts) for attack in reader.attacks]
    readings = ["; ".join(together)]
    turns = [(index, at) for index, attack in enumerate(reader.attacks) for at in attack.turns]
    if len(turns) == 1:
        index, at = turns[0]
        attack = reader.attacks[index]
        if not attack.otherwise:
            first, second = attack.targets[:at], attack.targets[at:]
            together[index] = _attack_line(
                replace(attack, targets=first, otherwise=second), reader.facts
            )
            readings.append("; ".join(together))
    sentence = "“then” does not say whether you attack both together, so write AND or ELSE"
    return UnclearLine(sentence, tuple(readings))


def _parts(items: Sequence[Item]) -> tuple[Sequence[Item], Sequence[Item]]:
    """Return the items before the verb, and those after it."""
    indices = [index for index, item in enumerate(items) if item.kind == "ATTACK"]
    if len(indices) > 1:
        raise UnclearLine
    return (items[: indices[0]], items[indices[0] + 1 :]) if indices else ((), items)


def _strip_comma(items: Sequence[Item]) -> Sequence[Item]:
    return items[1:] if items and items[0].kind == "SEP" else items


def _check_strength(body: Sequence[Item]) -> None:
    """Raise `Unclear` for an attack with a number of PFs, such as “with 5”."""
    for item, after in pairwise(body):
        if item.kind == "WITH" and after.kind in ("NUM", "REST"):
            raise UnclearLine(
                "an attack is made with all the PFs that you have there, so name none"
            )


def _area_before(items: Sequence[Item]) -> str | None:
    """Return the area before the verb: “In Poland attack”, “Poland: attack”.

    Raise `Unclear` for other words: a nation alone before the verb might be the attacker.
    """
    kinds = [item.kind for item in items if item.kind != "SEP"]
    names = [item.value for item in items if item.kind == "NAME"]
    if kinds in (["IN", "NAME"], ["NAME", "COLON"], ["IN", "NAME", "COLON"]) or (
        kinds == ["NAME"] and not names[0].nation
    ):
        area: str | None = names[0].area
        return area
    raise UnclearLine


def _take(reader: _Reader, body: Sequence[Item]) -> None:
    for index, item in enumerate(body):
        before = body[index - 1].kind if index else ""
        after = body[index + 1].kind if index + 1 < len(body) else ""
        if item.kind == "NAME":
            if before == "IN" or after == "COLON" or not item.value.nation:
                if after == "COLON" and not (index == 0 or before in ("SEP", "IN", "COLON")):
                    raise UnclearLine
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
            reader.separate(item)
        elif item.kind == "IN":
            if after != "NAME":
                raise UnclearLine
        elif item.kind != "COLON" or not (index == 0 or before == "NAME"):
            raise UnclearLine


def _incomplete_fault(reader: _Reader) -> UnclearLine:
    """Return the fault of a clause without a complete attack.

    Two nations that are also areas get both readings, since their order does not say which is
    which.
    """
    attack = reader.now
    areas, nations = reader.facts.areas.names, reader.facts.nations.names
    names = attack.targets
    if attack.area or len(reader.attacks) > 1 or len(names) != 2 or attack.after_else:
        return UnclearLine()
    readings = tuple(
        _attack_line(_Attack(area, [target], attack.stocks, minimum=attack.minimum), reader.facts)
        for area, target in (names, names[::-1])
        if area in areas and target in nations
    )
    return UnclearLine(
        "it does not say which name is the area, so write IN before the area", readings
    )


def _attack_line(attack: _Attack, facts: Facts) -> str:
    if not facts.conditional and (attack.otherwise or attack.minimum):
        bare = _attack_line(replace(attack, otherwise=[], minimum=0), facts)
        raise UnclearLine("this game has no ELSE and no MIN, so leave them out", (bare,))
    targets = list(dict.fromkeys(attack.targets))
    if facts.one_opponent:
        if len(targets) > 1 or attack.otherwise:
            raise UnclearLine("in this game an attack names one nation, so choose one")
        sentence = f"ATTACK {targets[0]} IN {attack.area}"
    else:
        sentence = f"ATTACK {attack.area}: {', '.join(targets)}"
    if attack.stocks:
        sentence += f" STOCK {'/'.join(attack.stocks)}"
    if attack.otherwise:
        sentence += f" ELSE {', '.join(dict.fromkeys(attack.otherwise))}"
    return sentence + (f" MIN {attack.minimum}-1" if attack.minimum else "")
