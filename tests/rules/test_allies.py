"""Check printed tables, dice and lots with fewer players and in blind games (N1-N7, F3-F7)."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.rules import Json, RulesError, UnknownFigure, cards
from games.rules.digits import Draw, Drawer, die_of, digits_in_events, seed_hash, volume_of_roll
from games.rules.options import LIQUID_STOCKS, OPTIONS, validate
from games.rules.origins_ww2 import allies, blind
from games.rules.origins_ww2.ruleset import OriginsWW2
from games.rules.origins_ww2.state import OVER, State
from games.rules.registry import add_scenarios
from tests.support.examples import examples

RULES = OriginsWW2()
CARD = cards.load("origins-ww2", "historical")
NATIONS = tuple(CARD["order"])
SECRET = "5e" * 32

#: Rules C.2, id=ow2_ally_tables, as printed.
PRINTED: dict[str, Any] = json.loads("""
{"2": {"players":["France","Germany"],"roll_order":["USA","Russia","Britain"],
       "USA":{"France":[1,2,3,4],"Germany":[5,6]},"Russia":{"France":[1,2,3,4],"Germany":[5,6]},"Britain":{"France":[1,2,3,4,5],"Germany":[6]}},
 "3": {"players":["France","Germany","Russia"],"roll_order":["USA","Britain"],
       "USA":{"France":[1,2,3],"Germany":[4,5],"Russia":[6]},"Britain":{"France":[1,2,3],"Germany":[4],"Russia":[5,6]}},
 "4": {"players":["France","Britain","Germany","Russia"],"roll_order":["USA"],
       "USA":{"France":[1,2],"Germany":[3],"Russia":[4],"Britain":[5,6]}}}
