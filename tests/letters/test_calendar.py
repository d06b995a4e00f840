"""Calendar entries in letters, and a person's own calendar (issue 6, 5)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage
from typing import Any

import pytest
from django.urls import reverse
from icalendar import Calendar, Event

from games import desk
from games.letters import entries, feeds, sending
from games.models import Feed, Letter, Phase
from games.turns import rulings
from tests.letters.postoffice import PostOffice
from tests.support.browsing import Visitor
from tests.support.campaign import MONDAY, NATIONS, Campaign, person

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
DAILY: dict[str, Any] = {"schedule": {"every": "days", "days": 1, "time": "18:00"}}


def event_in(text: str | None) -> Any:
    """Return the only entry of a calendar."""
    assert text is not None
    (event,) = Calendar.from_ical(text).walk("VEVENT")
    return event


def cancelled_in(text: str | None) -> Any:
    """Return the cancelled entry of a calendar that also announces the next deadline."""
    assert text is not None
    events = Calendar.from_ical(text).walk("VEVENT")
    (event,) = [candidate for candidate in events if candidate["STATUS"] == "CANCELLED"]
    assert len(events) == 2
    return event


def newest(campaign: Campaign, kind: str, name: str) -> Letter:
    return campaign.letters(kind, name)[-1]


def entry(**changes: Any) -> Event:
    fields: dict[str, Any] = {
        "uid": "a@b",
        "summary": "Orders",
        "description": "",
        "begins": MONDAY,
        "stamp": MONDAY,
        "link": "http://games.test/game/1/",
        **changes,
    }
    return entries.new_entry(**fields)


# --- the format ---


def test_long_lines_are_folded_without_splitting_characters() -> None:
    """RFC 5545, 3.1: at most 75 octets."""
    words = "Żółć; a, b\\c “été” " * 30 + "\nthe second line"
    text = entries.as_text([entry(description=words)])
    lines = text.split("\r\n")
    assert max(len(line.encode()) for line in lines) <= 75
    assert "\n" not in text.replace("\r\n", "")
    assert str(event_in(text)["DESCRIPTION"]) == words


def test_line_break_in_user_text_starts_no_line() -> None:
    """A title with a line break in it stays one value."""
    text = entries.as_text([entry(summary="X\r\nATTACH:http://evil.example\rEND:VEVENT\x00\u2028")])
    assert "\r\nATTACH" not in text
    assert text.count("END:VEVENT\r\n") == 1
    assert str(event_in(text)["SUMMARY"]).startswith("X\nATTACH")


def test_days_and_refresh_survive_parsing() -> None:
    """RFC 5545, 3.3.4 and 3.3.6; RFC 7986, 5.7."""
    away = entry(begins=date(2026, 12, 24), ends=date(2026, 12, 27), uid="away@b")
    text = entries.as_text([away, entry()], name="Deadlines", refresh=timedelta(hours=1))
    calendar: Any = Calendar.from_ical(text)
    first, second = calendar.walk("VEVENT")
    assert (first["DTSTART"].dt, first["DTEND"].dt) == (date(2026, 12, 24), date(2026, 12, 27))
    assert (second["DTSTART"].dt, "DTEND" in second) == (MONDAY, False)
    assert str(calendar["NAME"]) == str(calendar["X-WR-CALNAME"]) == "Deadlines"
    assert calendar["REFRESH-INTERVAL"].dt == timedelta(hours=1)
    assert calendar["METHOD"] == "PUBLISH"


# --- in letters ---


def test_opening_letter_has_the_deadline_in_utc() -> None:
    """Issue 6, 5: in the reader's zone in words, in UTC for the calendar."""
    person("gustav")
    campaign = Campaign.begin(**DAILY)
    letter = newest(campaign, "opened", "gustav")
    event = event_in(entries.letter_calendar(letter))
    assert event["DTSTART"].dt == campaign.phase.deadline
    assert event["DTSTART"].dt.tzinfo == UTC or event["DTSTART"].dt.utcoffset() == timedelta(0)
    assert str(event["SUMMARY"]).startswith("Orders for Germany are due: Turn 1")
    assert "New York" in str(event["DESCRIPTION"])
    assert event["STATUS"] == "CONFIRMED"
    assert event["SEQUENCE"] == 0
    (alarm,) = event.walk("VALARM")
    assert -alarm["TRIGGER"].dt == (campaign.phase.deadline - campaign.phase.opened_at) / 4


def test_moved_deadline_keeps_its_entry_with_a_higher_sequence() -> None:
    """RFC 5545, 3.8.7.4."""
    campaign = Campaign.begin(**DAILY)
    first = event_in(entries.letter_calendar(newest(campaign, "opened", "una")))
    new = campaign.phase.deadline + timedelta(days=3)
    desk.extend(
        campaign.phase, new, "The post is slow.", campaign.ada, campaign.now + timedelta(hours=1)
    )
    moved = event_in(entries.letter_calendar(newest(campaign, "moved", "una")))
    assert (moved["UID"], moved["DTSTART"].dt) == (first["UID"], new)
    assert moved["SEQUENCE"] > first["SEQUENCE"]
    # The earlier letter keeps its entry.
    assert event_in(entries.letter_calendar(newest(campaign, "opened", "una")))["SEQUENCE"] == 0


