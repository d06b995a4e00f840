"""Orders by pointing: what a button of the map's panels does to the order text. The text is the
only truth; nothing else is kept.

A button's value says what it does, relative to what the text says when it arrives, so that a quick
hand loses nothing: "more:PLACE:Poland", "aim:Poland:Russia", "wish:CONTROL:Poland",
"wish:ALLY::France", "drop:3:PLACE 4 Poland". What may be ordered is the ruleset's to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from games.rules import Choice
from games.rules.contract import Ruleset
from games.rules.markets import NEW_YORK, Market
from games.rules.orders import STOCKS_A_LINE, is_stock
from games.rules.plan import Ordered, Plan, Total
from gamesmaster.text import short

#: The form of attacks on one opponent, of which one is made in a turn (`Choice.form`), and how
# many alternatives orders may carry of it.
ONE_OPPONENT, ALTERNATIVES = "in", 3
#: Lines are counted as the rules count them.
LINE_END = re.compile(r"\r\n|\r|\n")


class PointingError(Exception):
    """What was pointed at cannot be done. `str()` is one sentence; `text` is what stands instead,
    None where it stays as it was."""

    def __init__(self, said: str, text: str | None = None) -> None:
        super().__init__(said)
        self.text = text


@dataclass(frozen=True)
class Desk:
    """Whose orders are being written, and on what: a state as that nation may see it."""

    rules: Ruleset
    state: Any
    nation: str
    listed: tuple[str, ...] = ()  # the published list, where no other stock may be named
    market: Market = NEW_YORK  # whose symbols stocks have

    def choices(self) -> tuple[Choice, ...]:
        return self.rules.planner.choices(self.state, self.nation)

    def plan(self, text: str) -> Plan:
        return self.rules.planner.plan(self.state, self.nation, text)


Typed = Mapping[str, str]  # the other fields of the form: numbers, stocks
Deed = Callable[[Desk, Plan, str, Sequence[str], Typed], str]


def apply_button(desk: Desk, text: str, do: str, typed: Typed) -> str:
    """The text after what a button does. Raises `PointingError`."""
    what, _, rest = do.partition(":")
    if what == "drop":
        return _drop_line(text, rest)
    deed = DEEDS.get(what)
    if deed is None:
        raise PointingError("That button is not known here; load the page again.")
    return deed(desk, desk.plan(text), text, rest.split(":"), typed)


# --- PFs and blanks ---


def _apply_count(
    desk: Desk, plan: Plan, text: str, told: Sequence[str], typed: Typed, how: str
) -> str:
    """“more”, “less”, “all”, “none”, “set”: another number in one area; “lay” and “lift”: a counter
    of a given value."""
    verb, area = _words(told, 2)
    choice = _choice(desk, verb, area)
    now = ordered_now(plan, verb, area)
    total = plan.total(verb)
    left = room(choice, now, total)
    if how in ("lay", "lift"):
        return _counters(desk, text, choice, now, left, told[-1], how)
    number = {
        "more": now.number + min(1, left),
        "less": now.number - 1,
        "all": now.number + left,
        "none": 0,
    }.get(how)
    if number is not None:
        return _put(desk, text, replace(now, number=number, counters=()), number < 1)
    most, written = now.number + left, typed.get(f"number:{verb}:{area}", "").strip()
    number = _number(written, most)
    put = most if number is None else number
    text = _put(desk, text, replace(now, number=put, counters=()), put < 1)
    if number is None:
        said = f"{short(written)} is more than can go to {area}: {most} is the most, and is set."
        raise PointingError(said, text)
    return text


def room(choice: Choice, now: Ordered, total: Total | None) -> int:
    """How many more may be ordered there: what is left of all, and where an area takes no more than
    so many in a turn no more than that."""
    left = total.left if total else choice.most or 0
    return left if choice.most is None else min(left, max(0, choice.most - now.number))


def _counters(
    desk: Desk, text: str, choice: Choice, now: Ordered, left: int, said: str, how: str
) -> str:
    """With a counter more or less. Which they are must be said from then on; PFs ordered without
    saying so are kept as 1s."""
    value = int(said) if said.isdigit() and len(said) < 4 else 0
    if value not in choice.counters:
        raise PointingError(
            f"There is no counter of “{short(said)}”; there are"
            f" {', '.join(map(str, choice.counters)) or 'none'}."
        )
    lying = list(now.counters) or _fewest(now.number, choice.counters)
    if how == "lay":
        if value > left:
            raise PointingError(
                f"Only {left} are left for {choice.area}: a counter of {value} is too much."
            )
        lying.append(value)
    elif value in lying:
        lying.remove(value)
    lying.sort(reverse=True)
    return _put(desk, text, replace(now, number=sum(lying), counters=tuple(lying)), not lying)


def _fewest(number: int, values: Sequence[int]) -> list[int]:
    found: list[int] = []
    for value in sorted(values, reverse=True):
        found += [value] * (number // value)
        number %= value
    return found


# --- attacks ---


def _aim(desk: Desk, plan: Plan, text: str, told: Sequence[str], typed: Typed) -> str:
    """A nation becomes a target of the attack in an area, or no longer is one; without any there is
    no attack."""
    area, nation = _words(told, 2)
    choice, now = _attack(desk, plan, area)
    _named(choice, nation)
    if choice.form == ONE_OPPONENT:
        return _aim_at_one(desk, plan, text, choice, nation)
    targets = _toggle(choice.nations, now.nations, nation)
    return _put(
        desk,
        text,
        replace(now, nations=targets, otherwise=tuple(n for n in now.otherwise if targets)),
        not targets,
    )


def _aim_at_one(desk: Desk, plan: Plan, text: str, choice: Choice, nation: str) -> str:
    """Where an attack has one opponent and one is made in a turn: an alternative more or less, or
    else another attack instead."""
    attacks = [one for one in plan.ordered if one.verb == "ATTACK"]
    same = next(
        (one for one in attacks if one.area == choice.area and one.nations == (nation,)), None
    )
    if same is not None:
        return _put(desk, text, same, True)
    if choice.conditions and len(attacks) >= ALTERNATIVES:
        raise PointingError(
            f"Orders carry {ALTERNATIVES} attacks at most, of which one is made; take one of them"
            " out first."
        )
    stocks: tuple[str, ...] = ()
    for one in (
        attacks if not choice.conditions else ()
    ):  # it takes the place of the other, with the stocks named for that
        text, stocks = _put(desk, text, one, True), one.stocks
    return _put(desk, text, Ordered("ATTACK", choice.area, nations=(nation,), stocks=stocks))


def minima(desk: Desk) -> tuple[str, ...]:
    """The odds that may be the lowest at which an attack is made: the columns of the printed table
    from 1-1 on, by their first number."""
    return tuple(
        column.removesuffix("-1")
        for column in desk.rules.guide.table().columns
        if column.endswith("-1")
    )


def _else(desk: Desk, plan: Plan, text: str, told: Sequence[str], typed: Typed) -> str:
    area, nation = _words(told, 2)
    choice, now = _attack(desk, plan, area, made=True)
    _named(choice, nation)
    return _put(desk, text, replace(now, otherwise=_toggle(choice.nations, now.otherwise, nation)))


def _minimum(desk: Desk, plan: Plan, text: str, told: Sequence[str], typed: Typed) -> str:
    area = told[0]
    choice, now = _attack(desk, plan, area, made=True, target="".join(told[1:2]))
    said = typed.get(f"min:{':'.join(told)}", "")
    allowed = minima(desk)
    if not choice.conditions or said not in ("", *allowed):
        raise PointingError(
            f"The lowest odds are one of {allowed[0]}-1 to {allowed[-1]}-1; choose again."
        )
    return _put(desk, text, replace(now, minimum=int(said) if said else None))


def _stock(desk: Desk, plan: Plan, text: str, told: Sequence[str], typed: Typed) -> str:
    """The stocks that are to decide, in order. Typed before anybody is aimed at they wait in their
    field."""
    area = told[0]
    _, now = _attack(desk, plan, area, made=True, target="".join(told[1:2]))
    return _put(
        desk,
        text,
        replace(
            now,
            stocks=stocks_of(typed.get(f"stock:{':'.join(told)}", ""), desk.listed, desk.market),
        ),
    )


def stocks_of(text: str, listed: Sequence[str] = (), market: Market = NEW_YORK) -> tuple[str, ...]:
    """Symbols as somebody types them: “ge, ibm”. Raises `PointingError`."""
    symbols = [symbol.upper() for symbol in re.split(r"[\s,/]+", text) if symbol]
    for symbol in symbols:
        if not is_stock(symbol, market):
            raise PointingError(
                f"“{short(symbol)}” is not a stock symbol such as {market.example}."
            )
        if listed and symbol not in listed:
            raise PointingError(
                f"{symbol} is not on the published list, from which stocks are chosen in this game."
            )
    if len(symbols) > STOCKS_A_LINE:
        raise PointingError(
            f"“{short(text)}” names {len(symbols)} stocks; a line names three at most."
        )
    return tuple(symbols)


def _attack(
    desk: Desk, plan: Plan, area: str, made: bool = False, target: str = ""
) -> tuple[Choice, Ordered]:
    """The attack in an area; of several alternatives there the one on `target`."""
    choice, now = _choice(desk, "ATTACK", area), ordered_now(plan, "ATTACK", area)
    if target:
        now = next(
            (one for one in attacks_in(plan, area) if one.nations == (target,)),
            Ordered("ATTACK", area),
        )
    if made and not now.nations:
        raise PointingError(f"Choose first whom to attack in {area}.")
    return choice, now


def _toggle(order: Sequence[str], named: Sequence[str], nation: str) -> tuple[str, ...]:
    wanted = set(named) ^ {nation}
    return tuple(name for name in order if name in wanted)


def _named(choice: Choice, nation: str) -> None:
    if nation not in choice.nations:
        where = f" in {choice.area}" if choice.area else ""
        raise PointingError(
            f"“{short(nation)}” cannot be named{where}; choose among {', '.join(choice.nations)}."
        )


# --- wishes, and PASS ---


def _wish(desk: Desk, plan: Plan, text: str, told: Sequence[str], typed: Typed) -> str:
    """A wish for a counter is written, or taken out where it stands."""
    verb, area, partner = (*told, "", "")[:3]
    choice = _choice(desk, verb, area or None)
    if choice.most is not None or choice.stock:
        raise PointingError("That cannot be ordered in this phase; choose again.")
    if choice.nations:
        _named(choice, partner)
    wish = Ordered(verb, choice.area, nations=(partner,) if partner else ())
    there = any(
        (one.verb, one.area, one.nations) == (wish.verb, wish.area, wish.nations)
        for one in plan.ordered
    )
    if verb == "PASS" and not there and plan.ordered:
        raise PointingError("PASS says that you order nothing; take the other orders out first.")
    return _put(desk, text, wish, there)


# --- what they share ---


def _put(desk: Desk, text: str, ordered: Ordered, drop: bool = False) -> str:
    return desk.rules.planner.revise(desk.state, desk.nation, text, ordered, drop)


def _drop_line(text: str, rest: str) -> str:
    """One line taken out, if it still reads as it did when the button was made."""
    number, _, written = rest.partition(":")
    lines = LINE_END.split(text)
    place = int(number) - 1 if number.isascii() and number.isdigit() and len(number) < 6 else -1
    if not 0 <= place < len(lines) or lines[place].strip() != written.strip():
        raise PointingError("That line has changed meanwhile, and was left as it is.")
    return "\n".join(lines[:place] + lines[place + 1 :])


def ordered_now(plan: Plan, verb: str, area: str) -> Ordered:
    """What the text orders there: several lines about the same PFs are one, for they count
    together; of attacks the first counts."""
    found = [one for one in plan.ordered if one.verb == verb and one.area == area]
    if not found:
        return Ordered(verb, area)
    if verb == "ATTACK" or len(found) == 1:
        return found[0]
    counters = (
        tuple(value for one in found for value in one.counters)
        if all(one.counters for one in found)
        else ()
    )
    return replace(found[0], number=sum(one.number for one in found), counters=counters)


def attacks_in(plan: Plan, area: str) -> list[Ordered]:
    """Every attack that the text orders in an area, as written."""
    return [one for one in plan.ordered if one.verb == "ATTACK" and one.area == area]


def _choice(desk: Desk, verb: str, area: str | None) -> Choice:
    found = next((one for one in desk.choices() if one.verb == verb and one.area == area), None)
    if found is None:
        raise PointingError("That cannot be ordered in this phase; choose again.")
    return found


def _words(told: Sequence[str], count: int) -> list[str]:
    if len(told) < count:
        raise PointingError("That button is not known here; load the page again.")
    return list(told[:count])


def _number(text: str, most: int) -> int | None:
    """The number written; None for one that is too large. Raises `PointingError` for none."""
    if not (text.isascii() and text.isdigit()):
        said = f"“{short(text)}” cannot be placed; write" if text else "Write"
        raise PointingError(f"{said} a whole number from 0 to {most}.")
    # Nobody has a billion PFs, and Python reads no number of some thousand digits.
    return int(text) if len(text) < 10 and int(text) <= most else None


def _how(how: str) -> Deed:
    return lambda desk, plan, text, told, typed: _apply_count(desk, plan, text, told, typed, how)


DEEDS: dict[str, Deed] = {
    **{how: _how(how) for how in ("more", "less", "all", "none", "set", "lay", "lift")},
    "aim": _aim,
    "else": _else,
    "min": _minimum,
    "stock": _stock,
    "wish": _wish,
}
