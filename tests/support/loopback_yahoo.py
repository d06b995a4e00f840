"""Serve a fake Yahoo on the loopback address, sufficient for the real yfinance.

In a test::

    with LoopbackYahoo() as yahoo:                     # its address: yahoo.url
        yahoo.volumes["2026-11-24", "GE"] = 5412345    # shares, sent unchanged
        yahoo.modes["IBM"] = "404"                     # one of MODES, for all days
        yahoo.mode = "429"                             # the mode of all other stocks

As a process::

    python -m tests.support.loopback_yahoo --port 8099 --volumes figures.json

`figures.json` (optional, read again for every request) holds exceptions, `{"2026-11-24": {"GE":
5412345, "IBM": "404"}}`: shares or a mode. Every other stock has bars on all weekdays with the
sales of `volume(symbol, date)`, stamped at the opening of its exchange (`PLACES`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import socket
import threading
import time as time_of_day
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit
from zoneinfo import ZoneInfo

from games.rules.markets import MARKETS

NEW_YORK = ZoneInfo("America/New_York")
CHART = "/v8/finance/chart/"

MODES = {
    "ok": "a bar for every weekday asked for",
    "404": "no such symbol: status 404 with Yahoo's explanation",
    "429": "too many requests",
    "500": "status 500 with a page instead of JSON",
    "down": "status 200 with the page “Will be right back”",
    "empty": "status 200 with nothing",
    "drop": "the connection closed without an answer",
    "hang": "no answer at all while the connection stays open; the client must give up by itself",
    "nulls": "the day's bar with null for prices and sales",
    "null volume": "the day's bar with prices, and null for sales",
    "zero": "the day's bar with sales of 0",
    "double": "two bars for the last day, as Yahoo sends them on the evening",
    "wrong day": "no bar for the last day asked for, only those before",
    "no bars": "a known symbol without any bar",
    "no dates": "Yahoo's complaint that it has no data between these dates, status 400",
    "other symbol": "an answer about another symbol",
    "no prices": "the day's bar with sales, and null for prices",
    "true": "the day's bar with `true` for sales",
    "float": "the day's bar with its sales as 5412300.0",
    "text": "the day's bar with its sales in quotation marks",
    "huge": "the day's bar with sales of 10**12",
    "repeated": "the day's bar with the sales of the day before",
    "running": (
        "the day's one bar stamped at the close, as the bar of a session that is still counted is"
    ),
    "midnight": "every bar stamped 00:00 UTC of its day",
    "hourly": "bars that are said to be of an hour",
    "no exchange": "an answer that does not say where the stock is listed",
}


@dataclass(frozen=True)
class Place:
    """Where Yahoo says that a symbol is listed, and when its bars are stamped there."""

    code: str
    name: str
    zone: str
    opens: time
    instrument: str = "EQUITY"


NYSE = Place("NYQ", "NYSE", NEW_YORK.key, time(9, 30))
#: By the ending of the symbol.
PLACES = {
    **{
        market.suffix: Place(market.codes[0], market.title, market.zone, market.opens)
        for market in MARKETS.values()
        if market.suffix
    },
    ".NS": Place("NSI", "NSE", "Asia/Kolkata", time(9, 15)),
    "-USD": Place("CCC", "CCC", "UTC", time(0), "CRYPTOCURRENCY"),
}


def place_of(symbol: str) -> Place:
    """Return where a symbol is listed."""
    return next((place for ending, place in PLACES.items() if symbol.endswith(ending)), NYSE)


def volume(symbol: str, day: date) -> int:
    """Return the shares of this stock sold on this day, the same on every machine.

    They are whole hundreds from 100,000 to 10,099,900: SHA-256 of "SYMBOL 2026-11-24" as a number,
    modulo 100,000, plus 1,000, in hundreds. Symbols are spelled like Yahoo's.
    """
    digest = hashlib.sha256(f"{symbol} {day.isoformat()}".encode()).digest()
    return (int.from_bytes(digest, "big") % 100_000 + 1_000) * 100


class Loopback:
    """A server that answers in a thread while its block lasts."""

    _server: ThreadingHTTPServer

    def __enter__(self) -> Self:
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@dataclass
class LoopbackYahoo(Loopback):
    """Serve in a thread. `modes` and `volumes` may change; `asked` lists paths."""

    port: int = 0
    file: Path | None = None
    volumes: dict[tuple[str, str], int | str] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    mode: str = "ok"
    #: What the answer says of a stock itself, where that is not a New York company: {"SCR.TO":
    # {"exchangeName": "TOR"}}.
    meta: dict[str, dict[str, str]] = field(default_factory=dict)
    #: Shares of a stock on every day that `volumes` does not name.
    daily: dict[str, int] = field(default_factory=dict)
    #: Seconds until a chart is answered.
    delay: float = 0.0

    def __post_init__(self) -> None:
        yahoo = self

        class Handler(_Handler):
            server_of = yahoo

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        self.closing = threading.Event()
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __exit__(self, *fault: object) -> None:
        self.closing.set()
        super().__exit__(*fault)

    def serve_forever(self) -> None:
        self._server.serve_forever()

    @property
    def charts_asked(self) -> list[str]:
        """Symbols of requested charts with dates, one for each try."""
        return [
            urlsplit(path).path.removeprefix(CHART)
            for path in self.asked
            if path.startswith(CHART) and "period1" in path
        ]

    def entry(self, symbol: str, day: date) -> int | str:
        """Return shares or a mode: the value set for this stock and day, else `volume`."""
        if (
            self.file
            and (told := json.loads(self.file.read_text()).get(day.isoformat(), {}).get(symbol))
            is not None
        ):
            return told  # type: ignore[no-any-return]
        return self.volumes.get(
            (day.isoformat(), symbol), self.daily.get(symbol, volume(symbol, day))
        )


class _Handler(BaseHTTPRequestHandler):
    server_of: LoopbackYahoo
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = urlsplit(self.path)
        self.server_of.asked.append(self.path)
        if path.path.startswith(CHART):
            asked = {key: values[0] for key, values in parse_qs(path.query).items()}
            time_of_day.sleep(self.server_of.delay)
            self._chart(unquote(path.path.removeprefix(CHART)), asked)
        elif path.path == "/v1/test/getcrumb":
            self._send(200, "loopback")
        elif path.path == "/":  # the cookie
            self._send(404, "", {"Set-Cookie": "A3=loopback; Path=/"})
        else:  # the consent pages, which yfinance tries next when something fails
            self._send(404, "")

    def _chart(self, symbol: str, asked: dict[str, str]) -> None:
        first, last = _days(asked, ZoneInfo(place_of(symbol).zone))
        entries = {day: self.server_of.entry(symbol, day) for day in _weekdays(first, last)}
        newest = entries[max(entries)] if entries else 0
        mode = (
            newest
            if isinstance(newest, str)
            else self.server_of.modes.get(symbol, self.server_of.mode)
        )
        if mode not in MODES:
            raise ValueError(f"unknown mode {mode!r}")
        match mode:
            case "404":
                self._fault(404, "Not Found", "No data found, symbol may be delisted")
            case "429":
                self._send(429, "Too Many Requests\n")
            case "500":
                self._send(500, "<html>Internal Server Error</html>")
            case "down":
                self._send(200, "<html>Will be right back...</html>")
            case "empty":
                self._send(200, "")
            case "drop":
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
            case "hang":
                self.close_connection = True
                self.server_of.closing.wait(60)
            case "no dates" if "period1" in asked:
                self._fault(
                    400,
                    "Bad Request",
                    f"Data doesn't exist for startDate = {asked['period1']}, endDate ="
                    f" {asked['period2']}",
                )
            case _:
                bars = [(day, sold) for day, sold in entries.items() if isinstance(sold, int)]
                self._send(
                    200,
                    json.dumps(
                        {
                            "chart": {
                                "result": [
                                    _result(symbol, bars, mode, self.server_of.meta.get(symbol, {}))
                                ],
                                "error": None,
                            }
                        }
                    ),
                )

    def _fault(self, status: int, code: str, description: str) -> None:
        self._send(
            status,
            json.dumps(
                {"chart": {"result": None, "error": {"code": code, "description": description}}}
            ),
        )

    def _send(self, status: int, body: str, headers: dict[str, str] | None = None) -> None:
        content = body.encode()
        self.send_response(status)
        self.send_header(
            "Content-Type", "application/json" if body.startswith("{") else "text/html"
        )
        self.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: `asked` has what a test needs."""


