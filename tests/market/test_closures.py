"""Days on which the exchange did not open although the calendar said so.

rules.md 0.1, `rng.quote_session`; foundations.md 3. Issue 19, item 4: only operators enter
closures, only evidence moves a session that has begun, and at most ten future days are entered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse

from games import desk, tasks
from games.base import clock
from games.desk import DeskError, closure_evidence, closures, session_changes
from games.evidence import export
from games.letters import rendering
from games.market import Report, bank
from games.models import (
    EvidenceError,
    Figure,
    Game,
    Letter,
    MarketClosure,
    Person,
    Phase,
    Pulse,
    Reading,
    SessionChange,
)
from games.rules.sessions import Session
from games.rules.verification import verify
from games.turns import clock_rollback, process, queue
from tests.support.campaign import Campaign, person
from tests.support.letters import letter_text

from .conftest import Ticker, listed

NEW_YORK = ZoneInfo("America/New_York")
TUESDAY, WEDNESDAY = date(2026, 11, 17), date(2026, 11, 18)
pytestmark = pytest.mark.django_db


LEADING = ("AAPL", "MSFT", "NVDA", "AMZN", "GOOGL")
NO_BAR = Report("no_bar", detail="No entry.")
#: When the sales of Tuesday, and those of Wednesday, are first read.
MORNING_AFTER = datetime(2026, 11, 18, 6, tzinfo=NEW_YORK)
AFTER_NEXT = datetime(2026, 11, 19, 6, tzinfo=NEW_YORK)


def ny(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=NEW_YORK)


@dataclass
class Publisher(Ticker):
    """Answers about closed days as set in `says`, and about open ones as set in `later`."""

    closed: set[date] = field(default_factory=lambda: {TUESDAY})
    later: dict[str, Report] = field(default_factory=dict)

    def read(self, symbol: str, session: Session, now: datetime) -> Report:
        if session.day in self.closed:
            return super().read(symbol, session, now)
        return listed(self.later.get(symbol, Report("ok", 1_000_000)), session.exchange)


@pytest.fixture
def leading(monkeypatch: pytest.MonkeyPatch) -> Publisher:
    """Replace the publisher that evidence asks: it has no entry for Tuesday of any stock."""
    source = Publisher(
        says={
            symbol: NO_BAR
            for listing in bank.suggested_lists().values()
            for symbol in listing.symbols
        }
    )
    monkeypatch.setattr(closure_evidence, "publisher", lambda: source)
    return source


def operator(name: str = "kay") -> Person:
    kay = person(name)
    kay.is_staff = True
    kay.save()
    return kay


def look(now: datetime) -> None:
    """Run the job of one tick."""
    token, ids = closure_evidence.claim(now)
    closure_evidence.check(ids, token, now)


def claimed(campaign: Campaign) -> MarketClosure:
    """Enter a closure in the evening after the session that decides."""
    closure, changes = closures.enter(
        "XNYS", TUESDAY, "A power failure", operator(), ny("2026-11-17 21:00")
    )
    assert (closure.needs_evidence, closure.counts, changes) == (True, False, [])
    assert campaign.phase.session == "2026-11-17"
    return closure


def attacked(**given: Any) -> Campaign:
    """Begin a game whose orders, one attack on GE among them, locked on a Tuesday at 09:00."""
    rule = {"every": "trading_morning", "sessions": 1, "time": "09:00"}
    # Placement is due on Monday, attacks on Tuesday.
    campaign = Campaign.begin(
        ny("2026-11-15 12:00"),
        market="yahoo",
        schedule=rule,
        **{"options": {"rng.settle": "agreed_readings"}, **given},
    )
    campaign.attack_in_poland()
    campaign.wait_until(campaign.phase.deadline)
    assert (campaign.phase.status, campaign.phase.session) == (Phase.Status.DRAWING, "2026-11-17")
    return campaign


def test_closure_entered_after_the_lock_moves_the_phase_to_the_next_session(ticker: Ticker) -> None:
    """foundations.md, policy 2: the next session decides, never "no usable report"."""
    campaign = attacked()
    closure, changes = closures.enter(
        "XNYS", TUESDAY, "A day of mourning", operator(), ny("2026-11-17 09:20")
    )
    assert (closure.entered_by, len(changes)) == (person("kay"), 1)
    phase = campaign.phase
    assert (phase.session, phase.first_reading_at) == ("2026-11-18", ny("2026-11-19 06:00"))
    assert phase.due_at == phase.first_reading_at
    change = SessionChange.objects.get()
    assert (change.old, change.new, change.reason, change.changed_by) == (
        "2026-11-17",
        "2026-11-18",
        "A day of mourning",
        person("kay"),
    )
    with pytest.raises(EvidenceError):
        change.save()
    campaign.pass_deadline()
    assert Figure.objects.get().readings.first().session == "2026-11-18"  # type: ignore[union-attr]


def test_closure_changes_nothing_in_an_abandoned_game(ticker: Ticker) -> None:
    """Its last phase still waits for sales; nobody else does."""
    campaign = attacked()
    desk.abandon(campaign.game, "Two have left.", campaign.ada, campaign.now)
    _, changes = closures.enter(
        "XNYS", TUESDAY, "A day of mourning", operator(), ny("2026-11-17 09:20")
    )
    assert changes == []
    assert campaign.phase.session == "2026-11-17"
    assert not campaign.letters("session")


def test_session_change_is_announced_to_all_with_its_reason(ticker: Ticker) -> None:
    campaign = attacked()
    closures.enter("XNYS", TUESDAY, "A day of mourning", operator(), ny("2026-11-17 09:20"))
    letters = campaign.letters("session")
    assert len(letters) == 6
    text = rendering.render(campaign.letters("session", "gustav")[0]).text
    decides = "The session of Wed 18 Nov decides Turn 1 attacks, not that of Tue 17 Nov."
    assert decides in " ".join(text.split())
    assert "A day of mourning" in text
    assert "their digest is unchanged" in " ".join(text.split())


def test_one_stock_without_an_entry_does_not_make_a_closure(ticker: Ticker) -> None:
    """A trading halt: other stocks were traded, so the next one in line decides."""
    campaign = attacked()
    ticker.says = {"GE": Report("no_bar", detail="No entry.")}
    phase = campaign.phase
    for hours in range(0, 80, 2):
        campaign.wait_until(ny("2026-11-18 06:00") + timedelta(hours=hours))
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    assert Figure.objects.get(symbol="GE").volume is None


def test_record_shows_the_session_change_and_verifies(ticker: Ticker) -> None:
    """contract.md 5: the old session, the new one, and that nothing had settled."""
    campaign = attacked()
    closures.enter("XNYS", TUESDAY, "A day of mourning", operator(), ny("2026-11-17 09:20"))
    campaign.pass_deadline()
    tree = export.record(campaign.game, private=True)
    assert verify.check(tree) == []
    phase = tree["phases"][1]
    assert phase["session_changes"][0]["old"] == "2026-11-17"
    phase["session"] = {**phase["session"], "label": "2026-11-19"}
    assert any(
        "the session after it was changed" in str(difference) for difference in verify.check(tree)
    )


def test_closure_that_is_dated_back_is_a_difference(ticker: Ticker) -> None:
    """Nobody but the operator's own row says when it was entered: the sales may have been known."""
    campaign, kay, evening = attacked(), operator(), ny("2026-11-17 18:00")
    campaign.wait_until(evening)
    closure = MarketClosure.objects.create(
        day=TUESDAY, reason="A power failure", entered_by=kay, entered_at=ny("2026-11-17 09:10")
    )
    assert len(session_changes.fix_again(closure, closure.reason, kay, evening)) == 1
    campaign.pass_deadline()
    campaign.pass_deadline()
    tree = export.record(campaign.game, private=True)
    assert tree["phases"][1]["resolutions"]
    (found,) = map(str, verify.check(tree))
    assert found == (
        "Phase 2 (turn 1, attacks): the time of the session change is recorded as"
        " “2026-11-17T23:00:00+00:00”, but should be “before 2026-11-17 and 2026-11-18 opened, or"
        " after the closure of 2026-11-17 was confirmed”."
    )
    tree["closures"][0]["confirmed"] = "2026-11-17T22:59:00+00:00"
    assert "the evidence for the closure of XNYS on 2026-11-17" in str(verify.check(tree)[0])


