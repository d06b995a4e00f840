"""From order text to orders (contract 3). Sees text and the names on the card, never a board."""

from __future__ import annotations

from dataclasses import dataclass

from ..markets import NEW_YORK, Market
from ..orders import Line, Order, Pass, Unreadable, shorten, whole_number
from ..parsing import Parser
from .card import Card
from .face_down import BLANKS_A_TURN, VALUES, in_order, to_text
from .table import BEST

FORMS = {
    "PLACE": "PLACE 4 Poland",
    "FROM": "FROM HOME 3 Austria",
    "ATTACK": "ATTACK Poland: Germany, Russia STOCK GE",
    "UNDERSTANDING": "UNDERSTANDING Austria",
    "CONTROL": "CONTROL Poland",
    "SHARE": "SHARE Poland WITH Russia",
    "STANDING": "STANDING UNDERSTANDING ALL",
    "PASS": "PASS",
}
#: The forms of a game in which new PFs lie face down (F9, F10).
FACE_DOWN_FORMS = {
    "PLACE": "PLACE 4 Poland AS 3+1",
    "FROM": "FROM HOME 3 Austria AS 1+1+1",
    "BLANKS": "BLANKS 2 Poland",
}
#: The form of a game in which an owner says what he loses first (K17, ow2.u_loss = owner_says).
LOSS_FORMS = {"LOSE": "LOSE UNDERSTANDING FIRST Poland"}
_ALL_FORMS = {**FORMS, "BLANKS": FACE_DOWN_FORMS["BLANKS"], **LOSS_FORMS}
_ENDINGS = ("stock", "else", "min")


@dataclass(frozen=True)
class Place(Order):
    pf: int
    area: str
    from_home: bool = False
    counters: tuple[
        int, ...
    ] = ()  # those that the order names, the largest first; none: the fewest (F9)

    def words(self) -> str:
        laid = f" AS {to_text(self.counters)}" if self.counters else ""
        return f"{'FROM HOME' if self.from_home else 'PLACE'} {self.pf} {self.area}{laid}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("FROM HOME" if self.from_home else "PLACE", self.area)


@dataclass(frozen=True)
class Blanks(Order):
    """Counters that are worth nothing, laid face down among the others (F10)."""

    number: int
    area: str

    def words(self) -> str:
        return f"BLANKS {self.number} {self.area}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("BLANKS", self.area)


@dataclass(frozen=True)
class Attack(Order):
    area: str
    targets: tuple[str, ...]
    stocks: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()  # the ELSE list
    minimum: int | None = None

    def words(self) -> str:
        said = f"ATTACK {self.area}: {', '.join(self.targets)}"
        if self.stocks:
            said += f" STOCK {'/'.join(self.stocks)}"
        if self.otherwise:
            said += f" ELSE {', '.join(self.otherwise)}"
        return said + (f" MIN {self.minimum}-1" if self.minimum else "")

    @property
    def about(self) -> tuple[str, ...]:
        return ("ATTACK", self.area)


@dataclass(frozen=True)
class Understanding(Order):
    area: str

    def words(self) -> str:
        return f"UNDERSTANDING {self.area}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("UNDERSTANDING", self.area)


@dataclass(frozen=True)
class Control(Order):
    area: str

    def words(self) -> str:
        return f"CONTROL {self.area}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("CONTROL", self.area)


@dataclass(frozen=True)
class Share(Order):
    area: str
    partner: str

    def words(self) -> str:
        return f"SHARE {self.area} WITH {self.partner}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("SHARE", self.area, self.partner)


@dataclass(frozen=True)
class StandingUnderstanding(Order):
    def words(self) -> str:
        return FORMS["STANDING"]

    @property
    def about(self) -> tuple[str, ...]:
        return ("STANDING",)


@dataclass(frozen=True)
class LoseFirst(Order):
    """In a partial loss there the Understanding goes before plain PFs (K17). No area: wherever the
    nation has one."""

    area: str = ""

    def words(self) -> str:
        return f"LOSE UNDERSTANDING FIRST {self.area or 'ALL'}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("LOSE", self.area)


def read_line(
    line: Line,
    card: Card,
    face_down: bool = False,
    has_loss_orders: bool = False,
    market: Market = NEW_YORK,
) -> Order:
    """One line read from left to right. Raises `Unreadable`.

    `face_down`: new PFs lie face down in this game, and orders may say how. `has_loss_orders`:
    orders may say what is lost first (K17).
    """
    return _Parser(line, card, face_down, has_loss_orders, market).order()


