"""Fewer than five players (Rules C.2, N1-N7): draw who sends the orders of unheld nations.

One die per unheld nation and turn, before placements. The tables are copied as printed. Where
Britain is played in France's place, the two names are swapped throughout (N1).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from .. import Json, RulesError, event
from ..digits import DieThrow, Drawer, die_in_words
from ..names import all_of
from .state import State

NATIONS = frozenset({"France", "Germany", "Russia", "Britain", "USA"})
OUT = "USA"  # the nation left out under ow2.four_without_usa (N6)


@dataclass(frozen=True)
class Table:
    """One ally table. `rolls` lists the unheld nations in the order in which their dice are thrown,
    each with the faces on which each player gets it."""

    players: tuple[str, ...]
    rolls: tuple[tuple[str, Mapping[str, tuple[int, ...]]], ...]


#: Rules C.2, id=ow2_ally_tables.
PRINTED: tuple[Table, ...] = (
    Table(
        ("France", "Germany"),
        (
            ("USA", {"France": (1, 2, 3, 4), "Germany": (5, 6)}),
            ("Russia", {"France": (1, 2, 3, 4), "Germany": (5, 6)}),
            ("Britain", {"France": (1, 2, 3, 4, 5), "Germany": (6,)}),
        ),
    ),
    Table(
        ("France", "Germany", "Russia"),
        (
            ("USA", {"France": (1, 2, 3), "Germany": (4, 5), "Russia": (6,)}),
            ("Britain", {"France": (1, 2, 3), "Germany": (4,), "Russia": (5, 6)}),
        ),
    ),
    Table(
        ("France", "Britain", "Germany", "Russia"),
        (("USA", {"France": (1, 2), "Germany": (3,), "Russia": (4,), "Britain": (5, 6)}),),
    ),
)


def _exchange(table: Table) -> Table:
    """Return the table with Britain in France's place (N1)."""
    names = {"France": "Britain", "Britain": "France"}

    def other(nation: str) -> str:
        return names.get(nation, nation)

    rolls = tuple(
        (other(nation), {other(player): faces for player, faces in of.items()})
        for nation, of in table.rolls
    )
    return Table(tuple(other(player) for player in table.players), rolls)


TABLES: dict[frozenset[str], Table] = {
    frozenset(table.players): table
    for table in (*PRINTED, *(_exchange(table) for table in PRINTED if len(table.players) < 4))
}


def check_seats(order: Sequence[str], seats: Collection[str]) -> None:
    """Check that these nations can be played while all others have no player.

    Raise `RulesError`, one sentence, where no ally table fits.
    """
    played = frozenset(seats)
    if played == frozenset(order):
        return
    if frozenset(order) == NATIONS and played in TABLES:
        return
    nations = all_of([nation for nation in order if nation in played]) or "No nation"
    if frozenset(order) != NATIONS:
        why = "the printed ally tables do not have its nations, so every nation needs a player"
        raise RulesError(f"{nations} cannot play alone with this card: {why}.")
    four = "with three Russia besides, with four all but the USA"
    two = "with two it is Germany and France or Britain"
    raise RulesError(f"{nations} cannot play alone: {two}, {four}.")


def seats_of(named: object, order: Sequence[str]) -> tuple[str, ...]:
    """Return the held nations of a situation, in card order. Raise `RulesError` naming the key."""
    if not isinstance(named, list) or not all(nation in order for nation in named):
        raise RulesError(f"seats must be a list of nations of this card: {', '.join(order)}")
    try:
        check_seats(order, named)
    except RulesError as error:
        raise RulesError(f"seats: {error}") from error
    return tuple(nation for nation in order if nation in named)


def table_of(state: State) -> Table | None:
    """Return the ally table of this game; None where every nation in play is held."""
    return TABLES.get(frozenset(state.seats)) if state.unheld else None


