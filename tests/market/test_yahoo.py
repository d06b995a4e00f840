"""The real yfinance against a loopback Yahoo that fails in every way (foundations.md 1.2, 1.3)."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from curl_cffi.requests.exceptions import Timeout
from django.test import override_settings

from games.market.report import Report
from games.market.yahoo import Yahoo, judge, yahoo_name
from games.market.yahoo_wire import Answer, Wire
from games.rules.sessions import Session, session_on, sessions_before
from games.rules.settling import is_listed
from tests.support.loopback_yahoo import MODES, LoopbackYahoo, volume

OPENS = datetime(2026, 11, 24, 14, 30, tzinfo=UTC)
TUESDAY = Session("XNYS", "2026-11-24", OPENS, OPENS + timedelta(hours=6.5))
NEXT_MORNING = TUESDAY.closes + timedelta(hours=14)
NYSE_FACTS = {"code": "NYQ", "zone": "America/New_York", "instrument": "EQUITY"}


def read(symbol: str = "GE", now: datetime = NEXT_MORNING) -> Report:
    return Yahoo().read(symbol, TUESDAY, now)


def test_yahoo_bar_is_read_with_its_evidence(yahoo: LoopbackYahoo) -> None:
    """foundations.md 1.3: raw figure, exchange, instrument and library version."""
    yahoo.volumes["2026-11-24", "GE"] = 5_412_345
    report = read()
    assert (report.kind, report.volume) == ("ok", 5_412_345)
    assert report.raw["meta"]["fullExchangeName"] == "NYSE"
    assert report.raw["meta"]["instrumentType"] == "EQUITY"
    assert report.raw["meta"]["currency"] == "USD"
    assert report.raw["row"]["volume"] == 5_412_345
    assert report.raw["row"]["close"] == 31.5
    assert {key: report.facts[key] for key in ("code", "zone", "instrument")} == NYSE_FACTS
    assert report.raw["yfinance"]


def test_loopback_yahoo_serves_the_documented_volume(yahoo: LoopbackYahoo) -> None:
    """End-to-end tests compute their digits from `volume`."""
    assert read("IBM").volume == volume("IBM", date(2026, 11, 24))


def test_stocks_read_at_once_each_get_their_own_answer(yahoo: LoopbackYahoo) -> None:
    """Issue 21.2: threads share yfinance's one session."""
    symbols = [f"T{letter}" for letter in "ABCDEFGHIJKLMNOP"]
    yahoo.delay = 0.02
    yahoo.modes["TC"], yahoo.modes["TD"] = "404", "500"
    with ThreadPoolExecutor(Yahoo.at_once) as threads:
        reports = dict(zip(symbols, threads.map(read, symbols), strict=True))
    assert (reports.pop("TC").kind, reports.pop("TD").kind) == ("unknown", "later")
    day = date(2026, 11, 24)
    assert {name: report.volume for name, report in reports.items()} == {
        name: volume(name, day) for name in reports
    }


