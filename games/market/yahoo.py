"""Sales as Yahoo reports them, by yfinance (foundations.md 1: every line here has its reason there).

yfinance, and pandas with it, is imported when the first figure is read.
"""

from __future__ import annotations

import math
import re
import threading
import warnings
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from django.conf import settings

from games.rules.markets import MARKETS
from games.rules.sessions import Session

from .sessions import NEW_YORK
from .sources import Report, not_over, stale

if TYPE_CHECKING:
    from .yahoo_wire import Answer, Wire

#: yfinance has one session, one cookie and one cache for the whole process, and warnings filters are the process's as well.
_ONE_AT_A_TIME = threading.Lock()
_META = ("symbol", "fullExchangeName", "exchangeName", "instrumentType", "currency", "exchangeTimezoneName")
#: What is asked for to judge how much of a stock is sold: twenty sessions and some holidays.
MONTH = timedelta(days=33)


class Yahoo:
    """The source of the market "yahoo". Every failure becomes one of the five kinds; nothing missing ever becomes 0."""

    name = "yahoo"

    def read(self, symbol: str, session: Session, now: datetime) -> Report:
        if early := not_over(session, now):
            return early
        with _ONE_AT_A_TIME, warnings.catch_warnings():
            _library()  # first: when it is imported, yfinance puts a filter of its own in front
            # yfinance lags behind what pandas deprecates (Pandas4Warning is a DeprecationWarning); its matter, not ours.
            warnings.simplefilter("ignore", DeprecationWarning)
            return _read(yahoo_name(symbol), date.fromisoformat(session.label), now.astimezone(NEW_YORK).date())


def yahoo_name(symbol: str) -> str:
    """The symbol in Yahoo's spelling: New York's classes of shares have a hyphen there (BRK.B in the newspaper, BRK-B at Yahoo).

    The endings of other exchanges (VOD.L, 7203.T, SCR.TO) are left alone: Yahoo then says where they are listed.
    """
    if any(market.suffix and symbol.endswith(market.suffix) for market in MARKETS.values()):
        return symbol
    return re.sub(r"\.([A-Z])$", r"-\1", symbol)


def _read(name: str, day: date, today: date) -> Report:
    yf, data = _library()
    wire = _wire(settings.MARKET["yahoo_base_url"])
    wire.chart = None
    # Without this a worker that asks again sees the same answer for ever, faults included (foundations.md, third of the ten).
    data(session=wire).cache_get.cache_clear()
    evidence: dict[str, Any] = {"yfinance": yf.__version__, "symbol_asked": name}
    if settings.MARKET["yahoo_base_url"]:
        evidence["asked_instead_of_yahoo"] = settings.MARKET["yahoo_base_url"]
    try:
        ticker = yf.Ticker(name, session=wire)
        # A week, not the day alone: so a missing day differs from an unknown symbol. `end` is exclusive.
        frame = ticker.history(
            start=day - timedelta(days=7),
            end=day + timedelta(days=1),
            interval="1d",
            auto_adjust=False,
            actions=True,
            repair=False,  # may change volumes
            keepna=True,  # Yahoo can serve sales while the prices are still missing
        )
        about = ticker.get_history_metadata()
        evidence["meta"] = {key: about.get(key) for key in _META}
        rows = frame[frame.index.date == day]
        # Column by column: a whole row of the frame would make a float of the volume.
        evidence["row"] = {str(column): _plain(rows[column].iloc[-1]) for column in rows.columns} if len(rows) else None
        earlier = frame[frame.index.date < day]
        evidence["row_before"] = {str(column): _plain(earlier[column].iloc[-1]) for column in earlier.columns} if len(earlier) else None
        raw_volumes = _volumes_on(day, wire.chart)
    except Exception as fault:  # the library documents none of what it raises (foundations.md 1.2)
        return _failure(fault, wire.chart, evidence)
    report = _judge(name, day, evidence, raw_volumes)
    if report.kind != "ok":
        return report
    if evidence["row"].get("Stock Splits") or _later_splits(ticker, wire, day, today, evidence):
        return replace(report, detail=f"Yahoo shows a split on or after {day}: it may have restated the sales.", flag="split")
    return report


