"""The examples of the page that explains the rules. Positions stand here; every figure and sentence of a result is the engine's own."""

from __future__ import annotations

from typing import Any

from .. import Json, cards
from ..digits import digit_of_shares
from ..example import Example
from ..options import validate
from . import table
from .assaults import CHANCES
from .card import CONTROL, GAME, UNDERSTANDING, card_of
from .state import ATTACKS, PLACEMENT

#: One figure of sales for each digit, as a market report has it.
SOLD = 5_412_300
OPTIONS = {"rng.source": "stocks"}


def examples(rules: Any) -> tuple[Example, ...]:
    """In the order in which a turn goes. `rules` is the ruleset: it judges each."""
    return (
        _judged(rules, "placement", "Poland", PLACEMENT, {"Germany": ["PLACE 6 Poland"], "Russia": ["PLACE 4 Poland"]}, {}),
        _odds(rules),
        _judged(
            rules, "exchange", "Rumania", ATTACKS, {"France": ["ATTACK Rumania: Russia STOCK GE"]},
            {"Rumania": {"France": _cell(7), "Russia": _cell(3)}}, wanted="X",
        ),
        _judged(
            rules, "understanding", "Czechoslovakia", ATTACKS,
            {"France": ["UNDERSTANDING Czechoslovakia"], "Britain": ["UNDERSTANDING Czechoslovakia"]},
            {"Czechoslovakia": {"France": _cell(6), "Britain": _cell(5)}},
        ),
        _judged(
            rules, "control", "Austria", ATTACKS, {"Germany": ["CONTROL Austria"]}, {"Austria": {"Germany": _cell(7)}},
        ),
        _judged(
            rules, "share", "Rumania", ATTACKS, {"Russia": ["SHARE Rumania WITH Germany"], "Germany": ["SHARE Rumania WITH Russia"]},
            {"Rumania": {"Russia": _cell(5), "Germany": _cell(6)}},
        ),
        _judged(
            rules, "immunity", "Germany", ATTACKS, {"Germany": ["ATTACK Poland: Britain STOCK GE"]},
            {"Germany": {"Britain": _cell(0, True), "Germany": _cell(2)}, "Poland": {"Britain": _cell(2), "Germany": _cell(8)}},
        ),
    )  # fmt: skip


def card() -> Json:
    return cards.load(GAME, cards.names(GAME)[0])


def _cell(pf: int, understanding: bool = False) -> Json:
    return {"pf": pf, "understanding": understanding, "control": False}


def _odds(rules: Any) -> Example:
    """An attack with its chances, and all columns of the table beside it."""
    board = {"Poland": {"Germany": _cell(8), "Britain": _cell(3)}}
    found = _judged(rules, "odds", "Poland", ATTACKS, {"Germany": ["ATTACK Poland: Britain STOCK GE"]}, board)
    column = table.odds(8, 3)
    assert column is not None
    chances = [
        (f"{number}-1", *(round(100 * chance) for chance in (*CHANCES[number], 1 - sum(CHANCES[number]))))
        for number in range(1, table.BEST + 1)
    ]
    figures = {"attacker": 8, "defender": 3, "odds": f"{column}-1", "sold": f"{SOLD:,}", "digit": digit_of_shares(SOLD), "chances": chances}
    return Example(found.name, found.area, found.before, found.after, found.orders, found.told, figures)


def _judged(rules: Any, name: str, area: str, step: str, orders: dict[str, list[str]], board: dict[str, Json], wanted: str = "") -> Example:
    """`wanted`: the sales are such that the attack comes to this result."""
    tree, options = card(), validate(OPTIONS)
    state = rules.situation({"turn": 2, "phase": step, "board": board}, tree, options)
    sent = {nation: "\n".join(lines) for nation, lines in orders.items()}
    for digit in (digit_of_shares(SOLD), *range(10)):
        sold = SOLD // 1000 * 1000 + 100 * digit
        resolution = rules.resolve(state, sent, {"GE": sold}, ())
        if not wanted or any(event.get("result") == wanted for event in resolution.events):
            break
    sheet = card_of(tree)
    told = tuple(
        event["message"] for event in resolution.events if event["nation" if "nation" in event else "nations"] and _of(event, orders)
    )
    figures: dict[str, object] = {
        "points": [
            (nation, sheet.points(nation, area, UNDERSTANDING), sheet.points(nation, area, CONTROL))
            for nation in sheet.order
            if nation in orders
        ]
    }
    lines = tuple((nation, tuple(said)) for nation, said in orders.items())
    return Example(name, area, rules.board(state), rules.board(resolution.state), lines, told, figures)


def _of(event: Json, orders: dict[str, list[str]]) -> bool:
    """What those who order nothing in the example do of themselves is left out."""
    return any(nation in orders for nation in (event.get("nation"), *event.get("nations", ())))