def test_failed_cookie_request_is_made_once(
    yahoo: LoopbackYahoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Charts do not need the cookie, but all threads would wait for it together."""
    asked: list[str] = []

    def never(self: Any, method: str, url: str, *args: Any, **options: Any) -> None:
        asked.append(url)
        raise Timeout("no answer")

    monkeypatch.setattr("curl_cffi.requests.Session.request", never)
    wire = Wire(yahoo.url)
    for _ in range(3):
        with pytest.raises(Timeout):
            wire.request("GET", "https://fc.yahoo.com/")
    assert len(asked) == 1
    with pytest.raises(Timeout):
        wire.request("GET", "https://query1.finance.yahoo.com/v8/finance/chart/GE")
    assert len(asked) == 2


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
    "no prices": "later",
    "true": "later",
    "float": "later",
    "text": "later",
    "huge": "later",
    "repeated": "later",
    "running": "later",
    "midnight": "ok",
    "hourly": "later",
    "no exchange": "later",
}


def test_the_table_of_kinds_covers_every_mode() -> None:
    assert KINDS.keys() == MODES.keys()


@pytest.mark.parametrize("zone_known", [False, True], ids=["new stock", "stock read before"])
@pytest.mark.parametrize("mode", MODES)
def test_missing_or_zero_is_no_report(
    yahoo: LoopbackYahoo, mode: str, zone_known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """foundations.md 1.2: five kinds; yfinance answers differently once it knows the zone."""
    symbol = f"K{list(MODES).index(mode)}" if zone_known else f"N{list(MODES).index(mode)}"
    if zone_known:
        assert read(symbol).kind == "ok"
    if mode == "hang":
        monkeypatch.setattr("games.market.yahoo_wire.LONGEST_WAIT", 0.3)
    yahoo.modes[symbol] = mode
    report = read(symbol)
    assert report.kind == KINDS[mode], report
    assert (report.volume is not None and report.volume > 0) == (KINDS[mode] == "ok")
    assert report.kind == "ok" or report.detail


@pytest.mark.parametrize("mode", ["404", "429", "500", "down", "empty", "drop", "no bars"])
def test_passing_fault_leaves_no_stale_answer(yahoo: LoopbackYahoo, mode: str) -> None:
    """foundations.md, third of the ten: yfinance keeps faults in its cache."""
    yahoo.modes["F"] = mode
    assert read("F").kind != "ok"
    del yahoo.modes["F"]
    assert read("F").volume == volume("F", date(2026, 11, 24))


def test_a_revised_figure_is_seen_by_the_next_reading(yahoo: LoopbackYahoo) -> None:
    """foundations.md 1.3: figures are revised overnight, and a cache must not hide it."""
    yahoo.volumes["2026-11-24", "PFE"] = 27_955_647
    assert read("PFE").volume == 27_955_647
    yahoo.volumes["2026-11-24", "PFE"] = 38_355_200
    assert read("PFE").volume == 38_355_200


def test_double_rows_are_both_stored_as_evidence(yahoo: LoopbackYahoo) -> None:
    """foundations.md 1.3: yfinance keeps the last one, the smaller one of TGT on 2020-08-17."""
    yahoo.modes["TGT"] = "double"
    yahoo.volumes["2026-11-24", "TGT"] = 4_616_400
    report = read("TGT")
    assert report.kind == "later"
    assert report.raw["volumes_of_all_rows"] == [4_616_400, 4_441_207]
    assert "2 rows" in report.detail


def test_unreachable_source_is_marked_down(yahoo: LoopbackYahoo) -> None:
    """Other stocks are still read after a bad stock, but not if the source is down."""
    yahoo.modes.update({"AA": "404", "BB": "429", "CC": "drop", "DD": "zero"})
    assert [read(symbol).down for symbol in ("AA", "BB", "CC", "DD")] == [False, True, True, False]


def test_refused_connection_is_reported_as_later(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refused connection is neither a report nor an exception."""
    monkeypatch.setattr("yfinance.data._time.sleep", lambda seconds: None)
    with LoopbackYahoo() as gone:
        pass
    with override_settings(MARKET={**settings.MARKET, "yahoo_base_url": gone.url}):
        report = read("GE")
    assert (report.kind, report.down) == ("later", True)


def test_yahoo_is_not_asked_before_the_close(yahoo: LoopbackYahoo) -> None:
    """Sales of a running session are incomplete."""
    assert read(now=TUESDAY.closes - timedelta(seconds=1)).kind == "later"
    assert yahoo.asked == []


def test_yahoo_reads_the_right_day_around_clock_changes(yahoo: LoopbackYahoo) -> None:
    """The exchange's own day, around the changes of 2026-11-01 and 2026-03-08."""
    for day in (date(2026, 10, 30), date(2026, 11, 2), date(2026, 3, 6), date(2026, 3, 9)):
        session = session_on("XNYS", day)
        assert session is not None
        assert Yahoo().read("GE", session, session.closes + timedelta(hours=14)).volume == volume(
            "GE", day
        )


def test_redirected_session_refuses_hosts_other_than_yahoo() -> None:
    """The session in tests refuses every other host and follows no redirects."""
    wire = Wire("http://127.0.0.1:1")
    assert (
        wire.address("https://query2.finance.yahoo.com/v8/x?a=1") == "http://127.0.0.1:1/v8/x?a=1"
    )
    for url in ("https://example.org/", "https://notyahoo.com/", "https://yahoo.com.example.org/"):
        with pytest.raises(ValueError, match="instead of Yahoo"):
            wire.session.get(url)


def test_share_class_is_spelled_as_at_yahoo() -> None:
    """Newspapers print BRK.B; Yahoo has BRK-B. Suffixes of other exchanges stay."""
    assert [yahoo_name(symbol) for symbol in ("BRK.B", "GE", "SCR.TO")] == ["BRK-B", "GE", "SCR.TO"]
    assert [yahoo_name(symbol) for symbol in ("VOD.L", "7203.T")] == ["VOD.L", "7203.T"]


# --- which row counts, and what Yahoo says of the symbol (rules.md 0.1, `rng.market`, `rng.floor`)
# ---


def chart(volume: object = 5_412_300, stamp: datetime = OPENS, **changes: Any) -> dict[str, Any]:
    """Return `chart.result[0]` of Yahoo's JSON with the previous day and the day."""
    stamps = [int((OPENS - timedelta(days=1)).timestamp()), int(stamp.timestamp())]
    prices = {key: [30.0, 31.0] for key in ("open", "high", "low", "close")}
    meta = {
        "symbol": "GE",
        "exchangeName": "NYQ",
        "exchangeTimezoneName": "America/New_York",
        "instrumentType": "EQUITY",
    }
    tree = {"meta": {**meta, "dataGranularity": "1d"}, "timestamp": stamps}
    return {**tree, "indicators": {"quote": [{**prices, "volume": [4_000_000, volume]}]}, **changes}


def judge_tree(tree: dict[str, Any]) -> Report:
    """Return the report of a chart that comes over the wire."""
    answer = Answer(200, json.dumps({"chart": {"result": [tree], "error": None}})).tree()
    assert answer is not None
    return judge("GE", answer["result"][0], TUESDAY, {})


@pytest.mark.parametrize(
    ("volume", "kind", "message"),
    [
        (1, "ok", ""),
        (10**12 - 1, "ok", ""),
        (10**12, "later", "more than were ever sold"),
        (2**63 - 1, "later", "more than were ever sold"),
        (True, "later", "not a whole number"),
        (5_412_300.0, "later", "not a whole number"),
        (1e300, "later", "not a whole number"),
        ("5412300", "later", "not a whole number"),
        ([5_412_300], "later", "not a whole number"),
        (None, "no_sales", "no sales"),
        (0, "no_sales", "no sales"),
        (-1, "no_sales", "no sales"),
        (4_000_000, "later", "session before once more"),
    ],
)
def test_invalid_or_repeated_volume_is_not_taken(volume: object, kind: str, message: str) -> None:
    report = judge_tree(chart(volume))
    assert (report.kind, report.volume) == (kind, volume if kind == "ok" else None)
    assert message in report.detail


def test_row_with_equal_sales_counts_unless_prices_are_equal_too() -> None:
    """37 shares on two days are no repeated row; otherwise a phase could wait forever."""
    tree = chart(37)
    quote = tree["indicators"]["quote"][0]
    quote["volume"][0] = 37
    assert judge_tree(tree).kind == "ok"
    for key, price in (("open", 31), ("high", 33), ("low", 30), ("close", 32)):
        quote[key] = [price, price]
    assert judge_tree(tree).kind == "later"


@pytest.mark.parametrize(
    ("stamp", "kind"),
    [
        (OPENS, "ok"),
        (TUESDAY.closes - timedelta(seconds=1), "ok"),
        (datetime(2026, 11, 24, 0, 0, tzinfo=UTC), "ok"),
        (OPENS - timedelta(seconds=1), "later"),
        (TUESDAY.closes, "later"),
        (TUESDAY.closes + timedelta(hours=4), "later"),
        (datetime(2026, 11, 25, 0, 0, tzinfo=UTC), "no_bar"),
    ],
    ids=[
        "open",
        "before the close",
        "midnight UTC",
        "before the open",
        "close",
        "evening",
        "midnight UTC of the next day",
    ],
)
def test_row_must_be_stamped_within_the_exchanges_hours(stamp: datetime, kind: str) -> None:
    """00:00 UTC is the previous evening in New York; a row outside trading hours is running."""
    assert judge_tree(chart(stamp=stamp)).kind == kind


def test_two_rows_with_different_stamps_for_the_day_do_not_count() -> None:
    """foundations.md 1.3: TGT 2020-08-17 had two."""
    tree = chart()
    tree["timestamp"][0] = int(datetime(2026, 11, 24, 0, 0, tzinfo=UTC).timestamp())
    assert "2 rows" in judge_tree(tree).detail


@pytest.mark.parametrize("key", ["open", "high", "low", "close"])
def test_row_without_a_price_is_read_again(key: str) -> None:
    """yfinance #2895: sales can come while prices are still missing."""
    tree = chart()
    tree["indicators"]["quote"][0][key][1] = None
    assert judge_tree(tree).kind == "later"


@pytest.mark.parametrize("granularity", ["1h", "5d", None, True])
def test_only_daily_rows_count(granularity: object) -> None:
    tree = chart()
    tree["meta"]["dataGranularity"] = granularity
    assert judge_tree(tree).kind == "later"


@pytest.mark.parametrize(
    "changes",
    [
        {"timestamp": None},
        {"timestamp": [1.5, 2.5]},
        {"timestamp": [True, False]},
        {"timestamp": [10**17, 10**18]},
        {"timestamp": [1]},
        {"indicators": {}},
        {"indicators": {"quote": []}},
        {"indicators": {"quote": [{"volume": [1, 2]}]}},
        {"meta": None},
        {"meta": {"exchangeTimezoneName": "Mars/Olympus", "dataGranularity": "1d"}},
        {"events": None},
        {"events": {"splits": ["30:1"]}},
        {"events": {"splits": {"soon": {}}}},
    ],
    ids=str,
)
def test_answer_of_another_form_is_read_again(changes: dict[str, Any]) -> None:
    assert judge_tree(chart(**changes)).kind == "later"


@pytest.mark.parametrize(
    "body",
    [
        '{"chart": {"result": [], "result": [{}], "error": null}}',
        '{"chart": {"result": [{"meta": {"x": NaN}}], "error": null}}',
        "[" * 100_000,
        '{"chart": ' + "1" * 5000 + "}",
        '{"chart": {"result": [{"volume": 9223372036854775808}], "error": null}}',
    ],
    ids=["a key twice", "NaN", "nesting", "a number without end", "a number beyond 64 bits"],
)
def test_body_that_is_not_plain_json_is_no_answer(body: str) -> None:
    assert Answer(200, body).tree() is None


def test_median_covers_the_twenty_sessions_before(
    yahoo: LoopbackYahoo,
) -> None:
    """rules.md 0.1, `rng.floor`."""
    days = [session.day for session in sessions_before("XNYS", TUESDAY.day, 20)]
    assert (len(days), days[-1]) == (20, date(2026, 11, 23))
    expected = sorted(volume("GE", day) for day in days)
    assert read("GE").facts["median"] == round((expected[9] + expected[10]) / 2)
    for day in days[:11]:
        yahoo.volumes[day.isoformat(), "F"] = 37
    yahoo.volumes["2026-11-24", "F"] = 5_000_000
    assert read("F").facts["median"] == 37
    first = next(path for path in yahoo.asked if "period1" in path)
    assert (
        int(parse_qs(urlsplit(first).query)["period1"][0])
        <= datetime(2026, 10, 27, 5, tzinfo=UTC).timestamp()
    )


@pytest.mark.parametrize(
    ("symbol", "place"),
    [
        ("TCS.NS", ("NSI", "Asia/Kolkata", "EQUITY")),
        ("BHP.AX", ("ASX", "Australia/Sydney", "EQUITY")),
        ("7203.T", ("JPX", "Asia/Tokyo", "EQUITY")),
        ("BTC-USD", ("CCC", "UTC", "CRYPTOCURRENCY")),
    ],
)
def test_reading_says_where_the_symbol_is_listed(
    yahoo: LoopbackYahoo, symbol: str, place: tuple[str, str, str]
) -> None:
    """rules.md 0.1, `rng.market`: the game decides whether it counts."""
    report = read(symbol)
    assert (report.kind, report.volume) == ("ok", volume(symbol, TUESDAY.day))
    assert tuple(report.facts[key] for key in ("code", "zone", "instrument")) == place
    assert not is_listed(report.facts, "new_york")


def test_tokyo_stock_is_read_in_a_tokyo_session(yahoo: LoopbackYahoo) -> None:
    """Tokyo opens at midnight UTC, on the same date."""
    session = session_on("XTKS", date(2026, 11, 24))
    assert session is not None
    report = Yahoo().read("7203.T", session, session.closes + timedelta(hours=14))
    assert (report.kind, report.volume) == ("ok", volume("7203.T", date(2026, 11, 24)))
    assert is_listed(report.facts, "tokyo")
    assert report.facts["median"] > 0


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        ("500", "later"),
        ("429", "later"),
        ("drop", "later"),
        ("empty", "later"),
        ("no dates", "ok"),
        ("404", "ok"),
    ],
)
def test_figure_waits_for_yahoos_answer_about_splits(
    yahoo: LoopbackYahoo, after: str, kind: str
) -> None:
    """No answer is not “no split”; an answer without data after the day is."""
    yahoo.volumes["2026-11-25", "GE"] = after  # the request for days after
    assert read("GE").kind == kind


def test_yahoo_probes_a_known_symbol_beside_an_unknown_one(yahoo: LoopbackYahoo) -> None:
    """The reading names the leading stock that Yahoo knew at the same moment."""
    yahoo.modes |= {"GONE": "404", "KO": "ok"}
    assert read("GONE").facts == {"probe": "KO"}
    for mode in ("404", "429", "500", "no bars", "other symbol", "drop"):
        yahoo.modes["KO"] = mode
        report = read("GONE")
        assert (report.kind, report.facts) == ("unknown", {}), mode
    yahoo.modes["KO"] = "404"
    assert read("KO").facts == {"probe": "GE"}, "not the same one"
