"""Check stocks of exchanges outside New York in orders (contract 3; rules.md 0.1, `rng.market`)."""

from __future__ import annotations

from typing import Any

import pytest

from games.rules import RulesError, cards
from games.rules.markets import MARKETS
from games.rules.options import LIQUID_STOCKS, stocks_to_name, validate
from games.rules.orders import is_stock
from games.rules.registry import ruleset
from games.rules.situation import adjudicate

WW2 = {"game": "origins-ww2", "card": "historical", "turn": 1, "phase": "attacks"}
WW1 = {"game": "origins-ww1", "card": "standard", "turn": 1, "phase": "attacks"}


def judge_attack(
    stock: str,
    market: str = "tokyo",
    volumes: dict[str, int] | None = None,
    game: dict[str, Any] = WW2,
    **more: Any,
) -> Any:
    """Judge one attack that names these stocks."""
    if game is WW2:
        board = {"Poland": {"Germany": {"pf": 8}, "France": {"pf": 4}}}
        orders = {"Germany": f"ATTACK Poland: France STOCK {stock}"}
    else:
        board = {"Serbia": {"Austria-Hungary": {"pf": 8}, "Russia": {"pf": 4}}}
        orders = {"Austria-Hungary": f"ATTACK Russia IN Serbia STOCK {stock}"}
    options = {"rng.market": market, **more}
    return adjudicate(
        {
            **game,
            "board": board,
            "orders": orders,
            "options": options,
            "volumes": volumes or {},
            "reserves": ["9432.T"],
        }
    )


def attack_of(answer: Any) -> Any:
    """Return the one attack or void event."""
    (event,) = [event for event in answer["events"] if event["kind"] in ("attack", "void")]
    return event


def remarks_of(answer: Any) -> list[Any]:
    """Return the remarks about symbols."""
    return [
        remark
        for remarks in answer["remarks"].values()
        for remark in remarks
        if remark["code"] in ("elsewhere", "unreadable")
    ]


@pytest.mark.parametrize(
    ("word", "market", "read"),
    [
        ("GE", "new_york", True),
        ("BRK.B", "new_york", True),
        ("VOD.L", "new_york", True),
        ("7203.T", "new_york", False),
        ("7203.T", "tokyo", True),
        ("0005.HK", "hong_kong", True),
        ("VOD.L", "london", True),
        ("BT-A.L", "london", True),
        ("GE", "london", True),
        ("123456789", "tokyo", False),
        (".T", "tokyo", False),
        ("-7203.T", "tokyo", False),
    ],
)
def test_stock_symbols_are_recognized_by_market(word: str, market: str, read: bool) -> None:
    """Contract 3: a letter and up to seven more; outside New York a digit may be first."""
    assert is_stock(word, MARKETS[market]) is read


@pytest.mark.parametrize("game", [WW2, WW1], ids=["ww2", "ww1"])
def test_stock_of_the_games_market_decides(game: dict[str, Any]) -> None:
    event = attack_of(judge_attack("7203.t", volumes={"7203.T": 10_300}, game=game))
    assert (event["stock"], event["digit"]) == ("7203.T", 3)


@pytest.mark.parametrize("game", [WW2, WW1], ids=["ww2", "ww1"])
def test_symbol_of_another_market_is_skipped_with_a_warning(game: dict[str, Any]) -> None:
    """rng.market: the line counts, so that a slip costs no attack; its sales do not."""
    answer = judge_attack("GE/7203.T", volumes={"GE": 10_500, "7203.T": 10_300}, game=game)
    assert attack_of(answer)["stock"] == "7203.T"
    (remark,) = remarks_of(answer)
    assert (remark["severity"], remark["code"]) == ("warning", "elsewhere")
    assert remark["message"].endswith(
        "names GE, but this game uses Tokyo, where symbols end in .T, such as 7203.T: skipped."
    )


