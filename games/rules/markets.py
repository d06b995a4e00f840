"""The stock markets from which a game can draw digits (`rng.market`).

A market is an exchange with its time zone, the suffix of its symbols at the publisher, and the
codes by which the publisher's metadata say that a symbol is listed there. A figure counts only for
an ordinary share or fund of the game's own market: sales on any other may be public while orders
are still open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time, timedelta
from typing import Any

#: The option for a game's market, and its default.
OPTION, DEFAULT = "rng.market", "new_york"
#: The publisher's words for ordinary shares and funds; sales of anything else do not count.
INSTRUMENTS = ("EQUITY", "ETF")
#: Local time at which overnight trading for the next day begins.
EVENING = time(20)


@dataclass(frozen=True)
class Market:
    """One exchange.

    `opens` is its regular local opening; `codes` are Yahoo's exchange codes.
    """

    id: str
    exchange: str  # ISO 10383, as `exchange_calendars` has it
    place: str  # "New York", as in "New York time"
    title: str  # "the New York exchanges"
    zone: str
    suffix: str  # of its symbols: "" in New York, ".L" in London
    codes: tuple[str, ...]
    opens: time
    example: str

    @property
    def overnight(self) -> timedelta:
        """How long before the opening overnight trading for that day begins."""
        opening = timedelta(hours=self.opens.hour, minutes=self.opens.minute)
        return opening + timedelta(days=1) - timedelta(hours=EVENING.hour)

    def has_symbol(self, symbol: str) -> bool:
        """Return whether a symbol, in capitals, may be of this market: in Tokyo one in .T."""
        return symbol.endswith(self.suffix)

    @property
    def symbols(self) -> str:
        """The form of symbols there: "symbols end in .T, such as 7203.T"."""
        return f"symbols end in {self.suffix}, such as {self.example}"


_NEW_YORK_CODES = ("NYQ", "NMS", "NGM", "NCM", "ASE", "PCX", "BTS")

MARKETS: dict[str, Market] = {
    market.id: market
    for market in (
        Market(
            "new_york",
            "XNYS",
            "New York",
            "New York (NYSE, Nasdaq, NYSE American, NYSE Arca, Cboe BZX)",
            "America/New_York",
            "",
            _NEW_YORK_CODES,
            time(9, 30),
            "GE",
        ),
        Market(
            "london",
            "XLON",
            "London",
            "London Stock Exchange",
            "Europe/London",
            ".L",
            ("LSE",),
            time(8),
            "VOD.L",
        ),
        Market(
            "xetra",
            "XETR",
            "Frankfurt",
            "Xetra",
            "Europe/Berlin",
            ".DE",
            ("GER",),
            time(9),
            "SAP.DE",
        ),
        Market(
            "paris",
            "XPAR",
            "Paris",
            "Euronext Paris",
            "Europe/Paris",
            ".PA",
            ("PAR",),
            time(9),
            "AIR.PA",
        ),
        Market(
            "amsterdam",
            "XAMS",
            "Amsterdam",
            "Euronext Amsterdam",
            "Europe/Amsterdam",
            ".AS",
            ("AMS",),
            time(9),
            "ASML.AS",
        ),
        Market(
            "milan",
            "XMIL",
            "Milan",
            "Borsa Italiana",
            "Europe/Rome",
            ".MI",
            ("MIL",),
            time(9),
            "ENI.MI",
        ),
        Market(
            "zurich",
            "XSWX",
            "Zurich",
            "SIX Swiss Exchange",
            "Europe/Zurich",
            ".SW",
            ("EBS",),
            time(9),
            "NESN.SW",
        ),
        Market(
            "tokyo",
            "XTKS",
            "Tokyo",
            "Tokyo Stock Exchange",
            "Asia/Tokyo",
            ".T",
            ("JPX",),
            time(9),
            "7203.T",
        ),
        Market(
            "hong_kong",
            "XHKG",
            "Hong Kong",
            "Hong Kong Exchange",
            "Asia/Hong_Kong",
            ".HK",
            ("HKG",),
            time(9, 30),
            "0005.HK",
        ),
        Market(
            "sydney",
            "XASX",
            "Sydney",
            "Australian Securities Exchange",
            "Australia/Sydney",
            ".AX",
            ("ASX",),
            time(10),
            "BHP.AX",
        ),
        Market(
            "toronto",
            "XTSE",
            "Toronto",
            "Toronto Stock Exchange",
            "America/Toronto",
            ".TO",
            ("TOR",),
            time(9, 30),
            "RY.TO",
        ),
    )
}


NEW_YORK = MARKETS[DEFAULT]


def market_of(options: Mapping[str, Any]) -> Market:
    """Return the market of these options; New York if they name none."""
    return MARKETS[options.get(OPTION, DEFAULT)]


def market_of_exchange(exchange: str) -> Market | None:
    """Return the market of an exchange; None for the demonstration exchange or an unknown one."""
    return next((market for market in MARKETS.values() if market.exchange == exchange), None)
