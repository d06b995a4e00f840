"""Text for letters and pages besides events: dice to come, tables used, free text, samples.

Readers see only what they may know: dice owed and printed tables are public, and players read only
their own lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.rules import Json
from games.rules.names import all_of, any_of

from . import dice, mediterranean
from .calendar import label
from .card import ABORTED, ELIMINATED, LANDED
from .checking import orders_of, read
from .operators import operates
from .orders import FREE
from .state import DIPLOMACY, ORDERS, Request, State

_CAME = {
    LANDED: "it lands safely",
    ABORTED: "it goes back and can do nothing more this Game-Turn",
    ELIMINATED: "it is lost",
}
#: Places for samples of order lines: two at home and one by sea. The rules do not check places.
_PLACES = {
    "Italy": ("Rome", "Milan", "Tripoli"),
    "France": ("Paris", "Metz", "Algiers"),
    "USSR": ("Moscow", "Minsk", "Odessa"),
    "USA": ("London", "Plymouth", "Casablanca"),
    "Britain": ("London", "Plymouth", "Alexandria"),
    "Germany": ("Berlin", "Königsberg", "Helsinki"),
}


def pending_dice(state: State) -> tuple[str, ...]:
    """Return what dice will be thrown for next, in the order in which they are read.

    This is public before the session that decides them (0.1).
    """
    return tuple(_capital(dice.describe_request(state, request)) for request in state.owed)


def tables_used(state: State, events: Sequence[Json]) -> tuple[str, ...]:
    """Return the tables that dice were read by, each once, in the chart's words (6.53, 7.14, 18.1).

    `events` are those of a phase that began with `state`.
    """
    kinds = [event["kind"] for event in events]
    sentences = [_mediterranean(state)] if "mediterranean" in kinds else []
    american = [
        request for request in state.owed if request.purpose in (dice.US_ENTRY, dice.US_SPECIAL)
    ]
    sentences += [_row(state, request) for request in american[: kinds.count("us_entry")]]
    if any(event["kind"] == "contest" and event.get("dice") for event in events):
        sentences.append(
            "Equal stacks (7.14): the higher die moves the other unit one hex; ties are thrown"
            " again."
        )
    return tuple(sentences)


def _mediterranean(state: State) -> str:
    """Return the Mediterranean table, "on 1, 2 or 3 it lands safely; ...", as a sentence."""
    faces: dict[str, list[str]] = {}
    for face, outcome in sorted(state.card.mediterranean.items()):
        faces.setdefault(outcome, []).append(str(face))
    rows = "; ".join(
        f"on {any_of(matching)} {_CAME[outcome]}" for outcome, matching in faces.items()
    )
    return (
        "Mediterranean table (6.53), a die for each Strength Point of transport hostile to"
        f" {mediterranean.ITALY}: {rows}."
    )


def _row(state: State, request: Request) -> str:
    order = "in either order" if state.options["spi.us_dice"] == "either_order" else "in this order"
    if request.purpose == dice.US_SPECIAL:
        special = next(
            candidate
            for candidate in state.card.us.specials
            if candidate.country == request.about["country"]
        )
        entry = min(state.turn + special.delay, state.card.us.automatic)
        name, first, second = f"German invasion of {special.country}", special.first, special.second
    else:
        row = next(
            candidate for candidate in state.card.us.rows if candidate.turn == request.about["turn"]
        )
        entry, name, first, second = row.entry, label(state.card, row.turn), row.first, row.second
    return (
        f"American intervention (18.1), row “{name}”: a first die of {_range(first)} and a second"
        f" of {_range(second)}, {order}, bring the USA into the war in {label(state.card, entry)}."
    )


def _range(ends: tuple[int, int]) -> str:
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def own_words(state: State, power: str, text: str) -> tuple[int, ...]:
    """Return the numbers of free-text lines. Only the gamesmaster can judge their meaning."""
    return tuple(order.line for order in orders_of(text, power, state) if order.core.verb == FREE)


def samples(state: State, power: str) -> tuple[str, ...]:
    """Return lines for the map that would be accepted, because lists of choices show none."""
    if state.step != ORDERS or power not in _PLACES:
        return ()
    home, other, far = _PLACES[power]
    foe = next(country for country in ("Germany", "France") if country != power)
    lines = [
        f"MOVE 2 SP {home} TO {other}",
        f"RAIL 1 SP {other} TO {home}",
        f"SEA 1 SP {home} TO {far}",
        f"IF {foe} INVADES Poland THEN MOVE 1 SP {home} TO {other}",
    ]
    lines += [
        f"MINOR {minor}: MOVE 1 SP to the border"
        for minor in state.card.areas
        if operates(state, power, minor)
    ]
    lines.append("All other units stay where they are, and no unit retreats from a town.")
    warned = {remark.line for remark in read("\n".join(lines), power, state).remarks}
    sound = [line for number, line in enumerate(lines, start=1) if number not in warned]
    minors = [line for line in sound if line.startswith("MINOR")]
    return tuple(line for line in sound if line not in minors[1:])


def instructions(state: State) -> tuple[str, ...]:
    """Return how to write the lines of a phase, for people who only have letters."""
    if state.step == DIPLOMACY:
        sentences = [
            (
                "Make binding agreements now: ALLY and PEACE (the other side must agree), GRANT,"
                " REVOKE, DECLARE WAR ON and UNALLY."
            ),
            (
                "An offer stands until the Game-Turn ends. Only the power that you make it to sees"
                " it."
            ),
            "Orders for the map, also in your own words, are due in the next phase.",
        ]
        if state.turn == 1 and state.players_count != 6:
            sentences.append(
                "If you play two powers, you may combine their columns in secret with lines such as"
                " BLEND Poland Germany (19.2)."
            )
        return tuple(sentences)
    if state.step == ORDERS:
        return (
            (
                "Write what your forces should do, in the forms shown or in your own words. The"
                " gamesmaster reads and judges lines in your own words."
            ),
            (
                "IF … THEN … makes an order wait for a condition. The service checks the conditions"
                " that it can follow."
            ),
            (
                "You may also write agreements (ALLY, PEACE, GRANT and so on) here. They take"
                " effect before any unit moves."
            ),
        )
    return ()


def describe_grants(state: State, power: str) -> tuple[str, ...]:
    """Return in sentences what a power allows others and what they allow it.

    "You allow USA supply in Britain and a base in Britain."
    """
    allowed: dict[str, list[str]] = {}
    received: dict[str, list[str]] = {}
    for grant in state.grants:
        if grant.by == power:
            allowed.setdefault(grant.to, []).append(_permission_words(grant.kind, grant.place))
        if grant.to == power:
            received.setdefault(grant.by, []).append(_permission_words(grant.kind, grant.place))
    sentences = [
        f"You allow {other} {all_of(permissions)}." for other, permissions in allowed.items()
    ]
    return (
        *sentences,
        *(f"{other} allows you {all_of(permissions)}." for other, permissions in received.items()),
    )


def _permission_words(kind: str, place: str) -> str:
    name = "a base" if kind == "base" else kind.replace("_", "-")
    return f"{name}{f' in {place}' if place else ''}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