""")


def swapped(nation: str) -> str:
    """Return Britain for France and France for Britain."""
    return {"France": "Britain", "Britain": "France"}.get(nation, nation)


TABLES = [
    (table, exchanged)
    for number, table in PRINTED.items()
    for exchanged in ((False, True) if number != "4" else (False,))
]


@pytest.mark.parametrize(("table", "exchanged"), TABLES)
def test_printed_ally_tables_match_for_every_die(table: dict[str, Any], exchanged: bool) -> None:
    """N1, N2: every die of every nation, also with Britain in place of France."""
    name = swapped if exchanged else str
    players = [name(player) for player in table["players"]]
    for dice in product(range(1, 7), repeat=len(table["roll_order"])):
        state = RULES.setup(CARD, {}, players)
        volumes = {symbol: 100 * die for symbol, die in zip(LIQUID_STOCKS, dice, strict=False)}
        resolution = RULES.resolve(state, {}, volumes, LIQUID_STOCKS)
        expected = {
            name(nation): name(
                next(player for player, faces in table[nation].items() if die in faces)
            )
            for nation, die in zip(table["roll_order"], dice, strict=True)
        }
        assert RULES.controllers(resolution.state) == expected
        assert [event["nation"] for event in resolution.events] == [
            name(nation) for nation in table["roll_order"]
        ]


def test_other_sets_of_nations_cannot_play_alone() -> None:
    """N1: five seats or those of a table; the refusal says which nations can play."""
    fits = {frozenset(allies.TABLES[players].players) for players in allies.TABLES} | {
        frozenset(NATIONS)
    }
    for held in product((False, True), repeat=5):
        seats = [nation for nation, holds in zip(NATIONS, held, strict=True) if holds]
        if frozenset(seats) in fits:
            RULES.setup(CARD, {}, seats)
        else:
            with pytest.raises(RulesError, match="cannot play alone"):
                RULES.setup(CARD, {}, seats)
    assert len(fits) == 6


# --- dice and lots ---


@pytest.mark.parametrize("rule", ["reject", "two_digit"])
def test_die_faces_come_from_equally_many_figures(rule: str) -> None:
    """rng.d6: equally many of all hundred pairs of last digits; the rest are no die."""
    faces = Counter(
        die_of(Draw("GE", 100 * hundreds, hundreds % 10), rule) for hundreds in range(100)
    )
    del faces[None]
    assert set(faces) == {1, 2, 3, 4, 5, 6}
    assert len(set(faces.values())) == 1


def test_full_mod_die_uses_the_remainder_of_every_figure() -> None:
    """rng.d6 = full_mod: six consecutive figures give each face once; a roll counts as a digit."""
    assert [
        die_of(Draw("GE", 100 * hundreds, hundreds % 10), "full_mod") for hundreds in range(6, 12)
    ] == [1, 2, 3, 4, 5, 6]
    for rule in OPTIONS["rng.d6"].values:
        for digit in range(10):
            wanted = digit if 1 <= digit <= 6 else None
            assert die_of(Draw("ROLL-1", volume_of_roll(digit), digit, rolled=True), rule) == wanted


@pytest.mark.parametrize(("digits", "die"), [([7, 0, 3], 3), ([6], 6), ([9, 8, 7, 0, 1], 1)])
def test_d6_reject_vectors(digits: list[int], die: int) -> None:
    """Rules V, d6_reject."""
    volumes = {
        symbol: volume_of_roll(digit) for symbol, digit in zip(LIQUID_STOCKS, digits, strict=False)
    }
    thrown = Drawer(volumes, LIQUID_STOCKS, validate({})).die()
    assert thrown.value == die
    assert [row["digit"] for row in thrown.rejected] == digits[:-1]


@pytest.mark.parametrize("among", [2, 3, 4, 5, 6, 7, 9, 10])
def test_lots_are_equally_likely(among: int) -> None:
    """F3: equally many of the ten digits decide for each; the rest are rejected."""
    digits_per_lot = Counter(
        Drawer({"AA": 100 * digit + 1000}, ["AA"], validate({})).lot(among).value
        for digit in range(10)
    )
    rejected = digits_per_lot.pop(None, 0)
    assert set(digits_per_lot) == set(range(among))
    assert len(set(digits_per_lot.values())) == 1
    assert rejected == 10 % among


def test_deals_of_open_charts_are_equally_likely() -> None:
    """F3: each of the 120 deals comes equally often over all digits."""
    deals: Counter[tuple[str, ...]] = Counter()
    for digits in product(range(10), range(8), range(9), range(10)):
        drawer = Drawer(
            {symbol: 1000 + 100 * d for symbol, d in zip(LIQUID_STOCKS, digits, strict=False)},
            LIQUID_STOCKS,
            validate({}),
        )
        pool, dealt = list(NATIONS), []
        for _ in NATIONS:
            number = drawer.lot(len(pool)).value
            assert number is not None
            dealt.append(pool.pop(number))
        deals[tuple(dealt)] += 1
    assert len(deals) == 120
    assert len(set(deals.values())) == 1


def test_secret_draw_depends_only_on_secret_and_digits() -> None:
    """F4: the same input repeats; over many secrets every nation gets every chart."""
    first = blind.objectives(NATIONS, NATIONS, SECRET, "40871", False)
    assert first == blind.objectives(NATIONS, NATIONS, SECRET, "40871", False)
    assert sorted(first.values()) == sorted(NATIONS)
    dealt = [
        blind.objectives(NATIONS, NATIONS, f"{number:064x}", "40871", False)
        for number in range(3000)
    ]
    for nation in NATIONS:
        times_dealt = Counter(way[nation] for way in dealt)
        assert set(times_dealt) == set(NATIONS)
        assert all(500 < times < 700 for times in times_dealt.values()), times_dealt
    assert (
        len(
            {
                json.dumps(blind.objectives(NATIONS, NATIONS, SECRET, str(digits), False))
                for digits in range(200)
            }
        )
        > 80
    )
    replaced = [
        blind.objectives(NATIONS, NATIONS, f"{number:064x}", "1", True) for number in range(200)
    ]
    assert any(len(set(way.values())) < 5 for way in replaced)


# --- whole games ---

searching = settings(
    deadline=None, max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow]
)
seatings = st.sampled_from([*(tuple(table.players) for table in allies.TABLES.values()), NATIONS])
forms = st.fixed_dictionaries({
    "ow2.blind": st.sampled_from(["no", "yes"]),
    "ow2.blind_charts": st.sampled_from(["rows", "scenarios"]),
    "ow2.blind_draw": st.sampled_from(["without_replacement", "with_replacement"]),
    "ow2.ally_draw": st.sampled_from(["with_previous_report", "own_session"]),
    "ow2.four_without_usa": st.sampled_from(["no", "yes"]),
    "ow2.nonplayer_wins": st.sampled_from(["no", "yes"]),
    "ow2.placement": st.sampled_from(["simultaneous", "ordered"]),
    "rng.d6": st.sampled_from(["reject", "two_digit", "full_mod"]),
    "rng.source": st.sampled_from(["stocks", "gm_dice", "commit_reveal"]),
})  # fmt: skip


class Session:
    """Invent figures from a seed, or rolls; `known` figures come before `UnknownFigure`."""

    def __init__(self, seed: int, source: str, known: int = 10**6) -> None:
        self.seed, self.source, self.known, self.asked = seed, source, known, 0

    def get(self, symbol: str, /) -> int | None:
        self.asked += 1
        if self.asked > self.known:
            raise UnknownFigure(symbol)
        rolled = symbol.startswith("ROLL-")
        if rolled and self.source == "stocks":
            return None
        number = int.from_bytes(f"{self.seed}/{symbol}".encode()[:12], "big") * 2654435761 % 10**6
        return volume_of_roll(number // 7 % 10) if rolled else number


def round_trips(card: Json, options: dict[str, Any], state: State) -> None:
    """Check that the state and every view of it survive JSON."""
    for seen in (state, *(RULES.view(state, nation) for nation in (None, *NATIONS))):
        assert RULES.load(card, options, json.loads(json.dumps(RULES.dump(seen)))) == seen


@searching
@given(seatings, forms, st.integers(0, 10**6))
def test_random_games_of_every_form_end(
    held: tuple[str, ...], chosen: dict[str, str], seed: int
) -> None:
    """N3: positions and views round-trip, and judging a phase again gives the same result."""
    options = validate(chosen)
    card = add_scenarios(RULES, CARD, options)
    state = RULES.setup(card, options, held, SECRET)
    out = {"USA"} if len(held) == 4 and chosen["ow2.four_without_usa"] == "yes" else set()
    unheld = set(NATIONS) - set(held) - out
    number = 0
    while (phase := RULES.phase(state)) is not None:
        number += 1
        round_trips(card, options, state)
        if RULES.facts(phase, {}).idle:
            assert RULES.acting_nations(state) == ()
        else:
            assert set(RULES.controllers(state)) == unheld
            assert set(RULES.controllers(state).values()) <= set(held)
        sent = {
            nation: RULES.bot.orders(RULES.view(state, nation), nation, f"{seed}")
            for nation in RULES.acting_nations(state)
        }
        orders = RULES.in_force(state, sent)
        resolution = RULES.resolve(
            state, orders, Session(seed + number, chosen["rng.source"]), LIQUID_STOCKS
        )
        assert resolution == RULES.resolve(
            state, orders, Session(seed + number, chosen["rng.source"]), LIQUID_STOCKS
        )
        lines = [(event["nation"], event["line"]) for event in digits_in_events(resolution.events)]
        assert len(lines) == len(set(lines)), "every digit has a number of its own"
        if any(
            event["kind"] in ("ally_not_drawn", "chart_not_drawn") for event in resolution.events
        ):
            return  # the service holds such a phase
        state = resolution.state
    assert state.step == OVER
    round_trips(card, options, state)
    standing = RULES.standing(state)
    assert set(standing.scores) == set(NATIONS) - out
    assert standing.winners
    assert set(standing.winners) <= (
        set(NATIONS) - out if chosen["ow2.nonplayer_wins"] == "yes" else set(held)
    )


@searching
@given(seatings, forms, st.integers(0, 10**6), st.integers(0, 8))
def test_figures_are_requested_in_turn(
    held: tuple[str, ...], chosen: dict[str, str], seed: int, known: int
) -> None:
    """An unknown figure raises only after all figures before it were requested."""
    options = validate(chosen)
    state = RULES.setup(add_scenarios(RULES, CARD, options), options, held, SECRET)
    if not RULES.facts(RULES.phase(state) or pytest.fail("a new game has a phase"), {}).idle:
        return
    session = Session(seed, chosen["rng.source"])
    RULES.resolve(state, {}, session, LIQUID_STOCKS)
    if known < session.asked:
        with pytest.raises(UnknownFigure):
            RULES.resolve(state, {}, Session(seed, chosen["rng.source"], known), LIQUID_STOCKS)


# --- what a blind game tells ---


def blind_game(held: tuple[str, ...] = NATIONS) -> State:
    """Return a blind game whose charts have been drawn."""
    state = RULES.setup(CARD, {"ow2.blind": "yes"}, held, SECRET)
    figures = Session(11, "stocks")
    while RULES.facts(RULES.phase(state) or pytest.fail("it is not over"), {}).idle:
        state = RULES.resolve(state, {}, figures, LIQUID_STOCKS).state
    return state


def test_view_shows_only_the_viewers_chart() -> None:
    """F4, F5: own objectives, everybody's allocations, no secret and no score."""
    state = blind_game()
    for nation in (*NATIONS, None):
        view = RULES.view(state, nation)
        assert set(view.charts.objectives) == ({nation} if nation else set())
        assert {name for name, rows in view.card.objectives.items() if rows} <= {nation}
        assert view.charts.allocation == state.charts.allocation
        assert SECRET not in json.dumps(RULES.dump(view))
        assert RULES.standing(view).scores == {}
        charts = dict(RULES.guide.charts(view))
        for other in NATIONS:
            said = " ".join(charts[other])
            assert (f"Objectives of the chart of {state.charts.objectives[other]}" in said) == (
                other == nation
            )


