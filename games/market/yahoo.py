"""Read sales from Yahoo with yfinance.

Yahoo's response is judged unchanged, from the chart's JSON, because yfinance turns a missing volume
into 0, keeps one of two rows for a day, and takes `true` and 1.0 for 1. yfinance, and with it
pandas, is imported when the first figure is read.
"""

from __future__ import annotations

import re
import statistics
import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

from games.market.report import (
    LEADING_NEW_YORK,
    PRICES,
    Report,
    days_before,
    fault_of_volume,
    is_stale,
    median_before,
    not_over,
)
from games.rules.markets import MARKETS, market_of_exchange
from games.rules.sessions import Session
from games.rules.settling import is_listed

from .yahoo_wire import Answer, Wire

#: yfinance is set up once per process; its threads then share one session and one cookie.
_SETTING_UP = threading.Lock()
_META = (
    "symbol",
    "fullExchangeName",
    "exchangeName",
    "instrumentType",
    "currency",
    "exchangeTimezoneName",
    "dataGranularity",
)
#: 20 sessions and the longest holidays of any market: the range of a stock check.
TWENTY_SESSIONS = timedelta(days=45)
WEEK, DAY = timedelta(days=7), timedelta(days=1)
#: Stocks that Yahoo certainly has. They are requested where Yahoo does not know another stock.
LEADING = {
    "XNYS": LEADING_NEW_YORK,
    **{market.exchange: (market.example,) for market in MARKETS.values() if market.suffix},
}


class Yahoo:
    """The source of the market "yahoo". Every failure becomes one of 5 kinds; none becomes 0."""

    name = "yahoo"
    at_once = 8  # yfinance's own `download` also uses threads, twice as many as processors

    def read(self, symbol: str, session: Session, now: datetime) -> Report:
        if early := not_over(session, now):
            return early
        _begin()
        return _read(yahoo_name(symbol), session, now)


def yahoo_name(symbol: str) -> str:
    """Return the symbol in Yahoo's spelling: share classes in New York have a hyphen there (BRK.B
    in newspapers, BRK-B at Yahoo).

    Suffixes of other exchanges (VOD.L, 7203.T, SCR.TO) stay; Yahoo then says where they are listed.
    """
    if any(market.suffix and symbol.endswith(market.suffix) for market in MARKETS.values()):
        return symbol
    return re.sub(r"\.([A-Z])$", r"-\1", symbol)


def _read(name: str, session: Session, now: datetime) -> Report:
    day = session.day
    evidence: dict[str, Any] = {"symbol_asked": name}
    first = min([*days_before(session.exchange, day)[:1], day - WEEK])
    # More than the day itself, to distinguish a missing day from an unknown symbol. The end is
    # exclusive.
    answer, fault = _ask(name, first, day + DAY, evidence)
    result = _result(answer)
    report = (
        _failure(fault, answer, evidence)
        if result is None
        else judge(name, result, session, evidence)
    )
    if report.kind == "unknown":
        return replace(report, facts=_probe(name, session, evidence))
    if report.kind != "ok" or report.flag:
        return report
    splits = _splits_after(name, session, now, evidence)
    if splits is None:
        detail = "Yahoo does not say whether the stock was split since."
        return Report("later", detail=detail, raw=evidence)
    return replace(report, detail=_describe_split(day), flag="split") if splits else report


