"""Readings taken and figures settled, with the record (design.md 4, 6; rules.md 0.1)."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connections

from games.evidence import export
from games.market import (
    DEMO,
    Figures,
    MarketError,
    Report,
    SessionChanged,
    Unsettled,
    asking,
    enter_figure,
    enter_no_report,
    fix_session,
    listings,
    observe_all,
    policy_for,
    readings,
    rolls,
    sales,
    session_of,
)
from games.market.demo import Demo
from games.models import EvidenceError, Figure, Person, Phase, Reading
from games.rules.sessions import Session, demo_session_after
from games.rules.settling import Settlement
from games.rules.verification import verify
from games.turns import looking, process, queue
from tests.support.campaign import Campaign
from tests.support.loopback_yahoo import LoopbackYahoo

from .conftest import FIRST, TUESDAY, MakePhase, Ticker, observe

HOUR = timedelta(hours=1)


def test_source_is_not_asked_before_the_first_reading_time(phase: Phase, ticker: Ticker) -> None:
    """foundations.md, first of the ten: the evening's figure is not final."""
    result = observe(phase, ["GE"], FIRST - HOUR)
    assert (result.settled, result.waiting, result.next_look) == ({}, ("GE",), FIRST)
    assert ticker.asked == []


def test_two_agreeing_readings_settle_a_figure(phase: Phase, ticker: Ticker) -> None:
    """rng.settle = agreed_readings: two hours apart; every step is on record."""
    result = observe(phase, ["GE"], FIRST)
    assert (result.waiting, result.next_look) == (("GE",), FIRST + 2 * HOUR)
    assert "one reading so far, 1,000,000 shares" in result.reasons["GE"]
    assert observe(phase, ["GE"], FIRST + HOUR).next_look == FIRST + 2 * HOUR
    result = observe(phase, ["GE"], FIRST + 2 * HOUR)
    assert (result.settled, result.waiting, result.next_look, result.reasons) == (
        {"GE": 1_000_000},
        (),
        None,
        {},
    )
    figure = Figure.objects.get()
    assert (figure.phase, figure.symbol, figure.volume, figure.settled_at) == (
        phase,
        "GE",
        1_000_000,
        FIRST + 2 * HOUR,
    )
    assert "two readings agree" in figure.reason
    assert [reading.read_at for reading in figure.readings.order_by("read_at")] == [
        FIRST,
        FIRST + 2 * HOUR,
    ]
    assert Reading.objects.count() == len(ticker.asked) == 2


def test_settled_figure_is_not_read_again(phase: Phase, ticker: Ticker) -> None:
    """rules.md 0.1: later corrections change nothing."""
    for hours in (0, 2):
        observe(phase, ["GE"], FIRST + hours * HOUR)
    ticker.says["GE"] = Report("ok", 7)
    assert observe(phase, ["GE"], FIRST + 50 * HOUR).settled == {"GE": 1_000_000}
    assert len(ticker.asked) == 2
    with pytest.raises(EvidenceError):
        Figure.objects.get().save()


@pytest.mark.both_databases
def test_reading_is_stored_as_answered(phase: Phase, ticker: Ticker) -> None:
    """foundations.md 1.3: with the raw answer, or the reason why there is no figure."""
    ticker.says["GE"] = Report("no_sales", detail="No sales.", raw={"row": {"Volume": 0}})
    observe(phase, ["GE"], FIRST)
    reading = Reading.objects.get()
    assert (reading.source, reading.exchange, reading.session, reading.symbol) == (
        "yahoo",
        "XNYS",
        "2026-11-24",
        "GE",
    )
    assert (reading.kind, reading.volume, reading.detail, reading.read_at) == (
        "no_sales",
        None,
        "No sales.",
        FIRST,
    )
    assert (reading.raw, reading.game, reading.entered_by) == ({"row": {"Volume": 0}}, None, None)


@pytest.mark.both_databases
def test_reading_is_shared_by_games(make_phase: MakePhase, ticker: Ticker) -> None:
    """Readings belong to the source: two games never ask twice for the same one."""
    first, other = make_phase(), make_phase()
    assert observe(first, ["GE"], FIRST).next_look == FIRST + 2 * HOUR
    assert observe(other, ["GE"], FIRST + HOUR).next_look == FIRST + 2 * HOUR
    observe(first, ["GE"], FIRST + 2 * HOUR)
    assert observe(other, ["GE"], FIRST + 2 * HOUR).settled == {"GE": 1_000_000}
    assert len(ticker.asked) == 2
    assert Figure.objects.count() == 2