def test_controller_sees_allowed_counters_without_points() -> None:
    """F7."""
    state = blind_game(("France", "Germany"))
    for ally, controller in state.controllers.items():
        allowed = blind.counters(state.card, ally)
        for viewer in (controller, ally):
            view = RULES.view(state, viewer)
            assert blind.counters(view.card, ally) == allowed
            assert {
                points for kinds in view.card.objectives[ally].values() for points in kinds.values()
            } <= {1}
            assert (
                set(view.card.objectives)
                == {viewer, ally, *(a for a, c in state.controllers.items() if c == viewer)}
                or viewer == ally
            )
        other = next(nation for nation in ("France", "Germany") if nation != controller)
        assert ally not in RULES.view(state, other).card.objectives


def test_reading_orders_reveals_nothing_about_a_partners_chart() -> None:
    """F5: SHARE may name any nation; no warning says whether its chart allows it."""
    board = {"Poland": {"Germany": {"pf": 5}, "USA": {"pf": 5}}}
    situation = {"turn": 2, "phase": "attacks", "board": board}
    state = RULES.situation(situation, CARD, validate({"ow2.blind": "yes"}))
    share = "SHARE Poland WITH USA"
    assert RULES.read(share, "Germany", state).remarks == ()
    open_charts = RULES.situation(situation, CARD, validate({}))
    assert RULES.read(share, "Germany", open_charts).remarks[0].code == "not_on_card"
    assert RULES.read("SHARE USA WITH Germany", "Germany", state).remarks[0].code == "own_nation"
    shares = [
        choice for choice in RULES.planner.choices(state, "Germany") if choice.verb == "SHARE"
    ]
    assert all(set(choice.nations) == set(NATIONS) - {"Germany"} for choice in shares)


