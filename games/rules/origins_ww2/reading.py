"""From order text to orders (contract 3). Sees text and the names on the card, never a board."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from ..names import NameFault, Vocabulary
from ..orders import STOCKS_A_LINE, Line, Unreadable, is_stock, quoted, whole_number, words
from .card import Card
from .face_down import BLANKS_A_TURN, VALUES, in_order, written

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
FACE_DOWN_FORMS = {"PLACE": "PLACE 4 Poland AS 3+1", "FROM": "FROM HOME 3 Austria AS 1+1+1", "BLANKS": "BLANKS 2 Poland"}
#: The form of a game in which an owner says what he loses first (K17, ow2.u_loss = owner_says).
LOSS_FORMS = {"LOSE": "LOSE UNDERSTANDING FIRST Poland"}
_ENDINGS = ("stock", "else", "min")
_MINIMUM = re.compile(r"([1-5])-1")


@dataclass(frozen=True)
class Order:
    """One line of orders. `words()` says it canonically; `about` is what a later line on the same thing replaces.

    No ABC: judging asks of every order what it is, and `isinstance` is several times slower with one.
    """

    line: int

    def words(self) -> str:
        raise NotImplementedError

    @property
    def about(self) -> tuple[str, ...]:
        raise NotImplementedError


@dataclass(frozen=True)
class Place(Order):
    pf: int
    area: str
    from_home: bool = False
    counters: tuple[int, ...] = ()  # those that the order names, the largest first; none: the fewest (F9)

    def words(self) -> str:
        laid = f" AS {written(self.counters)}" if self.counters else ""
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
    """In a partial loss there the Understanding goes before plain PFs (K17). No area: wherever the nation has one."""

    area: str = ""

    def words(self) -> str:
        return f"LOSE UNDERSTANDING FIRST {self.area or 'ALL'}"

    @property
    def about(self) -> tuple[str, ...]:
        return ("LOSE", self.area)


@dataclass(frozen=True)
class Pass(Order):
    def words(self) -> str:
        return "PASS"

    @property
    def about(self) -> tuple[str, ...]:
        return ("PASS",)


def read_line(line: Line, card: Card, face_down: bool = False, owner_says: bool = False) -> Order:
    """One line read from left to right. Raises `Unreadable`.

    `face_down`: new PFs lie face down in this game, and orders may say how. `owner_says`: orders may say what is lost first (K17).
    """
    return _Parser(line, card, face_down, owner_says).order()


class _Parser:
    def __init__(self, line: Line, card: Card, face_down: bool, owner_says: bool) -> None:
        self.line = line
        self.card = card
        self.face_down = face_down
        self.owner_says = owner_says
        self.words = words(line.text)
        self.at = 0

    def order(self) -> Order:
        verb = self.words[0].casefold()
        self.at = 1
        number = self.line.number
        if verb == "place":
            return self._place("PLACE")
        if verb == "from" and self._key_word("home"):
            return self._place("FROM")
        if verb == "blanks":
            return self._blanks()
        if verb == "attack":
            return self._attack()
        if verb == "understanding":
            return Understanding(number, self._area(self._rest()))
        if verb == "control":
            return Control(number, self._area(self._rest()))
        if verb == "share":
            return self._share()
        if verb == "standing" and [word.casefold() for word in self.words[1:]] == ["understanding", "all"]:
            return StandingUnderstanding(number)
        if verb == "lose":
            return self._lose_first()
        if verb == "pass" and len(self.words) == 1:
            return Pass(number)
        raise self._no_verb(verb)

    # Pieces of a line. Each takes its words or raises.

    def _rest(self) -> list[str]:
        taken, self.at = self.words[self.at :], len(self.words)
        return taken

    def _key_word(self, word: str) -> bool:
        if self.at < len(self.words) and self.words[self.at].casefold() == word:
            self.at += 1
            return True
        return False

    def _number(self, verb: str) -> int:
        number = whole_number(self.words[self.at]) if self.at < len(self.words) else None
        if number is None:
            raise Unreadable("a whole number of 1 or more must follow", FORMS[verb])
        self.at += 1
        return number

    def _area(self, said: list[str]) -> str:
        return self._name(said, self.card.area_names)

    def _place(self, verb: str) -> Place:
        pf = self._number(verb)
        said, counters = self._rest(), None
        # AS stands behind an area and before figures, so that no area's name can be mistaken for it.
        for place in range(1, len(said)):
            if said[place].casefold() == "as" and (place + 1 == len(said) or said[place + 1][0] in "0123456789+"):
                said, counters = said[:place], "".join(said[place + 1 :])
                break
        if counters is not None and not self.face_down:
            raise Unreadable("counters do not lie face down in this game, so no order says which they are", FORMS[verb])
        area = self._area(said)
        laid = () if counters is None else self._counters(counters, pf, verb)
        return Place(self.line.number, pf, area, from_home=verb == "FROM", counters=laid)

    def _counters(self, said: str, pf: int, verb: str) -> tuple[int, ...]:
        """The counters after AS, which must come to the PFs of the line: nothing is guessed."""
        found = [whole_number(part) for part in said.split("+")]
        counters = [one for one in found if one in VALUES]
        if len(counters) < len(found):
            raise Unreadable("after AS stand counters of 1, 3, 5 and 10, joined by +", FACE_DOWN_FORMS[verb])
        if sum(counters) != pf:
            line = pf if pf < 10**9 else "more"
            said = f"{_short(written(counters))} comes to {sum(counters)} PFs, and the line places {line}"
            raise Unreadable(said, FACE_DOWN_FORMS[verb])
        return in_order(counters)

    def _blanks(self) -> Blanks:
        if not self.face_down:
            raise Unreadable("counters do not lie face down in this game, so there are no blanks", FORMS["PLACE"])
        number = whole_number(self.words[1]) if len(self.words) > 1 else None
        if number is None:
            raise Unreadable(f"a whole number from 1 to {BLANKS_A_TURN} must follow", FACE_DOWN_FORMS["BLANKS"])
        self.at = 2
        return Blanks(self.line.number, number, self._area(self._rest()))

    def _lose_first(self) -> LoseFirst:
        if not self.owner_says:
            raise Unreadable("what a partial loss takes first is the same for everybody in this game, so no order says it")
        if not (self._key_word("understanding") and self._key_word("first")):
            raise Unreadable("UNDERSTANDING FIRST and an area, or ALL, must follow", LOSS_FORMS["LOSE"])
        said = self._rest()
        if [word.casefold() for word in said] == ["all"]:
            return LoseFirst(self.line.number)
        return LoseFirst(self.line.number, self._area(said))

    def _nation(self, said: list[str]) -> str:
        return self._name(said, self.card.nation_names)

    def _name(self, said: list[str], names: Vocabulary) -> str:
        text = " ".join(said)
        if not text:
            raise Unreadable(f"the name of {'an' if names.noun == 'area' else 'a'} {names.noun} is missing", self._form())
        try:
            return names.find(text)
        except NameFault as fault:
            instead = ""
            if fault.near and not fault.ambiguous:
                # Names follow a blank, a colon or a comma: "At" in ATTACK is not what is to be put right.
                instead = re.sub(r"(?<=[\s:,])" + r"\s+".join(map(re.escape, said)), fault.near[0], self.line.text, count=1)
            raise Unreadable(_short(str(fault)), near=instead) from fault

    def _attack(self) -> Attack:
        if ":" not in self.words:
            raise Unreadable("a colon must stand between the area and whoever is attacked", FORMS["ATTACK"])
        colon = self.words.index(":")
        area_words = self.words[1:colon]
        self.at = colon + 1
        area = self._area(area_words)
        targets = self._nations()
        stocks: tuple[str, ...] = ()
        otherwise: tuple[str, ...] = ()
        minimum: int | None = None
        seen: set[str] = set()
        while self.at < len(self.words):
            ending = self.words[self.at].casefold()  # a list of nations ends only at one of the three
            self.at += 1
            if ending in seen:
                raise Unreadable(f"{ending.upper()} stands there twice", FORMS["ATTACK"])
            seen.add(ending)
            if ending == "stock":
                stocks = self._stocks()
            elif ending == "else":
                otherwise = self._nations()
            elif ending == "min":
                minimum = self._minimum()
            else:
                said = _short(self.words[self.at - 1])
                raise Unreadable(f"“{said}” is none of STOCK, ELSE and MIN", FORMS["ATTACK"])
        return Attack(self.line.number, area, targets, stocks, otherwise, minimum)

    def _nations(self) -> tuple[str, ...]:
        """A list with commas. The first word of each name is a name whatever it spells; later ones may end the list."""
        found: list[str] = []
        while True:
            name = self.words[self.at : self.at + 1]
            self.at += 1
            if name == [","]:
                name = []
            else:
                while self.at < len(self.words) and self.words[self.at] != "," and self.words[self.at].casefold() not in _ENDINGS:
                    name.append(self.words[self.at])
                    self.at += 1
            found.append(self._nation(name))
            if not self._key_word(","):
                return tuple(dict.fromkeys(found))

    def _stocks(self) -> tuple[str, ...]:
        """Stocks with strokes. What follows STOCK or a stroke is a stock even where it spells MIN or ELSE."""
        found: list[str] = []
        while True:
            word = self.words[self.at] if self.at < len(self.words) else ""
            if not is_stock(word):
                said = f"“{_short(word)}” is no stock" if word else "a stock is missing"
                raise Unreadable(f"{said}: a letter and up to seven more letters, digits, full stops or hyphens", FORMS["ATTACK"])
            self.at += 1
            found.append(word.upper())
            if not self._key_word("/"):
                break
        if len(found) > STOCKS_A_LINE:
            raise Unreadable(f"a line names {STOCKS_A_LINE} stocks at most", FORMS["ATTACK"] + "/IBM/F")
        return tuple(found)

    def _minimum(self) -> int:
        match = _MINIMUM.fullmatch(self.words[self.at]) if self.at < len(self.words) else None
        if match is None:
            raise Unreadable("MIN takes odds from 1-1 to 5-1", FORMS["ATTACK"] + " MIN 2-1")
        self.at += 1
        return int(match[1])

    def _share(self) -> Share:
        folded = [word.casefold() for word in self.words]
        if "with" not in folded[2:]:
            raise Unreadable("WITH and a nation are missing", FORMS["SHARE"])
        middle = folded.index("with", 2)
        area_words, self.at = self.words[1:middle], middle + 1
        area = self._area(area_words)
        return Share(self.line.number, area, self._nation(self._rest()))

    # Saying what would have been read.

    def _form(self) -> str:
        first = self.words[0].upper()
        return FORMS.get(first) or LOSS_FORMS.get(first) or (FACE_DOWN_FORMS["BLANKS"] if first == "BLANKS" else "")

    def _no_verb(self, verb: str) -> Unreadable:
        if verb.upper() in FORMS:
            return Unreadable(f"an order with {verb.upper()} is written otherwise", FORMS[verb.upper()])
        # PLACE4 and other words that have grown together begin with what was meant.
        forms = {
            **FORMS,
            **({"BLANKS": FACE_DOWN_FORMS["BLANKS"]} if self.face_down else {}),
            **(LOSS_FORMS if self.owner_says else {}),
        }
        near = [key for key in forms if verb.startswith(key.casefold())]
        near += get_close_matches(verb[:20].upper(), list(forms), n=1, cutoff=0.6)
        said = f"no order begins with “{_short(self.words[0])}”"
        if near:
            return Unreadable(said, forms[near[0]], near=self._put_right(near[0]))
        return Unreadable(f"{said}; orders begin with {', '.join(forms)}")

    def _put_right(self, key: str) -> str:
        """The line with its first word put right, if it could be read then: PLACE4 Poland is PLACE 4 Poland."""
        first, rest = self.words[0], self.line.text[len(self.words[0]) :]
        grown = first[len(key) :] if first.casefold().startswith(key.casefold()) else ""
        mended = f"{key} {grown}{rest}" if grown else f"{key}{rest}"
        try:
            read_line(self.line._replace(text=mended), self.card, self.face_down, self.owner_says)
        except Unreadable:
            return ""
        return mended


def _short(said: str) -> str:
    return said if len(said) <= 200 else said[:199] + "…"


def unreadable_sentence(line: Line, fault: Unreadable) -> str:
    """The one sentence that a player gets for a line that is no order: the line, what is wrong, the nearest reading."""
    said = f"{quoted(line)} cannot be read: {fault}"
    if fault.near:
        return f"{said}; the nearest reading is “{fault.near}”."
    return f"{said}; write it as in “{fault.form}”." if fault.form else f"{said}."
