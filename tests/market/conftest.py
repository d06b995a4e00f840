"""Fixtures: a game with a locked attack phase, and a source whose answers a test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from games.market import Observation, observe_all
from games.market.report import Report
from games.models import Game, Person, Phase
from games.rules.markets import market_of_exchange
from games.rules.sessions import Session
from tests.support.loopback_yahoo import LoopbackYahoo

OPENS = datetime(2026, 11, 24, 14, 30, tzinfo=UTC)
#: A Tuesday in New York. The first reading that counts is due 14 hours after the close, at
# 06:00 there.
TUESDAY = Session("XNYS", "2026-11-24", OPENS, OPENS + timedelta(hours=6.5))
FIRST = TUESDAY.closes + timedelta(hours=14)

MakePhase = Callable[..., Phase]


@pytest.fixture
def make_phase(db: None) -> MakePhase:
    """Return a function that creates a game with a locked attack phase (default: `TUESDAY`)."""

    def make(market: str = "yahoo", session: Session | None = TUESDAY, **options: Any) -> Phase:
        ada = Person.objects.at("ada@games.test", name="Ada")
        game = Game.objects.create(
            title="Locarno",
            card_name="historical",
            card={},
            options=options,
            schedule={},
            market=market,
            opened_by=ada,
        )
        game.gamesmasters.add(ada)
        session_names = {"exchange": session.exchange, "session": session.label} if session else {}
        times = (
            {"session_opens": session.opens, "session_closes": session.closes} if session else {}
        )
        lock = TUESDAY.opens - timedelta(minutes=30)
        return Phase.objects.create(
            game=game,
            number=1,
            turn=1,
            kind="attacks",
            status="locked",
            opened_at=lock,
            deadline=lock,
            **session_names,
            **times,
        )

    return make


@pytest.fixture
def phase(make_phase: MakePhase) -> Phase:
    return make_phase()


@pytest.fixture
def ada(db: None) -> Person:
    return Person.objects.at("ada@games.test", name="Ada")


#: Yahoo's facts about a liquid share on NYSE.
NYSE: dict[str, Any] = {
    "code": "NYQ",
    "zone": "America/New_York",
    "instrument": "EQUITY",
    "median": 5_000_000,
}


def listed(report: Report, exchange: str = "XNYS") -> Report:
    """Return the report with a publisher's facts, unless it has facts of its own."""
    market = market_of_exchange(exchange)
    here = NYSE | ({"code": market.codes[0], "zone": market.zone} if market else {})
    facts = report.facts or (
        {"probe": "KO"} if report.kind == "unknown" else here if report.kind == "ok" else {}
    )
    return replace(report, facts=facts)


@dataclass
class Ticker:
    """Source that answers as set in `says[symbol]`, else 1,000,000 shares.

    Reports get the facts of a liquid share of the exchange unless they have their own. `asked`
    lists the requests in order.
    """

    name: str = "yahoo"
    at_once: int = 1
    says: dict[str, Report] = field(default_factory=dict)
    asked: list[tuple[str, datetime]] = field(default_factory=list)
    on_read: Callable[[], object] = lambda: None

    def read(self, symbol: str, session: Session, now: datetime) -> Report:
        self.asked.append((symbol, now))
        self.on_read()
        return listed(self.says.get(symbol, Report("ok", 1_000_000)), session.exchange)


@pytest.fixture
def ticker(monkeypatch: pytest.MonkeyPatch) -> Ticker:
    source = Ticker()
    monkeypatch.setattr("games.market.sources.source_for", lambda game: source)
    return source


@pytest.fixture
def yahoo(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackYahoo]:
    """Serve a loopback Yahoo that the real yfinance asks."""
    # yfinance waits before it tries again
    monkeypatch.setattr("yfinance.data._time.sleep", lambda seconds: None)
    with LoopbackYahoo() as server:
        settings.MARKET = {**settings.MARKET, "yahoo_base_url": server.url}
        yield server


def observe(
    phase: Phase, symbols: Iterable[str], now: datetime, until: float | None = None
) -> Observation:
    """Observe the stocks of one phase like `observe_all`. Raise `MarketError` for a phase without a
    session, and `SessionChanged` where its session changed meanwhile."""
    outcome = observe_all([(phase, symbols)], now, until)[phase.pk]
    if not isinstance(outcome, Observation):
        raise outcome
    return outcome