def _later_splits(ticker: Any, wire: Wire, day: date, today: date, evidence: dict[str, Any]) -> bool:
    """Whether the stock was split after the day, after which Yahoo restates what came before (foundations.md 1.3).

    Asked for by itself, for a range that reached beyond the day would bring a running session's row with it. Where Yahoo does not
    answer, the figure stands for now; the next reading asks again.
    """
    if today <= day:
        return False
    wire.chart = None
    try:
        ticker.history(start=day + timedelta(days=1), end=today + timedelta(days=1), interval="1d", auto_adjust=False, actions=True)
    except Exception as fault:  # such as no session since: what Yahoo sent is read all the same
        evidence["later_splits_fault"] = type(fault).__name__
    chart: dict[str, Any] | None = wire.chart.tree() if wire.chart else None
    results: list[dict[str, Any]] = (chart or {}).get("result") or [{}]
    found = (results[0].get("events") or {}).get("splits") or {}
    evidence["later_splits"] = found if chart else None
    return bool(found)


def _judge(name: str, day: date, evidence: dict[str, Any], raw_volumes: list[Any]) -> Report:
    """The report of an answer that yfinance could read."""
    if (told := evidence["meta"].get("symbol")) and told != name:
        renamed = f"Yahoo answered about {told} when asked about {name}: the stock has another symbol."
        return Report("unknown", detail=renamed, raw=evidence, flag="renamed")
    if len(raw_volumes) > 1:
        evidence["volumes_of_all_rows"] = raw_volumes
        return Report("later", detail=f"Yahoo has {len(raw_volumes)} rows for {day}; one of them is still provisional.", raw=evidence)
    if evidence["row"] is None:
        return Report("no_bar", detail=f"Yahoo has no entry for {day}.", raw=evidence)
    volume = evidence["row"].get("Volume")
    if not isinstance(volume, int):
        return Report("later", detail=f"Yahoo's sales for {day} are not a whole number.", raw=evidence)
    if volume <= 0:  # yfinance writes 0 where Yahoo has nothing
        return Report("no_sales", detail=f"Yahoo's entry for {day} has no sales.", raw=evidence)
    row, before = _named(evidence["row"]), _named(evidence["row_before"])
    if row and stale(row, before):
        return Report("later", detail=f"Yahoo's entry for {day} is that of the session before once more.", raw=evidence)
    return Report("ok", volume, raw=evidence)


def _named(row: dict[str, Any] | None) -> dict[str, Any] | None:
    """A row of the frame with the names that every publisher's has."""
    return None if row is None else {key.lower(): value for key, value in row.items()}


def _failure(fault: Exception, answer: Answer | None, evidence: dict[str, Any]) -> Report:
    """The report of an answer that yfinance could not read, or of none. What Yahoo itself sent decides, not the exception's name."""
    evidence["fault"] = f"{type(fault).__name__}: {fault}"[:300]
    if answer is None:
        return Report("later", detail=f"Yahoo did not answer ({type(fault).__name__}).", raw=evidence, down=True)
    evidence["status"], evidence["body"] = answer.status, answer.text[:300]
    chart = answer.tree()
    if answer.status == 429 or type(fault).__name__ == "YFRateLimitError":
        return Report("later", detail="Yahoo asks not to be asked for a while.", raw=evidence, down=True)
    if chart is None or answer.status >= 500:
        return Report("later", detail=f"Yahoo answered with status {answer.status} and no figures.", raw=evidence, down=True)
    error = chart.get("error") or {}
    told = str(error.get("description") or error.get("code") or "")
    if answer.status == 404 and error.get("code") == "Not Found":
        return Report("unknown", detail=f"Yahoo does not know the symbol: {told}"[:300], raw=evidence)
    if type(fault).__name__ == "YFPricesMissingError" and (not error or "Data doesn't exist" in told):
        return Report("no_bar", detail="Yahoo has no entry in the whole week up to that day.", raw=evidence)
    if told:
        return Report("later", detail=f"Yahoo says: {told}"[:300], raw=evidence)
    return Report("later", detail=f"Yahoo's answer could not be read ({type(fault).__name__}).", raw=evidence)


