"""Plain orders with options, merging, planning and judging (contract 3a)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import games
from games.rules import cards
from games.rules.markets import MARKETS
from games.rules.names import fold
from games.rules.options import new_game_options, validate
from games.rules.orders import is_stock
from games.rules.origins_ww2.reading import Attack
from games.rules.plain.stocks import exchange
from games.rules.plain.words import COMPANIES, KINDS, PEOPLES
from games.rules.plan import PlannedOrder
from games.rules.situation import adjudicate

from .reading import WW2, errors, lines, read, ww2

GE_AND_IBM = {"GE": 5_412_345, "IBM": 5_412_545}


def situation(orders: str, **options: Any) -> dict[str, Any]:
    board = {
        "Poland": {"Germany": {"pf": 8}, "Russia": {"pf": 4}},
        "Austria": {"Germany": {"pf": 8}, "France": {"pf": 4}},
    }
    return {
        "game": "origins-ww2",
        "card": "historical",
        "options": options,
        "turn": 3,
        "phase": "attacks",
        "board": board,
        "orders": {"Germany": orders},
        "volumes": GE_AND_IBM,
    }


def test_situation_without_the_option_is_canonical() -> None:
    assert validate({})["orders.language"] == "canonical"
    answer = adjudicate(situation("attack Russia in Poland with GE"))
    assert [remark["code"] for remark in answer["remarks"]["Germany"]] == ["unreadable"]
    assert not answer["events"]


def test_new_game_is_plain_unless_it_says_otherwise() -> None:
    assert new_game_options({})["orders.language"] == "plain"
    assert new_game_options({"orders.language": "canonical"})["orders.language"] == "canonical"


def test_plain_orders_are_judged_as_the_canonical_ones() -> None:
    plain = adjudicate(situation("attack Russia in Poland (GE)", **{"orders.language": "plain"}))
    canonical = adjudicate(situation("ATTACK Poland: Russia STOCK GE"))
    assert plain["events"] == canonical["events"]
    assert plain["board"] == canonical["board"]


def test_two_attacks_on_one_line_have_a_digit_each() -> None:
    answer = adjudicate(
        situation(
            "\nattack Russia in Poland (GE); attack France in Austria (IBM)",
            **{"orders.language": "plain"},
        )
    )
    attacks = [event for event in answer["events"] if event["kind"] == "attack"]
    assert [(attack["area"], attack["stock"], attack["digit"]) for attack in attacks] == [
        ("Poland", "GE", 3),
        ("Austria", "IBM", 5),
    ]
    assert len({attack["line"] for attack in attacks}) == 2


def test_remarks_have_the_line_of_the_written_text() -> None:
    reading = read("\n5 to Poland, 20 to Austria\n", ww2("placement"))
    assert [(remark.line, remark.code) for remark in reading.remarks] == [(2, "more_than_left")]
    assert [number for number, _ in reading.understood] == [2, 2]


@pytest.mark.parametrize(
    "text",
    [
        "the rest to Poland\n2 to Austria",  # before or after the 2?
        "5 to Nowhere\nthe rest to Poland",  # without the 5?
        "13 to Austria\nthe rest to Poland",  # nothing is left
        "the rest to Poland\nthe rest to Austria",
    ],
)
def test_the_rest_is_refused_if_it_is_ambiguous(text: str) -> None:
    reading = read(text, ww2("placement"))
    assert not [words for _, words in reading.understood if "Poland" in words]
    assert any("the rest" in message for message in errors(reading))


def test_the_rest_means_pfs_left_by_earlier_lines() -> None:
    text = "PLACE 5 Poland\nfrom home 2 to Italy\nthe rest in Austria\nall from home to Rumania"
    assert lines(text, ww2("placement")) == [
        "PLACE 5 Poland",
        "FROM HOME 2 Italy",
        "PLACE 8 Austria",
        "FROM HOME 7 Rumania",
    ]


def test_merged_plain_line_replaces_the_order_for_its_area() -> None:
    state = ww2("placement")
    merged = WW2.merge("Poland 5, Austria 3", "2 to Poland  # less", "Germany", state)
    assert merged == "PLACE 3 Austria\nPLACE 2 Poland"
    assert WW2.merge("PLACE 5 Pol", "PLACE 3 Austria.", "Germany", state) == (
        "PLACE 5 Pol\nPLACE 3 Austria."
    )
    assert WW2.merge("Poland 5, Austria 3", "I pass.", "Germany", state) == "I pass."


def test_planner_changes_one_order_of_a_plain_line() -> None:
    state = ww2("placement")
    text = "Poland 5, Austria 3  # as agreed"
    more = WW2.planner.revise(state, "Germany", text, PlannedOrder("PLACE", "Poland", 6))
    assert more == "PLACE 3 Austria\nPLACE 6 Poland  # as agreed"
    without = WW2.planner.revise(state, "Germany", text, PlannedOrder("PLACE", "Poland"), drop=True)
    assert without == "PLACE 3 Austria  # as agreed"


def test_standing_wish_in_plain_words_is_found() -> None:
    state = ww2()
    text = "a standing Understanding everywhere"
    assert WW2.in_force(state, {"Germany": text})["Germany"] == text
    assert WW2.resolve(state, {"Germany": text}, {}, ()).state.memory.standing == ("Germany",)


def test_symbols_of_other_exchanges_are_read_by_name() -> None:
    state = ww2(**{"rng.market": "tokyo"})
    assert lines("attack Russia in Poland with Toyota or 6758.T", state) == [
        "ATTACK Poland: Russia STOCK 7203.T/6758.T"
    ]
    assert not lines("attack Russia in Poland with General Electric", state)


def test_own_nation_is_never_attacked() -> None:
    reading = read("attack Germany in Poland")
    assert [remark.code for remark in reading.remarks] == ["own_nation"]


def test_order_reads_as_its_own_value() -> None:
    (order,) = read("attack the French in Poland with Ford, at least 2:1").orders
    assert order == Attack(1, "Poland", ("France",), ("F",), (), 2)


BROKEN = [
    ("place 5 in\npoland\nplace 3 in austria", "PLACE 5 Poland; PLACE 3 Austria"),
    ("I'd like 5 PFs in Poland and 3 in\nAustria this turn.", "PLACE 5 Poland; PLACE 3 Austria"),
    ("Poland\n5\nAustria\n3", "PLACE 5 Poland; PLACE 3 Austria"),
    ("5 PFs to Poland,\n3 PFs to\nAustria.", "PLACE 5 Poland; PLACE 3 Austria"),
    ("I place:\n5 in Poland\n3 in Austria", "PLACE 5 Poland; PLACE 3 Austria"),
    ("I hope you are well.\n5 to Poland\nthe rest to Italy", "PLACE 5 Poland; PLACE 8 Italy"),
]


@pytest.mark.parametrize(("text", "orders"), BROKEN)
def test_wrapped_plain_lines_are_joined(text: str, orders: str) -> None:
    """Issue 23, 1: also beside lines that are no orders."""
    assert "; ".join(lines(text, ww2("placement"))) == orders
    assert not errors(read(text, ww2("placement"))) or "hope" in text


def test_joined_lines_get_a_note() -> None:
    remarks = read("place 5 in\npoland", ww2("placement")).remarks
    joined = [remark.message for remark in remarks if remark.code == "joined"]
    assert joined == ["“place 5 in” and “poland” are read as one line."]
    assert all(remark.severity == "note" for remark in remarks)


@pytest.mark.parametrize(
    "text",
    [
        "5 to Poland\nif Russia agrees",
        "PLACE 5 Poland\nunless it is closed",
        "5 to Poland\nor 3 to Austria",
        "5 in\nPoland if Russia agrees",
        "5 in\nnot Poland",
        "5 in Poland or\nAustria",
    ],
)
def test_condition_on_the_next_line_is_never_dropped(text: str) -> None:
    reading = read(text, ww2("placement"))
    assert not reading.understood
    assert errors(reading)


def test_people_of_a_nation_not_in_the_scenario_is_not_read() -> None:
    card = cards.load("origins-ww2", "historical")
    assert "Turkey" not in card["order"]
    assert not lines("attack the Turks in Poland")


def test_every_stock_of_the_suggested_lists_has_a_name_in_its_market() -> None:
    """Issue 23.1: company names of the suggested lists and of each exchange's listings."""
    for path in (Path(games.__file__).parent / "market" / "lists").glob("*.toml"):
        symbols = tomllib.loads(path.read_text("utf-8"))["symbols"].split()
        assert not [symbol for symbol in symbols if symbol not in COMPANIES], path.name
    for market in MARKETS.values():
        known = exchange(market)
        assert len(known.symbols) >= 30, market.id
        assert all(is_stock(symbol, market) for symbol in known.symbols)