def test_reserve_list_decides_if_only_another_market_is_named() -> None:
    assert (
        attack_of(judge_attack("GE", volumes={"GE": 10_500, "9432.T": 10_300}))["stock"] == "9432.T"
    )


def test_sales_of_another_market_are_not_requested() -> None:
    """No publisher is asked for sales that cannot decide."""
    rules = ruleset("origins-ww2")
    options = validate({"rng.market": "tokyo"})
    situation = {**WW2, "board": {"Poland": {"Germany": {"pf": 8}, "France": {"pf": 4}}}}
    state = rules.situation(situation, cards.load("origins-ww2", "historical"), options)
    assert rules.stocks(state, {"Germany": "ATTACK Poland: France STOCK GE/7203.T/VOD.L"}) == (
        "7203.T",
    )


def test_foreign_symbol_in_a_new_york_game_has_no_usable_report() -> None:
    """Contract 3: a foreign stock has no usable report."""
    answer = judge_attack("VOD.L", market="new_york", volumes={"VOD.L": 10_300})
    assert (attack_of(answer)["stock"], remarks_of(answer)) == ("VOD.L", [])
    (remark,) = remarks_of(judge_attack("7203.T", market="new_york"))
    assert "“7203.T” is not a stock symbol: write a letter and up to 7 more" in remark["message"]
    assert "STOCK GE" in remark["message"]


def test_remark_on_an_unreadable_stock_shows_an_example_of_the_market() -> None:
    (remark,) = remarks_of(judge_attack("?", market="hong_kong"))
    assert (
        "“?” is not a stock symbol: write a letter or digit and up to 7 more" in remark["message"]
    )
    assert "“ATTACK Poland: Germany, Russia STOCK 0005.HK”" in remark["message"]


def test_symbols_are_not_remarked_on_if_rolls_decide() -> None:
    """rng.source: if no sales decide, no remark is made about symbols."""
    assert remarks_of(judge_attack("GE", "tokyo", None, WW2, **{"rng.source": "gm_dice"})) == []


def test_reserve_list_names_only_its_market() -> None:
    listed = [f"{number}.T" for number in range(7201, 7222)]
    chosen = validate({"rng.market": "tokyo", "rng.reserve_list": listed})
    assert chosen["rng.reserve_list"] == listed
    assert stocks_to_name(chosen) == tuple(listed)
    with pytest.raises(RulesError, match=r"names VOD\.L, but the game draws on Tokyo"):
        validate({"rng.market": "tokyo", "rng.reserve_list": [*listed, "VOD.L"]})
    with pytest.raises(RulesError, match="must be a list of stock symbols"):
        validate({"rng.reserve_list": listed})


def test_bots_name_stocks_of_the_games_market() -> None:
    """Otherwise every attack of a bot would use the reserve list."""
    listed = [f"{number}.T" for number in range(7201, 7222)]
    for game in ("origins-ww2", "origins-ww1"):
        rules = ruleset(game)
        named = _named_in_a_game(
            rules, validate({"rng.market": "tokyo", "rng.reserve_list": listed})
        )
        assert named
        assert named <= set(listed)
        assert _named_in_a_game(rules, validate({})) <= set(LIQUID_STOCKS)


def _named_in_a_game(rules: Any, options: dict[str, Any]) -> set[str]:
    card = cards.load(rules.id, cards.names(rules.id)[0])
    state = rules.setup(card, options, card["order"])
    named: set[str] = set()
    volumes = dict.fromkeys((*options["rng.reserve_list"], *LIQUID_STOCKS), 10300)
    while rules.phase(state) is not None:
        orders = {
            nation: rules.bot.orders(state, nation, "salt")
            for nation in rules.acting_nations(state)
        }
        named |= set(rules.stocks(state, orders))
        state = rules.resolve(
            state,
            rules.in_force(state, orders),
            volumes,
            options["rng.reserve_list"] or LIQUID_STOCKS,
        ).state
    return named