# --- entered before the session opens: effective at once ---


def test_a_phase_with_a_settled_figure_keeps_its_session(ticker: Ticker) -> None:
    """Promise 3: once a digit can be known, no session is chosen again."""
    campaign = attacked()
    Figure.objects.create(
        phase=campaign.phase,
        symbol="GE",
        volume=None,
        reason="typed in",
        settled_at=ny("2026-11-17 09:10"),
    )
    _, changes = closures.enter("XNYS", TUESDAY, "A storm", operator(), ny("2026-11-17 09:20"))
    assert changes == []
    assert campaign.phase.session == "2026-11-17"
    assert not Letter.objects.filter(kind="session").exists()


@pytest.mark.both_databases
def test_a_closure_can_be_removed_until_its_session_opens_and_stays_on_record(
    ticker: Ticker,
) -> None:
    campaign, kay = attacked(), operator()
    closures.enter("XNYS", TUESDAY, "A storm is coming", kay, ny("2026-11-17 09:10"))
    assert campaign.phase.session == "2026-11-18"
    row = MarketClosure.objects.get()
    with pytest.raises(DeskError, match="Enter a reason"):
        closures.remove(row, " ", kay, ny("2026-11-17 09:15"))
    closures.remove(row, "It turned out to sea", kay, ny("2026-11-17 09:15"))
    assert campaign.phase.session == "2026-11-17"
    row.refresh_from_db()
    assert (row.removed_by, row.removed_because, row.due_at) == (kay, "It turned out to sea", None)
    closures.enter("XNYS", TUESDAY, "It came back", kay, ny("2026-11-17 09:20"))
    with pytest.raises(DeskError, match="can only be removed before that"):
        closures.remove(
            MarketClosure.objects.get(removed_at=None), "Too late", kay, ny("2026-11-17 09:30")
        )
    assert campaign.phase.session == "2026-11-18"