def test_failed_reading_is_not_repeated_at_once_by_another_game(
    make_phase: MakePhase, ticker: Ticker
) -> None:
    """After a failure no game asks the source again before the retry time."""
    ticker.says["GE"] = Report("later", detail="No answer.")
    observe(make_phase(), ["GE"], FIRST)
    assert observe(
        make_phase(), ["GE"], FIRST + timedelta(minutes=14)
    ).next_look == FIRST + timedelta(minutes=15)
    assert len(ticker.asked) == 1


def test_a_reading_from_another_source_or_session_does_not_count(
    phase: Phase, ticker: Ticker
) -> None:
    common = {
        "exchange": "XNYS",
        "symbol": "GE",
        "kind": "ok",
        "volume": 1_000_000,
        "read_at": FIRST,
    }
    Reading.objects.create(source="recorded", session="2026-11-24", **common)
    Reading.objects.create(source="yahoo", session="2026-11-23", **common)
    assert observe(phase, ["GE"], FIRST + 2 * HOUR).waiting == ("GE",)
    assert len(ticker.asked) == 1


def test_stocks_without_a_report_settle_on_none_after_the_give_up_time(
    phase: Phase, ticker: Ticker
) -> None:
    """rules.md 0.1, rng.no_stock: the reserve list follows; the reason is on record."""
    ticker.says["HALT"] = Report("no_bar", detail="No entry.")
    now = FIRST
    while not (result := observe(phase, ["HALT"], now)).settled:
        assert result.next_look is not None
        assert now < result.next_look <= now + timedelta(minutes=15)
        now = result.next_look
    assert now == FIRST + 72 * HOUR
    assert result.settled == {"HALT": None}
    assert "no entry for that day" in Figure.objects.get().reason


def test_source_without_answers_settles_nothing_and_is_overdue(
    phase: Phase, ticker: Ticker
) -> None:
    """No answer is not "no report": after the give-up time a person must be notified."""
    ticker.says["GE"] = Report("later", detail="No answer.", down=True)
    assert observe(phase, ["GE"], FIRST + 71 * HOUR).overdue == ()
    result = observe(phase, ["GE"], FIRST + 73 * HOUR)
    assert (result.settled, result.overdue) == ({}, ("GE",))
    assert "the source gave no answer" in result.reasons["GE"]


def test_source_that_is_down_is_asked_for_one_stock(phase: Phase, ticker: Ticker) -> None:
    """One failure is enough; next time, the stock that has waited longest comes first."""
    ticker.says["BAD"] = Report("later", detail="No answer.", down=True)
    result = observe(phase, ["BAD", "GE", "IBM"], FIRST)
    assert [symbol for symbol, _ in ticker.asked] == ["BAD"]
    assert result.next_look == FIRST + timedelta(minutes=15)
    observe(phase, ["BAD", "GE", "IBM"], FIRST + timedelta(minutes=15))
    assert [symbol for symbol, _ in ticker.asked] == ["BAD", "GE", "IBM", "BAD"]


