"""Parse order text. The parser gets text and the names on the card, never a board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..markets import NEW_YORK, Market
from ..names import NameFault
from ..orders import PASS, Line, Order, Pass, UnreadableLine
from ..parsing import Parser
from ..plan import PlannedOrder
from ..verbs import load
from .card import Card
from .table import BEST

VERBS = load(__package__)
FORMS = VERBS.examples
_ENDINGS = ("stock", "min")


@dataclass(frozen=True)
class Place(Order):
    pf: int
    area: str

    def words(self) -> str:
        return f"PLACE {self.pf} {self.area}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("PLACE", self.area)

    def planned(self) -> PlannedOrder:
        return PlannedOrder("PLACE", self.area, self.pf)


@dataclass(frozen=True)
class Attack(Order):
    target: str
    area: str
    stocks: tuple[str, ...] = ()
    minimum: int | None = None
    #: Other attack lines are alternatives to this one and do not replace it (A.8).
    one_of: bool = False

    def words(self) -> str:
        sentence = f"ATTACK {self.target} IN {self.area}"
        if self.stocks:
            sentence += f" STOCK {'/'.join(self.stocks)}"
        return sentence + (f" MIN {self.minimum}-1" if self.minimum else "")

    @property
    def about(self) -> tuple[str, ...]:
        return ("ATTACK", self.target, self.area) if self.one_of else ("ATTACK",)

    def planned(self) -> PlannedOrder:
        return PlannedOrder(
            "ATTACK", self.area, 0, (self.target,), self.stocks, minimum=self.minimum
        )


@dataclass(frozen=True)
class Ally(Order):
    partner: str

    def words(self) -> str:
        return f"ALLY {self.partner}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("ALLY", self.partner)

    def planned(self) -> PlannedOrder:
        return PlannedOrder("ALLY", nations=(self.partner,))


@dataclass(frozen=True)
class Leave(Order):
    def words(self) -> str:
        return FORMS["LEAVE"]

    @property
    def about(self) -> tuple[str, ...]:
        return ("LEAVE",)

    def planned(self) -> PlannedOrder:
        return PlannedOrder("LEAVE ALLIANCE")


def order_of(ordered: PlannedOrder, choosing: bool) -> Order:
    """Return the order for a value. The caller made it from a `Choice`, so that verb, area and
    nations are set. `choosing` as in `read_line`."""
    area = ordered.area or ""
    match ordered.verb:
        case "PLACE":
            return Place(0, ordered.number, area)
        case "ATTACK":
            minimum = ordered.minimum if choosing else None
            return Attack(0, ordered.nations[0], area, ordered.stocks, minimum, choosing)
        case "ALLY":
            return Ally(0, ordered.nations[0])
        case "LEAVE ALLIANCE":
            return Leave(0)
    assert ordered.verb == PASS, ordered
    return Pass(0)


def read_line(
    line: Line,
    card: Card,
    choosing: bool = False,
    market: Market = NEW_YORK,
    forms: Mapping[str, str] = FORMS,
) -> Order:
    """Parse one line from left to right. Raise `Unreadable`.

    `choosing`: attacks are written before the board is known, and may have a minimum and
    alternatives (A.8). `forms`: the examples of the game (`Verbs.examples_in`).
    """
    return _Parser(line, card, choosing, market, forms).order()


class _Parser(Parser):
    def __init__(
        self, line: Line, card: Card, choosing: bool, market: Market, forms: Mapping[str, str]
    ) -> None:
        super().__init__(line, card.area_names, card.nation_names, forms, market=market)
        self.card = card
        self.is_choosing = choosing

    def reread(self, text: str) -> Order:
        line = self.line._replace(text=text)
        return read_line(line, self.card, self.is_choosing, self.market, self.forms)

    def order(self) -> Order:
        verb, number = self.verb, self.line.number
        if verb == "place":
            return Place(number, self.number("PLACE"), self.area(self.rest()))
        if verb == "attack":
            return self._attack()
        if verb == "ally":
            return Ally(number, self.nation(self.rest()))
        if verb == "leave" and [word.casefold() for word in self.words[1:]] == ["alliance"]:
            return Leave(number)
        if verb == "pass" and len(self.words) == 1:
            return Pass(number)
        raise self.unknown_verb()

    def _attack(self) -> Attack:
        folded = [word.casefold() for word in self.words]
        if "in" not in folded[2:]:
            raise UnreadableLine(
                "the word IN is missing between the nation attacked and the area",
                self.forms["ATTACK"],
                near=self._line_in_own_form(),
            )
        middle = folded.index("in", 2)
        target = self.nation(self.words[1:middle])
        self.at = middle + 1
        # The first word always belongs to the area's name; later ones may end it.
        end = next(
            (at for at in range(self.at + 1, len(folded)) if folded[at] in _ENDINGS), len(folded)
        )
        area_words, self.at = self.words[self.at : end], end
        area = self.area(area_words)
        stocks: tuple[str, ...] = ()
        minimum: int | None = None
        expected = "neither STOCK nor MIN" if self.is_choosing else "not STOCK"
        for ending in self.endings(_ENDINGS, self.forms["ATTACK"], expected):
            if ending == "stock":
                stocks = self.stocks(self.forms["ATTACK"])
            elif self.is_choosing:
                minimum = self.minimum(BEST, self.forms["ATTACK"])
            else:
                raise UnreadableLine(
                    "this game has no MIN, so leave it out",
                    self.forms["ATTACK"],
                )
        return Attack(self.line.number, target, area, stocks, minimum, self.is_choosing)

    def _line_in_own_form(self) -> str:
        """Return the line in this game's form if it has the form of World War II: ATTACK Serbia:
        Russia STOCK GE."""
        if ":" not in self.words:
            return ""
        colon = self.words.index(":")
        folded = [word.casefold() for word in self.words]
        end = next(
            (at for at in range(colon + 2, len(folded)) if folded[at] in _ENDINGS), len(folded)
        )
        try:
            area = self.areas.find(" ".join(self.words[1:colon]))
            target = self.nations.find(" ".join(self.words[colon + 1 : end]))
        except NameFault:
            return ""
        rest = "".join(word if word == "/" else f" {word}" for word in self.words[end:]).replace(
            "/ ", "/"
        )
        return f"ATTACK {target} IN {area}{rest}"