@pytest.mark.parametrize("market", MARKETS)
def test_every_company_name_is_read_as_its_stock(market: str) -> None:
    state = ww2(**{"rng.market": market})
    known = exchange(MARKETS[market])
    for symbol in known.symbols:
        (line,) = lines(f"attack Russia in Poland with {COMPANIES[symbol]}", state)
        assert line == f"ATTACK Poland: Russia STOCK {symbol}", symbol


def test_company_names_differ_from_order_words_and_nations() -> None:
    """Otherwise a sentence without a stock would name one."""
    of_games = [cards.load("origins-ww2", "historical"), cards.load("origins-ww1", "standard")]
    names = {fold(name) for card in of_games for name in (*card["areas"], *card["order"])}
    names |= {people_name for people in PEOPLES.values() for people_name in people}
    for name in COMPANIES.values():
        assert tuple(name.casefold().split()) not in KINDS, name
        assert fold(name) not in names, name
    words = {"so", "all", "it", "key", "has", "met", "next", "be", "are", "no", "or", "any", "if"}
    assert not words & {symbol.casefold() for symbol in COMPANIES}


def test_merged_orders_stay_certain_beside_lines_that_were_rejected() -> None:
    """Contract 3a.3: a line right below an order that is not understood would leave it in doubt."""
    state = ww2("placement", **{"orders.amend": "merge_lines"})
    merged = WW2.merge(
        "5 in Poland\n\nNice weather", "Hi!\n3 in Austria\nTotal 3", "Germany", state
    )
    assert lines(merged, state) == ["PLACE 5 Poland", "PLACE 3 Austria"]
    assert WW2.read(merged, "Germany", state).doubt is None