def test_eleventh_future_closure_is_refused() -> None:
    """Issue 19: two hundred closures would leave no session at all."""
    kay, now, days = operator(), ny("2026-11-17 10:00"), iter(range(1, 40))
    entered = 0
    while entered < 10:
        day = TUESDAY + timedelta(days=next(days))
        if day.weekday() < 5 and day != date(2026, 11, 26):
            closures.enter("XNYS", day, "A strike", kay, now)
            entered += 1
    with pytest.raises(
        DeskError, match="10 future days are entered for XNYS, which is the maximum"
    ):
        closures.enter("XNYS", date(2026, 12, 3), "A strike", kay, now)
    closures.enter("XTKS", date(2026, 12, 3), "A strike in Tokyo", kay, now)
    closures.enter(
        "XNYS", date(2026, 12, 3), "A strike", kay, ny("2026-11-18 09:30")
    )  # the first of the ten has begun


def test_closure_in_tokyo_does_not_affect_new_york_games(ticker: Ticker) -> None:
    campaign = attacked()
    _, changes = closures.enter("XTKS", WEDNESDAY, "A typhoon", operator(), ny("2026-11-17 09:20"))
    _, more = closures.enter("XTKS", TUESDAY, "A typhoon", operator(), ny("2026-11-17 09:20"))
    assert (changes, more) == ([], [])
    assert campaign.phase.session == "2026-11-17"


def test_closure_of_a_begun_tokyo_session_needs_evidence() -> None:
    """The session of the 18th opens at 09:00 in Tokyo, 19:00 on the 17th in New York."""
    before, _ = closures.enter("XTKS", WEDNESDAY, "A typhoon", operator(), ny("2026-11-17 18:59"))
    after, _ = closures.enter("XTKS", TUESDAY, "A typhoon", operator(), ny("2026-11-17 18:59"))
    assert (before.needs_evidence, after.needs_evidence) == (False, True)


@pytest.mark.parametrize(
    ("exchange", "day", "message"),
    [
        ("XNYS", date(2026, 11, 21), "does not open on 2026-11-21 anyway"),
        ("XNYS", date(2028, 1, 10), "too far away"),
        ("XNYS", date(2026, 10, 20), "too far away"),
        ("DEMO", date(2026, 11, 18), "“DEMO” is not an exchange"),
    ],
)
def test_invalid_closure_is_refused_with_a_fix(exchange: str, day: date, message: str) -> None:
    with pytest.raises(DeskError, match=message):
        closures.enter(exchange, day, "A storm", operator(), ny("2026-11-17 10:00"))


@pytest.mark.both_databases
def test_second_closure_of_a_day_is_refused() -> None:
    storm = ("XNYS", TUESDAY, "A storm", operator(), ny("2026-11-10 10:00"))
    closures.enter(*storm)
    with pytest.raises(DeskError, match="already been entered"):
        closures.enter(*storm)
    assert MarketClosure.objects.count() == 1


def test_old_early_close_has_no_effect_and_can_be_removed(ticker: Ticker) -> None:
    """Issue 19: an early close at 09:31 would settle a provisional figure the same night."""
    row = MarketClosure.objects.create(
        day=TUESDAY,
        closes_at=ny("2026-11-17 09:31"),
        reason="A storm",
        entered_at=ny("2026-11-10 10:00"),
    )
    campaign = attacked()
    assert campaign.phase.session_closes == ny("2026-11-17 16:00")
    assert campaign.phase.first_reading_at == MORNING_AFTER
    assert closures.remove(row, "No longer used", operator(), ny("2026-11-17 12:00")) == []


def test_disproved_closure_is_reported_but_moves_nothing_back(
    ticker: Ticker, leading: Publisher
) -> None:
    """Issue 19: the operator and the gamesmasters of the moved games are notified."""
    campaign, kay = attacked(), operator()
    closures.enter("XNYS", TUESDAY, "A day of mourning", kay, ny("2026-11-17 09:20"))
    leading.says["AAPL"] = Report("ok", 41_412_700)
    look(MORNING_AFTER - timedelta(seconds=1))
    assert leading.asked == []
    look(MORNING_AFTER)
    row = MarketClosure.objects.get()
    assert (row.counts, row.confirmed_at, row.due_at) == (True, None, None)
    assert campaign.phase.session == "2026-11-18"
    to_kay, to_ada = Letter.objects.filter(kind="closure").order_by("game")
    assert {to_kay.address, to_ada.address} == {"kay@example.org", "ada@example.org"}
    texts = {letter.address: letter_text(letter) for letter in (to_kay, to_ada)}
    assert all("but AAPL traded 41,412,700 shares that day" in text for text in texts.values())
    assert "the session of Wed 18 Nov decides" in texts["ada@example.org"]
    assert "/closures/" in texts["kay@example.org"]
    assert "/closures/" not in texts["ada@example.org"]


def test_quiet_day_entered_in_advance_is_confirmed_without_letters(
    ticker: Ticker, leading: Publisher
) -> None:
    attacked()
    closures.enter("XNYS", TUESDAY, "A day of mourning", operator(), ny("2026-11-17 09:20"))
    changes = SessionChange.objects.count()
    for hours in (0, 2):
        look(AFTER_NEXT + timedelta(hours=hours))
    row = MarketClosure.objects.get()
    assert (row.confirmed_at, row.due_at) == (AFTER_NEXT + timedelta(hours=2), None)
    assert SessionChange.objects.count() == changes
    assert not Letter.objects.filter(kind="closure").exists()


# --- entered after the session has begun: decided by readings ---


