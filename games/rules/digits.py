"""Digits out of the stock market report (Rules 0.1): sales in hundreds, the stock that decides, and the die.

Figures are asked for strictly in the order of use and only when an attack needs one, so that a caller who does not have a
figure yet may raise from `get` and come again (see `Volumes` in the contract of a ruleset).
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from . import NotKnown, Tried, Volumes


def digit_of_shares(shares: int) -> int:
    """The last digit of the sales in hundreds, from a count of shares: 12,345,678 gives 6."""
    return shares // 100 % 10


def digit_of_printed(hundreds: int) -> int:
    """The last digit of the figure as a newspaper prints it, in hundreds already: 1234 gives 4."""
    return hundreds % 10


def usable(volume: int | None) -> bool:
    """Missing, zero and negative figures are never a digit."""
    return volume is not None and volume > 0


# --- digits that are no sales (`rng.source`) ---

STOCKS = "stocks"
_ROLL = "ROLL-"


def roll_symbol(number: int) -> str:
    """What stands in a stock's place for the first, second, third digit that a phase uses where no sales decide: "ROLL-1"."""
    return f"{_ROLL}{number}"


def roll_number(symbol: str) -> int | None:
    """The number of such a digit; None for anything else."""
    number = symbol.removeprefix(_ROLL)
    return int(number) if symbol.startswith(_ROLL) and number.isascii() and number.isdigit() else None


def volume_of_roll(digit: int) -> int:
    """A roll as a figure that is above zero and whose hundreds end in it: so it is stored, drawn and checked as sales are."""
    return 1_000 + 100 * digit


_BEACON = "DRAND-"


def beacon_symbol(number: int) -> str:
    """What stands at the end of a reserve list for the first, second, third digit of drand's beacon: "DRAND-1"."""
    return f"{_BEACON}{number}"


def beacon_number(symbol: str) -> int | None:
    """The number of such a digit; None for anything else."""
    number = symbol.removeprefix(_BEACON)
    return int(number) if symbol.startswith(_BEACON) and number.isascii() and number.isdigit() else None


def beacon_digit(signature: str, number: int) -> int:
    """Digit 1, 2, 3 and so on of a round of drand: SHA-256 of its signature is the round's randomness, and the seed of `seed_digit`."""
    return seed_digit(sha256(bytes.fromhex(signature)).hexdigest(), 0, "drand", number)


def is_seed(text: str) -> bool:
    """Whether a text is a seed: 32 bytes in hexadecimal."""
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def seed_hash(seed: str) -> str:
    """What is published of a seed beforehand: SHA-256 of its 32 bytes. The seed is written in hexadecimal."""
    return sha256(bytes.fromhex(seed)).hexdigest()


def seed_digit(seed: str, turn: int, kind: str, number: int) -> int:
    """The phase's digit number 1, 2, 3 and so on under `rng.source` = commit_reveal: HMAC-SHA256 of "turn/kind/number", keyed by the seed.

    The first of its bytes below 250 is taken modulo 10, so that no digit comes oftener than another (256 is no multiple of 10). Where
    all 32 bytes are above, the HMAC of the HMAC goes on.
    """
    key = bytes.fromhex(seed)
    mac = hmac.digest(key, f"{turn}/{kind}/{number}".encode(), "sha256")
    while True:
        for byte in mac:
            if byte < 250:
                return byte % 10
        mac = hmac.digest(key, mac, "sha256")


def d6_reject(digits: Iterable[int]) -> int | None:
    """The die by `rng.d6` = reject: the first of the digits that is 1 to 6; the others are thrown away."""
    return next((digit for digit in digits if is_die(digit)), None)


def is_die(digit: int) -> bool:
    return 1 <= digit <= 6


class Draw(NamedTuple):
    """The stock that decided, its sales and the digit. `rolled`: no stock at all, but a roll or a seed stands in its place."""

    stock: str
    volume: int
    digit: int
    rolled: bool = False


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
    """Hands out the digits of one phase (contract 4.1 step 6, 4.2). Remembers only which reserves are used up.

    `tried` tells of the newest draw which stocks came before its eyes, in order, and why each was passed over.
    """

    def __init__(self, volumes: Volumes, reserves: Sequence[str], options: Mapping[str, Any]) -> None:
        self._volumes = volumes
        self._reserves = tuple(reserves)
        self._options = options
        self._used: set[str] = set()
        self._rolls = 0
        self.tried: list[Tried] = []

    def draw(
        self, named: Iterable[str], without: Collection[str] = (), good: Callable[[int], bool] = any_digit, *, may_lack: bool = False
    ) -> Draw | None:
        """The digit for one attack: the stocks it names, in order, then the reserve list; None where nothing is usable.

        `without` are the stocks passed over for this line. A reserve that gives a digit is used up even where the digit is
        no `good` (a die of 7). Where no sales decide, the next roll does, and the stocks only if there is none (`rng.source`).
        `may_lack`: the attack's result is ruled and needs no digit. Where the next figure in line is not known yet, it does without;
        a reserve that it would have come to is used up all the same, so that nothing changes for the others once it is known.
        """
        self.tried = []
        if self._options["rng.source"] != STOCKS and (rolled := self._roll(good)):
            return rolled
        for stock in named:
            if stock in without:
                self.tried.append(Tried(stock, "duplicate"))
                continue
            if self._options["rng.stock_choice"] == "list_only" and stock not in self._reserves:
                self.tried.append(Tried(stock, "not_listed"))
                continue
            try:
                drawn = self._read(stock, good)
            except NotKnown:
                if not may_lack:
                    raise
                return None
            if drawn and good(drawn.digit):
                return drawn
        if self._options["rng.no_stock"] == "attack_void":
            return None
        for stock in self._reserves:
            if stock in self._used:
                self.tried.append(Tried(stock, "used_up"))
                continue
            try:
                drawn = self._read(stock, good)
            except NotKnown:
                if not may_lack:
                    raise
                self._used.add(stock)
                return None
            if drawn:
                self._used.add(stock)
                if good(drawn.digit):
                    return drawn
        return None

    def _roll(self, good: Callable[[int], bool]) -> Draw | None:
        """The next roll that is `good`. A caller who has no rolls at all (a situation of contract 4) gets None and is asked for stocks."""
        while (volume := self._volumes.get(roll_symbol(self._rolls + 1))) is not None and usable(volume):
            self._rolls += 1
            drawn = Draw(roll_symbol(self._rolls), volume, digit_of_shares(volume), rolled=True)
            self.tried.append(Tried(drawn.stock, "" if good(drawn.digit) else "no_die"))
            if good(drawn.digit):
                return drawn
        return None

    def _read(self, stock: str, good: Callable[[int], bool]) -> Draw | None:
        volume = self._volumes.get(stock)
        if volume is None or not usable(volume):
            self.tried.append(Tried(stock, "no_report"))
            return None
        drawn = Draw(stock, volume, digit_of_shares(volume))
        self.tried.append(Tried(stock, "" if good(drawn.digit) else "no_die"))
        return drawn
