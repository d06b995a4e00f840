"""Made-up sales of the demonstration exchange: the same request gives the same figure, which nobody
can predict without the key."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime

from django.conf import settings

from games.market.report import Report, not_over
from games.rules.sessions import Session

LEAST, MOST = 100_000, 50_000_000
#: Stocks with this prefix have no report, to demonstrate the reserve list.
NO_REPORT = "ZZ"


class Demo:
    """The source of the market "demo". It has no report for stocks whose symbol begins with ZZ."""

    name = "demo"
    at_once = 1

    def read(self, symbol: str, session: Session, now: datetime) -> Report:
        if early := not_over(session, now):
            return early
        if symbol.startswith(NO_REPORT):
            return Report(
                "no_bar",
                detail=(
                    "The demonstration exchange has no report for stocks that begin with"
                    f" {NO_REPORT}."
                ),
            )
        return Report(
            "ok",
            made_up_volume(settings.SECRET_KEY, session.exchange, session.label, symbol),
            "Made up.",
            {"made_up": True},
        )


def made_up_volume(key: str, exchange: str, label: str, symbol: str) -> int:
    """Return shares in whole hundreds, distributed like those of real stocks (log-uniform from
    100,000 to 50,000,000), with a uniform last digit of the hundreds.

    Equal arguments give equal results on every machine with the same key (HMAC-SHA256).
    """
    mac = hmac.new(
        key.encode(), "\n".join((exchange, label, symbol)).encode(), hashlib.sha256
    ).digest()
    size = int.from_bytes(mac[:8], "big") / 2**64
    digit = int.from_bytes(mac[8:16], "big") % 10
    hundreds = int(LEAST / 100 * (MOST / LEAST) ** size)
    return (hundreds // 10 * 10 + digit) * 100