def test_closure_is_confirmed_by_two_looks_once_the_next_session_has_sales(
    ticker: Ticker, leading: Publisher
) -> None:
    """Issue 19: nothing else moves a session that has begun."""
    campaign = attacked()
    claimed(campaign)
    look(MORNING_AFTER - timedelta(seconds=1))
    assert leading.asked == []
    look(MORNING_AFTER)
    assert [symbol for symbol, _ in leading.asked] == list(LEADING)
    row = MarketClosure.objects.get()
    assert (row.counts, row.due_at) == (False, AFTER_NEXT)  # the whole day may only be late
    look(AFTER_NEXT)
    row.refresh_from_db()
    assert (row.counts, row.due_at) == (False, AFTER_NEXT + timedelta(hours=2))
    assert campaign.phase.session == "2026-11-17"
    confirmed = AFTER_NEXT + timedelta(hours=2)
    look(confirmed)
    row.refresh_from_db()
    assert (row.counts, row.confirmed_at, row.due_at) == (True, confirmed, None)
    assert (campaign.phase.session, campaign.phase.first_reading_at) == ("2026-11-18", AFTER_NEXT)
    change = SessionChange.objects.get()
    assert (change.changed_at, change.reason, change.changed_by) == (
        confirmed,
        "A power failure",
        person("kay"),
    )
    assert len(campaign.letters("session")) == 6
    text = " ".join(rendering.render(Letter.objects.get(kind="closure")).text.split())
    assert "has sales of AAPL, AMZN, GOOGL, MSFT, NVDA in the session of Wed 18 Nov, and" in text
    assert "and no entry for Tue 17 Nov" in text
    assert "1 game that waited for that session now uses the next one" in text
    campaign.wait_until(confirmed)
    campaign.wait_until(confirmed + timedelta(hours=2))
    tree = export.record(campaign.game, private=True)
    assert [phase["session"]["label"] for phase in tree["phases"] if phase["figures"]] == [
        "2026-11-18"
    ]
    assert verify.check(tree) == []


def test_publisher_that_is_late_with_everything_confirms_no_closure(
    ticker: Ticker, leading: Publisher
) -> None:
    """The sales stand in every newspaper: the person who enters a closure may know them."""
    campaign = attacked()
    claimed(campaign)
    leading.later = dict.fromkeys(leading.says, NO_BAR)
    for hours in range(-20, 72, 2):
        look(AFTER_NEXT + timedelta(hours=hours))
    row = MarketClosure.objects.get()
    assert (row.counts, row.removed_at, campaign.phase.session) == (False, None, "2026-11-17")
    assert closure_evidence.describe_wait(row) == (
        "It does not count yet: the publisher may only be late. It can be confirmed from 2026-11-19"
        " 11:00 UTC on, once the leading stocks have sales of 2026-11-18 and none of 2026-11-17."
    )
    leading.says["MSFT"] = Report("ok", 900)
    look(AFTER_NEXT + timedelta(hours=72))
    row.refresh_from_db()
    assert row.removed_because == "MSFT traded 900 shares that day"
    assert campaign.phase.session == "2026-11-17"


def test_day_that_is_late_for_one_stock_is_no_closed_day(
    ticker: Ticker, leading: Publisher
) -> None:
    """The other stocks have sales of both days."""
    closures.enter("XNYS", TUESDAY, "A power failure", operator(), ny("2026-11-17 21:00"))
    look(MORNING_AFTER)
    leading.says = {"AAPL": NO_BAR}
    look(AFTER_NEXT)
    assert MarketClosure.objects.get().removed_because == "MSFT traded 1,000,000 shares that day"


def test_stocks_without_sales_of_the_next_session_either_show_nothing(
    ticker: Ticker, leading: Publisher
) -> None:
    """Delisted stocks keep their old entries; others are asked for in their place."""
    closures.enter("XNYS", TUESDAY, "A power failure", operator(), ny("2026-11-17 21:00"))
    leading.later = {"AAPL": NO_BAR, "NVDA": Report("unknown", detail="No such stock.")}
    for hours in (0, 2):
        look(AFTER_NEXT + timedelta(hours=hours))
    row = MarketClosure.objects.get()
    assert row.counts
    proof = row.readings.filter(session="2026-11-18", kind="ok", read_at=AFTER_NEXT)
    assert set(proof.values_list("symbol", flat=True)).isdisjoint({"AAPL", "NVDA"})
    assert proof.count() == len(LEADING)


def test_several_closed_days_are_confirmed_from_the_last_on(
    ticker: Ticker, leading: Publisher
) -> None:
    """A storm of two days: there are no sales of Wednesday either, and Thursday shows both."""
    campaign = attacked()
    claimed(campaign)
    closures.enter("XNYS", WEDNESDAY, "A power failure", person("kay"), ny("2026-11-18 10:00"))
    leading.closed.add(WEDNESDAY)
    friday = ny("2026-11-20 06:00")
    for minutes in (*range(-47 * 60, 0, 60), *range(0, 5 * 60, 15)):
        for _ in range(2):
            look(friday + timedelta(minutes=minutes))
        if minutes < 0:
            assert not MarketClosure.objects.in_effect().exists()
    assert MarketClosure.objects.in_effect().count() == 2
    assert campaign.phase.session == "2026-11-19"


