"""Serve a fake Tiingo on the loopback address for `games.market.tiingo`.

with LoopbackTiingo() as tiingo:                       # its address: tiingo.url
    tiingo.rows["GE"] = [row("2026-11-24", 5412345)]   # any rows that the answer should have
    tiingo.answers["IBM"] = (404, '{"detail": "Error: Ticker \'IBM\' not found"}')
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.support.loopback_yahoo import Loopback


def row(day: str, volume: object, split: float = 1.0, price: float = 31.5) -> dict[str, Any]:
    """Return a row as Tiingo writes it."""
    prices = {"open": price, "high": price + 1, "low": price - 1, "close": price + 0.5}
    return {
        "date": f"{day}T00:00:00.000Z",
        **prices,
        "volume": volume,
        "divCash": 0.0,
        "splitFactor": split,
    }


@dataclass
class LoopbackTiingo(Loopback):
    """Serve in a thread. `asked` lists path and key of each request."""

    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    answers: dict[str, tuple[int, str]] = field(default_factory=dict)
    #: Exchange of each stock that is not listed at NYSE.
    exchanges: dict[str, str | None] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        tiingo = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                tiingo.asked.append((self.path, self.headers.get("Authorization", "")))
                symbol, *prices = urlsplit(self.path).path.split("/")[3:]
                about = {
                    "ticker": symbol,
                    "name": symbol,
                    "exchangeCode": tiingo.exchanges.get(symbol, "NYSE"),
                    "startDate": "1962-01-02",
                }
                rows = tiingo.rows.get(symbol, []) if prices else about
                status, body = tiingo.answers.get(symbol) or (200, json.dumps(rows))
                content = body.encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                """Silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
