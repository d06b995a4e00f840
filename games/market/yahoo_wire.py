"""The HTTP session under yfinance.

yfinance hides two things that we need: it drops one of two rows for the same day, and it turns most
server errors into the same few exceptions. So the session keeps the last
response of the chart URL unchanged.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from games.base.text import storable
from games.rules import RulesError, strict_json

CHART = "/v8/finance/chart/"
#: Seconds for a request. yfinance would wait up to 30 for a cookie that the chart does not need,
#: which would use up a worker's lease.
LONGEST_WAIT = 10.0
#: Seconds for all requests about one stock, because others wait for it.
LONGEST_A_STOCK = 15.0
#: Seconds without requests other than charts after one has timed out, because all threads wait for
#: the cookie together.
COOKIE_PAUSE = 600.0


@dataclass(frozen=True)
class Answer:
    """A response of the chart URL: HTTP status and body, unchanged. `dated`: the request was for
    dates, not only for the time zone."""

    status: int
    text: str
    dated: bool = True

    def tree(self) -> dict[str, Any] | None:
        """Return the `chart` part of the JSON, or None where the body is anything else (an error
        page, empty).

        JSON that other programs would read differently (games.rules.strict_json) also
        gives None.
        """
        try:
            tree = storable(strict_json.loads(self.text))
        except RulesError:
            return None
        chart = tree.get("chart") if isinstance(tree, dict) else None
        return chart if isinstance(chart, dict) else None


@dataclass
class ThreadState(threading.local):
    """The state of a thread: the last chart response, if any, and until when it may send requests
    (`time.monotonic()`)."""

    chart: Answer | None = None
    until: float = field(default=float("inf"))


class Wire:
    """A browser-like session that remembers each thread's last chart response.

    `session` is the one that yfinance gets: its requests come here first. With `base_url` requests
    for any of Yahoo's hosts go to that address instead, and none anywhere else: no proxies, no
    redirects. curl_cffi is loaded for the first session, because only readings need it.
    """

    def __init__(self, base_url: str = "") -> None:
        from curl_cffi import CurlOpt
        from curl_cffi.requests import Session

        options: dict[str, Any] = {}
        if base_url:
            no_proxy = {CurlOpt.NOPROXY: "*"}
            options = {"trust_env": False, "allow_redirects": False, "curl_options": no_proxy}
        self.session = Session(impersonate="chrome", **options)
        self._send: Callable[..., Any] = self.session.request
        self.session.request = self.request  # type: ignore[method-assign]
        self.asking = ThreadState()
        self._base = urlsplit(base_url) if base_url else None
        self._cookie_from = 0.0

    def begin(self) -> None:
        """Start this thread's time for requests about another stock."""
        self.asking.until = time.monotonic() + LONGEST_A_STOCK

    def request(self, method: Any, url: str, *args: Any, **options: Any) -> Any:
        from curl_cffi.requests.exceptions import Timeout

        is_chart = CHART in url
        if is_chart:
            self.asking.chart = None
        began = time.monotonic()
        seconds_left = self.asking.until - began
        if seconds_left <= 0:
            raise Timeout(f"Yahoo takes more than {LONGEST_A_STOCK:.0f} seconds for a stock")
        if not is_chart and began < self._cookie_from:
            raise Timeout("Yahoo gave no cookie a moment ago")
        options["timeout"] = min(options.get("timeout") or LONGEST_WAIT, LONGEST_WAIT, seconds_left)
        if self._base is not None:
            options["allow_redirects"] = False
        try:
            response = self._send(method, self.address(url), *args, **options)
        except Timeout:
            if not is_chart:
                self._cookie_from = time.monotonic() + COOKIE_PAUSE
            raise
        if is_chart:
            dated = "period1" in (options.get("params") or {}) or "period1=" in url
            self.asking.chart = Answer(response.status_code, response.text, dated)
        return response

    def address(self, url: str) -> str:
        """Return the URL to request. With a `base_url`, raise `ValueError` for a host that is not
        Yahoo's."""
        if self._base is None:
            return url
        parts = urlsplit(url)
        if parts.hostname != "yahoo.com" and not (parts.hostname or "").endswith(".yahoo.com"):
            raise ValueError(f"a request for {parts.hostname} instead of Yahoo")
        return urlunsplit((self._base.scheme, self._base.netloc, parts.path, parts.query, ""))