def judge(
    name: str, result: Mapping[str, Any], session: Session, evidence: dict[str, Any]
) -> Report:
    """Return the report for a chart from Yahoo: `result` is `chart.result[0]` of its JSON. The data
    behind the report is added to `evidence`.

    A row counts only if it is the only one of its day, daily, has prices, has a timestamp within
    the session's hours, and a whole number of shares that does not repeat the session before.
    Otherwise Yahoo is asked again later.
    """
    meta = result.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    evidence["meta"] = {key: meta.get(key) for key in _META}
    if (answered_symbol := meta.get("symbol")) and answered_symbol != name:
        renamed = f"Yahoo answered about {answered_symbol} when asked about {name}"
        renamed = f"{renamed}: the stock has another symbol."
        return Report("unknown", detail=renamed, raw=evidence, flag="renamed")

    def later(detail: str) -> Report:
        return Report("later", detail=detail, raw=evidence)

    def report_without_volume(kind: str, detail: str) -> Report:
        return Report(kind, detail=detail, raw=evidence, facts=facts_and_median)

    rows = _rows(result, meta)
    if rows is None:
        return later("Yahoo's rows cannot be read.")
    if meta.get("dataGranularity") != "1d":
        return later(f"Yahoo's rows are not daily but of {str(meta.get('dataGranularity'))[:20]}.")
    day = session.day
    of_day = [row for row in rows if row["day"] == day]
    earlier = [row for row in rows if row["day"] < day]
    before = max(earlier, key=lambda row: row["stamp"], default=None)
    evidence["row"], evidence["row_before"] = _plain(of_day[-1] if of_day else None), _plain(before)
    facts = {key: str(meta.get(name) or "") for key, name in FACTS.items()}
    if not all(facts.values()):
        return later("Yahoo does not say where the stock is listed.")
    facts_and_median = {**facts, "median": median_before(session, _volumes(rows))}
    if len(of_day) > 1:
        evidence["volumes_of_all_rows"] = [row["volume"] for row in of_day]
        return later(f"Yahoo has {len(of_day)} rows for {day}; one of them is still provisional.")
    if not of_day:
        return report_without_volume("no_bar", f"Yahoo has no entry for {day}.")
    (row,) = of_day
    market, stamp = market_of_exchange(session.exchange), datetime.fromtimestamp(row["stamp"], UTC)
    # A symbol of another exchange has other hours; its report says that it is listed there.
    listed_here = market is not None and is_listed(facts, market.id)
    if listed_here and not _midnight(row["stamp"]) and not session.opens <= stamp < session.closes:
        stamped = f"it is stamped {stamp:%H:%M} UTC"
        return later(f"Yahoo's entry for {day} is not of the session: {stamped}.")
    volume = row["volume"]
    if volume is not None and (wrong := fault_of_volume(volume)):
        return later(f"Yahoo's sales for {day} {wrong}.")
    if volume is None or volume <= 0:
        return report_without_volume("no_sales", f"Yahoo's entry for {day} has no sales.")
    if not all(
        isinstance(row[key], int | float) and not isinstance(row[key], bool) for key in PRICES
    ):
        return later(f"Yahoo's entry for {day} has no prices yet.")
    if is_stale(row, before):
        return later(f"Yahoo's entry for {day} is that of the session before once more.")
    splits = _splits(result)
    if splits is None:
        return later("Yahoo's answer about splits cannot be read.")
    zone = ZoneInfo(meta["exchangeTimezoneName"])
    report = Report("ok", volume, raw=evidence, facts=facts_and_median)
    if later_splits := {key: split for key, split in splits.items() if _day(int(key), zone) >= day}:
        evidence["splits"] = later_splits
        return replace(report, detail=_describe_split(day), flag="split")
    return report


#: The names of a reading's facts in Yahoo's response.
FACTS = {"code": "exchangeName", "zone": "exchangeTimezoneName", "instrument": "instrumentType"}


def _describe_split(day: date) -> str:
    return f"Yahoo shows a split on or after {day}: it may have restated the sales."


