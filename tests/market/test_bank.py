"""The suggested reserve lists (rules.md 0.1, `rng.no_stock`: at least 20 symbols; foundations.md
2)."""

from __future__ import annotations

import re

import pytest

from games.market import bank
from games.rules.markets import MARKETS, Market
from games.rules.options import LIQUID_STOCKS, RESERVES_AT_LEAST, validate
from games.rules.orders import is_stock

FILES = sorted(bank.LISTS.glob("*.toml"))


def test_there_are_several_lists_to_choose_from() -> None:
    assert len(FILES) >= 3
    assert set(bank.suggested_lists()) == {path.stem for path in FILES}
    assert len({one.title for one in bank.suggested_lists().values()}) == len(FILES)


@pytest.mark.parametrize("name", [path.stem for path in FILES])
def test_a_list_can_be_published_as_it_is(name: str) -> None:
    """rules.md 0.1: twenty symbols or more, none twice, all such as an order can name."""
    one = bank.suggested_lists()[name]
    assert len(one.symbols) >= RESERVES_AT_LEAST
    assert len(set(one.symbols)) == len(one.symbols)
    market = MARKETS[one.market]
    assert [
        symbol for symbol in one.symbols if not is_stock(symbol, market) or symbol != symbol.upper()
    ] == []
    assert [symbol for symbol in one.symbols if not market.has_symbol(symbol)] == []
    assert validate({"rng.market": one.market, "rng.reserve_list": list(one.symbols)})[
        "rng.reserve_list"
    ] == list(one.symbols)
    assert not [symbol for symbol in one.symbols if symbol.startswith("ZZ")], (
        "none without a report on the DEMO exchange"
    )


@pytest.mark.parametrize("market", MARKETS.values(), ids=list(MARKETS))
def test_every_market_has_a_list_that_is_usual_there(market: Market) -> None:
    """rng.reserve_list: there is one before the first orders are due, chosen or not."""
    symbols = bank.usual(market)
    assert RESERVES_AT_LEAST <= len(symbols) <= 30
    assert market.example in symbols
    assert (symbols == LIQUID_STOCKS) == (market.id == "new_york")


@pytest.mark.parametrize("name", [path.stem for path in FILES])
def test_a_list_says_why_in_one_sentence(name: str) -> None:
    one = bank.suggested_lists()[name]
    assert one.title.strip() == one.title != ""
    assert re.fullmatch(r"[A-Z][^.!?\n]+\.", one.why)
