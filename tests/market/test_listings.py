"""Listings of symbols: the real yfinance and a loopback Yahoo (foundations.md 1.2; 2, policy 3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from games.market import listings
from games.models import Evidence, EvidenceError, Game, Listing
from tests.support.loopback_yahoo import LoopbackYahoo

from .conftest import TUESDAY

pytestmark = pytest.mark.django_db

#: A Tuesday at noon in New York.
NOON = datetime(2026, 11, 24, 17, 0, tzinfo=UTC)


FLOOR: dict[str, Any] = {"rng.floor": 10_000, "rng.floor_median": 100_000}


def game(market: str = "yahoo", **options: Any) -> Game:
    return Game(title="Locarno", market=market, options=options)


def sentence(listing: Listing, **options: Any) -> str:
    return listings.fault_sentence(
        listing, game(**{**FLOOR, **options}), "the reserve list decides"
    )


def test_liquid_stock_is_good(yahoo: LoopbackYahoo) -> None:
    """Policy 3: exists, listed on the game's market, liquid."""
    yahoo.daily["GE"] = 5_000_000
    listing = listings.look_up("GE", NOON)
    assert (listing.verdict, listing.exchange, listing.instrument, listing.currency) == (
        "good",
        "NYSE",
        "EQUITY",
        "USD",
    )
    assert (listing.median_volume, listing.sessions, listing.checked_at) == (5_000_000, 20, NOON)
    assert listing.raw["yfinance"]
    assert listings.fault(listing, game(**FLOOR)) == ""


def test_share_class_is_looked_up_in_yahoos_spelling(yahoo: LoopbackYahoo) -> None:
    """foundations.md 1: BRK.B in newspapers is BRK-B at Yahoo; the listing keeps BRK.B."""
    assert listings.look_up("BRK.B", NOON).symbol == "BRK.B"
    assert yahoo.charts_asked == ["BRK-B"]


def test_a_fund_traded_on_arca_is_good(yahoo: LoopbackYahoo) -> None:
    yahoo.daily["SPY"] = 60_000_000
    yahoo.meta["SPY"] = {
        "instrumentType": "ETF",
        "exchangeName": "PCX",
        "fullExchangeName": "NYSEArca",
    }
    assert listings.verdict_for(listings.look_up("SPY", NOON), game(**FLOOR)) == "good"


@pytest.mark.parametrize(
    ("symbol", "verdict", "words"),
    [
        (
            "TCS.NS",
            "abroad",
            (
                "TCS.NS is listed in Mumbai, not in New York: it has no usable report, and the"
                " reserve list decides."
            ),
        ),
        (
            "BHP.AX",
            "abroad",
            (
                "BHP.AX is listed in Sydney, not in New York: it has no usable report, and the"
                " reserve list decides."
            ),
        ),
        (
            "VOD.L",
            "abroad",
            (
                "VOD.L is listed in London, not in New York: it has no usable report, and the"
                " reserve list decides."
            ),
        ),
        (
            "BTC-USD",
            "paper",
            (
                "BTC-USD is a cryptocurrency, not a share or a fund that is traded: it has no"
                " usable report, and the reserve list decides."
            ),
        ),
    ],
)
def test_stock_of_another_market_gets_a_warning(
    yahoo: LoopbackYahoo, symbol: str, verdict: str, words: str
) -> None:
    """rules.md 0.1, `rng.market`: the receipt warns while the order can still be changed."""
    listing = listings.look_up(symbol, NOON)
    assert listings.verdict_for(listing, game(**FLOOR)) == verdict
    assert sentence(listing) == words


def test_market_of_the_game_decides_which_stocks_count(yahoo: LoopbackYahoo) -> None:
    """rules.md 0.1, `rng.market`: one listing serves the games of every market."""
    for symbol in ("VOD.L", "GE"):
        yahoo.daily[symbol] = 5_000_000
    london, new_york = listings.look_up("VOD.L", NOON), listings.look_up("GE", NOON)
    in_london = game(**FLOOR, **{"rng.market": "london"})
    assert [listings.fault(row, in_london) for row in (london, new_york)] == [
        "",
        "is listed in New York, not in London",
    ]
    assert (london.median_volume, london.sessions) == (5_000_000, 20)


