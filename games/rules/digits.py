"""Draw digits from the stock market report (Rules 0.1): sales in hundreds, stocks, dice.

Figures are requested strictly in the order of use and only when an attack needs one, so that a
caller who does not have a figure yet may raise from `get` and try again (see `Volumes`).
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from . import Attempt, Json, UnknownFigure, Volumes
from .markets import market_of


def digit_of_shares(shares: int) -> int:
    """Return the last digit of the sales in hundreds: 12,345,678 shares give 6."""
    return shares // 100 % 10


def is_usable(volume: int | None) -> bool:
    """Return whether a figure can give a digit: it is not missing, zero or negative."""
    return volume is not None and volume > 0


class _NoFigures:
    def get(self, symbol: str, /) -> int | None:
        raise UnknownFigure(symbol)


def needs_figure(judge: Callable[[Volumes], object]) -> bool:
    """Return whether judging a phase asks for a figure, as an attack does that is not void."""
    try:
        judge(_NoFigures())
    except UnknownFigure:
        return True
    return False


# --- digits that are no sales (`rng.source`) ---

STOCKS = "stocks"
_ROLL = "ROLL-"


def roll_symbol(number: int) -> str:
    """Return the symbol for the nth digit of a phase where no sales decide: "ROLL-1"."""
    return f"{_ROLL}{number}"


def roll_number(symbol: str) -> int | None:
    """Return the number in such a symbol; None for any other symbol."""
    number = symbol.removeprefix(_ROLL)
    return (
        int(number) if symbol.startswith(_ROLL) and number.isascii() and number.isdigit() else None
    )


def volume_of_roll(digit: int) -> int:
    """Return a roll as a positive figure whose hundreds end in it.

    Rolls are stored, drawn and checked like sales.
    """
    return 1_000 + 100 * digit


class Always:
    """Figures that all end in the same digit, where it does not matter or each is tried. 1 is a
    die, too."""

    def __init__(self, digit: int) -> None:
        self._volume = volume_of_roll(digit)

    def get(self, symbol: str, /) -> int | None:
        return self._volume


def is_seed(text: str) -> bool:
    """Return whether a text is a seed: 32 bytes in hexadecimal."""
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def seed_hash(seed: str) -> str:
    """Return the hash of a hexadecimal seed, which is published in advance: SHA-256 of 32 bytes."""
    return sha256(bytes.fromhex(seed)).hexdigest()


def seed_digit(seed: str, turn: int, kind: str, number: int) -> int:
    """Return the phase's digit number 1, 2, 3 and so on under `rng.source` = commit_reveal.

    It comes from HMAC-SHA256 of "turn/kind/number", keyed by the seed. The first byte below 250 is
    taken modulo 10, so that no digit comes more often than another (256 is not a multiple of 10).
    If all 32 bytes are 250 or more, the HMAC of the HMAC is used next.
    """
    key = bytes.fromhex(seed)
    mac = hmac.digest(key, f"{turn}/{kind}/{number}".encode(), "sha256")
    while True:
        for byte in mac:
            if byte < 250:
                return byte % 10
        mac = hmac.digest(key, mac, "sha256")


class Draw(NamedTuple):
    """The stock that decided, its sales and the digit.

    `rolled`: a roll or a seed takes the place of a stock.
    """

    stock: str
    volume: int
    digit: int
    rolled: bool = False


def any_digit(_draw: Draw) -> bool:
    return True


# --- dice and draws by lot: only from the published list, since orders name no stocks for them ---

#: More rolls than any phase uses. The limit is needed because a forecast may supply the same roll
#: without end.
MOST_ROLLS = 1000
#: More lines than any order text has: the digits of a nation's dice have the line numbers above it.
DICE = 1000


class DieThrow(NamedTuple):
    """A die or a lot, with every digit that was read for it; the last one decided.

    `value` is None where the digits ran out.
    """

    value: int | None
    digits: tuple[Draw, ...]

    @property
    def rejected(self) -> list[Json]:
        """The digits that decided nothing, as events list them."""
        draws = self.digits if self.value is None else self.digits[:-1]
        return [{"stock": draw.stock, "volume": draw.volume, "digit": draw.digit} for draw in draws]


def die_of(draw: Draw, rule: str) -> int | None:
    """Return the die that a figure gives by `rng.d6`; None if it gives none.

    Rolls have no hundreds to divide: with them a digit from 1 to 6 is the die, whatever the rule.
    """
    hundreds = draw.volume // 100
    if rule == "reject" or draw.rolled:
        return draw.digit if 1 <= draw.digit <= 6 else None
    if rule == "two_digit":
        last = hundreds % 100
        return last % 6 + 1 if last < 96 else None
    return hundreds % 6 + 1


def die_in_words(thrown: DieThrow, options: Mapping[str, Any]) -> str:
    """Return how a die came about (“AA sold 123,456 shares: digit 4”), with rejected digits."""
    return "; ".join(_die_in_words(draw, str(options["rng.d6"])) for draw in thrown.digits)


def _die_in_words(draw: Draw, rule: str) -> str:
    invalid = "" if die_of(draw, rule) is not None else " (not a die)"
    if draw.rolled:
        return f"rolled {draw.digit}{invalid}"
    sold, hundreds = f"{draw.stock} sold {draw.volume:,} shares", draw.volume // 100
    if rule == "two_digit":
        ends = f"{sold}: the hundreds end in {hundreds % 100:02d}"
        return f"{ends}{invalid or f', divided by 6 leaves {hundreds % 100 % 6}'}"
    if rule == "full_mod":
        return f"{sold}: {hundreds:,} hundreds divided by 6 leave {hundreds % 6}"
    return f"{sold}: digit {draw.digit}{invalid}"


def digits_in_events(events: Iterable[Json]) -> Iterator[Json]:
    """Yield every digit in events, rejected ones too: nation, line, area, stock, volume, digit.

    For dice, lots and digits that an attack rejected, `area` is "" and `line` is `DICE` plus the
    number of the digit among those of its nation.
    """
    counted: dict[str, int] = {}
    for event in events:
        attack = event["kind"] == "attack"
        if attack and event["digit"] is not None:
            yield {
                key: event[key] for key in ("nation", "line", "area", "stock", "volume", "digit")
            }
        if "rejected" not in event:
            continue
        last = [event] if not attack and event.get("digit") is not None else []
        for row in (*event["rejected"], *last):
            counted[event["nation"]] = number = counted.get(event["nation"], 0) + 1
            facts = {key: row[key] for key in ("stock", "volume", "digit")}
            yield {"nation": event["nation"], "line": DICE + number, "area": "", **facts}


@dataclass(frozen=True)
class NamedStocks:
    """The stocks of one attack line, with its nation and line number as written."""

    nation: str
    line: int
    stocks: tuple[str, ...]


def skipped_stocks(
    naming: Iterable[NamedStocks], order: Sequence[str], options: Mapping[str, Any]
) -> dict[tuple[str, int], frozenset[str]]:
    """Return the stocks that do not count on each attack line (`rng.duplicate_stock`).

    An earlier line names them. Earlier means as written, whether used or not, void or not; for
    `reserve_always` nations come in card order.
    """
    rule = options["rng.duplicate_stock"]
    skipped: dict[tuple[str, int], frozenset[str]] = {}
    by_anybody: set[str] = set()
    by_nation: dict[str, set[str]] = {}
    lines = list(naming)
    if not any(attack.stocks for attack in lines):
        return {(attack.nation, attack.line): frozenset() for attack in lines}
    for attack in sorted(lines, key=lambda attack: (order.index(attack.nation), attack.line)):
        earlier = by_nation.setdefault(attack.nation, set())
        if rule == "allow":
            skipped[attack.nation, attack.line] = frozenset()
        else:
            skipped[attack.nation, attack.line] = frozenset(
                by_anybody if rule == "reserve_always" else earlier
            )
        earlier.update(attack.stocks)
        by_anybody.update(attack.stocks)
    return skipped


class Drawer:
    """Draws the digits of one phase.

    It remembers only which reserves and rolls are used up. `attempts` has the stocks that the
    newest draw tried, in order, and why each was passed over; `rejected` has the figures that were
    read for it and gave no `good` digit, as events list them.
    """

    def __init__(
        self, volumes: Volumes, reserves: Sequence[str], options: Mapping[str, Any]
    ) -> None:
        self._volumes = volumes
        self._reserves = tuple(reserves)
        self._options = options
        self._market = market_of(options)
        self._used: set[str] = set()
        self._rolls = 0
        self.attempts: list[Attempt] = []
        self.rejected: list[Json] = []

    def draw(
        self,
        named: Iterable[str],
        without: Collection[str] = (),
        good: Callable[[Draw], bool] = any_digit,
        *,
        may_lack: bool = False,
    ) -> Draw | None:
        """Return the digit for one attack; None where nothing is usable.

        The stocks that it names come first, in order, then the reserve list. `without` are stocks
        to pass over for this line. A reserve that gives a digit is used up even where the digit is
        not `good` (a die of 7). Where no sales decide, the next roll does, and stocks only if there
        is none (`rng.source`).

        `may_lack`: the attack's result is ruled and needs no digit. If the next figure is not known
        yet, the attack does without; a reserve that it would have used is used up all the same, so
        that nothing changes for other attacks once the figure is known.
        """
        self.attempts, self.rejected = [], []
        if self._options["rng.source"] != STOCKS and (rolled := self._roll(good)):
            return rolled
        for stock in named:
            if stock in without:
                self.attempts.append(Attempt(stock, "duplicate"))
                continue
            if not self._market.has_symbol(stock):
                self.attempts.append(Attempt(stock, "elsewhere"))
                continue
            if self._options["rng.stock_choice"] == "list_only" and stock not in self._reserves:
                self.attempts.append(Attempt(stock, "not_listed"))
                continue
            try:
                drawn = self._read(stock)
            except UnknownFigure:
                if not may_lack:
                    raise
                return None
            if drawn and self._accept(drawn, good):
                return drawn
        if self._options["rng.no_stock"] == "attack_void":
            return None
        for stock in self._reserves:
            if stock in self._used:
                self.attempts.append(Attempt(stock, "used_up"))
                continue
            try:
                drawn = self._read(stock)
            except UnknownFigure:
                if not may_lack:
                    raise
                self._used.add(stock)
                return None
            if drawn:
                self._used.add(stock)
                if self._accept(drawn, good):
                    return drawn
        return None

    def _roll(self, good: Callable[[Draw], bool]) -> Draw | None:
        """Return the next roll that is `good`.

        Return None for a caller who has no rolls at all (a situation); then stocks decide.
        """
        while self._rolls < MOST_ROLLS:
            symbol = roll_symbol(self._rolls + 1)
            volume = self._volumes.get(symbol)
            if volume is None or not is_usable(volume):
                return None
            self._rolls += 1
            drawn = Draw(symbol, volume, digit_of_shares(volume), rolled=True)
            if self._accept(drawn, good):
                return drawn
        return None

    def _accept(self, drawn: Draw, good: Callable[[Draw], bool]) -> bool:
        """Return whether a figure gives a `good` digit, and record the attempt."""
        decides = good(drawn)
        self.attempts.append(Attempt(drawn.stock, "" if decides else "no_die"))
        if not decides:
            self.rejected.append(
                {"stock": drawn.stock, "volume": drawn.volume, "digit": drawn.digit}
            )
        return decides

    def _read(self, stock: str) -> Draw | None:
        volume = self._volumes.get(stock)
        if volume is None or not is_usable(volume):
            self.attempts.append(Attempt(stock, "no_report"))
            return None
        return Draw(stock, volume, digit_of_shares(volume))

    def die(self) -> DieThrow:
        """Return a die by `rng.d6`, from the rolls or the published list.

        No order can name a stock for it (N2, D3).
        """
        return self._throw(lambda draw: die_of(draw, self._options["rng.d6"]))

    def lot(self, among: int) -> DieThrow:
        """Return one of `among` things, 0 for the first, each with the same chance.

        As many digits as needed make a number. Numbers from the last multiple of `among` on are
        rejected, as `seed_digit` does with bytes. Nothing is read if `among` is 1.
        """
        if among == 1:
            return DieThrow(0, ())
        places = len(str(among - 1))
        numbers = 10**places
        digits: list[Draw] = []
        while True:
            number = 0
            for _ in range(places):
                throw = self._throw(lambda draw: draw.digit)
                digits += throw.digits
                if throw.value is None:
                    return DieThrow(None, tuple(digits))
                number = 10 * number + throw.value
            if number < numbers - numbers % among:
                return DieThrow(number % among, tuple(digits))

    def _throw(self, value_of: Callable[[Draw], int | None]) -> DieThrow:
        digits: list[Draw] = []
        for draw in self._public():
            digits.append(draw)
            if (value := value_of(draw)) is not None:
                return DieThrow(value, tuple(digits))
        return DieThrow(None, tuple(digits))

    def _public(self) -> Iterator[Draw]:
        """Yield the figures of this phase that nobody named.

        These are the next rolls if there are any, else the stocks of the list that attacks left.
        """
        self.attempts = []
        if (
            self._options["rng.source"] != STOCKS
            and self._rolls < MOST_ROLLS
            and (rolled := self._roll(any_digit))
        ):
            while rolled is not None:
                yield rolled
                rolled = self._roll(any_digit) if self._rolls < MOST_ROLLS else None
            return
        for stock in self._reserves:
            if stock not in self._used and (drawn := self._read(stock)):
                self._used.add(stock)
                self._accept(drawn, any_digit)
                yield drawn