def test_slow_source_is_asked_for_one_stock_per_look(
    phase: Phase, ticker: Ticker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a slow answer no further stock is read; readings so far are stored."""
    seconds = [0.0]
    monkeypatch.setattr("games.market.readings.time.monotonic", lambda: seconds[0])
    ticker.on_read = lambda: seconds.append(seconds.pop() + 30)
    result = observe(phase, ["A", "B", "C", "D"], FIRST)
    assert len(ticker.asked) == 1
    assert result.next_look == FIRST
    observe(phase, ["A", "B", "C", "D"], FIRST)
    assert [symbol for symbol, _ in ticker.asked] == ["A", "B"]


def test_source_reads_several_stocks_at_once(phase: Phase, ticker: Ticker) -> None:
    """Issue 21.2: each answer waits here until the others have been requested."""
    ticker.at_once = 3
    together = threading.Barrier(3, timeout=10)
    ticker.on_read = together.wait
    observe(phase, ["A", "B", "C"], FIRST)
    assert {symbol for symbol, _ in ticker.asked} == {"A", "B", "C"}


def _two_that_wait(ticker: Ticker) -> tuple[list[Phase], datetime]:
    """Return two locked phases, waiting for GE and for IBM, and the time when both are due."""
    first, second = (Campaign.begin(title=stock, market="yahoo") for stock in ("GE", "IBM"))
    for campaign in (first, second):
        campaign.order("Germany", "PLACE 10 Poland")
        campaign.order("France", "PLACE 6 Poland")
    first.pass_deadline()
    phases = [first.phase, second.phase]
    for campaign in (first, second):
        campaign.order(
            "Germany", f"ATTACK Poland: France STOCK {campaign.game.title}", at=first.now
        )
    first.wait_until(max(phase.deadline for phase in phases))
    due = max(
        phase.due_at or FIRST for phase in Phase.objects.filter(pk__in=[p.pk for p in phases])
    )
    ticker.says["GE"] = ticker.says["IBM"] = Report("ok", 5_412_300)
    for phase in phases:
        phase.refresh_from_db()
    return phases, due


@pytest.mark.django_db
def test_late_answer_delays_only_its_own_game(
    monkeypatch: pytest.MonkeyPatch, ticker: Ticker
) -> None:
    """Issue 21.2: of two stocks read at once, one is late; the other game has its result."""
    _, due = _two_that_wait(ticker)
    ticker.at_once = 2
    answered = threading.Event()
    read = ticker.read

    def late(symbol: str, *args: Any) -> Report:
        if symbol == "IBM":
            assert answered.wait(30)
        return read(symbol, *args)

    monkeypatch.setattr(ticker, "read", late)
    monkeypatch.setattr(process, "PATIENCE", (0.0, 0.05, 30.0))
    look = looking.look
    before: list[Any] = []

    def watched(found: Any, now: datetime, requests: Any, seconds: float) -> Any:
        if seconds == 30.0:
            before.extend(Phase.objects.order_by("pk").filter(pk__in=ids).values_list("status"))
            answered.set()
        return look(found, now, requests, seconds)

    monkeypatch.setattr(looking, "look", watched)
    token, ids = queue.claim(due, 2)
    process.process(ids, token, due)
    assert before == [("resolved",), ("drawing",)]
    assert set(Phase.objects.filter(pk__in=ids).values_list("status", flat=True)) == {"resolved"}
    assert sorted(symbol for symbol, _ in ticker.asked) == ["GE", "IBM"]


@pytest.mark.django_db
def test_stock_still_to_be_read_delays_only_its_own_game(
    monkeypatch: pytest.MonkeyPatch, ticker: Ticker
) -> None:
    """Issue 21.2: the game whose stock was read has its result while the other is being read."""
    phases, due = _two_that_wait(ticker)
    observe(phases[0], ["GE"], due)
    statuses: list[str] = []
    ticker.on_read = lambda: statuses.append(Phase.objects.get(pk=phases[0].pk).status)
    token, ids = queue.claim(due, 2)
    process.process(ids, token, due)
    assert statuses == ["resolved"]
    assert set(Phase.objects.filter(pk__in=ids).values_list("status", flat=True)) == {"resolved"}


def test_stocks_are_reported_in_the_order_asked_for(phase: Phase, ticker: Ticker) -> None:
    """Each stock is reported once."""
    assert observe(phase, ["Z", "A", "Z", "M"], FIRST).waiting == ("Z", "A", "M")


def test_a_telephone_game_settles_on_its_first_reading(
    make_phase: MakePhase, ticker: Ticker
) -> None:
    """rng.settle = first_reading; a game with agreed readings follows its own rule."""
    telephone, agreed = make_phase(**{"rng.settle": "first_reading"}), make_phase()
    evening = TUESDAY.closes + timedelta(minutes=20)
    assert observe(telephone, ["GE"], evening).settled == {"GE": 1_000_000}
    ticker.says["GE"] = Report("ok", 1_000_900)
    for hours in (0, 2):
        result = observe(agreed, ["GE"], FIRST + hours * HOUR)
    assert result.settled == {"GE": 1_000_900}


def test_observing_a_phase_without_a_session_raises(make_phase: MakePhase) -> None:
    """Nothing can be read before the lock."""
    with pytest.raises(MarketError, match="no trading session yet"):
        observe(make_phase(session=None), ["GE"], FIRST)


def test_newspaper_game_settles_on_typed_figures(make_phase: MakePhase, ada: Person) -> None:
    """design.md 6: a typed figure settles at once, with the name of the person who typed it."""
    phase = make_phase("newspaper")
    result = observe(phase, ["GE", "IBM"], FIRST + 500 * HOUR)
    assert (result.waiting, result.overdue) == (("GE", "IBM"), ())
    assert result.next_look is not None
    assert result.next_look > FIRST + 500 * HOUR
    enter_figure(phase, " ge ", 5_412_300, ada, FIRST + 501 * HOUR, note="Tribune, page 9")
    enter_no_report(phase, "IBM", ada, FIRST + 501 * HOUR)
    result = observe(phase, ["GE", "IBM"], FIRST + 502 * HOUR)
    assert result.settled == {"GE": 5_412_300, "IBM": None}
    reading = Figure.objects.get(symbol="GE").readings.get()
    assert (reading.entered_by, reading.game, reading.source) == (ada, phase.game, "newspaper")
    assert (reading.detail, reading.raw) == ("Tribune, page 9", {"note": "Tribune, page 9"})


def test_typed_figure_overrides_an_unsettled_source(
    phase: Phase, ticker: Ticker, ada: Person
) -> None:
    """One more row with author and reason, never an edit of a reading (foundations.md 1.3)."""
    observe(phase, ["GE"], FIRST)
    enter_figure(phase, "GE", 4_000, ada, FIRST + HOUR)
    assert observe(phase, ["GE"], FIRST + HOUR).settled == {"GE": 4_000}
    assert Reading.objects.count() == 2


def test_typed_no_report_counts_where_the_source_has_no_entry_for_any_stock(
    phase: Phase, ticker: Ticker, ada: Person
) -> None:
    """Yahoo may lose a whole day: then the phase waits for a person, whose word settles it."""
    phase.game.reserves = ["KO", "F"]
    phase.game.save()
    ticker.says = dict.fromkeys(("GE", "IBM", "KO", "F"), Report("no_bar", detail="No entry."))
    for hours in (0, 1, 2, 3):
        result = observe(phase, ["GE", "IBM"], FIRST + hours * HOUR)
    assert "seems not to have opened" in result.needs["GE"]
    enter_no_report(phase, "GE", ada, FIRST + 4 * HOUR)
    result = observe(phase, ["GE", "IBM"], FIRST + 4 * HOUR)
    assert (result.settled, result.waiting) == ({"GE": None}, ("IBM",))


def test_source_that_is_down_ends_no_wait_for_a_day_without_entries(
    phase: Phase, ticker: Ticker
) -> None:
    """Issue 3: an exchange that did not open uses up no stock; no answer is no sign of trading."""
    phase.game.reserves = ["KO", "F"]
    phase.game.save()
    ticker.says = dict.fromkeys(("GE", "IBM", "KO", "F"), Report("no_bar", detail="No entry."))
    for hours in range(0, 72, 3):
        observe(phase, ["GE", "IBM"], FIRST + hours * HOUR)
    ticker.says["IBM"] = Report("later", detail="No answer.")
    for hours in (72, 75, 78):
        result = observe(phase, ["GE", "IBM"], FIRST + hours * HOUR)
        assert (result.settled, list(result.needs)) == ({}, ["GE", "IBM"])
    ticker.says["F"] = Report("ok", 1_000_000)
    ticker.says["KO"] = Report("ok", 1_000_000)
    assert observe(phase, ["GE", "IBM"], FIRST + 81 * HOUR).settled == {"GE": None}


@pytest.mark.both_databases
def test_answer_that_cannot_be_stored_as_it_is_delays_nothing(phase: Phase, ticker: Ticker) -> None:
    """PostgreSQL refuses a zero byte, and half a character has no UTF-8; publishers fail so."""
    broken = "a\0b\ud800c"
    ticker.says["GE"] = Report("later", detail=broken, raw={"body": [broken]}, facts={"x": broken})
    assert observe(phase, ["GE"], FIRST).waiting == ("GE",)
    reading = Reading.objects.get()
    assert (reading.detail, reading.raw, reading.facts) == (
        "a\ufffdb?c",
        {"body": ["a\ufffdb?c"]},
        {"x": "a\ufffdb?c"},
    )


@pytest.mark.django_db
def test_record_verifies_after_a_reading_newer_than_the_clock(ticker: Ticker) -> None:
    """The clock was set back between two readings, or another machine's is ahead."""
    campaign = Campaign.begin(market="yahoo", options={"rng.settle": "agreed_readings"})
    campaign.attack_in_poland()
    campaign.wait_until(campaign.phase.deadline)
    phase = campaign.phase
    assert phase.due_at is not None
    ticker.says["GE"] = Report("ok", 5_412_300)
    for hours in (3, 6):
        asking.take(ticker, session_of(phase), "GE", phase.due_at + hours * HOUR)
    campaign.wait_until(phase.due_at + 3 * HOUR)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_typed_figure_counts_in_one_game_only(
    make_phase: MakePhase, ticker: Ticker, ada: Person
) -> None:
    """A gamesmaster's figure counts only in their game; other games read for themselves."""
    first, other = make_phase(), make_phase()
    enter_figure(first, "GE", 4_000, ada, FIRST)
    assert observe(first, ["GE"], FIRST).settled == {"GE": 4_000}
    assert observe(other, ["GE"], FIRST).waiting == ("GE",)


@pytest.mark.parametrize("volume", [0, -1, True, 1.5, "5412300", None, 10**13])
def test_invalid_typed_figure_is_refused(phase: Phase, ada: Person, volume: Any) -> None:
    """Never 0 for a stock without a report, and no typing error."""
    with pytest.raises(MarketError, match=r"whole number of shares above zero|ever sold"):
        enter_figure(phase, "GE", volume, ada, FIRST)
    assert not Reading.objects.exists()


@pytest.mark.parametrize("market", ["yahoo", "newspaper"])
def test_typed_figure_below_the_floor_is_refused(
    make_phase: MakePhase, ada: Person, market: str
) -> None:
    """rules.md 0.1, `rng.floor`: refused on entry, not only when it would count."""
    phase = make_phase(market, session=None, **{"rng.floor": 10_000})
    fix_session(phase, TUESDAY)
    phase.save()
    with pytest.raises(
        MarketError,
        match=(
            r"9,999 shares are fewer than 10,000, this game's floor. Enter “no report” for GE"
            r" instead."
        ),
    ):
        enter_figure(phase, " ge ", 9_999, ada, FIRST)
    enter_no_report(phase, "GE", ada, FIRST)
    enter_figure(phase, "IBM", 10_000, ada, FIRST)
    assert observe(phase, ["GE", "IBM"], FIRST).settled == {"GE": None, "IBM": 10_000}


def test_readings_keep_the_sources_facts_about_the_symbol(phase: Phase, ticker: Ticker) -> None:
    """The checker settles again from the facts in the record."""
    ticker.says["TCS.NS"] = Report("ok", 5_412_345, facts={"code": "NSI"})
    observe(phase, ["GE", "TCS.NS"], FIRST)
    facts = dict(Reading.objects.values_list("symbol", "facts"))
    assert (facts["GE"]["code"], facts["TCS.NS"]) == ("NYQ", {"code": "NSI"})


def test_stock_with_sales_public_at_the_lock_has_no_figure(
    make_phase: MakePhase, yahoo: LoopbackYahoo
) -> None:
    """Promise 3: TCS.NS, named at 08:55 in New York, has had its sales since 05:00."""
    stocks = {
        "TCS.NS": 7_301_400,
        "BHP.AX": 8_500_000,
        "BTC-USD": 60_000_000,
        "THIN": 37,
        "GE": 4_899_200,
    }
    phase = make_phase(
        session=None, **{"rng.market": "new_york", "rng.floor": 10_000, "rng.floor_median": 100_000}
    )
    fix_session(phase, TUESDAY)
    phase.save()
    for symbol, sold in stocks.items():
        yahoo.volumes["2026-11-24", symbol] = sold
    for hours in (0, 2):
        result = observe(phase, stocks, FIRST + hours * HOUR)
    assert result.settled == {
        "TCS.NS": None,
        "BHP.AX": None,
        "BTC-USD": None,
        "THIN": None,
        "GE": 4_899_200,
    }
    reasons = dict(Figure.objects.values_list("symbol", "reason"))
    assert all(
        "not a share or fund of the game's market" in reasons[symbol]
        for symbol in ("TCS.NS", "BHP.AX", "BTC-USD")
    )
    assert "37 shares, fewer than 10,000" in reasons["THIN"]


def test_yahoo_that_knows_no_symbol_settles_nothing(
    make_phase: MakePhase, yahoo: LoopbackYahoo
) -> None:
    """Two 404s two hours apart, but for every stock: the phase waits."""
    phase = make_phase(session=None)
    fix_session(phase, TUESDAY)
    phase.save()
    yahoo.mode = "404"
    for hours in (0, 2, 4):
        assert observe(phase, ["GE"], FIRST + hours * HOUR).settled == {}
    yahoo.mode = "ok"
    yahoo.modes["GE"] = "404"
    for hours in (5, 7):
        result = observe(phase, ["GE"], FIRST + hours * HOUR)
    assert result.settled == {"GE": None}


def test_stock_that_was_found_when_it_was_ordered_is_read_until_it_is_back(
    make_phase: MakePhase, yahoo: LoopbackYahoo
) -> None:
    """Yahoo lost one stock for a day while it answered about all others."""
    phase = make_phase(session=None)
    fix_session(phase, TUESDAY)
    phase.save()
    yahoo.volumes["2026-11-24", "GE"] = 5_412_345
    listings.look_up("GE", TUESDAY.opens - 24 * HOUR)
    yahoo.modes["GE"] = "404"
    for hours in (0, 2, 30):
        assert observe(phase, ["GE"], FIRST + hours * HOUR).waiting == ("GE",)
    assert Reading.objects.get(read_at=FIRST).facts == {
        "probe": "KO",
        "listed": {"code": "NYQ", "zone": "America/New_York", "instrument": "EQUITY"},
    }
    del yahoo.modes["GE"]
    for hours in (34, 36):
        result = observe(phase, ["GE"], FIRST + hours * HOUR)
    assert result.settled == {"GE": 5_412_345}


def test_figure_before_the_close_is_refused(phase: Phase, ada: Person) -> None:
    """Promise 3 binds the gamesmaster, too."""
    with pytest.raises(MarketError, match="is not over"):
        enter_figure(phase, "GE", 5, ada, TUESDAY.closes - timedelta(seconds=1))


def test_typed_figure_for_a_settled_stock_is_refused(
    phase: Phase, ticker: Ticker, ada: Person
) -> None:
    """No digit is drawn twice; only a ruling can set it aside."""
    for hours in (0, 2):
        observe(phase, ["GE"], FIRST + hours * HOUR)
    with pytest.raises(MarketError, match="has already settled"):
        enter_figure(phase, "GE", 5, ada, FIRST + 3 * HOUR)


def test_typed_figure_needs_a_valid_symbol(phase: Phase, ada: Person) -> None:
    """A typing error gets a sentence, not a database error."""
    for symbol in ("", "GENERAL ELECTRIC"):
        with pytest.raises(MarketError, match="not a stock symbol"):
            enter_figure(phase, symbol, 5, ada, FIRST)


def test_demo_settles_at_the_close(
    make_phase: MakePhase,
) -> None:
    """Half a minute after the lock; a stock with ZZ falls through to the reserve list."""
    session = demo_session_after(datetime(2026, 11, 24, 10, 5, 29, tzinfo=UTC))
    phase = make_phase("demo", session)
    result = observe(phase, ["GE", "ZZZ"], session.opens)
    assert (result.waiting, result.next_look) == (("GE", "ZZZ"), session.closes)
    result = observe(phase, ["GE", "ZZZ"], session.closes)
    assert result.settled["ZZZ"] is None
    assert (result.settled["GE"] or 0) >= 100_000
    assert result.waiting == ()


def test_figures_raise_for_an_unsettled_stock() -> None:
    """`games.rules.Volumes`: the first unknown stock in order of use is read next."""
    figures = Figures({"GE": 5_412_345, "HALT": None})
    assert figures.get("GE") == 5_412_345
    assert figures.get("HALT") is None
    with pytest.raises(Unsettled, match="sales of IBM") as unsettled:
        figures.get("IBM")
    assert unsettled.value.symbol == "IBM"


def test_real_yfinance_settles_a_phase(phase: Phase, yahoo: LoopbackYahoo) -> None:
    """Over HTTP: a revision between two readings, a fault, an unknown symbol, and the figures."""
    symbols = ["PFE", "GE", "NOPE"]
    yahoo.modes["NOPE"] = "404"
    yahoo.volumes["2026-11-24", "GE"] = 4_899_200
    yahoo.volumes["2026-11-24", "PFE"] = 27_955_647
    now, steps = FIRST, 0
    result = observe(phase, symbols, now)
    yahoo.volumes["2026-11-24", "PFE"] = 38_355_200
    yahoo.modes["GE"] = "500"
    while result.waiting and (steps := steps + 1) < 40:
        assert result.next_look is not None
        now = result.next_look
        result = observe(phase, symbols, now)
        if now >= FIRST + 2.5 * HOUR:
            yahoo.modes.pop("GE", None)
    assert result.settled == {"PFE": 38_355_200, "GE": 4_899_200, "NOPE": None}
    assert now <= FIRST + 5 * HOUR


def in_thread(work: Any) -> threading.Thread:
    def run() -> None:
        try:
            work()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_two_workers_settle_a_figure_once(
    make_phase: MakePhase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both decide, differently, before either writes: both use the one figure."""
    phase = make_phase("newspaper")
    meet = threading.Barrier(2, timeout=20)
    freeze = readings._freeze_all

    def freeze_together(found: Any, now: datetime) -> dict[int, dict[str, int | None]]:
        meet.wait()
        return freeze(found, now)

    verdicts = iter([Settlement(100, "one reading", ()), Settlement(200, "another reading", ())])
    monkeypatch.setattr(readings, "_freeze_all", freeze_together)
    monkeypatch.setattr(sales, "settle", lambda *args: next(verdicts))
    results: list[dict[str, int | None]] = []
    workers = [
        in_thread(lambda: results.append(observe(phase, ["GE"], FIRST).settled)) for _ in range(2)
    ]
    for worker in workers:
        worker.join()
    figure = Figure.objects.get()
    assert results == [{"GE": figure.volume}, {"GE": figure.volume}]


@pytest.mark.both_databases
def test_reading_is_linked_to_a_figure_once(
    make_phase: MakePhase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A figure's first and last unknown reading may be the same row.

    The second link could not be written, and the phase was retried again and again.
    """
    opens = TUESDAY.opens
    session = Session(DEMO, "2026-11-17T14:30:00Z", opens, opens + timedelta(seconds=2))
    phase = make_phase(market="demo", session=session)
    monkeypatch.setattr(Demo, "read", lambda *asked: Report("unknown"))
    assert phase.session_closes is not None
    result = observe(phase, ["GE"], phase.session_closes + HOUR)
    assert result.settled == {"GE": None}
    assert Figure.objects.get().readings.count() == 1


@pytest.mark.both_databases
def test_session_change_of_one_phase_does_not_fail_the_batch(
    make_phase: MakePhase, ticker: Ticker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by review: the seed's figure of one game failed the whole batch."""
    sealed = make_phase(**{"rng.source": "commit_reveal"})
    rolls.choose_seed(sealed)
    lost = make_phase(**{"rng.source": "commit_reveal"})
    by_sales = make_phase(**{"rng.settle": "first_reading"})
    of_seed = rolls.readings_of

    def changed(*given: Any) -> Any:
        Phase.objects.filter(pk=sealed.pk).update(session="phase-9")
        return of_seed(*given)

    monkeypatch.setattr(rolls, "readings_of", changed)
    results = observe_all([(sealed, ["ROLL-1"]), (lost, ["ROLL-1"]), (by_sales, ["GE"])], FIRST)
    assert isinstance(results[sealed.pk], SessionChanged)
    assert isinstance(results[lost.pk], MarketError)
    observation = results[by_sales.pk]
    assert isinstance(observation, readings.Observation)
    assert observation.settled == {"GE": 1_000_000}


@pytest.mark.both_databases
def test_retry_time_is_that_of_each_games_policy(make_phase: MakePhase, ticker: Ticker) -> None:
    """Found by review: the shortest retry of the batch applied to every game in it."""
    ticker.says["GE"] = Report("later", detail="down", down=True)
    quick = make_phase(market="recorded")
    slow = make_phase()
    apart = {
        phase.pk: observe_all([(phase, ["GE", "IBM"])], FIRST)[phase.pk] for phase in (quick, slow)
    }
    again = observe_all(
        [(phase, ["GE", "IBM"]) for phase in (quick, slow)], FIRST + timedelta(minutes=1)
    )
    for phase in (quick, slow):
        before, after = apart[phase.pk], again[phase.pk]
        assert isinstance(before, readings.Observation)
        assert isinstance(after, readings.Observation)
        assert before.next_look == FIRST + policy_for(phase).retry
        assert after.next_look is not None
        assert after.next_look >= before.next_look
