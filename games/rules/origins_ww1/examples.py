"""The examples of the rules page. Positions are written here; the engine computes every figure and
result.

Examples work with any card. They prefer the nations and areas of the printed card where it has
them, and otherwise use the first that fit.
"""

from __future__ import annotations

from collections.abc import Mapping

from .. import Json, cards
from ..explaining import Example, first, is_ordered, places, sales
from ..names import count_of
from ..options import validate
from . import judging, scoring, seeing, situations
from .card import EXCLUSIVE, GAME, TREATY, Card, card_of
from .state import ATTACKS, PLACEMENT, State

OPTIONS = {"rng.source": "stocks"}
Orders = dict[str, list[str]]
Piled = dict[str, dict[str, int]]


def examples(tree: Json | None = None) -> tuple[Example, ...]:
    """Return the examples in the order of a turn. `tree` is the card; None means the printed
    one."""
    tree = cards.load(GAME, cards.names(GAME)[0]) if tree is None else tree
    scenario = card_of(tree)
    if len(scenario.order) < 2:
        return ()
    made = (
        _placement(tree, scenario),
        _attack(tree, scenario, "odds", "Serbia", ("Russia", "Austria-Hungary"), (23, 8), "EX"),
        _attack(tree, scenario, "exchange", "Italy", ("France", "Germany"), (7, 7), "EX"),
        _attack(tree, scenario, "weaker", "Serbia", ("Austria-Hungary", "Russia"), (6, 13), "EX"),
        _discarded_digit(tree, scenario),
        _treaty(tree, scenario),
        _exclusive(tree, scenario),
        _bonus(tree, scenario),
        _alliance(tree, scenario),
    )
    return tuple(example for example in made if example is not None)


def _placement(tree: Json, scenario: Card) -> Example | None:
    """Return a placement that exceeds the cap in one area; the rest goes home."""
    who = [
        nation
        for nation in first(scenario.order, "Russia")
        if scenario.allocation[nation][0] and nation in scenario.home
    ][:1]
    if not who:
        return None
    area = places(scenario.areas, scenario.home, "Serbia", away=who)[0]
    return _judge(
        tree,
        "placement",
        area,
        PLACEMENT,
        {who[0]: [f"PLACE {scenario.area_cap + 2} {area}"]},
        {},
        turn=1,
    )


def _attack(
    tree: Json,
    scenario: Card,
    name: str,
    area: str,
    who: tuple[str, str],
    pf: tuple[int, int],
    wanted: str,
) -> Example | None:
    attacker, attacked = first(scenario.order, *who)[:2]
    area = places(scenario.areas, scenario.home, area, away=(attacker, attacked))[0]
    board = {area: {attacker: pf[0], attacked: pf[1]}}
    orders = {attacker: [f"ATTACK {attacked} IN {area} STOCK GE"]}
    for digit in range(1, 7):
        example = _judge(tree, name, area, ATTACKS, orders, board, volumes={"GE": sales(digit)})
        if example.figures.get("result") == wanted:
            return example
    return None


def _discarded_digit(tree: Json, scenario: Card) -> Example | None:
    """Return an attack whose first digit, 7, is not a die, so that the second stock of the order
    decides."""
    attacker, attacked = first(scenario.order, "Britain", "Russia")[:2]
    area = places(scenario.areas, scenario.home, "Turkey", away=(attacker, attacked))[0]
    orders = {attacker: [f"ATTACK {attacked} IN {area} STOCK GE/IBM"]}
    volumes = {"GE": sales(7), "IBM": sales(4)}
    return _judge(
        tree,
        "discarded",
        area,
        ATTACKS,
        orders,
        {area: {attacker: 12, attacked: 3}},
        volumes=volumes,
    )


def _treaty(tree: Json, scenario: Card) -> Example | None:
    """Return a placement that brings a pile to ten."""
    for nation in first(scenario.order, "France"):
        for area in places(scenario.areas, scenario.home, "Russia", away=(nation,)):
            if scenario.points(nation, area, TREATY) and scenario.allocation[nation][0]:
                orders = {
                    nation: [
                        f"PLACE {min(scenario.area_cap, scenario.allocation[nation][0])} {area}"
                    ]
                }
                return _judge(
                    tree,
                    "treaty",
                    area,
                    PLACEMENT,
                    orders,
                    {area: {nation: scenario.treaty_at - 1}},
                    turn=1,
                )
    return None


