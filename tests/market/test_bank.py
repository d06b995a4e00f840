"""The suggested reserve lists of 20 symbols or more (foundations.md 2; rules.md 0.1)."""

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
    assert len({listing.title for listing in bank.suggested_lists().values()}) == len(FILES)


@pytest.mark.parametrize("name", [path.stem for path in FILES])
def test_suggested_list_is_valid(name: str) -> None:
    """rules.md 0.1: twenty symbols or more, none twice, all of a form that orders can name."""
    listing = bank.suggested_lists()[name]
    assert len(listing.symbols) >= RESERVES_AT_LEAST
    assert len(set(listing.symbols)) == len(listing.symbols)
    market = MARKETS[listing.market]
    assert [
        symbol
        for symbol in listing.symbols
        if not is_stock(symbol, market) or symbol != symbol.upper()
    ] == []
    assert [symbol for symbol in listing.symbols if not market.has_symbol(symbol)] == []
    assert validate({"rng.market": listing.market, "rng.reserve_list": list(listing.symbols)})[
        "rng.reserve_list"
    ] == list(listing.symbols)
    assert not [symbol for symbol in listing.symbols if symbol.startswith("ZZ")], (
        "none without a report on the DEMO exchange"
    )


@pytest.mark.parametrize("market", MARKETS.values(), ids=list(MARKETS))
def test_every_market_has_a_default_list(market: Market) -> None:
    """rng.reserve_list: a list exists before the first orders are due, even if none was chosen."""
    symbols = bank.usual(market)
    assert RESERVES_AT_LEAST <= len(symbols) <= 30
    assert market.example in symbols
    assert (symbols == LIQUID_STOCKS) == (market.id == "new_york")


@pytest.mark.parametrize("name", [path.stem for path in FILES])
def test_suggested_list_has_a_title_and_a_one_sentence_reason(name: str) -> None:
    listing = bank.suggested_lists()[name]
    assert listing.title.strip() == listing.title != ""
    assert re.fullmatch(r"[A-Z][^.!?\n]+\.", listing.why)
