"""Boards of World War II Multi-Player: the first, a late one, one with all powers everywhere."""

from __future__ import annotations

from dataclasses import replace

from games.rules import Board, cards
from games.ww2_multiplayer.rules.ruleset import WW2MultiPlayer
from games.ww2_multiplayer.rules.state import Alliance, Force, Hostility, Invasion, State

GAME = "ww2-multiplayer"
CARD = cards.load(GAME, "standard")
AREAS, NATIONS = tuple(CARD["areas"]), tuple(CARD["order"])
RULES = WW2MultiPlayer()
SEATS = {6: NATIONS, 5: NATIONS[1:], 4: ("France", "USSR", "Britain", "Germany")}
#: A power and a country to which it is hostile.
_HOSTILE = (
    ("Germany", "Poland"),
    ("Germany", "France"),
    ("Germany", "Belgium"),
    ("Britain", "Germany"),
    ("Italy", "Egypt"),
    ("Italy", "Greece"),
    ("USSR", "Finland"),
)


def new_state(players: int = 6) -> State:
    return RULES.setup(CARD, {}, SEATS[players])


def late(players: int = 6) -> State:
    """Return spring 1940: fighting in Belgium and France, Italy in Egypt."""
    state = new_state(players)
    pairs = (("France", "Britain"), *((("Italy", "Germany"),) if players == 6 else ()))
    state = replace(
        state,
        hostile=tuple(Hostility(power, country, 2, "invaded it") for power, country in _HOSTILE),
        alliances=tuple(Alliance(a, b, 1) for a, b in pairs),
    )
    state = state.change_country(
        "Poland",
        invasions=(Invasion(1, "Germany"),),
        swept=("Germany",),
        cleared={"Germany": 1},
        destroyed_by="Germany",
        forces={"Germany": Force(9, 9)},
    )
    state = state.change_country(
        "Belgium", forces={"France": Force(2, 2), "Britain": Force(1, 1), "Germany": Force(3, 3)}
    )
    state = state.change_country(
        "France",
        forces={"France": Force(11, 11), "Germany": Force(8, 8)},
        hexes=30,
        hexes_hostile=16,
    )
    state = state.change_country(
        "Egypt",
        invasions=(Invasion(2, "Italy"),),
        forces={"Italy": Force(3, 1), "Britain": Force(4, 4)},
    )
    state = state.change_country("Greece", invasions=(Invasion(2, "Italy"),), operator="")
    return state.change_country("Finland", invasions=(Invasion(2, "USSR"),))


def crowded() -> State:
    """Put every power into every country, with two-digit numbers, hostile to all but its own."""
    state = new_state()
    for area in AREAS:
        state = state.change_country(
            area, forces={power: Force(20 + place, 18) for place, power in enumerate(NATIONS)}
        )
    return replace(
        state,
        hostile=tuple(
            Hostility(power, area, 1, "x") for power in NATIONS for area in AREAS if power != area
        ),
    )


def board(state: State) -> Board:
    return RULES.board(RULES.view(state, None))
