"""Digits out of the stock market report (Rules 0.1): sales in hundreds, the stock that decides, and the die.

Figures are asked for strictly in the order of use and only when an attack needs one, so that a caller who does not have a
figure yet may raise from `get` and come again (see `Volumes` in the contract of a ruleset).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import Volumes


def digit_of_shares(shares: int) -> int:
    """The last digit of the sales in hundreds, from a count of shares: 12,345,678 gives 6."""
    return shares // 100 % 10


def digit_of_printed(hundreds: int) -> int:
    """The last digit of the figure as a newspaper prints it, in hundreds already: 1234 gives 4."""
    return hundreds % 10


def usable(volume: int | None) -> bool:
    """Missing, zero and negative figures are never a digit."""
    return volume is not None and volume > 0


def d6_reject(digits: Iterable[int]) -> int | None:
    """The die by `rng.d6` = reject: the first of the digits that is 1 to 6; the others are thrown away."""
    return next((digit for digit in digits if is_die(digit)), None)


def is_die(digit: int) -> bool:
    return 1 <= digit <= 6


class Draw(NamedTuple):
    """The stock that decided, its sales and the digit."""

    stock: str
    volume: int
    digit: int


def any_digit(_digit: int) -> bool:
    return True


@dataclass(frozen=True)
class NamedStocks:
    """One attack line's stocks: `nation` and `line` say whose and where as written."""

    nation: str
    line: int
    stocks: tuple[str, ...]


def passed_over(naming: Iterable[NamedStocks], order: Sequence[str], options: Mapping[str, Any]) -> dict[tuple[str, int], frozenset[str]]:
    """For each attack line the stocks that do not count on it, because an earlier line names them (`rng.duplicate_stock`).

    Earlier is meant as written, used or not, void or not; for `reserve_always` nations come in card order.
    """
    rule = options["rng.duplicate_stock"]
    found: dict[tuple[str, int], frozenset[str]] = {}
    by_anybody: set[str] = set()
    by_nation: dict[str, set[str]] = {}
    for one in sorted(naming, key=lambda one: (order.index(one.nation), one.line)):
        earlier = by_nation.setdefault(one.nation, set())
        if rule == "allow":
            found[one.nation, one.line] = frozenset()
        else:
            found[one.nation, one.line] = frozenset(by_anybody if rule == "reserve_always" else earlier)
        earlier.update(one.stocks)
        by_anybody.update(one.stocks)
    return found


class Drawer:
    """Hands out the digits of one phase (contract 4.1 step 6, 4.2). Remembers only which reserves are used up."""

    def __init__(self, volumes: Volumes, reserves: Sequence[str], options: Mapping[str, Any]) -> None:
        self._volumes = volumes
        self._reserves = tuple(reserves)
        self._options = options
        self._used: set[str] = set()

    def draw(self, named: Iterable[str], without: Collection[str] = (), good: Callable[[int], bool] = any_digit) -> Draw | None:
        """The digit for one attack: the stocks it names, in order, then the reserve list; None where nothing is usable.

        `without` are the stocks passed over for this line. A reserve that gives a digit is used up even where the digit is
        no `good` (a die of 7).
        """
        for stock in named:
            if stock in without or (self._options["rng.stock_choice"] == "list_only" and stock not in self._reserves):
                continue
            drawn = self._read(stock)
            if drawn and good(drawn.digit):
                return drawn
        if self._options["rng.no_stock"] == "attack_void":
            return None
        for stock in self._reserves:
            if stock in self._used:
                continue
            drawn = self._read(stock)
            if drawn:
                self._used.add(stock)
                if good(drawn.digit):
                    return drawn
        return None

    def _read(self, stock: str) -> Draw | None:
        volume = self._volumes.get(stock)
        if volume is None or not usable(volume):
            return None
        return Draw(stock, volume, digit_of_shares(volume))