def test_pause_cancels_the_entry_and_resume_restores_it() -> None:
    campaign = Campaign.begin(**DAILY)
    deadline = campaign.phase.deadline
    desk.pause(campaign.game, "A wedding.", campaign.ada, campaign.now + timedelta(hours=1))
    stopped = event_in(entries.letter_calendar(newest(campaign, "paused", "una")))
    assert (stopped["STATUS"], stopped["SEQUENCE"]) == ("CANCELLED", 1)
    assert stopped["DTSTART"].dt == deadline
    campaign.game.refresh_from_db()
    desk.resume(campaign.game, "Back.", campaign.ada, campaign.now + timedelta(hours=5))
    again = event_in(entries.letter_calendar(newest(campaign, "resumed", "una")))
    assert (again["STATUS"], again["SEQUENCE"]) == ("CONFIRMED", 2)
    assert again["DTSTART"].dt == deadline + timedelta(hours=4)


def test_early_lock_cancels_the_calendar_entry() -> None:
    """Issue 6, 5: cancelled when orders are closed early."""
    campaign = Campaign.begin(may_lock_early=True, **DAILY)
    phase, deadline = campaign.phase, campaign.phase.deadline
    for nation in NATIONS:
        campaign.order(nation, "PASS", final=True)
    campaign.wait_until(campaign.now + timedelta(seconds=5))
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    event = cancelled_in(entries.letter_calendar(newest(campaign, "board", "gustav")))
    assert (event["STATUS"], event["DTSTART"].dt) == ("CANCELLED", deadline)


def test_processing_now_cancels_the_calendar_entry() -> None:
    campaign = Campaign.begin(**DAILY)
    deadline = campaign.phase.deadline
    for nation in NATIONS:
        campaign.order(nation, "PASS")
    desk.process_now(
        campaign.phase, "All are in.", campaign.ada, campaign.now + timedelta(minutes=1)
    )
    campaign.wait_until(campaign.now + timedelta(minutes=2))
    event = cancelled_in(entries.letter_calendar(newest(campaign, "board", "gustav")))
    assert (event["STATUS"], event["DTSTART"].dt, event["SEQUENCE"]) == ("CANCELLED", deadline, 2)


def test_report_after_an_ordinary_deadline_has_only_the_next_one() -> None:
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 1 Poland")
    campaign.pass_deadline()
    event = event_in(entries.letter_calendar(newest(campaign, "board", "gustav")))
    assert event["STATUS"] == "CONFIRMED"
    assert event["DTSTART"].dt == campaign.phase.deadline


def test_rollback_cancels_and_adds_calendar_entries() -> None:
    """Design 4: a rollback undoes the later phases and opens a new one."""
    campaign = Campaign.begin(**DAILY)
    campaign.pass_deadline()
    undone = campaign.phase
    first = campaign.game.phases.get(number=1)
    rulings.rule(first, "rollback", {}, "A seat had the wrong sheet.", campaign.ada, campaign.now)
    events = Calendar.from_ical(
        entries.letter_calendar(newest(campaign, "ruled", "una")) or ""
    ).walk("VEVENT")
    assert {(event["UID"], str(event["STATUS"])) for event in events} == {
        (entries.uid(undone), "CANCELLED"),
        (entries.uid(campaign.phase), "CONFIRMED"),
    }


def test_leaving_player_has_no_deadline_in_their_calendar() -> None:
    campaign = Campaign.begin(**DAILY)
    seat, una, later = campaign.seat("USA"), person("una"), campaign.now + timedelta(hours=1)
    desk.vacate(seat, una, "She has exams.", campaign.ada, later)
    event = event_in(entries.letter_calendar(newest(campaign, "left", "una")))
    assert event["STATUS"] == "CANCELLED"


def test_entry_has_no_orders_or_addresses(settings: Any) -> None:
    """Design 8: an entry for Germany must not say what France has sent."""
    campaign = Campaign.begin(**DAILY)
    campaign.order("France", "PLACE 6 Poland")
    for letter in Letter.objects.filter(game=campaign.game):
        text = entries.letter_calendar(letter) or ""
        assert "PLACE" not in text
        assert "@example.org" not in text


