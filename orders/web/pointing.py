"""Write orders by pointing: what a button of the map's panels does to the order text.

The text is the only state. A button's value names a change relative to the text as it arrives, so
that fast clicks lose nothing: "more:PLACE:Poland", "aim:Poland:Russia", "wish:CONTROL:Poland",
"wish:ALLY::France", "drop:3:PLACE 4 Poland". The ruleset decides what may be ordered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from games.base.text import shorten
from games.rules import Choice
from games.rules.markets import NEW_YORK, Market
from games.rules.orders import LINE_END, STOCKS_A_LINE, is_stock
from games.rules.plan import Plan, PlannedOrder, Total
from games.rules.verbs import Kind

from .drafting import Drafting

#: How many attacks orders may contain of which one is made.
ALTERNATIVES = 3


class PointingError(Exception):
    """The button cannot do what was asked. `str()` is one sentence.

    `text` is the text to show instead; None leaves it unchanged.
    """

    def __init__(self, said: str, text: str | None = None) -> None:
        super().__init__(said)
        self.text = text


Typed = Mapping[str, str]  # the other form fields: numbers, stocks
Deed = Callable[[Drafting, Plan, str, Sequence[str], Typed], str]


def apply_button(drafting: Drafting, text: str, do: str, typed: Typed) -> str:
    """Return the text after a button has changed it. Raise `PointingError` if it cannot."""
    action, _, rest = do.partition(":")
    if action == "drop":
        return _drop_line(text, rest)
    deed = DEEDS.get(action)
    if deed is None:
        raise PointingError("This page does not have that button. Load the page again.")
    return deed(drafting, drafting.plan(text), text, rest.split(":"), typed)


# --- PFs and blanks ---


def _apply_count(
    drafting: Drafting, plan: Plan, text: str, told: Sequence[str], typed: Typed, how: str
) -> str:
    """Return the text with another number ordered in one area.

    `how` is “more”, “less”, “all”, “none” or “set”; “lay” and “lift” add or remove a counter of a
    given value. Raise `PointingError` for a number that cannot be read. A number above the most
    possible is set to that, and reported by `PointingError` with the new text.
    """
    verb, area = _two_words(told)
    choice = _choice(drafting, verb, area)
    now = current_order(plan, verb, area)
    total = plan.total(verb)
    left = room(choice, now, total)
    if how in ("lay", "lift"):
        return _counters(drafting, text, choice, now, left, told[-1], how)
    number = {
        "more": now.number + min(1, left),
        "less": now.number - 1,
        "all": now.number + left,
        "none": 0,
    }.get(how)
    if number is not None:
        return drafting.revise(text, replace(now, number=number, counters=()), number < 1)
    most, written = now.number + left, typed.get(f"number:{verb}:{area}", "").strip()
    number = _number(written, most)
    put = most if number is None else number
    text = drafting.revise(text, replace(now, number=put, counters=()), put < 1)
    if number is None:
        fault = (
            f"{shorten(written)} is more than can go to {area}. It is now {most}, the most"
            " possible."
        )
        raise PointingError(fault, text)
    return text


def room(choice: Choice, now: PlannedOrder, total: Total | None) -> int:
    """Return how many more can be ordered in an area.

    That is what is left of the total, or less where the area has a limit for each turn.
    """
    left = total.left if total else choice.most or 0
    return left if choice.most is None else min(left, max(0, choice.most - now.number))


def _counters(
    drafting: Drafting, text: str, choice: Choice, now: PlannedOrder, left: int, said: str, how: str
) -> str:
    """Return the text with one counter more or one less.

    From then on the line names its counters. PFs ordered without naming them count as the fewest
    counters that make up the number.
    """
    value = int(said) if said.isdigit() and len(said) < 4 else 0
    if value not in choice.counters:
        raise PointingError(
            f"There is no counter of “{shorten(said)}”; there are"
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
    return drafting.revise(text, replace(now, number=sum(lying), counters=tuple(lying)), not lying)


def _fewest(number: int, values: Sequence[int]) -> list[int]:
    """Return the fewest counters that make up a number, largest first."""
    counters: list[int] = []
    for value in sorted(values, reverse=True):
        counters += [value] * (number // value)
        number %= value
    return counters


# --- attacks ---


def _aim(drafting: Drafting, plan: Plan, text: str, told: Sequence[str], typed: Typed) -> str:
    """Add a nation to the targets of the attack in an area, or remove it.

    An attack without targets is removed.
    """
    area, nation = _two_words(told)
    choice, now = _attack(drafting, plan, area)
    _check_offered(choice, nation)
    if not choice.many:
        return _aim_at_one(drafting, plan, text, choice, nation)
    targets = _toggle(choice.nations, now.nations, nation)
    return drafting.revise(
        text,
        replace(now, nations=targets, otherwise=tuple(n for n in now.otherwise if targets)),
        not targets,
    )


def _aim_at_one(drafting: Drafting, plan: Plan, text: str, choice: Choice, nation: str) -> str:
    """Change the opponent where each attack has one, and one attack is made in a turn.

    Where attacks have conditions, add or remove an alternative; elsewhere replace the attack.
    """
    attacks = drafting.attacks(plan)
    same = next(
        (
            attack
            for attack in attacks
            if attack.area == choice.area and attack.nations == (nation,)
        ),
        None,
    )
    if same is not None:
        return drafting.revise(text, same, True)
    if choice.conditions and len(attacks) >= ALTERNATIVES:
        raise PointingError(
            f"You can order at most {ALTERNATIVES} attacks, of which one is made. Remove one first."
        )
    stocks: tuple[str, ...] = ()
    # Without conditions the new attack replaces the old one and keeps its stocks.
    for attack in attacks if not choice.conditions else ():
        text, stocks = drafting.revise(text, attack, True), attack.stocks
    return drafting.revise(
        text, PlannedOrder(choice.verb, choice.area, nations=(nation,), stocks=stocks)
    )


def minima(drafting: Drafting) -> tuple[str, ...]:
    """Return the minimum odds a player may set: columns of the printed table from 1-1 up.

    Each is the first number of its column: "2" for 2-1.
    """
    return tuple(
        column.removesuffix("-1")
        for column in drafting.rules.guide.table().columns
        if column.endswith("-1")
    )


def _toggle_alternative(
    drafting: Drafting, plan: Plan, text: str, told: Sequence[str], typed: Typed
) -> str:
    """Add a nation to the targets that are attacked otherwise, or remove it."""
    area, nation = _two_words(told)
    choice, now = _attack(drafting, plan, area, made=True)
    _check_offered(choice, nation)
    return drafting.revise(
        text, replace(now, otherwise=_toggle(choice.nations, now.otherwise, nation))
    )


def _minimum(drafting: Drafting, plan: Plan, text: str, told: Sequence[str], typed: Typed) -> str:
    """Set or remove the minimum odds of an attack. Raise `PointingError` for other odds."""
    area = told[0]
    choice, now = _attack(drafting, plan, area, made=True, target="".join(told[1:2]))
    odds = typed.get(f"min:{':'.join(told)}", "")
    allowed = minima(drafting)
    if not choice.conditions or odds not in ("", *allowed):
        raise PointingError(f"Choose the lowest odds from {allowed[0]}-1 to {allowed[-1]}-1.")
    return drafting.revise(text, replace(now, minimum=int(odds) if odds else None))


def _stock(drafting: Drafting, plan: Plan, text: str, told: Sequence[str], typed: Typed) -> str:
    """Set the stocks of an attack, in order of use.

    Raise `PointingError` where no attack is ordered yet: the symbols typed stay in their field.
    """
    area = told[0]
    _, now = _attack(drafting, plan, area, made=True, target="".join(told[1:2]))
    return drafting.revise(
        text,
        replace(
            now,
            stocks=stocks_of(
                typed.get(f"stock:{':'.join(told)}", ""), drafting.listed, drafting.market
            ),
        ),
    )


def stocks_of(text: str, listed: Sequence[str] = (), market: Market = NEW_YORK) -> tuple[str, ...]:
    """Return the stock symbols in a text such as “ge, ibm”.

    Raise `PointingError` for a word that is no symbol, for a stock missing from `listed` where that
    is not empty, and for more than `STOCKS_A_LINE` stocks.
    """
    symbols = [symbol.upper() for symbol in re.split(r"[\s,/]+", text) if symbol]
    for symbol in symbols:
        if not is_stock(symbol, market):
            raise PointingError(
                f"“{shorten(symbol)}” is not a stock symbol such as {market.example}."
            )
        if listed and symbol not in listed:
            raise PointingError(
                f"{symbol} is not on the published list. In this game you choose stocks from it."
            )
    if len(symbols) > STOCKS_A_LINE:
        raise PointingError(
            f"“{shorten(text)}” names {len(symbols)} stocks; a line may name at most 3."
        )
    return tuple(symbols)


def _attack(
    drafting: Drafting, plan: Plan, area: str, made: bool = False, target: str = ""
) -> tuple[Choice, PlannedOrder]:
    """Return the choice and the order of the attack in an area.

    Where the text has alternatives there, return the one on `target`. Raise `PointingError` where
    `made` is set and no attack is ordered.
    """
    verb = next((verb.name for verb in drafting.rules.verbs.of_kind(Kind.ATTACK)), "")
    choice, now = _choice(drafting, verb, area), current_order(plan, verb, area)
    if target:
        now = next(
            (attack for attack in attacks_in(drafting, plan, area) if attack.nations == (target,)),
            PlannedOrder(verb, area),
        )
    if made and not now.nations:
        raise PointingError(f"First choose whom to attack in {area}.")
    return choice, now


def _toggle(order: Sequence[str], named: Sequence[str], nation: str) -> tuple[str, ...]:
    """Return the named nations, with `nation` added or removed, in the given order."""
    toggled = set(named) ^ {nation}
    return tuple(name for name in order if name in toggled)


def _check_offered(choice: Choice, nation: str) -> None:
    """Raise `PointingError` if the choice does not offer the nation."""
    if nation not in choice.nations:
        where = f" in {choice.area}" if choice.area else ""
        raise PointingError(
            f"“{shorten(nation)}” is not possible{where}; choose from {', '.join(choice.nations)}."
        )


# --- wishes, and PASS ---


def _wish(drafting: Drafting, plan: Plan, text: str, told: Sequence[str], typed: Typed) -> str:
    """Write a wish for a counter, or remove it if it is there already."""
    verb, area, partner = (*told, "", "")[:3]
    choice = _choice(drafting, verb, area or None)
    if choice.most is not None or choice.stock:
        raise PointingError("You cannot order that in this phase. Choose again.")
    if choice.nations:
        _check_offered(choice, partner)
    wish = PlannedOrder(verb, choice.area, nations=(partner,) if partner else ())
    is_written = any(
        (order.verb, order.area, order.nations) == (wish.verb, wish.area, wish.nations)
        for order in plan.ordered
    )
    if drafting.kind(verb) == Kind.PASS and not is_written and plan.ordered:
        raise PointingError(f"{verb} means that you send no orders. Remove the other orders first.")
    return drafting.revise(text, wish, is_written)


# --- what they share ---


def _drop_line(text: str, rest: str) -> str:
    """Remove one line, if it still reads as it did when the button was made.

    Raise `PointingError` where it has changed.
    """
    number, _, written = rest.partition(":")
    lines = LINE_END.split(text)
    place = int(number) - 1 if number.isascii() and number.isdigit() and len(number) < 6 else -1
    if not 0 <= place < len(lines) or lines[place].strip() != written.strip():
        raise PointingError("That line has changed in the meantime and was left as it is.")
    return "\n".join(lines[:place] + lines[place + 1 :])


def current_order(plan: Plan, verb: str, area: str) -> PlannedOrder:
    """Return what the text orders in an area with a verb, as one order.

    Several lines about the same PFs are added up, as the rules do. Of others the first counts.
    """
    orders = [order for order in plan.ordered if order.verb == verb and order.area == area]
    if not orders:
        return PlannedOrder(verb, area)
    if len(orders) == 1 or not orders[0].number:
        return orders[0]
    counters = (
        tuple(value for order in orders for value in order.counters)
        if all(order.counters for order in orders)
        else ()
    )
    return replace(orders[0], number=sum(order.number for order in orders), counters=counters)


def attacks_in(drafting: Drafting, plan: Plan, area: str) -> list[PlannedOrder]:
    """Return the attacks that the text orders in an area, in the order written."""
    return [order for order in drafting.attacks(plan) if order.area == area]


def _choice(drafting: Drafting, verb: str, area: str | None) -> Choice:
    """Return the choice of a verb in an area. Raise `PointingError` if the phase has none."""
    match = next(
        (item for item in drafting.choices if item.verb == verb and item.area == area), None
    )
    if match is None:
        raise PointingError("You cannot order that in this phase. Choose again.")
    return match


def _two_words(told: Sequence[str]) -> tuple[str, str]:
    """Return the first words of a button's value. Raise `PointingError` if one is missing."""
    if len(told) < 2:
        raise PointingError("This page does not have that button. Load the page again.")
    return told[0], told[1]


def _number(text: str, most: int) -> int | None:
    """Return the number typed, or None if it is more than `most`.

    Raise `PointingError` if the text is no number.
    """
    if not (text.isascii() and text.isdigit()):
        sentence = f"“{shorten(text)}” cannot be placed; write" if text else "Write"
        raise PointingError(f"{sentence} a whole number from 0 to {most}.")
    # More than 9 digits are always too large, and Python refuses to parse thousands of digits.
    return int(text) if len(text) < 10 and int(text) <= most else None


DEEDS: dict[str, Deed] = {
    **{
        how: partial(_apply_count, how=how)
        for how in ("more", "less", "all", "none", "set", "lay", "lift")
    },
    "aim": _aim,
    "else": _toggle_alternative,
    "min": _minimum,
    "stock": _stock,
    "wish": _wish,
}