def _volumes_on(day: date, answer: Answer | None) -> list[Any]:
    """The volumes of all rows for that day as Yahoo sent them: yfinance keeps only the last of two, which may be the wrong one."""
    chart = answer.tree() if answer else None
    if not chart or not chart.get("result"):
        return []
    result = chart["result"][0]
    zone = ZoneInfo(result["meta"].get("exchangeTimezoneName") or NEW_YORK.key)
    volumes = result["indicators"]["quote"][0].get("volume") or []
    stamps = result.get("timestamp") or []
    return [volume for stamp, volume in zip(stamps, volumes, strict=True) if datetime.fromtimestamp(stamp, zone).date() == day]


def _plain(value: Any) -> Any:
    """A cell of the frame as JSON has it: whole numbers stay whole, NaN becomes null."""
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, float):
        if not math.isfinite(number):
            return None
        return number
    return number


@lru_cache(maxsize=1)
def _library() -> tuple[Any, Any]:
    """yfinance and its data class, set up once in this process. Its time zone cache is SQLite and lies with our other files."""
    import yfinance as yf
    from yfinance.data import YfData

    place = settings.VAR_DIR / "yfinance"
    place.mkdir(parents=True, exist_ok=True)
    yf.set_tz_cache_location(str(place))  # else below the home directory, which a service may not have
    yf.config.debug.hide_exceptions = False  # else faults are logged and an empty frame comes back
    yf.config.network.retries = 1
    return yf, YfData


@lru_cache(maxsize=4)
def _wire(base_url: str) -> Wire:
    """One session per address and process: a new one would ask for a new cookie each time."""
    from .yahoo_wire import Redirected, Wire

    return Redirected(base_url) if base_url else Wire()


# --- what is known of a symbol, before anybody's attack rests on it ---


@dataclass(frozen=True)
class Paper:
    """A symbol that Yahoo knows: what it is (Yahoo's own words and codes), and the sales of each session of the last month."""

    code: str  # of the exchange: "NYQ"
    exchange: str  # in words: "NYSE"
    instrument: str
    currency: str
    volumes: tuple[int, ...]
    raw: dict[str, Any]


def about(symbol: str, now: datetime) -> Paper | Report:
    """What Yahoo knows of a symbol; a report of the kind "unknown" or "later" where it knows nothing or does not answer.

    The day that is running in New York is left out: what is sold up to now would make every stock look thin.
    """
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        _library()
        warnings.simplefilter("ignore", DeprecationWarning)
        return _about(yahoo_name(symbol), now.astimezone(NEW_YORK).date())


def _meta(answer: Answer | None) -> dict[str, Any]:
    """What Yahoo's answer says of the symbol itself; the library keeps it only where there are rows."""
    chart = answer.tree() if answer else None
    return dict(chart["result"][0].get("meta") or {}) if chart and chart.get("result") else {}


def _about(name: str, today: date) -> Paper | Report:
    yf, data = _library()
    wire = _wire(settings.MARKET["yahoo_base_url"])
    wire.chart = None
    data(session=wire).cache_get.cache_clear()
    evidence: dict[str, Any] = {"yfinance": yf.__version__, "symbol_asked": name}
    volumes: tuple[int, ...] = ()
    try:
        frame = yf.Ticker(name, session=wire).history(
            start=today - MONTH, end=today, interval="1d", auto_adjust=False, actions=True, repair=False, keepna=True
        )
        volumes = tuple(int(_plain(volume) or 0) for volume in frame["Volume"])
    except Exception as fault:
        report = _failure(fault, wire.chart, evidence)
        if report.kind != "no_bar":  # known, and not sold for a month, is an answer too
            return report
    told = _meta(wire.chart)
    evidence["meta"] = {key: told.get(key) for key in _META}
    evidence["volumes"] = list(volumes)
    if told.get("symbol", name) != name:
        return Report("later", detail=f"Yahoo answered about {told['symbol']} instead of {name}.", raw=evidence)
    words = {key: str(told.get(key) or "") for key in ("exchangeName", "fullExchangeName", "instrumentType", "currency")}
    return Paper(words["exchangeName"], words["fullExchangeName"], words["instrumentType"], words["currency"], volumes, evidence)
