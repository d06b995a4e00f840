"""The examples of the rules page. Positions are written here; the engine computes every figure and
result.

Examples work with any card. They prefer the nations and areas of the printed card where it has them
and allows what is shown, and otherwise use the first that it allows. An example is left out where
no nation may do what it shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import Json, cards
from ..digits import digit_of_shares
from ..explaining import SOLD, Example, first, is_ordered, places, sales
from ..options import validate
from . import judging, seeing, situations, table
from .assaults import CHANCES
from .card import CONTROL, GAME, UNDERSTANDING, Card, card_of
from .state import ATTACKS, PLACEMENT

OPTIONS = {"rng.source": "stocks"}
#: A turn that is neither the first nor the last, if the card has enough turns.
USUAL_TURN = 2


def examples(tree: Json | None = None) -> tuple[Example, ...]:
    """Return the examples in the order of a turn. `tree` is the card; None means the printed
    one."""
    tree = card() if tree is None else tree
    scenario = card_of(tree)
    made = (
        _placement(tree, scenario),
        _odds(tree, scenario),
        _attack(tree, scenario, "exchange", "Rumania", ("France", "Russia"), (7, 3), wanted="X"),
        _understanding(tree, scenario),
        _control(tree, scenario),
        _share(tree, scenario),
        _immunity(tree, scenario),
    )
    return tuple(example for example in made if example is not None)


def _placement(tree: Json, scenario: Card) -> Example | None:
    turn = next(
        (
            turn
            for turn in _turns(scenario)
            if any(scenario.allocation[nation][turn - 1] for nation in scenario.order)
        ),
        None,
    )
    if turn is None:
        return None
    allowances = {
        nation: scenario.allocation[nation][turn - 1]
        for nation in first(scenario.order, "Germany", "Russia")
    }
    who = [nation for nation in allowances if allowances[nation]][:2]
    (area,) = _areas(scenario, "Poland", away=who)[:1]
    orders = {
        nation: [f"PLACE {min(most, allowances[nation])} {area}"]
        for nation, most in zip(who, (6, 4), strict=False)
    }
    return _judge(tree, "placement", area, PLACEMENT, orders, {}, turn=turn)


def _odds(tree: Json, scenario: Card) -> Example | None:
    """Return an attack with its chances, together with all columns of the table."""
    example = _attack(tree, scenario, "odds", "Poland", ("Germany", "Britain"), (8, 3))
    if example is None:
        return None
    column = table.odds(8, 3)
    assert column is not None
    chances = [
        (
            f"{number}-1",
            *(round(100 * chance) for chance in (*CHANCES[number], 1 - sum(CHANCES[number]))),
        )
        for number in range(1, table.BEST + 1)
    ]
    figures = {
        "attacker": 8,
        "defender": 3,
        "odds": f"{column}-1",
        "sold": f"{SOLD:,}",
        "digit": digit_of_shares(SOLD),
        "chances": chances,
    }
    return Example(
        example.name,
        example.area,
        example.before,
        example.after,
        example.orders,
        example.told,
        figures,
    )


def _attack(
    tree: Json,
    scenario: Card,
    name: str,
    area: str,
    who: tuple[str, str],
    pf: tuple[int, int],
    wanted: str = "",
) -> Example | None:
    if len(scenario.order) < 2:
        return None
    attacker, attacked = first(scenario.order, *who)[:2]
    (area,) = _areas(scenario, area, away=(attacker, attacked))[:1]
    board = {area: {attacker: _cell(pf[0]), attacked: _cell(pf[1])}}
    return _judge(
        tree,
        name,
        area,
        ATTACKS,
        {attacker: [f"ATTACK {area}: {attacked} STOCK GE"]},
        board,
        wanted=wanted,
    )


def _understanding(tree: Json, scenario: Card) -> Example | None:
    allowed = {
        area: _allowed_nations(scenario, area, UNDERSTANDING, "France", "Britain")
        for area in _areas(scenario, "Czechoslovakia")
    }
    area = _best(allowed)
    if area is None:
        return None
    pf = dict(zip(allowed[area][:2], (6, 5), strict=False))
    board = {area: {nation: _cell(number) for nation, number in pf.items()}}
    return _judge(
        tree,
        "understanding",
        area,
        ATTACKS,
        {nation: [f"UNDERSTANDING {area}"] for nation in pf},
        board,
    )


def _control(tree: Json, scenario: Card) -> Example | None:
    for area in _areas(scenario, "Austria"):
        for nation in _allowed_nations(scenario, area, CONTROL, "Germany")[:1]:
            return _judge(
                tree,
                "control",
                area,
                ATTACKS,
                {nation: [f"CONTROL {area}"]},
                {area: {nation: _cell(7)}},
            )
    return None


def _share(tree: Json, scenario: Card) -> Example | None:
    allowed = {
        area: _allowed_nations(scenario, area, CONTROL, "Russia", "Germany")
        for area in _areas(scenario, "Rumania")
    }
    area = next((area for area in allowed if len(allowed[area]) > 1), None)
    if area is None:
        return None
    first_nation, second_nation = allowed[area][:2]
    orders = {
        first_nation: [f"SHARE {area} WITH {second_nation}"],
        second_nation: [f"SHARE {area} WITH {first_nation}"],
    }
    return _judge(
        tree,
        "share",
        area,
        ATTACKS,
        orders,
        {area: {first_nation: _cell(5), second_nation: _cell(6)}},
    )


def _immunity(tree: Json, scenario: Card) -> Example | None:
    """Return an attack on a nation that has an Understanding in the attacker's home, made
    elsewhere."""
    hosts = [nation for nation in first(scenario.order, "Germany") if nation in scenario.home]
    if not hosts or len(scenario.order) < 2 or len(scenario.areas) < 2:
        return None
    host = hosts[0]
    home = scenario.home[host]
    guest = next(nation for nation in first(scenario.order, "Britain") if nation != host)
    area = next(area for area in _areas(scenario, "Poland", away=(host, guest)) if area != home)
    board = {home: {guest: _cell(0, True), host: _cell(2)}, area: {guest: _cell(2), host: _cell(8)}}
    return _judge(
        tree, "immunity", home, ATTACKS, {host: [f"ATTACK {area}: {guest} STOCK GE"]}, board
    )


# --- reading the card ---


def _turns(scenario: Card) -> Sequence[int]:
    """Return all turns, the usual one first."""
    return first(range(1, scenario.turns + 1), min(USUAL_TURN, scenario.turns))


def _areas(scenario: Card, wanted: str, away: Iterable[str] = ()) -> list[str]:
    """Return all areas, the wanted one first and the homes of these nations last."""
    return places(scenario.areas, scenario.home, wanted, away)


def _allowed_nations(scenario: Card, area: str, counter: str, *wanted: str) -> list[str]:
    return [
        nation
        for nation in first(scenario.order, *wanted)
        if scenario.allows(nation, area, counter)
    ]


def _best(allowed: dict[str, list[str]]) -> str | None:
    """Return the first area where two nations may have the counter, else the first where one
    may."""
    return next(
        (area for least in (2, 1) for area, nations in allowed.items() if len(nations) >= least),
        None,
    )


def card() -> Json:
    return cards.load(GAME, cards.names(GAME)[0])


def _cell(pf: int, understanding: bool = False) -> Json:
    return {"pf": pf, "understanding": understanding, "control": False}


def _judge(
    tree: Json,
    name: str,
    area: str,
    step: str,
    orders: dict[str, list[str]],
    board: dict[str, Json],
    *,
    wanted: str = "",
    turn: int | None = None,
) -> Example:
    """Judge one phase and return it as an example.

    `wanted` is the result that the attack must have; a digit that gives it is chosen.
    """
    scenario = card_of(tree)
    state = situations.situation(
        {"turn": turn or _turns(scenario)[0], "phase": step, "board": board},
        tree,
        validate(OPTIONS),
    )
    sent = {nation: "\n".join(lines) for nation, lines in orders.items()}
    for digit in (digit_of_shares(SOLD), *range(10)):
        resolution = judging.resolve(state, sent, {"GE": sales(digit)}, ())
        if not wanted or any(event.get("result") == wanted for event in resolution.events):
            break
    sentences = tuple(event["message"] for event in resolution.events if is_ordered(event, orders))
    figures: dict[str, object] = {
        "points": [
            (
                nation,
                scenario.points(nation, area, UNDERSTANDING),
                scenario.points(nation, area, CONTROL),
            )
            for nation in scenario.order
            if nation in orders
        ]
    }
    lines = tuple((nation, tuple(order_lines)) for nation, order_lines in orders.items())
    return Example(
        name, area, seeing.board(state), seeing.board(resolution.state), lines, sentences, figures
    )