def test_closure_before_a_weekend_waits_for_the_half_day_after_a_holiday(
    ticker: Ticker, leading: Publisher
) -> None:
    """Wednesday before Thanksgiving: the next session is Friday's, until 13:00."""
    wednesday = date(2026, 11, 25)
    leading.closed = {wednesday}
    closures.enter("XNYS", wednesday, "A power failure", operator(), ny("2026-11-25 15:00"))
    look(ny("2026-11-26 06:00"))
    row = MarketClosure.objects.get()
    assert row.due_at == ny("2026-11-28 03:00")
    for hour in (3, 5):
        look(ny(f"2026-11-28 0{hour}:00"))
    row.refresh_from_db()
    assert row.confirmed_at == ny("2026-11-28 05:00")


def test_closure_of_a_traded_day_is_refused_and_the_digit_stays(
    ticker: Ticker, leading: Publisher
) -> None:
    """Issue 19: the stocks were traded, so that day's digit stays."""
    campaign = attacked()
    claimed(campaign)
    leading.says["NVDA"] = Report("ok", 5_412_700)
    campaign.wait_until(MORNING_AFTER)
    look(MORNING_AFTER)
    row = MarketClosure.objects.get()
    assert (row.counts, row.removed_at, row.removed_by) == (False, MORNING_AFTER, None)
    assert row.removed_because == "NVDA traded 5,412,700 shares that day"
    assert [reading.symbol for reading in row.readings.order_by("pk")] == ["AAPL", "MSFT", "NVDA"]
    campaign.wait_until(MORNING_AFTER + timedelta(hours=2))
    assert Figure.objects.get().readings.first().session == "2026-11-17"  # type: ignore[union-attr]
    assert not SessionChange.objects.exists()
    (letter,) = Letter.objects.filter(kind="closure")
    assert letter.address == "kay@example.org"
    assert "does not count: NVDA traded 5,412,700 shares that day" in " ".join(
        rendering.render(letter).text.split()
    )
    with pytest.raises(
        DeskError,
        match="NVDA traded 5,412,700 shares that day: the exchange was open on 2026-11-17",
    ):
        closures.enter(
            "XNYS", TUESDAY, "Once more", person("kay"), MORNING_AFTER + timedelta(hours=3)
        )


def test_stored_reading_refutes_a_closure_without_a_request(leading: Publisher) -> None:
    kay = operator()
    closures.enter("XNYS", TUESDAY, "A power failure", kay, ny("2026-11-17 15:00"))
    of_day = {
        "exchange": "XNYS",
        "session": "2026-11-17",
        "source": "yahoo",
        "read_at": ny("2026-11-17 16:20"),
    }
    Reading.objects.create(
        **of_day, symbol="TCS.NS", kind="ok", volume=1
    )  # of another exchange: no evidence for this one
    Reading.objects.create(**of_day, symbol="MSFT", kind="ok", volume=900)
    look(MORNING_AFTER)
    assert leading.asked == []
    assert MarketClosure.objects.get().removed_because == "MSFT traded 900 shares that day"


def test_closure_without_evidence_is_refused_after_72_hours(
    ticker: Ticker, leading: Publisher
) -> None:
    """A missing answer proves neither that the exchange was closed nor that it was open."""
    campaign = attacked()
    claimed(campaign)
    leading.says["MSFT"] = Report("later", detail="No answer.", down=True)
    look(MORNING_AFTER)
    row = MarketClosure.objects.get()
    assert [symbol for symbol, _ in leading.asked] == [
        "AAPL",
        "MSFT",
    ]  # the source is down, so the others are not asked for
    assert row.due_at == AFTER_NEXT
    look(AFTER_NEXT)
    assert MarketClosure.objects.get().due_at == AFTER_NEXT + timedelta(minutes=15)
    look(AFTER_NEXT + timedelta(hours=71))
    assert MarketClosure.objects.get().removed_at is None
    look(AFTER_NEXT + timedelta(hours=72))
    row = MarketClosure.objects.get()
    assert not row.counts
    assert row.due_at is None
    assert (
        row.removed_because == "within 72 hours there was no clear answer about the leading stocks"
    )
    assert campaign.phase.session == "2026-11-17"


def test_unknown_leading_stock_is_replaced_by_the_next(leading: Publisher) -> None:
    closures.enter("XNYS", TUESDAY, "A power failure", operator(), ny("2026-11-17 15:00"))
    leading.says["MSFT"] = Report("unknown", detail="No such stock.")
    leading.says["NVDA"] = Report("no_sales", detail="An entry without sales.")
    look(AFTER_NEXT)
    assert [symbol for symbol, _ in leading.asked] == [
        "AAPL",
        "MSFT",
        "NVDA",
        "AMZN",
        "GOOGL",
        "META",
    ]
    assert MarketClosure.objects.get().due_at == AFTER_NEXT + timedelta(
        minutes=15
    )  # an entry without sales is an entry
    leading.says["NVDA"] = NO_BAR
    for hours in (1, 3):
        look(AFTER_NEXT + timedelta(hours=hours))
    assert MarketClosure.objects.get().counts


