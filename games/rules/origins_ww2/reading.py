"""Parse order text. The parser gets text and the names on the card, never a board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..markets import NEW_YORK, Market
from ..names import NameFault
from ..orders import PASS, Line, Order, Pass, UnreadableLine, shorten, whole_number
from ..parsing import Parser
from ..plan import PlannedOrder
from ..verbs import load
from .card import Card
from .face_down import BLANKS_A_TURN, VALUES, sort_counters, to_text
from .table import BEST

VERBS = load(__package__)
FORMS = VERBS.examples
#: Examples for games in which new PFs lie face down (F9, F10).
FACE_DOWN_FORMS = {
    "PLACE": f"{FORMS['PLACE']} AS 3+1",
    "FROM": f"{FORMS['FROM']} AS 1+1+1",
    "BLANKS": FORMS["BLANKS"],
}
_ENDINGS = ("stock", "else", "min")


@dataclass(frozen=True)
class Place(Order):
    pf: int
    area: str
    from_home: bool = False
    #: The counters named in the order, the largest first; empty for as few as possible (F9).
    counters: tuple[int, ...] = ()

    def words(self) -> str:
        laid = f" AS {to_text(self.counters)}" if self.counters else ""
        return f"{'FROM HOME' if self.from_home else 'PLACE'} {self.pf} {self.area}{laid}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("FROM HOME" if self.from_home else "PLACE", self.area)

    def planned(self) -> PlannedOrder:
        verb = "FROM HOME" if self.from_home else "PLACE"
        return PlannedOrder(verb, self.area, self.pf, counters=self.counters)


@dataclass(frozen=True)
class Blanks(Order):
    """Counters worth nothing, laid face down among the others (F10)."""

    number: int
    area: str

    def words(self) -> str:
        return f"BLANKS {self.number} {self.area}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("BLANKS", self.area)

    def planned(self) -> PlannedOrder:
        return PlannedOrder("BLANKS", self.area, self.number)


@dataclass(frozen=True)
class Attack(Order):
    area: str
    targets: tuple[str, ...]
    stocks: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()  # the ELSE list
    minimum: int | None = None

    def words(self) -> str:
        sentence = f"ATTACK {self.area}: {', '.join(self.targets)}"
        if self.stocks:
            sentence += f" STOCK {'/'.join(self.stocks)}"
        if self.otherwise:
            sentence += f" ELSE {', '.join(self.otherwise)}"
        return sentence + (f" MIN {self.minimum}-1" if self.minimum else "")

    @property
    def about(self) -> tuple[str, ...]:
        return ("ATTACK", self.area)

    def planned(self) -> PlannedOrder:
        return PlannedOrder(
            "ATTACK", self.area, 0, self.targets, self.stocks, self.otherwise, self.minimum
        )


@dataclass(frozen=True)
class Understanding(Order):
    area: str

    def words(self) -> str:
        return f"UNDERSTANDING {self.area}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("UNDERSTANDING", self.area)

    def planned(self) -> PlannedOrder:
        return PlannedOrder("UNDERSTANDING", self.area)


@dataclass(frozen=True)
class Control(Order):
    area: str

    def words(self) -> str:
        return f"CONTROL {self.area}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("CONTROL", self.area)

    def planned(self) -> PlannedOrder:
        return PlannedOrder("CONTROL", self.area)


@dataclass(frozen=True)
class Share(Order):
    area: str
    partner: str

    def words(self) -> str:
        return f"SHARE {self.area} WITH {self.partner}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("SHARE", self.area, self.partner)

    def planned(self) -> PlannedOrder:
        return PlannedOrder("SHARE", self.area, nations=(self.partner,))


@dataclass(frozen=True)
class StandingUnderstanding(Order):
    def words(self) -> str:
        return FORMS["STANDING"]

    @property
    def about(self) -> tuple[str, ...]:
        return ("STANDING",)

    def planned(self) -> PlannedOrder:
        return PlannedOrder("STANDING UNDERSTANDING ALL")


@dataclass(frozen=True)
class LoseFirst(Order):
    """In a partial loss there, lose the Understanding before plain PFs (K17).

    Without an area: wherever the nation has an Understanding.
    """

    area: str = ""

    def words(self) -> str:
        return f"LOSE UNDERSTANDING FIRST {self.area or 'ALL'}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("LOSE", self.area)

    def planned(self) -> PlannedOrder:
        if not self.area:
            return PlannedOrder("LOSE UNDERSTANDING FIRST ALL")
        return PlannedOrder("LOSE UNDERSTANDING FIRST", self.area)


def order_of(ordered: PlannedOrder) -> Order:
    """Return the order for a value. The caller made it from a `Choice`, so that verb, area and
    nations are set."""
    area = ordered.area or ""
    match ordered.verb:
        case "PLACE" | "FROM HOME":
            return Place(0, ordered.number, area, ordered.verb == "FROM HOME", ordered.counters)
        case "BLANKS":
            return Blanks(0, ordered.number, area)
        case "ATTACK":
            return Attack(
                0, area, ordered.nations, ordered.stocks, ordered.otherwise, ordered.minimum
            )
        case "UNDERSTANDING":
            return Understanding(0, area)
        case "CONTROL":
            return Control(0, area)
        case "SHARE":
            return Share(0, area, ordered.nations[0])
        case "STANDING UNDERSTANDING ALL":
            return StandingUnderstanding(0)
        case "LOSE UNDERSTANDING FIRST" | "LOSE UNDERSTANDING FIRST ALL":
            return LoseFirst(0, area)
    assert ordered.verb == PASS, ordered
    return Pass(0)


def read_line(
    line: Line,
    card: Card,
    face_down: bool = False,
    has_loss_orders: bool = False,
    market: Market = NEW_YORK,
    forms: Mapping[str, str] = FORMS,
) -> Order:
    """Parse one line from left to right. Raise `Unreadable`.

    `face_down`: new PFs lie face down in this game, and orders may choose their counters.
    `has_loss_orders`: orders may say what is lost first (K17). `forms`: the examples of the game
    (`Verbs.examples_in`).
    """
    return _Parser(line, card, face_down, has_loss_orders, market, forms).order()


class _Parser(Parser):
    def __init__(
        self,
        line: Line,
        card: Card,
        face_down: bool,
        has_loss_orders: bool,
        market: Market,
        forms: Mapping[str, str],
    ) -> None:
        absent = {*(() if face_down else ("BLANKS",)), *(() if has_loss_orders else ("LOSE",))}
        offered = [head for head in FORMS if head not in absent]
        super().__init__(line, card.area_names, card.nation_names, forms, offered, market)
        self.card = card
        self.face_down = face_down
        self.has_loss_orders = has_loss_orders

    def reread(self, text: str) -> Order:
        game = (self.face_down, self.has_loss_orders, self.market, self.forms)
        return read_line(self.line._replace(text=text), self.card, *game)

    def order(self) -> Order:
        verb = self.verb
        number = self.line.number
        if verb == "place":
            return self._place("PLACE")
        if verb == "from" and self.key_word("home"):
            return self._place("FROM")
        if verb == "blanks":
            return self._blanks()
        if verb == "attack":
            return self._attack()
        if verb == "understanding":
            return Understanding(number, self.area(self.rest()))
        if verb == "control":
            return Control(number, self.area(self.rest()))
        if verb == "share":
            return self._share()
        if verb == "standing" and [word.casefold() for word in self.words[1:]] == [
            "understanding",
            "all",
        ]:
            return StandingUnderstanding(number)
        if verb == "lose":
            return self._lose_first()
        if verb == "pass" and len(self.words) == 1:
            return Pass(number)
        raise self.unknown_verb()

    # Parts of a line. Each method consumes its words or raises.

    def _place(self, verb: str) -> Place:
        pf = self.number(verb)
        words, counters = self.rest(), None
        # Require an area before AS and figures after it, so that a word of an area's name is not
        # mistaken for it.
        for place in range(1, len(words)):
            if words[place].casefold() == "as" and (
                place + 1 == len(words) or words[place + 1][0] in "0123456789+"
            ):
                words, counters = words[:place], "".join(words[place + 1 :])
                break
        if counters is not None and not self.face_down:
            raise UnreadableLine(
                "this game has no counters face down, so leave out AS",
                FORMS[verb],
            )
        area = self.area(words)
        laid = () if counters is None else self._counters(counters, pf, verb)
        return Place(self.line.number, pf, area, from_home=verb == "FROM", counters=laid)

    def _counters(self, typed: str, pf: int, verb: str) -> tuple[int, ...]:
        """Return the counters after AS, which must add up to the PFs of the line."""
        values = [whole_number(part) for part in typed.split("+")]
        counters = [value for value in values if value in VALUES]
        if len(counters) < len(values):
            raise UnreadableLine(
                "write counters of 1, 3, 5 and 10 after AS, joined by +", FACE_DOWN_FORMS[verb]
            )
        if sum(counters) != pf:
            line = pf if pf < 10**9 else "more"
            fault = (
                f"{shorten(to_text(counters))} adds up to {sum(counters)} PFs, but the line places"
                f" {line}"
            )
            raise UnreadableLine(fault, FACE_DOWN_FORMS[verb])
        return sort_counters(counters)

    def _blanks(self) -> Blanks:
        if not self.face_down:
            raise UnreadableLine(
                "this game has no counters face down, so there are no blanks", FORMS["PLACE"]
            )
        number = whole_number(self.words[1]) if len(self.words) > 1 else None
        if number is None:
            raise UnreadableLine(
                f"a whole number from 1 to {BLANKS_A_TURN} is missing", FACE_DOWN_FORMS["BLANKS"]
            )
        self.at = 2
        return Blanks(self.line.number, number, self.area(self.rest()))

    def _lose_first(self) -> LoseFirst:
        if not self.has_loss_orders:
            raise UnreadableLine(
                "in this game a partial loss takes the same first for everybody, so leave this line"
                " out"
            )
        if not (self.key_word("understanding") and self.key_word("first")):
            raise UnreadableLine("write UNDERSTANDING FIRST and an area, or ALL", FORMS["LOSE"])
        words = self.rest()
        if [word.casefold() for word in words] == ["all"]:
            return LoseFirst(self.line.number)
        return LoseFirst(self.line.number, self.area(words))

    def _attack(self) -> Attack:
        if ":" not in self.words:
            self._check_target()
            raise UnreadableLine(
                "a colon is missing between the area and the nations attacked", self.forms["ATTACK"]
            )
        colon = self.words.index(":")
        area_words = self.words[1:colon]
        self.at = colon + 1
        area = self.area(area_words)
        targets = self._nations()
        stocks: tuple[str, ...] = ()
        otherwise: tuple[str, ...] = ()
        minimum: int | None = None
        for ending in self.endings(_ENDINGS, self.forms["ATTACK"], "none of STOCK, ELSE and MIN"):
            if ending == "stock":
                stocks = self.stocks(self.forms["ATTACK"])
            elif ending == "else":
                otherwise = self._nations()
            else:
                minimum = self.minimum(BEST, self.forms["ATTACK"])
        return Attack(self.line.number, area, targets, stocks, otherwise, minimum)

    def _check_target(self) -> None:
        """Raise `Unreadable` for “ATTACK Stalin IN Poland”, where the name is the first fault."""
        words = self.words[1:]
        if words[:1] and words[0].casefold() == "the":
            words = words[1:]
        folded = [word.casefold() for word in words]
        name = words[: folded.index("in")] if "in" in folded else []
        if len(name) != 1:
            return
        try:
            self.nations.find(name[0])
        except NameFault as fault:
            raise UnreadableLine(shorten(str(fault)), self.forms["ATTACK"]) from fault

    def _nations(self) -> tuple[str, ...]:
        """Return a list separated by commas. The first word of each name always belongs to the
        name; later ones may end the list."""
        nations: list[str] = []
        while True:
            name = self.words[self.at : self.at + 1]
            self.at += 1
            if name == [","]:
                name = []
            else:
                while (
                    self.at < len(self.words)
                    and self.words[self.at] != ","
                    and self.words[self.at].casefold() not in _ENDINGS
                ):
                    name.append(self.words[self.at])
                    self.at += 1
            nations.append(self.nation(name))
            if not self.key_word(","):
                return tuple(dict.fromkeys(nations))

    def _share(self) -> Share:
        folded = [word.casefold() for word in self.words]
        if "with" not in folded[2:]:
            raise UnreadableLine("WITH and a nation are missing", FORMS["SHARE"])
        middle = folded.index("with", 2)
        area_words, self.at = self.words[1:middle], middle + 1
        area = self.area(area_words)
        return Share(self.line.number, area, self.nation(self.rest()))
