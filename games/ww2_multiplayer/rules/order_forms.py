"""Offer order lines as forms: players choose from lists and fill in blanks (Rules B.8).

They complement the choices, which need no blanks, and cover the lines that the service reads
(`orders.py`); players write everything else in their own words. A combined column is a form too,
with a row for each country that one of the two powers scores for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .card import CONTROL, Aim
from .columns import column, column_power, has_two
from .orders import FORMS
from .players import player_of, powers_of
from .report_forms import COUNTRY, NUMBER, POWER, WORDS, Field, Form
from .state import DIPLOMACY, ORDERS, State

_SP = Field("sp", NUMBER)
_KINDS = Field("kind", "one of", among=("SUPPLY", "TRANSIT", "BASE", "LEND-LEASE", "TRANSPORT"))
_PLACE = Field("place", WORDS, " IN ", optional=True)
_SEAS = Field("via", "one of", " VIA ", optional=True, among=("MED", "BALTIC", "ATLANTIC"))
_USING = Field("using", POWER, " USING ", optional=True)
_FROM, _TO = Field("origin", WORDS, " SP "), Field("to", WORDS, " TO ")

#: For every phase with orders.
_BINDING: tuple[Form, ...] = (
    Form("GRANT", "Give another power permission", (_KINDS, Field("power", POWER, " TO "), _PLACE)),
    Form("REVOKE", "Take a permission back", (_KINDS, Field("power", POWER, " FROM "), _PLACE)),
)
_MED = Form(
    "MED",
    "Apply the Mediterranean rule",
    (
        Field("on", "one of", among=("ON", "OFF")),
        Field("against", WORDS, " AGAINST ", optional=True),
    ),
)
#: For the map.
_MAP: tuple[Form, ...] = (
    Form("MOVE", "Move by land", (_SP, _FROM, _TO)),
    Form("RAIL", "Move by rail", (_SP, _FROM, _TO)),
    Form(
        "ATTACK",
        "Attack",
        (
            Field("place", WORDS),
            Field("country", COUNTRY, " IN ", optional=True),
            Field("with", POWER, " WITH ", optional=True),
        ),
    ),
    Form("SEA", "Move by sea", (_SP, _FROM, _TO, _SEAS, _USING)),
    Form("AMPHIB", "Land from the sea", (_SP, _FROM, _TO, _SEAS, _USING)),
    Form("BUILD", "Bring in reinforcements", (_SP, Field("place", WORDS, " SP "))),
    Form("REPLACE", "Bring in replacements", (_SP, Field("place", WORDS, " SP "))),
    Form("AIRDROP", "Drop from the air", (_SP, _FROM, _TO)),
    Form("INVADE", "Announce an invasion", (Field("country", COUNTRY),)),
    Form(
        "MINOR",
        "For a minor country that you operate",
        (Field("country", COUNTRY), Field("order", WORDS, ": ")),
    ),
    Form(
        "IF",
        "Only if a condition is met",
        (Field("condition", WORDS), Field("order", WORDS, " THEN ")),
    ),
)


@dataclass(frozen=True)
class Blend:
    """A country in a combined column.

    `entries` has what each of the two powers is paid for it, as "C3", and the line that takes it.
    """

    country: str
    entries: tuple[tuple[str, str, int, str], ...]  # power, "C3", points, "BLEND Poland Germany"


@dataclass(frozen=True)
class Column:
    """A column to be combined from two: its rows, and the most points it may have.

    `both`: both entries of a country may be taken. `without`: the line for the printed column.
    """

    powers: tuple[str, ...]
    printed: str
    rows: tuple[Blend, ...]
    most: int
    both: bool
    without: str = FORMS["COLUMN"]


@dataclass(frozen=True)
class OrderForms:
    """The forms of the order page.

    `standing`: the nation's instructions that hold from turn to turn, in sentences.
    """

    forms: tuple[Form, ...]
    column: Column | None
    standing: tuple[str, ...]


def order_forms(state: State, power: str) -> OrderForms:
    """Return the forms for a power. `state` is the position as the power sees it."""
    if state.step not in (DIPLOMACY, ORDERS):
        return OrderForms((), None, ())
    own_powers = powers_of(state, player_of(state, power))
    forms = [
        *_BINDING,
        *([_MED] if power == "Italy" and state.players_count == 6 else []),
        *(_MAP if state.step == ORDERS else ()),
    ]
    others = tuple(name for name in state.card.order if name not in own_powers)
    # Permissions go to other powers; transport may be the power's own.
    filled = tuple(
        replace(
            form, fields=tuple(_field(field, form.verb, others, state) for field in form.fields)
        )
        for form in forms
    )
    return OrderForms(filled, _column(state, power), _standing(state, power))


def _field(field: Field, verb: str, others: tuple[str, ...], state: State) -> Field:
    to_others = field.kind == POWER and verb in ("GRANT", "REVOKE", "ATTACK")
    return replace(field, among=others if to_others else field.choices(state.card))


def _column(state: State, power: str) -> Column | None:
    """Return the combined column to fill in, or None.

    It is sent with the first diplomacy, by the seat of the two powers (19.2).
    """
    if (
        state.step != DIPLOMACY
        or state.turn != 1
        or power not in state.seats
        or not has_two(state, power)
    ):
        return None
    powers = powers_of(state, power)
    rows = []
    for country in state.card.areas:
        entries = tuple(
            (owner, str(aim), aim.points, f"BLEND {country} {owner}")
            for owner in powers
            if (aim := state.card.aim(owner, country)) is not None
        )
        if entries:
            rows.append(Blend(country, entries))
    limit, both = int(state.card.victory["column_limit"]), state.options["spi.blend"] == "any_mix"
    return Column(powers, column_power(state, power), tuple(rows), limit, both)


def _standing(state: State, power: str) -> tuple[str, ...]:
    """Return Italy's instruction (6.53), and a column that is already sealed."""
    sentences = []
    if power == "Italy" and state.players_count == 6:
        targets = f"transport of {', '.join(state.med)}" if state.med else "nobody"
        if state.med is None:
            applied = "it applies to every power that is hostile to you and not an ally"
            sentences.append(f"You have not chosen the Mediterranean rule: {applied}.")
        else:
            sentences.append(f"You apply the Mediterranean rule to {targets}.")
    if power in state.columns:
        entries = column(state, power)
        points = sum(entry.aim.points for entry in entries)
        listed = ", ".join(_entry(entry.country, entry.aim, entry.of) for entry in entries)
        sentences.append(f"Your secret column has {points} points: {listed}.")
    return tuple(sentences)


def _entry(country: str, aim: Aim, of: str) -> str:
    return f"{country} {'control' if aim.kind == CONTROL else 'normalized'} {aim.points} (of {of})"