@pytest.mark.both_databases
def test_two_workers_confirm_a_closure_once(ticker: Ticker, leading: Publisher) -> None:
    """Design 5: a worker writes its decision only while it holds the lease."""
    campaign = attacked()
    claimed(campaign)
    look(AFTER_NEXT)
    now = AFTER_NEXT + timedelta(hours=2)
    late = now + timedelta(minutes=10)
    token, ids = closure_evidence.claim(now)
    assert closure_evidence.claim(now) == ("", [])

    def overtaken() -> None:  # the first worker's lease expires while it asks
        if leading.asked[-1] == ("GOOGL", now):
            look(late)

    leading.on_read = overtaken
    closure_evidence.check(ids, token, now)
    assert MarketClosure.objects.get().confirmed_at == late
    assert SessionChange.objects.count() == Letter.objects.filter(kind="closure").count() == 1
    assert campaign.phase.session == "2026-11-18"


@pytest.mark.both_databases
def test_closure_task_delivered_twice_reads_once(leading: Publisher) -> None:
    closures.enter("XNYS", TUESDAY, "A power failure", operator(), ny("2026-11-17 15:00"))
    token, ids = closure_evidence.claim(MORNING_AFTER)
    asked: list[int] = []

    def delivered_again() -> None:
        if len(leading.asked) == 1:
            closure_evidence.check(ids, token, MORNING_AFTER)
            asked.append(len(leading.asked))

    leading.on_read = delivered_again
    closure_evidence.check(ids, token, MORNING_AFTER)
    assert asked == [1]
    assert MarketClosure.objects.get().readings.count() == 5


@pytest.mark.both_databases
def test_closure_check_of_a_dead_worker_is_taken_over(leading: Publisher) -> None:
    closures.enter("XNYS", TUESDAY, "A power failure", operator(), ny("2026-11-17 15:00"))

    def dies() -> None:
        if len(leading.asked) == 3:
            raise KeyboardInterrupt

    leading.on_read = dies
    with pytest.raises(KeyboardInterrupt):
        look(AFTER_NEXT)
    assert MarketClosure.objects.get().readings.count() == 4
    look(AFTER_NEXT + timedelta(seconds=1))
    assert len(leading.asked) == 3  # the lease still runs
    leading.on_read = lambda: None
    for minutes in (10, 130):
        look(AFTER_NEXT + timedelta(minutes=minutes))
    row = MarketClosure.objects.get()
    assert (row.counts, row.readings.count()) == (True, 24)


def test_tick_without_celery_checks_closures(leading: Publisher) -> None:
    closures.enter("XNYS", TUESDAY, "A power failure", operator(), ny("2026-11-17 15:00"))
    for hours in (0, 2):
        tasks.do_all_due(AFTER_NEXT + timedelta(hours=hours))
    assert MarketClosure.objects.get().counts


