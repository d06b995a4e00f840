"""The real yfinance against a Yahoo of our own, in every way in which it fails (foundations.md 1.2, 1.3)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test import override_settings

from games.market.sources import Report
from games.market.yahoo import Yahoo, yahoo_name
from games.rules.sessions import Session
from tests.loopback_yahoo import MODES, LoopbackYahoo, volume

OPENS = datetime(2026, 11, 24, 14, 30, tzinfo=UTC)
TUESDAY = Session("XNYS", "2026-11-24", OPENS, OPENS + timedelta(hours=6.5))
NEXT_MORNING = TUESDAY.closes + timedelta(hours=14)


@pytest.fixture
def yahoo(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackYahoo]:
    monkeypatch.setattr("yfinance.data._time.sleep", lambda seconds: None)  # yfinance waits before it tries again
    with LoopbackYahoo() as server:
        settings.MARKET = {**settings.MARKET, "yahoo_base_url": server.url}
        yield server


def read(symbol: str = "GE", now: datetime = NEXT_MORNING) -> Report:
    return Yahoo().read(symbol, TUESDAY, now)


def test_a_bar_is_read_with_its_evidence(yahoo: LoopbackYahoo) -> None:
    """foundations.md 1.3: the raw figure is kept, with the exchange, the kind of paper and the library's version."""
    yahoo.volumes["2026-11-24", "GE"] = 5_412_345
    report = read()
    assert (report.kind, report.volume) == ("ok", 5_412_345)
    assert report.raw["meta"]["fullExchangeName"] == "NYSE"
    assert report.raw["meta"]["instrumentType"] == "EQUITY"
    assert report.raw["meta"]["currency"] == "USD"
    assert report.raw["row"]["Volume"] == 5_412_345
    assert report.raw["row"]["Close"] == 31.5
    assert report.raw["yfinance"]


def test_every_stock_has_the_documented_volume(yahoo: LoopbackYahoo) -> None:
    """End-to-end tests compute their digits from `volume`."""
    assert read("IBM").volume == volume("IBM", date(2026, 11, 24))


KINDS = {
    "ok": "ok",
    "404": "unknown",
    "429": "later",
    "500": "later",
    "down": "later",
    "empty": "later",
    "drop": "later",
    "hang": "later",
    "nulls": "no_sales",
    "null volume": "no_sales",
    "zero": "no_sales",
    "double": "later",
    "wrong day": "no_bar",
    "no bars": "no_bar",
    "no dates": "no_bar",
    "other symbol": "unknown",
    "no prices": "ok",
}


def test_the_table_of_kinds_covers_every_mode() -> None:
    """No way of failing is left untried."""
    assert KINDS.keys() == MODES.keys()