@pytest.mark.parametrize(
    ("meta", "verdict", "sentence"),
    [
        (
            {"exchangeName": "PNK", "fullExchangeName": "OTC Markets OTCPK"},
            "abroad",
            "is listed at OTC Markets OTCPK, and only New York",
        ),
        (
            {"exchangeName": "", "fullExchangeName": ""},
            "abroad",
            "is listed nowhere, and only New York (NYSE, Nasdaq,",
        ),
        ({"exchangeTimezoneName": "Europe/Oslo"}, "abroad", "is listed in Oslo, not in New York"),
        ({"instrumentType": "INDEX", "exchangeName": "SNP"}, "paper", "an index"),
        (
            {"instrumentType": "MUTUALFUND", "exchangeName": "NAS"},
            "paper",
            "without sales on an exchange",
        ),
    ],
)
def test_paper_that_is_no_new_york_stock_is_rejected(
    yahoo: LoopbackYahoo, meta: dict[str, str], verdict: str, sentence: str
) -> None:
    """Policy 3: listed common stock or fund, by exchange, time zone and instrument."""
    yahoo.meta["XYZ"] = meta
    yahoo.daily["XYZ"] = 5_000_000
    listing = listings.look_up("XYZ", NOON)
    assert listings.verdict_for(listing, game(**FLOOR)) == verdict
    assert sentence in listings.fault(listing, game(**FLOOR))


@pytest.mark.parametrize(
    ("sold", "verdict"), [(99_900, "thin"), (100_000, "good"), (4_300, "thin"), (0, "thin")]
)
def test_median_of_twenty_sessions_decides_thin_stocks(
    yahoo: LoopbackYahoo, sold: int, verdict: str
) -> None:
    """foundations.md 2: below 100,000 shares a day the digit 0 comes up too often."""
    yahoo.daily["XYZ"] = sold
    for day in (
        18,
        19,
        20,
    ):  # three unusual days do not change the median
        yahoo.volumes[f"2026-11-{day}", "XYZ"] = 90_000_000 if sold < 100_000 else 0
    listing = listings.look_up("XYZ", NOON)
    assert (listings.verdict_for(listing, game(**FLOOR)), listing.median_volume) == (verdict, sold)
    assert ("and at least 100,000 are asked for" in listings.fault(listing, game(**FLOOR))) == (
        verdict == "thin"
    )
    assert listings.fault(listing, game()) == "", "a game without a floor"


def test_listing_leaves_out_the_running_day(yahoo: LoopbackYahoo) -> None:
    """Sales until noon say nothing about a whole day."""
    yahoo.daily["GE"] = 5_000_000
    yahoo.volumes["2026-11-24", "GE"] = 1
    listing = listings.look_up("GE", NOON)
    assert listing.raw["volumes"] == [5_000_000] * 20


def test_unknown_symbol_is_listed_as_unknown(yahoo: LoopbackYahoo) -> None:
    yahoo.modes["NONESUCH"] = "404"
    listing = listings.look_up("NONESUCH", NOON)
    assert (listing.verdict, listing.median_volume) == ("unknown", None)
    assert (
        sentence(listing)
        == "NONESUCH is not a stock that Yahoo knows: it has no usable report, and the reserve list"
        " decides."
    )


def test_a_stock_without_sales_for_a_month_is_thin(yahoo: LoopbackYahoo) -> None:
    """A halt of weeks: the symbol is known, but has no sales to draw from."""
    yahoo.modes["HALT"] = "no bars"
    listing = listings.look_up("HALT", NOON)
    assert (
        listings.verdict_for(listing, game(**FLOOR)),
        listing.median_volume,
        listing.exchange,
    ) == ("thin", 0, "NYSE")
    assert "hardly traded" in listings.fault(listing, game(**FLOOR))