def draw(state: State, drawer: Drawer, turn: int) -> tuple[State, list[Json]]:
    """Draw the controllers of a turn. Return the new state and an event for each die.

    Where no stock gives a die, nobody controls that nation this turn.
    """
    table = table_of(state)
    if table is None:
        return state, []
    drawn: dict[str, str] = {}
    events: list[Json] = []
    for nation, of in table.rolls:
        thrown = drawer.die()
        controller = next((player for player, faces in of.items() if thrown.value in faces), None)
        facts: Json = {"nation": nation, "turn": turn}
        if controller is None:
            facts |= {"reason": "no_digit", "rejected": thrown.rejected}
            sentence = f"Nobody plays {nation} in turn {turn}: no stock gave a die."
            events.append(event("ally_not_drawn", "C N2", sentence, **facts))
            continue
        drawn[nation] = controller
        facts = {"nation": nation, "controller": controller, "turn": turn, "die": thrown.value}
        facts |= {**deciding_digit(thrown), "rejected": thrown.rejected}
        die = f"die {thrown.value} ({die_in_words(thrown, state.options)})"
        sentence = f"{controller} plays {nation} in turn {turn}: {die}."
        events.append(event("ally_drawn", "C N2", sentence, **facts))
    controllers = {nation: drawn[nation] for nation in state.card.order if nation in drawn}
    return replace(state, controllers=controllers), events


def deciding_digit(thrown: DieThrow) -> Json:
    """Return the event fields of the digit that decided."""
    last = thrown.digits[-1]
    return {
        "stock": last.stock,
        "volume": last.volume,
        "digit": last.digit,
        **({"rolled": True} if last.rolled else {}),
    }


_DICE = {
    "reject": "a digit from 1 to 6 is the die; after any other digit the next stock is read",
    "two_digit": (
        "the last two digits of the sales in hundreds, up to 95, are divided by 6; the die is the"
        " remainder plus 1; from 96 on the next stock is read"
    ),
    "full_mod": ("the sales in hundreds are divided by 6; the die is the remainder plus 1"),
}


def draws(state: State) -> tuple[str, ...]:
    """Return one short sentence about who plays the unheld nations."""
    table = table_of(state)
    if table is None:
        return (f"{OUT} is not in this game; its area stays on the board.",) if state.out else ()
    rolls = []
    for nation, of in table.rolls:
        faces = (f"{player} on {_faces(on)}" for player, on in of.items())
        rolls.append(f"{nation}: {', '.join(faces)}")
    wins = "" if state.options["ow2.nonplayer_wins"] == "yes" else " It cannot win."
    return (
        f"A die decides each turn who sends the orders of a nation that nobody plays"
        f" ({'; '.join(rolls)}).{wins}",
    )


def _faces(on: Sequence[int]) -> str:
    """Return “1-4” for consecutive faces of a die."""
    return f"{min(on)}-{max(on)}" if len(on) > 1 else str(min(on))


def lots(state: State) -> tuple[str, ...]:
    """Return full sentences about the draw of unheld nations: when it takes place, how a die is
    computed, and the table."""
    out = f"{OUT} is not in this game; its area stays on the board." if state.out else ""
    table = table_of(state)
    if table is None:
        return (out,) if out else ()
    when = (
        "in a phase of its own before every turn"
        if state.options["ow2.ally_draw"] == "own_session"
        else (
            "in a phase of its own before turn 1, and with the report of the attacks before every"
            " later one"
        )
    )
    sentences = [
        (
            f"Nobody plays {all_of(list(state.unheld))}: one die for each decides which nation"
            f" sends its orders for a turn, with its own PFs and objectives. It is drawn {when}."
        ),
        (
            "A die comes from the reserve list, from the first stock that no attack has used:"
            f" {_DICE[state.options['rng.d6']]}."
        ),
    ]
    for nation, of in table.rolls:
        faces = (f"{player} on {_faces(on)}" for player, on in of.items())
        sentences.append(f"{nation}: {', '.join(faces)}.")
    can = state.options["ow2.nonplayer_wins"] == "yes"
    return (*sentences, f"A nation that nobody plays {'can' if can else 'cannot'} win.")
