"""What letters and pages say beyond events: dice that will be thrown, tables that were looked up,
lines in a player's own words, samples.

Everything is said of what a reader may know: dice owed are public, the printed tables are, and a
player's lines are shown to himself.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import Json
from ..names import any_of
from . import dice, mediterranean
from .calendar import label
from .card import ABORTED, ELIMINATED, LANDED
from .checking import orders_of, read
from .operators import operates
from .orders import FORMS, FREE, PASS
from .state import DIPLOMACY, ORDERS, Request, State

#: The words with which an order line begins that is no free text.
VERBS = (*FORMS, PASS)
_CAME = {
    LANDED: "it lands safely",
    ABORTED: "it goes back and can do nothing more this Game-Turn",
    ELIMINATED: "it is lost",
}
#: Two places for samples of order lines, at home and by sea; places on the map are words, and
# nothing rests on them.
_PLACES = {
    "Italy": ("Rome", "Milan", "Tripoli"),
    "France": ("Paris", "Metz", "Algiers"),
    "USSR": ("Moscow", "Minsk", "Odessa"),
    "USA": ("London", "Plymouth", "Casablanca"),
    "Britain": ("London", "Plymouth", "Alexandria"),
    "Germany": ("Berlin", "Königsberg", "Helsinki"),
}


def owed(state: State) -> tuple[str, ...]:
    """What dice will be thrown for next, in the order in which they are read: known to all before
    the session that decides them (0.1)."""
    return tuple(_capital(dice.in_words(state, one)) for one in state.owed)


def tables_used(state: State, events: Sequence[Json]) -> tuple[str, ...]:
    """The tables by which dice were read in a phase that began with `state`, each once, in the
    words of the chart (6.53, 7.14, 18.1)."""
    kinds = [event["kind"] for event in events]
    said = [_mediterranean(state)] if "mediterranean" in kinds else []
    american = [one for one in state.owed if one.purpose in (dice.US_ENTRY, dice.US_SPECIAL)]
    said += [_row(state, one) for one in american[: kinds.count("us_entry")]]
    if any(event["kind"] == "contest" and event.get("dice") for event in events):
        said.append(
            "Equal stacks (7.14): the higher die moves the other unit one hex; a tie is thrown"
            " again."
        )
    return tuple(said)


def _mediterranean(state: State) -> str:
    """ "on 1, 2 or 3 it lands safely; ..." """
    faces: dict[str, list[str]] = {}
    for face, came in sorted(state.card.mediterranean.items()):
        faces.setdefault(came, []).append(str(face))
    rows = "; ".join(f"on {any_of(found)} {_CAME[came]}" for came, found in faces.items())
    return (
        "Mediterranean table (6.53), a die for each Strength Point of transport hostile to"
        f" {mediterranean.ITALY}: {rows}."
    )


def _row(state: State, request: Request) -> str:
    order = "in either order" if state.options["spi.us_dice"] == "either_order" else "in this order"
    if request.purpose == dice.US_SPECIAL:
        special = next(
            one for one in state.card.us.specials if one.country == request.about["country"]
        )
        entry = min(state.turn + special.delay, state.card.us.automatic)
        what, first, second = f"German invasion of {special.country}", special.first, special.second
    else:
        row = next(one for one in state.card.us.rows if one.turn == request.about["turn"])
        entry, what, first, second = row.entry, label(state.card, row.turn), row.first, row.second
    return (
        f"American intervention (18.1), row “{what}”: a first die of {_range(first)} and a second"
        f" of {_range(second)}, {order}, bring the USA in on {label(state.card, entry)}."
    )


def _range(ends: tuple[int, int]) -> str:
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def own_words(state: State, power: str, text: str) -> tuple[int, ...]:
    """The numbers of the lines that are free text for the gamesmaster: the ledger cannot follow
    them, and he judges what they mean."""
    return tuple(order.line for order in orders_of(text, power, state) if order.core.verb == FREE)


def samples(state: State, power: str) -> tuple[str, ...]:
    """Lines for the map that would be taken as they stand: where orders are written, lists of
    choices show no example of them."""
    if state.step != ORDERS or power not in _PLACES:
        return ()
    home, other, far = _PLACES[power]
    foe = next(one for one in ("Germany", "France") if one != power)
    found = [
        f"MOVE 2 SP {home} TO {other}",
        f"RAIL 1 SP {other} TO {home}",
        f"SEA 1 SP {home} TO {far}",
        f"IF {foe} INVADES Poland THEN MOVE 1 SP {home} TO {other}",
    ]
    found += [
        f"MINOR {minor}: MOVE 1 SP to the border"
        for minor in state.card.areas
        if operates(state, power, minor)
    ]
    found.append("All other units stay where they are, and no unit retreats from a town.")
    warned = {remark.line for remark in read("\n".join(found), power, state).remarks}
    sound = [line for number, line in enumerate(found, start=1) if number not in warned]
    minors = [line for line in sound if line.startswith("MINOR")]
    return tuple(line for line in sound if line not in minors[1:])


def instructions(state: State) -> tuple[str, ...]:
    """How the lines of a phase are written, for whoever has nothing but letters."""
    if state.step == DIPLOMACY:
        said = [
            (
                "Make binding agreements now: ALLY and PEACE (the other side must agree), GRANT,"
                " REVOKE, DECLARE WAR ON and UNALLY."
            ),
            (
                "An offer stands until the Game-Turn ends. Only the power that you make it to sees"
                " it."
            ),
            (
                "Orders for the map are due in the next phase. A line in any other form goes to the"
                " gamesmaster unchanged."
            ),
        ]
        if state.turn == 1 and state.version != 6:
            said.append(
                "If you play two powers, you may combine their columns in secret with lines such as"
                " BLEND Poland Germany (19.2)."
            )
        return tuple(said)
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


def granted(state: State, power: str) -> tuple[str, ...]:
    """What a power allows others, and what they allow it, in sentences: "You allow USA: supply in
    Britain, base in Britain."
    """
    given: dict[str, list[str]] = {}
    got: dict[str, list[str]] = {}
    for one in state.grants:
        if one.by == power:
            given.setdefault(one.to, []).append(_what(one.kind, one.place))
        if one.to == power:
            got.setdefault(one.by, []).append(_what(one.kind, one.place))
    said = [f"You allow {other}: {', '.join(what)}." for other, what in given.items()]
    return (*said, *(f"{other} allows you: {', '.join(what)}." for other, what in got.items()))


def _what(kind: str, place: str) -> str:
    return f"{kind.replace('_', '-')}{f' in {place}' if place else ''}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