class _Parser(Parser):
    def __init__(
        self, line: Line, card: Card, face_down: bool, has_loss_orders: bool, market: Market
    ) -> None:
        offered = [
            *FORMS,
            *(["BLANKS"] if face_down else []),
            *(LOSS_FORMS if has_loss_orders else []),
        ]
        super().__init__(line, card.area_names, card.nation_names, _ALL_FORMS, offered, market)
        self.card = card
        self.face_down = face_down
        self.has_loss_orders = has_loss_orders

    def again(self, text: str) -> Order:
        return read_line(
            self.line._replace(text=text),
            self.card,
            self.face_down,
            self.has_loss_orders,
            self.market,
        )

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

    # Pieces of a line. Each takes its words or raises.

    def _place(self, verb: str) -> Place:
        pf = self.number(verb)
        said, counters = self.rest(), None
        # AS stands behind an area and before figures, so that no area's name can be mistaken for
        # it.
        for place in range(1, len(said)):
            if said[place].casefold() == "as" and (
                place + 1 == len(said) or said[place + 1][0] in "0123456789+"
            ):
                said, counters = said[:place], "".join(said[place + 1 :])
                break
        if counters is not None and not self.face_down:
            raise Unreadable(
                "this game has no counters face down, so leave out AS",
                FORMS[verb],
            )
        area = self.area(said)
        laid = () if counters is None else self._counters(counters, pf, verb)
        return Place(self.line.number, pf, area, from_home=verb == "FROM", counters=laid)

    def _counters(self, said: str, pf: int, verb: str) -> tuple[int, ...]:
        """The counters after AS, which must come to the PFs of the line: nothing is guessed."""
        found = [whole_number(part) for part in said.split("+")]
        counters = [one for one in found if one in VALUES]
        if len(counters) < len(found):
            raise Unreadable(
                "write counters of 1, 3, 5 and 10 after AS, joined by +", FACE_DOWN_FORMS[verb]
            )
        if sum(counters) != pf:
            line = pf if pf < 10**9 else "more"
            said = (
                f"{shorten(to_text(counters))} comes to {sum(counters)} PFs, and the line places"
                f" {line}"
            )
            raise Unreadable(said, FACE_DOWN_FORMS[verb])
        return in_order(counters)

    def _blanks(self) -> Blanks:
        if not self.face_down:
            raise Unreadable(
                "this game has no counters face down, so there are no blanks", FORMS["PLACE"]
            )
        number = whole_number(self.words[1]) if len(self.words) > 1 else None
        if number is None:
            raise Unreadable(
                f"a whole number from 1 to {BLANKS_A_TURN} is missing", FACE_DOWN_FORMS["BLANKS"]
            )
        self.at = 2
        return Blanks(self.line.number, number, self.area(self.rest()))

    def _lose_first(self) -> LoseFirst:
        if not self.has_loss_orders:
            raise Unreadable(
                "what a partial loss takes first is the same for everybody in this game, so no"
                " order says it"
            )
        if not (self.key_word("understanding") and self.key_word("first")):
            raise Unreadable("write UNDERSTANDING FIRST and an area, or ALL", LOSS_FORMS["LOSE"])
        said = self.rest()
        if [word.casefold() for word in said] == ["all"]:
            return LoseFirst(self.line.number)
        return LoseFirst(self.line.number, self.area(said))

    def _attack(self) -> Attack:
        if ":" not in self.words:
            raise Unreadable(
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

    def _nations(self) -> tuple[str, ...]:
        """A list with commas. The first word of each name is a name whatever it spells; later ones
        may end the list."""
        found: list[str] = []
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
            found.append(self.nation(name))
            if not self.key_word(","):
                return tuple(dict.fromkeys(found))

    def _share(self) -> Share:
        folded = [word.casefold() for word in self.words]
        if "with" not in folded[2:]:
            raise Unreadable("WITH and a nation are missing", FORMS["SHARE"])
        middle = folded.index("with", 2)
        area_words, self.at = self.words[1:middle], middle + 1
        area = self.area(area_words)
        return Share(self.line.number, area, self.nation(self.rest()))