def test_letter_has_the_entry_beside_text_html_and_picture(office: PostOffice) -> None:
    campaign = Campaign.begin(**DAILY)
    Letter.objects.exclude(kind="opened").delete()
    token, ids = sending.claim(MONDAY, 50)
    assert sending.send(ids, token, MONDAY) == 6
    (message,) = office.to("gustav@example.org")
    assert message.get_content_type() == "multipart/mixed"
    body, calendar = message.iter_parts()
    assert isinstance(body, EmailMessage)
    assert isinstance(calendar, EmailMessage)
    assert body.get_content_type() == "multipart/alternative"
    kinds = [part.get_content_type() for part in body.walk()][1:]
    assert kinds == ["text/plain", "multipart/related", "text/html", "image/png"]
    assert calendar.get_content_type() == "text/calendar"
    assert (calendar.get_param("method"), calendar.get_filename()) == ("PUBLISH", "deadline.ics")
    assert event_in(calendar.get_content())["DTSTART"].dt == campaign.phase.deadline


def test_entry_is_the_same_when_rendered_again() -> None:
    """Design 4: a retry sends an identical letter, including its entry."""
    campaign = Campaign.begin(**DAILY)
    letter = newest(campaign, "opened", "gustav")
    assert entries.letter_calendar(letter) == entries.letter_calendar(
        Letter.objects.get(pk=letter.pk)
    )


# --- a person's own calendar ---


def address_of(name: str, now: datetime = MONDAY) -> str:
    return feeds.renew(person(name), now).removeprefix("http://games.test")


@pytest.fixture
def browser() -> Visitor:
    return Visitor()


def read(browser: Visitor, address: str) -> Any:
    response = browser.get(address)
    assert response.status_code == 200
    assert response["Content-Type"] == "text/calendar; charset=utf-8"
    return Calendar.from_ical(response.content)


@pytest.mark.both_databases
def test_calendar_has_deadlines_and_absences_of_its_owner_only(
    browser: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.base.clock.now", lambda: MONDAY)
    campaign = Campaign.begin(**DAILY)
    Campaign.open(title="Not begun")
    bea = person("bea")
    desk.announce(campaign.game, bea, date(2026, 12, 1), date(2026, 12, 3), bea, MONDAY)
    events = {
        str(event["SUMMARY"]): event for event in read(browser, address_of("bea")).walk("VEVENT")
    }
    assert (
        sorted(events)
        == [
            "Away from “The lights go out”",
            "Orders for Britain are due: Turn 1, placements (“The lights go out”)",
        ]
        or len(events) == 2
    )
    away = events["Away from “The lights go out”"]
    assert (away["DTSTART"].dt, away["DTEND"].dt) == (date(2026, 12, 1), date(2026, 12, 4))
    others = read(browser, address_of("felix")).walk("VEVENT")
    assert [str(event["SUMMARY"])[:17] for event in others] == ["Orders for France"]
    assert read(browser, address_of("charlie")).walk("VEVENT") == []
    assert len(read(browser, address_of("ada")).walk("VEVENT")) == 1, (
        "who runs a game sees its deadlines"
    )


def test_unchanged_calendar_gives_304(browser: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs request it every hour."""
    monkeypatch.setattr("games.base.clock.now", lambda: MONDAY)
    campaign = Campaign.begin(**DAILY)
    address = address_of("una")
    first = browser.get(address)
    assert browser.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    later, now = campaign.phase.deadline + timedelta(days=1), MONDAY + timedelta(minutes=1)
    desk.extend(campaign.phase, later, "Late post.", campaign.ada, now)
    second = browser.get(address, headers={"If-None-Match": first["ETag"]})
    assert second.status_code == 200
    assert event_in(second.content.decode())["SEQUENCE"] == 1


@pytest.mark.both_databases
def test_calendar_key_is_stored_as_a_hash_and_replaced(browser: Visitor) -> None:
    old = address_of("una")
    key = old.rsplit("/", 1)[1].removesuffix(".ics")
    feed = Feed.objects.get()
    assert key not in (feed.nonce, feed.token_hash)
    assert browser.get(old).status_code == 200
    new = address_of("una")
    assert browser.get(old).status_code == 404
    assert browser.get(new).status_code == 200
    feeds.end(person("una"), MONDAY)
    assert browser.get(new).status_code == 404


@pytest.mark.parametrize("key", ["0" * 40, "x", "../me", "%00" * 4])
def test_unknown_calendar_key_is_not_found(browser: Visitor, key: str) -> None:
    assert browser.get(f"/calendar/{key}.ics").status_code == 404


def test_address_is_shown_once_and_only_after_login(browser: Visitor) -> None:
    assert browser.post(reverse("calendar-renew")).status_code == 302
    una = person("una")
    browser.force_login(una)
    assert browser.get(reverse("calendar-renew")).status_code == 405
    page = browser.submit(reverse("calendar-renew"))
    assert page.count("/calendar/") >= 1
    assert "webcal://" in page
    assert "New address" in browser.read(reverse("me"))
    assert ".ics" not in browser.read(reverse("me"))
    browser.post(reverse("calendar-end"))
    assert "Make the address" in browser.read(reverse("me"))


def test_closed_account_has_no_calendar(browser: Visitor) -> None:
    address = address_of("una")
    una = person("una")
    una.is_active = False
    una.save()
    assert browser.get(address).status_code == 404
