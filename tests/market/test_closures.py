"""Days on which the exchange did not open against what the calendar said (rules.md 0.1, `rng.quote_session`; foundations.md 3)."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse

from games import archive, closures, turns
from games.desk import DeskError
from games.market import Report
from games.models import EvidenceError, Figure, Letter, MarketClosure, Phase, Reading, SessionChange
from games.post import rendering
from games.rules import verify
from gamesmaster import clock
from tests.cast import Campaign, person

from .conftest import Ticker

NEW_YORK = ZoneInfo("America/New_York")
TUESDAY, WEDNESDAY = date(2026, 11, 17), date(2026, 11, 18)
pytestmark = pytest.mark.django_db


def ny(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=NEW_YORK)


def attacked(**given: Any) -> Campaign:
    """A game whose orders locked on a Tuesday at 09:00 in New York, with one attack on the sales of GE."""
    rule = {"every": "trading_morning", "sessions": 1, "time": "09:00"}
    # Placement is due on Monday, attacks on Tuesday.
    campaign = Campaign.begin(
        ny("2026-11-15 12:00"), market="yahoo", schedule=rule, **{"options": {"rng.settle": "agreed_readings"}, **given}
    )
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 6 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    campaign.wait_until(campaign.phase.deadline)
    assert (campaign.phase.status, campaign.phase.session) == (Phase.Status.DRAWING, "2026-11-17")
    return campaign


def test_a_closure_entered_after_the_lock_gives_the_phase_the_next_session(ticker: Ticker) -> None:
    """foundations.md, policy 2: an unscheduled closure goes to the next session, never to "no usable report"."""
    campaign = attacked()
    closure, changes = closures.enter(TUESDAY, None, "A day of mourning", campaign.ada, ny("2026-11-17 09:20"))
    assert (closure.entered_by, len(changes)) == (campaign.ada, 1)
    phase = campaign.phase
    assert (phase.session, phase.first_reading_at) == ("2026-11-18", ny("2026-11-19 06:00"))
    assert phase.due_at == phase.first_reading_at
    change = SessionChange.objects.get()
    assert (change.old, change.new, change.reason, change.changed_by) == ("2026-11-17", "2026-11-18", "A day of mourning", campaign.ada)
    with pytest.raises(EvidenceError):
        change.save()
    campaign.pass_deadline()
    assert Figure.objects.get().readings.first().session == "2026-11-18"  # type: ignore[union-attr]


def test_everybody_is_told_of_the_new_session_with_the_reason(ticker: Ticker) -> None:
    campaign = attacked()
    closures.enter(TUESDAY, None, "A day of mourning", campaign.ada, ny("2026-11-17 09:20"))
    told = campaign.letters("session")
    assert len(told) == 6
    text = rendering.render(campaign.letters("session", "gustav")[0]).text
    assert "the session of Wednesday 18 November 2026 instead of the session of Tuesday 17" in " ".join(text.split())
    assert "A day of mourning" in text
    assert "digest over all orders stays what it was" in " ".join(text.split())


def test_a_phase_with_a_settled_figure_keeps_its_session(ticker: Ticker) -> None:
    """Promise 3: once a digit can be known nothing chooses again."""
    campaign = attacked()
    phase = campaign.phase
    Figure.objects.create(phase=phase, symbol="GE", volume=None, reason="typed in", settled_at=ny("2026-11-17 17:00"))
    _, changes = closures.enter(TUESDAY, None, "A storm", campaign.ada, ny("2026-11-17 18:00"))
    assert changes == []
    assert campaign.phase.session == "2026-11-17"
    assert not Letter.objects.filter(kind="session").exists()


def test_a_day_whose_sales_have_been_read_cannot_be_closed_afterwards(ticker: Ticker) -> None:
    """Promise 3: else a gamesmaster who does not like a digit could have the next day's."""
    campaign = attacked()
    campaign.wait_until(ny("2026-11-18 06:00"))
    assert Reading.objects.filter(kind="ok").exists()
    with pytest.raises(DeskError, match="Sales of 2026-11-17 have been read"):
        closures.enter(TUESDAY, None, "I do not like it", campaign.ada, ny("2026-11-18 06:30"))


def test_a_worker_that_read_the_old_session_settles_nothing_of_it(ticker: Ticker) -> None:
    """Design 6: a figure is of the session that decides, whatever was being read when it changed."""
    campaign = attacked()
    now = ny("2026-11-18 06:00")
    ticker.says["GE"] = Report("later", detail="No answer.")
    campaign.wait_until(now)
    phase = campaign.phase
    ticker.says["GE"] = Report("no_bar", detail="No entry.")
    late = ny("2026-11-20 08:00")
    ticker.on_read = lambda: (
        closures.enter(TUESDAY, None, "Nobody noticed", campaign.ada, late) if not MarketClosure.objects.exists() else None
    )
    Reading.objects.create(
        source="yahoo", exchange="XNYS", session="2026-11-17", symbol="GE", kind="unknown", read_at=ny("2026-11-18 06:00")
    )
    ticker.says["GE"] = Report("unknown", detail="Unknown.")
    token, _ = turns.claim(late, 10)
    turns.advance(phase.pk, token, late)
    assert not Figure.objects.exists()
    assert (campaign.phase.status, campaign.phase.session) == (Phase.Status.DRAWING, "2026-11-18")