def _exclusive(tree: Json, scenario: Card) -> Example | None:
    """Return a placement that brings another nation to ten where a nation is paid only if it is
    alone."""
    for owner in first(scenario.order, "Austria-Hungary"):
        for area in places(scenario.areas, scenario.home, "Serbia", away=(owner,)):
            if not scenario.points(owner, area, EXCLUSIVE):
                continue
            other = next(
                (
                    candidate
                    for candidate in first(scenario.order, "Russia")
                    if candidate != owner and scenario.home.get(candidate) != area
                ),
                None,
            )
            if other is not None and scenario.allocation[other][0]:
                board = {area: {owner: scenario.treaty_at + 2, other: scenario.treaty_at - 1}}
                return _judge(
                    tree,
                    "exclusive",
                    area,
                    PLACEMENT,
                    {other: [f"PLACE 1 {area}"]},
                    board,
                    turn=1,
                    scored=(owner, other),
                )
    return None


def _bonus(tree: Json, scenario: Card) -> Example | None:
    """Return a placement that gives treaty rights and so ends another nation's bonus."""
    for nation in first(scenario.bonus, "France"):
        bound = scenario.bonus[nation].nation
        area = next(
            (
                area
                for area in places(scenario.areas, scenario.home, "Italy", away=(bound, nation))
                if scenario.home.get(bound) != area
            ),
            None,
        )
        if (
            scenario.bonus[nation].limit is not None
            or area is None
            or not scenario.allocation[bound][0]
        ):
            continue
        board = {area: {bound: scenario.treaty_at - 1}}
        return _judge(
            tree,
            "bonus",
            area,
            PLACEMENT,
            {bound: [f"PLACE 1 {area}"]},
            board,
            turn=1,
            scored=(nation, bound),
        )
    return None


def _alliance(tree: Json, scenario: Card) -> Example | None:
    first_nation, second_nation = first(scenario.order, "Britain", "France")[:2]
    area = places(scenario.areas, scenario.home, "Italy", away=(first_nation, second_nation))[0]
    orders = {first_nation: [f"ALLY {second_nation}"], second_nation: [f"ALLY {first_nation}"]}
    return _judge(
        tree, "alliance", area, ATTACKS, orders, {area: {first_nation: 4, second_nation: 3}}
    )


def _judge(
    tree: Json,
    name: str,
    area: str,
    step: str,
    orders: Orders,
    board: Piled,
    *,
    volumes: Mapping[str, int] | None = None,
    turn: int | None = None,
    scored: tuple[str, ...] = (),
) -> Example:
    """Judge one phase with the engine and return it as an example.

    `scored`: the nations whose points before and after are listed too.
    """
    scenario = card_of(tree)
    placed = {
        where: {nation: {"pf": pf} for nation, pf in here.items()} for where, here in board.items()
    }
    state = situations.situation(
        {"turn": turn or min(2, scenario.turns), "phase": step, "board": placed},
        tree,
        validate(OPTIONS),
    )
    resolution = judging.resolve(
        state, {nation: "\n".join(lines) for nation, lines in orders.items()}, volumes or {}, ()
    )
    sentences = [event["message"] for event in resolution.events if is_ordered(event, orders)]
    sentences += _treaty_sentences(resolution.state, area, orders) if step == PLACEMENT else []
    before, after = scoring.scores(state), scoring.scores(resolution.state)
    sentences += [
        f"{nation} had {count_of(before[nation], 'point')} and has {after[nation]} now."
        for nation in scored
        if before[nation] != after[nation]
    ]
    figures: dict[str, object] = {
        "points": [(nation, before[nation], after[nation]) for nation in scored]
    }
    for event in resolution.events:
        if event["kind"] == "attack":
            figures |= {
                key: event[key]
                for key in ("attacker", "defender", "odds", "digit", "die", "result")
            }
            figures["sold"] = f"{event['volume']:,}"
    lines = tuple((nation, tuple(order_lines)) for nation, order_lines in orders.items())
    return Example(
        name,
        area,
        seeing.board(state),
        seeing.board(resolution.state),
        lines,
        tuple(sentences),
        figures,
    )


def _treaty_sentences(state: State, area: str, orders: Orders) -> list[str]:
    return [
        f"{nation} has treaty rights in {area} now."
        for nation in orders
        if state.treaty(area, nation)
    ]