@pytest.mark.parametrize("mode", ["429", "500", "down", "empty", "drop", "other symbol"])
def test_failed_lookup_stores_no_listing(yahoo: LoopbackYahoo, mode: str) -> None:
    """foundations.md 1.2: none of these faults may become “no such stock”."""
    yahoo.modes["GE"] = mode
    with pytest.raises(listings.NoAnswer) as refused:
        listings.look_up("GE", NOON)
    assert refused.value.down == (mode != "other symbol")
    assert not Listing.objects.exists()
    del yahoo.modes["GE"]
    assert listings.look_up("GE", NOON).verdict == "good", "it answers, and is believed"


@pytest.mark.both_databases
def test_newest_listing_counts_for_some_days(settings: Any) -> None:
    def row(symbol: str, verdict: str, ago: float) -> Listing:
        return Listing.objects.create(
            symbol=symbol, source="yahoo", verdict=verdict, checked_at=NOON - timedelta(days=ago)
        )

    row("GE", "thin", 3)
    newest = row("GE", "good", 2)
    row("F", "good", 8)
    assert listings.known_listings(game(), ["GE", "F", "T"], NOON) == {"GE": newest}
    settings.MARKET = {**settings.MARKET, "listing_days": 0}
    row("T", "good", 0.9)
    assert set(listings.known_listings(game(), ["GE", "F", "T"], NOON)) == {"T"}, (
        "nothing is asked twice within a day"
    )


MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([(-MINUTE, "good")], True),
        ([(-59 * DAY, "good")], True),
        ([(-61 * DAY, "good")], False),
        ([(-9 * DAY, "good"), (-DAY, "unknown")], False),
        ([(-9 * DAY, "unknown"), (-DAY, "good")], True),
        ([(-DAY, "paper")], False),
        ([(timedelta(0), "good")], False),
        ([(-DAY, "good"), (MINUTE, "unknown")], True),
        ([], False),
    ],
    ids=[
        "a minute before",
        "weeks before",
        "too long before",
        "lost since",
        "found since",
        "no share",
        "at the opening",
        "lost after the opening",
        "never",
    ],
)
def test_newest_listing_before_a_session_says_whether_the_stock_was_found(
    rows: list[tuple[timedelta, str]], found: bool
) -> None:
    """Nothing that is looked up once sales can be known decides how long we ask for them."""
    for after, verdict in rows:
        Listing.objects.create(
            symbol="GE",
            source="yahoo",
            verdict=verdict,
            instrument="EQUITY" if verdict == "good" else "INDEX",
            checked_at=TUESDAY.opens + after,
            raw={"meta": {"exchangeName": "NYQ", "exchangeTimezoneName": "America/New_York"}},
        )
    facts = {"code": "NYQ", "zone": "America/New_York", "instrument": "EQUITY"}
    assert listings.listed_before("GE", TUESDAY) == (facts if found else {})
    assert listings.listed_before("KO", TUESDAY) == {}


def test_listing_is_append_only_and_names_nobody() -> None:
    """Design 4 and 8: append-only, and tied to no game, seat or person."""
    assert issubclass(Listing, Evidence)
    row = Listing.objects.create(symbol="GE", source="yahoo", verdict="good", checked_at=NOON)
    with pytest.raises(EvidenceError):
        row.save()
    assert not [field.name for field in Listing._meta.get_fields() if field.is_relation]


def test_demo_exchange_lists_every_symbol_except_zz() -> None:
    known = listings.known_listings(game("demo"), ["GE", "NONESUCH", "ZZTOP"], NOON)
    assert {symbol: listing.verdict for symbol, listing in known.items()} == {
        "GE": "good",
        "NONESUCH": "good",
        "ZZTOP": "unknown",
    }
    assert "DEMO" in listings.fault(known["ZZTOP"], game("demo"))
    assert not listings.checks_stocks(game("demo"))
    assert not Listing.objects.exists()


@pytest.mark.parametrize(
    "of",
    [
        game("newspaper"),
        game("recorded"),
        game("yahoo", **{"rng.source": "gm_dice"}),
        game("demo", **{"rng.source": "gm_dice"}),
    ],
)
def test_games_without_stock_lookups_have_no_listings(of: Game) -> None:
    Listing.objects.create(symbol="ZZTOP", source="yahoo", verdict="unknown", checked_at=NOON)
    assert not listings.checks_stocks(of)
    assert listings.known_listings(of, ["ZZTOP"], NOON) == {}