def test_a_closure_can_be_taken_back_before_its_day_and_stays_on_record(ticker: Ticker) -> None:
    campaign = attacked(options={"rng.settle": "agreed_readings"}, strict_evening=False)
    closures.enter(WEDNESDAY, None, "A storm is coming", campaign.ada, ny("2026-11-17 10:00"))
    row = MarketClosure.objects.get()
    with pytest.raises(DeskError, match="Say why"):
        closures.remove(row, " ", campaign.ada, ny("2026-11-17 11:00"))
    closures.remove(row, "It turned out to sea", campaign.ada, ny("2026-11-17 11:00"))
    row.refresh_from_db()
    assert (row.removed_by, row.removed_because) == (campaign.ada, "It turned out to sea")
    closures.enter(WEDNESDAY, None, "It came back", campaign.ada, ny("2026-11-17 12:00"))
    with pytest.raises(DeskError, match="has come"):
        closures.remove(MarketClosure.objects.get(removed_at=None), "Too late", campaign.ada, ny("2026-11-18 08:00"))


@pytest.mark.parametrize(
    ("day", "closes", "said"),
    [
        (date(2026, 11, 21), None, "does not open on 2026-11-21 anyway"),
        (date(2026, 11, 18), time(17), "runs from 09:30 to 16:00"),
        (date(2028, 1, 10), None, "too far away"),
        (date(2026, 10, 20), None, "too far away"),
    ],
)
def test_what_is_no_closure_is_refused_with_what_to_do(day: date, closes: time | None, said: str) -> None:
    with pytest.raises(DeskError, match=said):
        closures.enter(day, closes, "A storm", person("ada"), ny("2026-11-17 10:00"))


def test_where_no_stock_has_an_entry_the_gamesmaster_is_asked_about_a_closure_once(ticker: Ticker) -> None:
    """Issue 3: a market that closed unexpectedly is recognised; the reserve list is not gone through in vain."""
    campaign = attacked()
    ticker.says = {symbol: Report("no_bar", detail="No entry.") for symbol in ("GE", *campaign.game.reserves)}
    campaign.wait_until(ny("2026-11-18 06:00"))
    assert campaign.letters("overdue") == []
    for hours in (2, 3, 30, 71, 73, 80):
        campaign.wait_until(ny("2026-11-18 06:00") + timedelta(hours=hours))
    assert not Figure.objects.exists()
    (letter,) = campaign.letters("overdue")
    text = " ".join(rendering.render(letter).text.split())
    assert letter.address == "ada@example.org"
    assert "the exchange seems not to have opened" in text
    assert "/closures/" in text
    closures.enter(TUESDAY, None, "A day of mourning", campaign.ada, campaign.now)
    assert campaign.phase.session == "2026-11-18"


def test_one_stock_without_an_entry_is_no_closure(ticker: Ticker) -> None:
    """A halt is no closure: other stocks have been sold that day, so that the next in line decides in the end."""
    campaign = attacked()
    ticker.says = {"GE": Report("no_bar", detail="No entry.")}
    phase = campaign.phase
    for hours in range(0, 80, 2):
        campaign.wait_until(ny("2026-11-18 06:00") + timedelta(hours=hours))
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    assert Figure.objects.get(symbol="GE").volume is None


def test_the_record_shows_the_change_and_verify_follows_it(ticker: Ticker) -> None:
    """contract.md 5: a stranger sees which session was to decide, which did, and that nothing had settled before."""
    campaign = attacked()
    closures.enter(TUESDAY, None, "A day of mourning", campaign.ada, ny("2026-11-17 09:20"))
    campaign.pass_deadline()
    tree = archive.record(campaign.game, private=True)
    assert verify.check(tree) == []
    phase = tree["phases"][1]
    assert phase["session_changes"][0]["old"] == "2026-11-17"
    phase["session"] = {**phase["session"], "label": "2026-11-19"}
    assert any("the session after it was changed" in str(difference) for difference in verify.check(tree))


def test_the_page_is_for_gamesmasters_of_running_games_and_staff(client: Client) -> None:
    """Issue 3: a staff person or any gamesmaster of a running game; a player who runs none may not."""
    campaign = Campaign.begin()
    address = reverse("closures")
    assert client.get(address).status_code == 302
    client.force_login(campaign.players["Germany"])
    assert client.get(address).status_code == 403
    client.force_login(campaign.ada)
    assert client.get(address).status_code == 200
    keeper = person("kay")
    keeper.is_staff = True
    keeper.save()
    client.force_login(keeper)
    assert client.get(address).status_code == 200


def test_the_page_enters_and_removes_with_who_and_why(client: Client) -> None:
    campaign = Campaign.begin()
    client.force_login(campaign.ada)
    day = clock.now().astimezone(NEW_YORK).date() + timedelta(days=1)
    while day.weekday() != 2 or (day.month, day.day) in ((11, 25), (12, 25), (1, 1)):
        day += timedelta(days=1)
    page = client.post(reverse("closures"), {"day": day.isoformat(), "closes": "", "reason": ""})
    assert b"Say why" in page.content
    assert client.post(reverse("closures"), {"day": day.isoformat(), "closes": "", "reason": "A storm"}).status_code == 302
    row = MarketClosure.objects.get()
    assert (row.reason, row.entered_by) == ("A storm", campaign.ada)
    assert b"A storm" in client.get(reverse("closures")).content
    assert client.post(reverse("closure-remove", args=[row.pk]), {"reason": "It passed by"}).status_code == 302
    row.refresh_from_db()
    assert row.removed_because == "It passed by"
    assert b"It passed by" in client.get(reverse("closures")).content