@pytest.mark.parametrize("zone_known", [False, True], ids=["new stock", "stock read before"])
@pytest.mark.parametrize("mode", MODES)
def test_missing_or_zero_is_no_report(yahoo: LoopbackYahoo, mode: str, zone_known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """foundations.md 1.2: every failure is one of the five kinds, and none of them has a figure. yfinance answers otherwise to some of
    them once it has the stock's time zone on disk."""
    symbol = f"K{list(MODES).index(mode)}" if zone_known else f"N{list(MODES).index(mode)}"
    if zone_known:
        assert read(symbol).kind == "ok"
    if mode == "hang":
        monkeypatch.setattr("games.market.yahoo_wire.LONGEST_WAIT", 0.3)
    yahoo.modes[symbol] = mode
    report = read(symbol)
    assert report.kind == KINDS[mode], report
    assert (report.volume is not None and report.volume > 0) == (mode in ("ok", "no prices"))
    assert report.kind == "ok" or report.detail


@pytest.mark.parametrize("mode", ["404", "429", "500", "down", "empty", "drop", "no bars"])
def test_a_fault_that_passes_leaves_no_stale_answer(yahoo: LoopbackYahoo, mode: str) -> None:
    """foundations.md, third of the ten: yfinance keeps faults in its cache; the next reading must see what Yahoo says now."""
    yahoo.modes["F"] = mode
    assert read("F").kind != "ok"
    del yahoo.modes["F"]
    assert read("F").volume == volume("F", date(2026, 11, 24))


def test_a_revised_figure_is_seen_by_the_next_reading(yahoo: LoopbackYahoo) -> None:
    """foundations.md 1.3: figures are revised overnight, and the cache must not hide it."""
    yahoo.volumes["2026-11-24", "PFE"] = 27_955_647
    assert read("PFE").volume == 27_955_647
    yahoo.volumes["2026-11-24", "PFE"] = 38_355_200
    assert read("PFE").volume == 38_355_200


def test_two_rows_for_the_day_are_both_kept_as_evidence(yahoo: LoopbackYahoo) -> None:
    """foundations.md 1.3: yfinance would silently keep the last row, which was the smaller one for TGT on 2020-08-17."""
    yahoo.modes["TGT"] = "double"
    yahoo.volumes["2026-11-24", "TGT"] = 4_616_400
    report = read("TGT")
    assert report.kind == "later"
    assert report.raw["volumes_of_all_rows"] == [4_616_400, 4_441_207]
    assert "2 rows" in report.detail


def test_an_unreachable_source_is_told_from_a_bad_stock(yahoo: LoopbackYahoo) -> None:
    """What is wrong with one stock does not keep the others from being asked for; a source that is down does."""
    yahoo.modes.update({"AA": "404", "BB": "429", "CC": "drop", "DD": "zero"})
    assert [read(symbol).down for symbol in ("AA", "BB", "CC", "DD")] == [False, True, True, False]


def test_nothing_listens_and_the_answer_is_later(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused connection is no report, and no exception either."""
    monkeypatch.setattr("yfinance.data._time.sleep", lambda seconds: None)
    with LoopbackYahoo() as gone:
        pass
    with override_settings(MARKET={**settings.MARKET, "yahoo_base_url": gone.url}):
        report = read("GE")
    assert (report.kind, report.down) == ("later", True)


def test_nothing_is_asked_before_the_close(yahoo: LoopbackYahoo) -> None:
    """What is known of a running session is not its sales."""
    assert read(now=TUESDAY.closes - timedelta(seconds=1)).kind == "later"
    assert yahoo.asked == []


def test_a_friday_before_a_clock_change_has_the_right_day(yahoo: LoopbackYahoo) -> None:
    """The day is the exchange's own, on both sides of a change of clocks (2026-11-01, 2026-03-08)."""
    for day in (date(2026, 10, 30), date(2026, 11, 2), date(2026, 3, 6), date(2026, 3, 9)):
        opens = datetime(day.year, day.month, day.day, 14, 30, tzinfo=UTC)
        session = Session("XNYS", day.isoformat(), opens, opens + timedelta(hours=7))
        assert Yahoo().read("GE", session, session.closes + timedelta(hours=14)).volume == volume("GE", day)


def test_only_yahoo_is_redirected_and_nothing_else_leaves() -> None:
    """The session of tests refuses every other host, and follows no redirection."""
    from games.market.yahoo_wire import Redirected

    wire = Redirected("http://127.0.0.1:1")
    assert wire.address("https://query2.finance.yahoo.com/v8/x?a=1") == "http://127.0.0.1:1/v8/x?a=1"
    for url in ("https://example.org/", "https://notyahoo.com/", "https://yahoo.com.example.org/"):
        with pytest.raises(ValueError, match="instead of Yahoo"):
            wire.get(url)


def test_classes_of_shares_are_spelled_as_yahoo_does() -> None:
    """The newspaper prints BRK.B; Yahoo has it as BRK-B. Suffixes of other exchanges stay."""
    assert [yahoo_name(symbol) for symbol in ("BRK.B", "GE", "SCR.TO")] == ["BRK-B", "GE", "SCR.TO"]
    assert [yahoo_name(symbol) for symbol in ("VOD.L", "7203.T")] == ["VOD.L", "7203.T"]
