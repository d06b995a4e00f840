"""Offer the lines of a referee report as forms.

A page lets the gamesmaster choose from lists; the form turns the choices into a line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .card import Card
from .report import FORMS as EXAMPLES
from .state import State

POWER, COUNTRY, ANYBODY, NUMBER, WORDS = "power", "country", "power or nobody", "number", "words"
#: Labels of fields on a page, where the name alone would not be clear.
_LABELS = {
    "sp": "Strength Points",
    "supplied": "of them in supply",
    "all": "in all",
    "held": "held",
    "hostile": "under hostile control",
    "a": "one side",
    "b": "the other",
    "x": "its points",
    "y": "its points",
    "on": "since now",
    "met": "the rule is",
    "naval": "naval",
    "amphibious": "amphibious",
    "lapses": "lapses",
    "rate": "points",
    "number": "how many",
    "purpose": "what for",
    "place": "where",
    "origin": "from",
    "to": "to",
    "via": "through",
    "using": "transport of",
    "order": "then",
    "condition": "if",
    "with": "together with",
    "against": "against",
}
#: Headings of a page and their forms, in this order. Forms not listed here go under the last.
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "What happened on the map",
        ("INVASION", "ENTRY", "COMBAT", "PEACE", "DESTROYED", "CLEARED", "SWEPT"),
    ),
    ("Forces, hexes and control", ("FORCES", "CENTRES", "HEXES", "CONTROLLER", "OPERATOR")),
    ("War and supply", ("AFRICA", "ITALY", "WAR", "GARRISON", "USA")),
    ("Tracks and points", ("TRACK", "DUE", "USED", "RATE", "RESOURCES")),
    ("Dice and notes", ("DICE", "CONTEST", "NOTE")),
)


@dataclass(frozen=True)
class Field:
    """One field of a form.

    `before` precedes its value in the line. An empty optional field adds neither to the line.
    """

    name: str
    kind: str  # POWER, COUNTRY, ANYBODY, NUMBER, WORDS, or "one of" with `among`
    before: str = " "
    optional: bool = False
    among: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return _LABELS.get(self.name, self.name)

    def choices(self, card: Card) -> tuple[str, ...]:
        """Return the values to choose from; () for a number or words."""
        if self.kind == POWER:
            return card.order
        if self.kind == COUNTRY:
            return card.areas
        return (*card.order, *self.among) if self.kind == ANYBODY else self.among


@dataclass(frozen=True)
class Form:
    """One kind of line. `says` is the text for the gamesmaster: "A power has invaded a country"."""

    verb: str
    says: str
    fields: tuple[Field, ...] = ()
    after: str = ""

    @property
    def example(self) -> str:
        """A line of this form, "INVASION Germany Poland"; "" if reports have no such line."""
        return EXAMPLES.get(self.verb, "")

    @property
    def group(self) -> str:
        return next((heading for heading, verbs in GROUPS if self.verb in verbs), GROUPS[-1][0])

    def with_lists(self, card: Card) -> Form:
        """Return the form with its lists written out, for use without a card."""
        return replace(
            self, fields=tuple(replace(field, among=field.choices(card)) for field in self.fields)
        )

    def line(self, values: Mapping[str, str]) -> str:
        """Return the line of a report with these values.

        The values are not checked; `report.read_line` does that.
        """
        line = self.verb
        for field in self.fields:
            value = " ".join(values.get(field.name, "").split())
            if value or not field.optional:
                line += f"{field.before}{value}"
        return line + self.after


def _choice_field(name: str, *among: str, before: str = " ", optional: bool = False) -> Field:
    return Field(name, "one of", before, optional, among)


_POWER, _COUNTRY = Field("power", POWER), Field("country", COUNTRY)
_SP, _SUPPLIED = Field("sp", NUMBER), Field("supplied", NUMBER, " SUPPLIED ", optional=True)
_OF_ALL = Field("all", NUMBER, " OF ", optional=True)  # required once, then remembered
_KIND = _choice_field("kind", "REPLACEMENT", "REINFORCEMENT")
_REASON = Field("reason", WORDS, ": ", optional=True)

FORMS: tuple[Form, ...] = (
    Form("INVASION", "A power has invaded a country", (_POWER, _COUNTRY)),
    Form("ENTRY", "Units have entered a country without invading it", (_POWER, _COUNTRY)),
    Form(
        "COMBAT", "Units of two countries have fought", (Field("a", COUNTRY), Field("b", COUNTRY))
    ),
    Form("PEACE", "Two countries have made peace", (Field("a", COUNTRY), Field("b", COUNTRY))),
    Form(
        "DESTROYED",
        "A country's army is completely destroyed",
        (_COUNTRY, Field("power", POWER, " BY ")),
    ),
    Form("CLEARED", "A power has driven all hostile forces out of a country", (_COUNTRY, _POWER)),
    Form("SWEPT", "A power has passed through or held every hex of a country", (_COUNTRY, _POWER)),
    Form("FORCES", "What a power has in a country", (_COUNTRY, _POWER, _SP, _SUPPLIED)),
    Form(
        "AFRICA",
        "Whether an Italian Strength Point is in supply in Africa",
        (_choice_field("on", "ON", "OFF"),),
    ),
    Form("ITALY", "Italy has become an active belligerent", after=" ENTERS"),
    Form(
        "WAR",
        "A Limited or Full War of the USSR",
        (_choice_field("level", "LIMITED", "FULL", before=" LEVEL "),),
    ),
    Form(
        "GARRISON",
        "A power meets or fails the garrison rule",
        (_POWER, _choice_field("met", "FAILED", "MET")),
    ),
    Form(
        "CENTRES",
        "Resource centers that a power holds in a country",
        (_COUNTRY, _POWER, Field("held", NUMBER), _OF_ALL),
    ),
    Form(
        "HEXES",
        "Hexes of a home country under hostile control",
        (_POWER, Field("all", NUMBER, optional=True), Field("hostile", NUMBER, " HOSTILE ")),
    ),
    Form(
        "CONTROLLER",
        "Who controls a country",
        (_COUNTRY, Field("power", ANYBODY, among=("NOBODY", "PROPOSED")), _REASON),
    ),
    Form(
        "OPERATOR",
        "Who operates a country's army",
        (_COUNTRY, Field("power", ANYBODY, among=("GM", "PROPOSED")), _REASON),
    ),
    Form(
        "TRACK",
        "Allied sea transport of a turn",
        (
            Field("turn", NUMBER, optional=True),
            Field("naval", NUMBER, " NAVAL "),
            Field("amphibious", NUMBER, " AMPHIBIOUS "),
        ),
    ),
    Form(
        "DUE",
        "Points fall due by the base game's tracks",
        (
            _POWER,
            _KIND,
            Field("points", NUMBER),
            _choice_field("lapses", "LAPSES", optional=True),
            _REASON,
        ),
    ),
    Form("USED", "Points have been taken", (_POWER, _KIND, Field("points", NUMBER))),
    Form("RATE", "The full German rate of this turn", (Field("rate", NUMBER),)),
    Form(
        "RESOURCES",
        "Points from Russian resources at the end of the Game-Turn",
        (Field("points", NUMBER),),
    ),
    Form("USA", "The USA enters by the base game's schedule", after=" ENTERS"),
    Form(
        "DICE",
        "Dice for a purpose",
        (
            Field("number", NUMBER),
            Field("power", POWER, " OF ", optional=True),
            Field("purpose", WORDS, " FOR "),
        ),
    ),
    Form(
        "CONTEST",
        "One nationality attacks another in a stack",
        (
            Field("a", POWER),
            Field("x", NUMBER),
            Field("b", POWER),
            Field("y", NUMBER),
            Field("place", WORDS, " IN ", optional=True),
        ),
    ),
    Form("NOTE", "A note to everybody", (Field("words", WORDS),)),
)

#: The ruling on one order line. A page fills in power and line for each line without a ruling.
RULING = Form(
    "LINE",
    "Your ruling on an order",
    (
        _POWER,
        Field("line", NUMBER),
        _choice_field("ruling", "DONE", "CHANGED", "VOID"),
        Field("sp", NUMBER, optional=True),
        _choice_field("med", "VIA MED", optional=True),
        _choice_field("private", "PRIVATE", optional=True),
        _REASON,
    ),
)


def ruling(power: str, line: int, ruled: str, sp: int | None = None, reason: str = "") -> str:
    """Return the line of a report that rules on an order line."""
    points = "" if sp is None else f"{sp} SP"
    return RULING.line(
        {"power": power, "line": str(line), "ruling": ruled.upper(), "sp": points, "reason": reason}
    )


def applicable_forms(state: State) -> Sequence[Form]:
    """Return the forms that apply in this game.

    With six players Italy has no entry. The USA enters by hand only under "base_schedule";
    otherwise dice decide. Russian resources (4.2) and entries without an invasion (12.1) are
    reported only as printed.
    """
    without = {"ITALY"} if state.players_count == 6 else set()
    if state.options["spi.us_entry"] != "base_schedule":
        without.add("USA")
    if not state.printed:
        without |= {"RESOURCES", "ENTRY"}
    return tuple(form for form in FORMS if form.verb not in without)