def test_tick_queues_closures_for_a_worker(
    leading: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, _ = closures.enter("XNYS", TUESDAY, "A power failure", operator(), ny("2026-11-17 15:00"))
    queued: list[tuple[str, list[int], str]] = []
    monkeypatch.setattr(tasks.do_job, "delay", lambda *task: queued.append(task))
    monkeypatch.setattr(clock, "now", lambda: MORNING_AFTER)
    tasks.tick()
    tasks.tick()
    assert [ids for job, ids, _ in queued if job == "closures"] == [[row.pk]]

    def gone(*task: object) -> None:
        raise ConnectionError("the broker is gone")

    monkeypatch.setattr(tasks.do_job, "delay", gone)
    monkeypatch.setattr(clock, "now", lambda: MORNING_AFTER + timedelta(hours=1))
    with pytest.raises(ConnectionError):
        tasks.tick()
    assert MarketClosure.objects.get().claimed_until is None


def test_clock_rollback_keeps_the_time_of_the_first_look(leading: Publisher) -> None:
    closures.enter("XNYS", TUESDAY, "A power failure", operator(), ny("2026-11-17 15:00"))
    Pulse.objects.create(name="tick", at=ny("2026-11-30 15:00"))
    clock_rollback.undo_clock_jump(ny("2026-11-17 16:00"))
    look(ny("2026-11-17 16:00"))
    assert leading.asked == []
    assert MarketClosure.objects.get().due_at == MORNING_AFTER


def test_unconfirmed_closure_can_be_removed(ticker: Ticker, leading: Publisher) -> None:
    campaign = attacked()
    row = claimed(campaign)
    assert closures.remove(row, "I misread the news", person("kay"), ny("2026-11-17 22:00")) == []
    look(MORNING_AFTER)
    assert leading.asked == []
    assert campaign.phase.session == "2026-11-17"


def test_closure_that_a_lock_has_missed_moves_the_phase_once_confirmed(
    ticker: Ticker, leading: Publisher
) -> None:
    """Entered in the second of the lock, neither transaction saw the other; else it waited on."""
    campaign = attacked()
    locked = campaign.phase.locked_at
    assert locked is not None
    MarketClosure.objects.create(
        exchange="XNYS",
        day=TUESDAY,
        reason="A day of mourning",
        entered_by=operator(),
        entered_at=locked - timedelta(seconds=1),
        due_at=MORNING_AFTER,
    )
    for campaign.now in (AFTER_NEXT, AFTER_NEXT + timedelta(hours=2)):
        look(campaign.now)
    assert campaign.phase.session == "2026-11-18"
    campaign.pass_deadline()
    campaign.pass_deadline()
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_record_of_a_closure_verifies_where_figures_are_read_early(
    ticker: Ticker, leading: Publisher, settings: Any
) -> None:
    """The checker takes no evidence of the same evening, whatever the operator's hours."""
    settings.MARKET = {**settings.MARKET, "first_reading_hours": 4.0}
    campaign = attacked()
    ticker.says["GE"] = NO_BAR
    claimed(campaign)
    for hours in range(22, 42):
        campaign.now = ny("2026-11-17 09:00") + timedelta(hours=hours)
        look(campaign.now)
    assert campaign.phase.session == "2026-11-18"
    ticker.says.clear()
    campaign.pass_deadline()
    assert campaign.phase.number == 3
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_worker_settles_no_figure_of_a_replaced_session(ticker: Ticker, leading: Publisher) -> None:
    """Design 6: a figure always belongs to the session that decides."""
    campaign = attacked()
    ticker.says["GE"] = Report("later", detail="No answer.")
    campaign.wait_until(MORNING_AFTER)
    phase, late = campaign.phase, ny("2026-11-20 08:00")
    closures.enter("XNYS", TUESDAY, "Nobody noticed", operator(), late - timedelta(hours=3))
    look(late - timedelta(hours=3))
    of_day = {"source": "yahoo", "exchange": "XNYS", "session": "2026-11-17", "symbol": "GE"}
    Reading.objects.create(**of_day, kind="unknown", read_at=MORNING_AFTER)
    ticker.says["GE"] = Report("unknown", detail="Unknown.")
    ticker.on_read = lambda: look(late)
    token, _ = queue.claim(late, 10)
    process.process([phase.pk], token, late)
    assert not Figure.objects.exists()
    assert (campaign.phase.status, campaign.phase.session) == (Phase.Status.DRAWING, "2026-11-18")


def test_gamesmaster_is_asked_to_notify_the_operator_if_no_stock_has_an_entry(
    ticker: Ticker, leading: Publisher
) -> None:
    """Issue 3: an unexpected closure does not use up the reserve list."""
    campaign = attacked()
    ticker.says = dict.fromkeys(("GE", *campaign.game.reserves), NO_BAR)
    campaign.wait_until(MORNING_AFTER)
    assert campaign.letters("overdue") == []
    for hours in (2, 3, 30, 71, 73, 80):
        campaign.wait_until(MORNING_AFTER + timedelta(hours=hours))
    assert not Figure.objects.exists()
    (letter,) = campaign.letters("overdue")
    text = letter_text(letter)
    assert letter.address == "ada@example.org"
    assert "the exchange seems not to have opened. If so, tell the operator" in text
    assert "Until then, hold the phase or rule on it" in text
    assert "/closures/" not in text
    closures.enter("XNYS", TUESDAY, "A day of mourning", operator(), campaign.now)
    for hours in (80, 82):
        look(MORNING_AFTER + timedelta(hours=hours))
    assert campaign.phase.session == "2026-11-18"


def test_probe_without_an_answer_is_no_sign_that_the_exchange_opened(
    ticker: Ticker, leading: Publisher
) -> None:
    """Issue 19: no stock lacks a report on a day that may not have been one of trading."""
    campaign = attacked()
    ticker.says = dict.fromkeys(campaign.game.reserves, Report("later", detail="timed out"))
    ticker.says["GE"] = NO_BAR
    for hours in (0, 2, 71, 73, 75, 100):
        campaign.wait_until(MORNING_AFTER + timedelta(hours=hours))
    assert not Figure.objects.exists()
    del ticker.says[campaign.game.reserves[0]]
    campaign.wait_until(MORNING_AFTER + timedelta(hours=102))
    assert dict(Figure.objects.values_list("symbol", "volume")) == {"GE": None}


@pytest.mark.parametrize(
    "never",
    [
        pytest.param(Report("unknown", facts={"probe": "KO"}), id="unknown"),
        pytest.param(Report("no_bar", facts={"code": "TYO", "zone": "Asia/Tokyo"}), id="elsewhere"),
    ],
)
def test_stock_that_never_counts_keeps_no_phase_on_a_day_without_trading(
    ticker: Ticker, leading: Publisher, never: Report
) -> None:
    """A settled figure holds the session (promise 3), and here no sales stand behind it."""
    campaign = attacked()
    ticker.says = {**dict.fromkeys(campaign.game.reserves, NO_BAR), "GE": never}
    for hours in (0, 2, 30):
        campaign.wait_until(MORNING_AFTER + timedelta(hours=hours))
    assert not Figure.objects.exists()
    assert "seems not to have opened" in letter_text(*campaign.letters("overdue"))
    closures.enter("XNYS", TUESDAY, "A day of mourning", operator(), campaign.now)
    for hours in (30, 32):
        look(MORNING_AFTER + timedelta(hours=hours))
    assert campaign.phase.session == "2026-11-18"


def test_stock_that_never_counts_is_replaced_as_soon_as_another_has_sales(ticker: Ticker) -> None:
    campaign = attacked()
    ticker.says = {"GE": Report("unknown", facts={"probe": "KO"})}
    for hours in (0, 2):
        campaign.wait_until(MORNING_AFTER + timedelta(hours=hours))
    assert dict(Figure.objects.values_list("symbol", "volume")) == {"GE": None}


# --- the record ---


def concerning(phase: Phase) -> list[MarketClosure]:
    return [row for row in MarketClosure.objects.all() if row.concerns(phase)]


def test_record_of_a_closure_has_its_times_and_readings(ticker: Ticker, leading: Publisher) -> None:
    """contract.md 5: when it was entered, when it counted, and by which readings."""
    campaign = attacked()
    claimed(campaign)
    closures.enter("XTKS", TUESDAY, "A typhoon", person("kay"), ny("2026-11-17 21:00"))
    closures.enter("XNYS", date(2026, 11, 25), "A strike", person("kay"), ny("2026-11-17 21:00"))
    for hours in (0, 2):
        for _ in range(2):
            look(AFTER_NEXT + timedelta(hours=hours))
    (row,) = concerning(campaign.phase)
    tree = row.as_record()
    assert {
        name: tree[name]
        for name in (
            "exchange",
            "day",
            "reason",
            "entered",
            "confirmed",
            "removed",
            "removed_because",
        )
    } == {
        "exchange": "XNYS",
        "day": "2026-11-17",
        "reason": "A power failure",
        "entered": "2026-11-18T02:00:00+00:00",
        "confirmed": "2026-11-19T13:00:00+00:00",
        "removed": None,
        "removed_because": "",
    }
    one_look = [
        (symbol, *of_day)
        for symbol in LEADING
        for of_day in (("2026-11-17", "no_bar"), ("2026-11-18", "ok"))
    ]
    rows = [(read["symbol"], read["session"], read["kind"]) for read in tree["readings"]]
    assert rows == [*one_look, *one_look]
    assert all(reading["hash"] for reading in tree["readings"])
    # the placement phase draws no digits
    assert not concerning(campaign.game.phases.get(number=1))


# --- the page ---


def test_closures_page_is_for_staff_only(client: Client) -> None:
    """Issue 19: a gamesmaster, even of a game with bots, must not close an exchange for all."""
    campaign = Campaign.begin()
    day = (clock.now() + timedelta(days=3)).date()
    row = MarketClosure.objects.create(day=day, reason="A storm", entered_by=operator())
    form = {
        "exchange": "XNYS",
        "day": (day + timedelta(days=1)).isoformat(),
        "reason": "I want another digit",
    }
    addresses = (reverse("closures"), reverse("closure-remove", args=[row.pk]))
    assert [client.post(address, form).status_code for address in addresses] == [403, 403]
    assert client.get(addresses[0]).headers["Location"].startswith("/login/")
    for name in (
        "gustav",
        "ada",
        "charlie",
    ):  # a player, the gamesmaster of a running game, and a stranger
        client.force_login(person(name))
        assert client.get(addresses[0]).status_code == 403
        assert [client.post(address, form).status_code for address in addresses] == [403, 403]
    assert MarketClosure.objects.filter(removed_at=None).count() == 1
    assert campaign.ada.games_run.filter(status=Game.Status.RUNNING).exists()
    client.force_login(person("kay"))
    assert client.get(addresses[0]).status_code == 200


def test_closing_an_exchange_needs_two_factor(client: Client, settings: Any) -> None:
    """docs/security.md: an action that changes every game needs two-factor."""
    settings.ADMIN_SECOND_FACTOR = True
    client.force_login(operator())
    answer = client.post(
        reverse("closures"), {"exchange": "XNYS", "day": "2026-11-18", "reason": "A storm"}
    )
    assert (answer.status_code, answer.headers["Location"]) == (302, reverse("second-factor"))
    assert not MarketClosure.objects.exists()


def test_closures_page_records_person_and_reason(client: Client) -> None:
    kay = operator()
    client.force_login(kay)
    day = clock.now().astimezone(NEW_YORK).date() + timedelta(days=1)
    while day.weekday() != 2 or (day.month, day.day) in ((11, 25), (12, 25), (1, 1)):
        day += timedelta(days=1)
    form = {"exchange": "XNYS", "day": day.isoformat(), "reason": ""}
    assert b"Enter a reason" in client.post(reverse("closures"), form).content
    refused = client.post(reverse("closures"), form | {"exchange": "XTKS", "reason": "A storm"})
    assert "No running game uses the exchange “XTKS”" in refused.content.decode()
    assert (
        client.post(
            reverse("closures"), form | {"reason": "A storm", "closes": "09:31"}
        ).status_code
        == 302
    )
    row = MarketClosure.objects.get()
    assert (row.exchange, row.reason, row.entered_by, row.closes_at) == (
        "XNYS",
        "A storm",
        kay,
        None,
    )
    assert b"A storm" in client.get(reverse("closures")).content
    remove = reverse("closure-remove", args=[row.pk])
    for reason, why in (("", "Enter a reason"), ("x" * 201, "Use at most 200 characters.")):
        assert why in client.post(remove, {"reason": reason}, follow=True).content.decode()
    assert (
        client.post(
            reverse("closure-remove", args=[row.pk]), {"reason": "It passed by"}
        ).status_code
        == 302
    )
    row.refresh_from_db()
    assert row.removed_because == "It passed by"
    assert b"It passed by" in client.get(reverse("closures")).content


@pytest.mark.both_databases
def test_closures_page_offers_the_exchanges_of_running_games(client: Client) -> None:
    campaign = Campaign.begin(market="newspaper")
    Game.objects.filter(pk=campaign.game.pk).update(
        options=campaign.game.options | {"rng.market": "tokyo"}
    )
    client.force_login(operator())
    text = client.get(reverse("closures")).content.decode()
    assert [value in text for value in ('value="XNYS"', 'value="XTKS"', 'value="XLON"')] == [
        True,
        True,
        False,
    ]