def test_last_report_reveals_the_secret_and_every_chart() -> None:
    """F5."""
    state = blind_game()
    while True:
        resolution = RULES.resolve(state, {}, Session(5, "stocks"), LIQUID_STOCKS)
        state = resolution.state
        if state.step == OVER:
            break
        assert not [
            event
            for event in resolution.events
            if event["kind"] in ("chart_revealed", "secret_opened")
        ]
    revealed = {
        event["nation"]: event["chart"]
        for event in resolution.events
        if event["kind"] == "chart_revealed"
    }
    assert revealed == state.charts.objectives
    opened = resolution.events[-1]
    assert (opened["kind"], opened["secret"], opened["hash"]) == (
        "secret_opened",
        SECRET,
        seed_hash(SECRET),
    )
    assert RULES.view(state, None).charts.objectives == revealed
    assert RULES.standing(RULES.view(state, None)).scores == RULES.standing(state).scores


def test_standing_wish_of_a_controller_ends_with_the_turn() -> None:
    """N3: it does not bind the next controller."""
    tree = {"turn": 2, "phase": "attacks", "board": {}, "seats": ["France", "Germany"]}
    state = RULES.load(
        CARD,
        {},
        {**RULES.dump(RULES.situation(tree, CARD, validate({}))), "controllers": {"USA": "France"}},
    )
    orders = dict.fromkeys(("USA", "France"), "STANDING UNDERSTANDING ALL")
    assert RULES.resolve(
        state, orders, Session(3, "stocks"), LIQUID_STOCKS
    ).state.memory.standing == ("France",)


def test_charts_are_revealed_in_card_order_however_stored() -> None:
    """Contract 5: PostgreSQL sorts keys, but the events of a record must be the same."""
    drawn = RULES.dump(blind_game())
    shuffled = {
        **drawn["charts"],
        "objectives": dict(sorted(drawn["charts"]["objectives"].items(), reverse=True)),
    }
    stored = RULES.load(CARD, validate({"ow2.blind": "yes"}), {**drawn, "charts": shuffled})
    revealed = [
        event["nation"]
        for event in blind.charts_to_reveal(stored)
        if event["kind"] == "chart_revealed"
    ]
    assert revealed == list(NATIONS)