def _days(asked: dict[str, str], zone: ZoneInfo) -> tuple[date, date]:
    """Return first and last day requested; `period2` is exclusive."""
    if "period1" not in asked:
        return date(2026, 11, 23), date(2026, 11, 23)
    first, end = (datetime.fromtimestamp(int(asked[key]), zone) for key in ("period1", "period2"))
    return first.date(), (end - timedelta(seconds=1)).date()


def _weekdays(first: date, last: date) -> list[date]:
    return [
        day
        for n in range((last - first).days + 1)
        if (day := first + timedelta(days=n)).weekday() < 5
    ]


def _result(
    symbol: str, bars: list[tuple[date, int]], mode: str, meta: dict[str, str]
) -> dict[str, Any]:
    place = place_of(symbol)
    hours, zone = (time(0), UTC) if mode == "midnight" else (place.opens, ZoneInfo(place.zone))
    rows: list[tuple[int, float | None, Any]] = []
    for day, sold in bars:
        rows.append((int(datetime.combine(day, hours, zone).timestamp()), 31.5, sold))
    if rows:
        stamp, price, shares = rows[-1]
        match mode:
            case "nulls":
                rows[-1] = (stamp, None, None)
            case "null volume":
                rows[-1] = (stamp, price, None)
            case "zero":
                rows[-1] = (stamp, price, 0)
            case "no prices":
                rows[-1] = (stamp, None, shares)
            case "double":
                rows.append((stamp + CLOSE, price, (shares or 0) - 175_193))
            case "wrong day":
                rows.pop()
            case "no bars":
                rows.clear()
            case "true":
                rows[-1] = (stamp, price, True)
            case "float":
                rows[-1] = (stamp, price, float(shares))
            case "text":
                rows[-1] = (stamp, price, str(shares))
            case "huge":
                rows[-1] = (stamp, price, 10**12)
            case "repeated" if len(rows) > 1:
                rows[-1] = (stamp, price, rows[-2][2])
            case "running":
                rows[-1] = (stamp + CLOSE, price, shares)
    close = [price for _, price, _ in rows]
    # No two days have the same four prices.
    other = [
        None if price is None else 20 + stamp // 86_400 % 1000 / 100 for stamp, price, _ in rows
    ]
    quote = (
        {
            "open": other,
            "high": close,
            "low": other,
            "close": close,
            "volume": [shares for _, _, shares in rows],
        }
        if rows
        else {}
    )
    result: dict[str, Any] = {
        "meta": {
            "symbol": "GM" if mode == "other symbol" else symbol,
            "currency": "USD",
            "exchangeName": place.code,
            "fullExchangeName": place.name,
            "instrumentType": place.instrument,
            "exchangeTimezoneName": place.zone,
            "timezone": "EST",
            "gmtoffset": -18000,
            "firstTradeDate": -252322200,
            "regularMarketTime": rows[-1][0] if rows else 0,
            "regularMarketPrice": 31.5,
            "hasPrePostMarketData": True,
            "priceHint": 2,
            "dataGranularity": "1h" if mode == "hourly" else "1d",
            "range": "",
            "validRanges": ["1d", "5d", "1mo", "max"],
            **({"exchangeName": "", "fullExchangeName": ""} if mode == "no exchange" else {}),
            **meta,
        },
        "indicators": {"quote": [quote], "adjclose": [{"adjclose": close}] if rows else [{}]},
    }
    if rows:
        result["timestamp"] = [stamp for stamp, _, _ in rows]
    return result


#: Seconds from the opening to the close in New York.
CLOSE = 6 * 3600 + 1800


def main() -> None:
    parser = argparse.ArgumentParser(description="A Yahoo of our own, on the loopback address.")
    parser.add_argument(
        "--port", type=int, default=0, help="0: any free one; the address is printed"
    )
    parser.add_argument("--volumes", type=Path, help="a file of exceptions, see above")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each chart")
    asked = parser.parse_args()
    yahoo = LoopbackYahoo(port=asked.port, file=asked.volumes, delay=asked.delay)
    print(yahoo.url, flush=True)
    yahoo.serve_forever()


if __name__ == "__main__":
    main()