def _splits_after(
    name: str, session: Session, now: datetime, evidence: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the splits after the day, because Yahoo then restates earlier sales;
    None where Yahoo does not say.

    This is a separate request, because a range beyond the day would include the row of a session in
    progress. A response without data after the day means that there were none.
    """
    market = market_of_exchange(session.exchange)
    today = now.astimezone(ZoneInfo(market.zone) if market else UTC).date()
    if today <= session.day:
        return {}
    answer, _ = _ask(name, session.day + DAY, today + DAY, evidence)
    if (result := _result(answer)) is not None:
        splits = _splits(result)
    else:
        none_after = answer is not None and answer.status in (400, 404) and _error(answer)
        splits = {} if none_after else None
    evidence["later_splits"] = splits
    return splits


def _splits(result: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the splits in a response by timestamp; None where they cannot be read."""
    events = result.get("events", {})
    splits = events.get("splits", {}) if isinstance(events, dict) else None
    if not isinstance(splits, dict) or not all(
        re.fullmatch("-?[0-9]{1,11}", key) for key in splits
    ):
        return None
    return splits


def _probe(name: str, session: Session, evidence: dict[str, Any]) -> dict[str, str]:
    """Return the facts of an unknown symbol: a leading stock of the market for which Yahoo has rows
    at that moment, if any."""
    probe = next((symbol for symbol in LEADING.get(session.exchange, ()) if symbol != name), "")
    if not probe:
        return {}
    answer, _ = _ask(probe, session.day - WEEK, session.day + DAY, {})
    result = _result(answer) or {}
    meta = result.get("meta")
    known = isinstance(meta, dict) and meta.get("symbol") == probe and bool(_rows(result, meta))
    status = answer.status if answer else None
    evidence["probe"] = {"symbol": probe, "status": status, "known": known}
    return {"probe": probe} if known else {}


# --- responses ---


def _ask(
    name: str, first: date, end: date, evidence: dict[str, Any]
) -> tuple[Answer | None, Exception | None]:
    """Request the daily rows of a symbol up to but not including `end`. Return Yahoo's response,
    and yfinance's exception if it failed."""
    yf, data = _library()
    wire = _wire(settings.MARKET["yahoo_base_url"])
    wire.asking.chart = None
    # Without this, a worker's retries always get the same response, errors included.
    data(session=wire.session).cache_get.cache_clear()
    evidence["yfinance"] = yf.__version__
    if settings.MARKET["yahoo_base_url"]:
        evidence["asked_instead_of_yahoo"] = settings.MARKET["yahoo_base_url"]
    try:
        yf.Ticker(name, session=wire.session).history(
            start=first,
            end=end,
            interval="1d",
            auto_adjust=False,
            actions=True,
            repair=False,  # may change volumes
            keepna=True,  # Yahoo may have sales while prices are still missing
        )
    except Exception as fault:  # the library does not document its exceptions
        return wire.asking.chart, fault
    return wire.asking.chart, None


def _result(answer: Answer | None) -> dict[str, Any] | None:
    """Return `chart.result[0]` of a response to a request with dates; None where there is none."""
    chart = answer.tree() if answer is not None and answer.status == 200 and answer.dated else None
    results = chart.get("result") if chart else None
    first = results[0] if isinstance(results, list) and results else None
    return first if isinstance(first, dict) else None


def _error(answer: Answer) -> dict[str, Any]:
    """Return Yahoo's error with `code` and `description`; empty where there is none."""
    error = (answer.tree() or {}).get("error")
    return error if isinstance(error, dict) else {}


def _rows(result: Mapping[str, Any], meta: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the rows of a chart's JSON, each with `stamp` and `day`; None where they cannot be
    read."""
    try:
        zone = ZoneInfo(meta["exchangeTimezoneName"])
        stamps, quote = result.get("timestamp", []), result["indicators"]["quote"][0]
        if not all(isinstance(stamp, int) and not isinstance(stamp, bool) for stamp in stamps):
            return None
        columns = {key: quote[key] if stamps else [] for key in (*PRICES, "volume")}
        if any(len(column) != len(stamps) for column in columns.values()):
            return None
        return [
            {
                "stamp": stamp,
                "day": _day(stamp, zone),
                **{key: column[n] for key, column in columns.items()},
            }
            for n, stamp in enumerate(stamps)
        ]
    except (LookupError, TypeError, ValueError, OverflowError, OSError):
        return None


def _day(stamp: int, zone: ZoneInfo) -> date:
    """Return a row's day at the exchange. Yahoo writes a day without a time as midnight UTC."""
    return datetime.fromtimestamp(stamp, UTC if _midnight(stamp) else zone).date()


def _midnight(stamp: int) -> bool:
    return stamp % 86_400 == 0


def _volumes(rows: list[dict[str, Any]]) -> dict[date, int]:
    """Return the sales of each day that has a valid figure."""
    return {
        row["day"]: row["volume"]
        for row in rows
        if not fault_of_volume(row["volume"]) and row["volume"] > 0
    }


def _plain(row: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a row as it is stored as evidence."""
    return None if row is None else {key: value for key, value in row.items() if key != "day"}


def _failure(fault: Exception | None, answer: Answer | None, evidence: dict[str, Any]) -> Report:
    """Return the report for a response without a chart, or for none, based on what Yahoo sent and
    not on the exception."""
    evidence["fault"] = f"{type(fault).__name__}: {fault}"[:300]

    def report(kind: str, detail: str, *, down: bool = False) -> Report:
        return Report(kind, detail=detail[:300], raw=evidence, down=down)

    if answer is None:
        return report("later", f"Yahoo did not answer ({type(fault).__name__}).", down=True)
    evidence["status"], evidence["body"] = answer.status, answer.text[:300]
    chart = answer.tree()
    if answer.status == 429 or type(fault).__name__ == "YFRateLimitError":
        return report("later", "Yahoo asks not to be asked for a while.", down=True)
    if chart is None or answer.status >= 500:
        nothing = f"Yahoo answered with status {answer.status} and no figures."
        return report("later", nothing, down=True)
    error = _error(answer)
    description = str(error.get("description") or error.get("code") or "")
    if answer.status == 404 and error.get("code") == "Not Found":
        return report("unknown", f"Yahoo does not know the symbol: {description}")
    if "Data doesn't exist" in description:
        return report("no_bar", "Yahoo has no entry in the weeks up to that day.")
    if description:
        return report("later", f"Yahoo says: {description}")
    return report("later", f"Yahoo's answer could not be read ({type(fault).__name__}).")


def _begin() -> None:
    """Start this thread's time for requests about another stock."""
    with _SETTING_UP:
        _library()
        wire = _wire(settings.MARKET["yahoo_base_url"])
    wire.begin()


@lru_cache(maxsize=1)
def _library() -> tuple[Any, Any]:
    """Return yfinance and its data class, set up once per process. Its time zone cache, an SQLite
    file, is stored in `VAR_DIR`."""
    import yfinance as yf
    from yfinance.data import YfData

    place = settings.VAR_DIR / "yfinance"
    place.mkdir(parents=True, exist_ok=True)
    # By default it is in the home directory, which a service may not have.
    yf.set_tz_cache_location(str(place))
    yf.config.debug.hide_exceptions = False  # else it logs errors and returns an empty frame
    yf.config.network.retries = 1
    # yfinance uses deprecated features of pandas (Pandas4Warning is a DeprecationWarning). It
    # installs its own filter when imported, so ours comes after the import.
    warnings.filterwarnings("ignore", category=DeprecationWarning, module="yfinance")
    return yf, YfData


@lru_cache(maxsize=4)
def _wire(base_url: str) -> Wire:
    """Return one session per address and process: each new session requests a new cookie."""
    return Wire(base_url)


# --- stock checks ---


@dataclass(frozen=True)
class Paper:
    """A symbol that Yahoo knows: its type and listing (`facts`, with the median of the last 20
    sessions if listed on one of our markets), the exchange in words ("NYSE"), and the currency."""

    facts: dict[str, Any]
    exchange: str
    currency: str
    raw: dict[str, Any]


def symbol_data(symbol: str, now: datetime) -> Paper | Report:
    """Return Yahoo's data on a symbol; a report of the kind "unknown" or "later" where it knows
    nothing or does not answer.

    The current day is left out, because the sales so far would make every stock look thin.
    """
    _begin()
    return _symbol_data(yahoo_name(symbol), now)


def _symbol_data(name: str, now: datetime) -> Paper | Report:
    evidence: dict[str, Any] = {"symbol_asked": name}
    today = now.astimezone(UTC).date()
    answer, fault = _ask(name, today - TWENTY_SESSIONS, today + DAY, evidence)
    if (result := _result(answer)) is None:
        return _failure(fault, answer, evidence)
    meta = result.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    evidence["meta"] = {key: meta.get(key) for key in _META}
    if (answered_symbol := meta.get("symbol", name)) != name:
        detail = f"Yahoo answered about {answered_symbol} instead of {name}."
        return Report("later", detail=detail, raw=evidence)
    rows = _rows(result, meta)
    if rows is None:
        return Report("later", detail="Yahoo's rows cannot be read.", raw=evidence)
    facts: dict[str, Any] = {key: str(meta.get(word) or "") for key, word in FACTS.items()}
    if listing_market := next(
        (market for market in MARKETS.values() if is_listed(facts, market.id)), None
    ):
        local = now.astimezone(ZoneInfo(listing_market.zone)).date()
        volumes = _volumes(rows)
        daily_volumes = [volumes.get(day, 0) for day in days_before(listing_market.exchange, local)]
        evidence["volumes"] = daily_volumes
        facts["median"] = round(statistics.median(daily_volumes))
    return Paper(
        facts, str(meta.get("fullExchangeName") or ""), str(meta.get("currency") or ""), evidence
    )
