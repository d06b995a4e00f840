"""Desk pages of time and people, and players' pages: away, leave, stand by."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.urls import reverse

from games import desk
from games.evidence import export
from games.letters import rendering
from games.models import (
    Absence,
    Act,
    Game,
    Invitation,
    Letter,
    Person,
    Phase,
    Seat,
    Sitting,
    Standby,
)
from games.rules.verification import verify
from tests.support.campaign import NATIONS, Campaign, person
from tests.web.conftest import Browser, Watch

pytestmark = pytest.mark.django_db

FRIDAYS = {"every": "weekday", "weekday": "friday", "weeks": 2, "time": "09:00"}
OF_THE_DESK = ("desk/times/", "desk/people/")
OF_PLAYERS = ("away/", "leave/")
#: The year of a paused deadline, but not four digits inside a hash.
FAR_YEAR = re.compile(r"\b2999\b")


def url(campaign: Campaign, page: str) -> str:
    return f"/games/{campaign.game.pk}/{page}"


@pytest.mark.parametrize("page", OF_THE_DESK)
@pytest.mark.parametrize(
    ("who", "status"), [("ada", 200), ("gustav", 403), ("charlie", 403), (None, 302)]
)
def test_only_the_gamesmaster_opens_the_desk_pages(
    page: str, who: str | None, status: int, campaign: Campaign, as_: Browser
) -> None:
    assert as_(who).get(url(campaign, page)).status_code == status


@pytest.mark.parametrize("page", OF_THE_DESK)
def test_gamesmaster_of_another_game_gets_404(page: str, private: Campaign, as_: Browser) -> None:
    """Issue 5: other game, for every page."""
    other = Campaign.begin()
    abe = desk.add_gamesmaster(other.game, "abe@example.org", other.ada, other.now)
    assert as_(abe).get(url(private, page)).status_code == 404
    for do in ("pause", "abandon", "offer", "remove"):
        assert as_(abe).post(url(private, page), {"do": do, "reason": "Mine."}).status_code == 404
    private.game.refresh_from_db()
    assert private.game.status == Game.Status.RUNNING


def test_time_page_says_at_its_top_what_was_not_saved(campaign: Campaign, as_: Browser) -> None:
    """The field may be far below, as on a telephone."""
    page = as_("ada").submit(url(campaign, "desk/times/"), {"do": "pause", "reason": ""})
    top = page.partition('class="desk-columns')[0]
    sentence = "Enter a reason: it goes to every player."
    assert f'Nothing was saved: <a href="#pause-reason">{sentence}</a>' in top
    assert 'id="pause-reason"' in page
    data = {"do": "ways", "may_lock_early": "on", "approval_hours": "3", "absence_days": "5000"}
    page = as_("ada").submit(url(campaign, "desk/times/"), data)
    assert 'Nothing was saved: <a href="#ways-absence_days">' in page
    campaign.game.refresh_from_db()
    assert (campaign.game.may_lock_early, campaign.game.approval_hours) == (False, 0)


def test_people_page_says_at_its_top_what_was_not_saved(campaign: Campaign, as_: Browser) -> None:
    seat = campaign.seat("France")
    data = {"do": "replace", "seat": str(seat.pk), "email": "dana", "reason": "Silent."}
    page = as_("ada").submit(url(campaign, "desk/people/"), data)
    top = page.partition('class="desk-columns')[0]
    assert f'Nothing was saved: <a href="#replace-{seat.pk}-email">“dana” is not an' in top
    assert f'id="replace-{seat.pk}-email"' in page


def test_schedule_outlines_only_the_line_with_the_error(campaign: Campaign, as_: Browser) -> None:
    data = {"do": "schedule", "every": "days", "days": "many", "weeks": "2", "minutes": "5"}
    data |= {"sessions": "1", "weekday": "friday", "time": "09:00", "zone": "America/New_York"}
    page = as_("ada").submit(url(campaign, "desk/times/"), {**data, "reason": "Faster."})
    schedule = page.partition('id="schedule-every"')
    assert '<div class="field schedule"' in schedule[0][-40:] + schedule[1] + '"'
    assert schedule[2].count('class="radio wrong"') == 1
    wrong = schedule[2].partition('class="radio wrong"')[2].partition("</div>")[0]
    assert 'name="days"' in wrong


def test_open_deadline_is_offered_to_a_new_schedule_only_while_it_can_move(
    campaign: Campaign, as_: Browser
) -> None:
    """The page of a paused game offered what is then refused; that of one that has not begun, what
    it does not have."""
    tick, address = 'name="move_open"', url(campaign, "desk/times/")
    assert tick in as_("ada").read(address)
    desk.pause(campaign.game, "The bell.", campaign.ada, campaign.now)
    paused = as_("ada").read(address)
    assert tick not in paused
    assert "It counts from the next phase on: the open one gets the time that was left." in paused
    forming = Campaign.open()
    assert tick not in as_("ada").read(url(forming, "desk/times/"))


def test_held_phase_is_resumed_on_the_time_page(campaign: Campaign, as_: Browser) -> None:
    Phase.objects.filter(pk=campaign.phase.pk).update(
        status=Phase.Status.HELD, held_from="drawing", fault="A doubtful figure."
    )
    page = as_("ada").read(url(campaign, "desk/times/"))
    assert "A doubtful figure." in page
    answer = as_("ada").post(url(campaign, "desk/times/"), {"do": "lift"})
    assert answer["Location"] == url(campaign, "desk/times/")
    assert campaign.phase.status == Phase.Status.DRAWING
    assert "Resume the phase" not in as_("ada").read(url(campaign, "desk/times/"))


def test_desk_of_a_game_that_is_over_offers_no_change_of_time(
    campaign: Campaign, as_: Browser
) -> None:
    assert "Change the time" in as_("ada").read(url(campaign, "desk/"))
    desk.abandon(campaign.game, "We stop.", campaign.ada, campaign.now)
    assert "Change the time" not in as_("ada").read(url(campaign, "desk/"))


def test_weekdays_stay_together_with_their_boxes_on_every_page(
    campaign: Campaign, as_: Browser
) -> None:
    """The rule was in the style sheet of the page that opens a game."""
    page = as_("ada").read(url(campaign, "desk/times/"))
    assert 'class="days"' in page
    assert "opening.css" not in page
    sheet = Path(str(finders.find("gamesmaster.css"))).read_text()
    assert ".schedule .days label { white-space: nowrap; }" in sheet


@pytest.mark.parametrize("page", OF_PLAYERS)
@pytest.mark.parametrize(
    ("who", "status"), [("gustav", 200), ("ada", 403), ("charlie", 403), (None, 302)]
)
def test_only_players_open_their_pages(
    page: str, who: str | None, status: int, campaign: Campaign, as_: Browser
) -> None:
    assert as_(who).get(url(campaign, page)).status_code == status


@pytest.mark.parametrize("page", [*OF_THE_DESK, *OF_PLAYERS])
def test_unknown_methods_are_refused(page: str, campaign: Campaign, as_: Browser) -> None:
    for who in ("ada", "gustav"):
        assert as_(who).put(url(campaign, page)).status_code in (403, 405)


def test_player_cannot_act_at_the_desk(campaign: Campaign, as_: Browser) -> None:
    for page in OF_THE_DESK:
        for do in ("pause", "extend", "vacate", "hand-over", "remove"):
            answer = as_("gustav").post(url(campaign, page), {"do": do, "reason": "Mine."})
            assert answer.status_code == 403
    assert not Act.objects.exists()


def test_game_is_paused_and_resumed_by_page(campaign: Campaign, as_: Browser, watch: Watch) -> None:
    ada, page = as_("ada"), url(campaign, "desk/times/")
    answer = ada.post(page, {"do": "pause", "reason": ""})
    assert "Enter a reason" in answer.content.decode()
    assert ada.post(page, {"do": "pause", "reason": "Snow."}).status_code == 302
    watch.pass_by(days=2)
    shown = ada.read(page)
    assert "left before the deadline" in shown
    assert not FAR_YEAR.search(shown)
    orders = url(campaign, f"orders/{campaign.seat('Germany').pk}/")
    for public in (url(campaign, ""), "/", orders, url(campaign, "desk/")):
        who = "gustav" if "orders" in public else "ada"
        assert not FAR_YEAR.search(as_(who).read(public)), public
    assert ada.post(page, {"do": "resume", "reason": "Thaw."}).status_code == 302
    assert campaign.phase.deadline == watch.now + timedelta(hours=1)


def test_deadline_and_schedule_are_moved_by_page(
    campaign: Campaign, as_: Browser, watch: Watch
) -> None:
    ada, page = as_("ada"), url(campaign, "desk/times/")
    later = watch.now + timedelta(days=2)
    wrong = ada.submit(page, {"do": "extend", "deadline": "soon", "reason": "Bea asked."})
    assert "“soon” is not a date and time" in wrong
    assert "Bea asked." in wrong
    ada.post(page, {"do": "extend", "deadline": f"{later:%Y-%m-%dT%H:%M}", "reason": "Bea asked."})
    assert campaign.phase.deadline == later
    rule = {"do": "schedule", "zone": "Europe/London", **FRIDAYS}
    assert "Enter a reason" in ada.submit(page, rule)
    ada.post(page, rule | {"reason": "Slower.", "move_open": "on"})
    campaign.game.refresh_from_db()
    assert campaign.game.schedule == FRIDAYS
    assert campaign.phase.deadline.isoformat() == "2026-11-27T09:00:00+00:00"


@pytest.mark.parametrize(
    ("zone", "typed", "instant", "shown"),
    [
        ("America/New_York", "2027-03-14T02:30", "2027-03-14T07:30", "03:30 EDT"),
        ("America/New_York", "2027-11-07T01:30", "2027-11-07T05:30", "01:30 EDT"),
        ("Australia/Lord_Howe", "2027-04-04T01:45", "2027-04-03T14:45", "01:45 UTC+11"),
        ("Australia/Lord_Howe", "2027-10-03T02:15", "2027-10-02T15:45", "02:45 UTC+11"),
    ],
)
def test_deadline_typed_at_a_time_that_the_clock_skips_or_repeats_is_as_in_a_schedule(
    campaign: Campaign, as_: Browser, zone: str, typed: str, instant: str, shown: str
) -> None:
    """Django refuses both, and so the hour that comes twice could not be entered at all."""
    Person.objects.filter(pk=campaign.ada.pk).update(zone=zone)
    page = url(campaign, "desk/times/")
    as_("ada").post(page, {"do": "extend", "deadline": typed, "reason": "Later."})
    assert f"{campaign.phase.deadline:%Y-%m-%dT%H:%M}" == instant
    assert shown in as_("ada").read(page)


def test_desk_of_an_abandoned_game_asks_for_nothing(campaign: Campaign, as_: Browser) -> None:
    """Its last phase stays open, and its deadline is none any more."""
    desk.abandon(campaign.game, "Two have left.", campaign.ada, campaign.now)
    for page in ("desk/", "desk/times/", "desk/telephone/"):
        shown = as_("ada").read(url(campaign, page))
        for words in ("Orders are due", "Nothing yet from", "owe orders", "not yet"):
            assert words not in shown, page
    figure = reverse("phase-figure", args=[campaign.game.pk, campaign.phase.number])
    more_time = {"do": "extend", "deadline": "2026-12-01T10:00", "reason": "More time."}
    for address, data in (
        (figure, {"symbol": "GE", "volume": "100"}),
        (url(campaign, "desk/times/"), more_time),
    ):
        assert "is over." in as_("ada").submit(address, data, follow=True), address


@pytest.mark.parametrize("begins", [True, False])
def test_new_schedule_promises_a_letter_only_once_the_game_has_begun(
    begins: bool, as_: Browser
) -> None:
    campaign = Campaign.begin() if begins else Campaign.open()
    data = {"do": "schedule", "every": "days", "days": "3", "time": "09:00"}
    data |= {"zone": "Berlin", "reason": "Slower."}
    page = url(campaign, "desk/times/")
    assert ("Change the schedule and notify everybody" in as_("ada").read(page)) == begins
    answer = as_("ada").submit(page, data, follow=True)
    assert "Deadlines come every 3 days at 09:00 Berlin time from now on." in answer
    assert ("Everybody gets a letter." in answer) == begins
    assert bool(campaign.letters("rescheduled")) == begins


def test_gamesmaster_ends_a_game_with_the_scores_as_they_stand(
    campaign: Campaign, as_: Browser
) -> None:
    """A group that gives up wants its standing as the result; the record names it."""
    data = {"do": "abandon", "scored": "yes", "reason": "We all agreed by telephone."}
    page = as_("ada").submit(url(campaign, "desk/times/"), data, follow=True)
    assert "The game is over. Everybody gets a letter." in page
    campaign.game.refresh_from_db()
    assert campaign.game.status == Game.Status.ABANDONED
    ending = "The gamesmaster ended the game. Final scores: "
    assert campaign.game.ending.startswith(ending)
    assert "Germany 0" in campaign.game.ending
    letter = rendering.render(campaign.letters("abandoned", "rosa")[-1])
    assert letter.subject.endswith("The gamesmaster ended the game")
    assert ending in " ".join(letter.text.split())
    record = export.record(campaign.game, private=True)
    assert record["abandonment"]["words"] == campaign.game.ending
    assert verify.check(record) == []
    assert ending in as_(None).read(url(campaign, ""))


def test_game_that_has_not_begun_has_no_scores_to_end_with(as_: Browser) -> None:
    campaign = Campaign.open()
    data = {"do": "abandon", "scored": "yes", "reason": "Nobody came."}
    page = as_("ada").submit(url(campaign, "desk/times/"), data)
    assert "has not begun yet" in page
    campaign.game.refresh_from_db()
    assert campaign.game.status == Game.Status.FORMING


def test_page_of_a_held_phase_of_an_abandoned_game_has_no_button(
    campaign: Campaign, as_: Browser
) -> None:
    Phase.objects.filter(game=campaign.game).update(status="held", held_from="locked", due_at=None)
    page = campaign.game.get_absolute_url()
    assert "Resume the phase" in as_("ada").read(page)
    desk.abandon(campaign.game, "Two have left.", campaign.ada, campaign.now)
    assert "Resume the phase" not in as_("ada").read(page)


@pytest.mark.parametrize(
    ("schedule", "length", "words"),
    [
        ({"every": "minutes", "minutes": 30}, timedelta(minutes=30), "30 minutes"),
        ({"every": "minutes", "minutes": 1080}, timedelta(hours=18), "18 hours"),
        ({"every": "days", "days": 3, "time": "09:00"}, timedelta(hours=24), "24 hours"),
    ],
)
def test_one_click_gives_a_day_or_by_minutes_the_phase_once_more(
    schedule: dict[str, Any], length: timedelta, words: str, as_: Browser, watch: Watch
) -> None:
    """A second click on the same page moves nothing, and the page stays the one pressed on."""
    campaign = Campaign.begin(schedule=schedule)
    watch.set(campaign.now)
    ada, was = as_("ada"), campaign.phase.deadline
    shown = f'name="shown" value="{was.isoformat()}"'
    page = url(campaign, "desk/times/")
    for address in (page, url(campaign, "desk/")):
        assert shown in ada.read(address)
        assert f"{words} later" in ada.read(address)
    click = {"do": "later", "shown": was.isoformat(), "to": "desk"}
    answer = ada.post(page, click, follow=True)
    assert answer.redirect_chain[-1][0] == url(campaign, "desk/")
    assert f"The deadline is {words} later." in answer.content.decode()
    assert campaign.phase.deadline == was + length
    moved = campaign.game.acts.get(kind="moved")
    # gamesmaster.md U9: “has been moved” did not say from when to when.
    assert re.search(r"moved from \w+day \d+ .* to \w+day", moved.words)
    assert "The deadline has moved in the meantime" in ada.submit(page, click, follow=True)
    assert campaign.phase.deadline == was + length


def test_one_click_is_taken_back_until_the_next_letter(
    campaign: Campaign, as_: Browser, watch: Watch
) -> None:
    ada, was, page = as_("ada"), campaign.phase.deadline, url(campaign, "desk/times/")
    back = {"do": "take-back"}
    assert 'value="take-back"' not in ada.read(page)
    ada.post(page, {"do": "later", "shown": was.isoformat()})
    assert 'value="take-back"' in ada.read(url(campaign, "desk/"))
    assert "The earlier deadline stands again." in ada.submit(page, back, follow=True)
    assert campaign.phase.deadline == was
    ada.post(page, {"do": "later", "shown": was.isoformat()})
    later = campaign.phase.deadline
    watch.pass_by(minutes=1)
    ada.post(page, {"do": "remind"})
    assert 'value="take-back"' not in ada.read(page)
    assert "can no longer be set back" in ada.submit(page, back)
    assert campaign.phase.deadline == later > was


def test_reminder_is_offered_only_if_a_player_owes_orders(campaign: Campaign, as_: Browser) -> None:
    ada, page = as_("ada"), url(campaign, "desk/")
    assert 'value="remind"' in ada.read(page)
    for nation in NATIONS:
        campaign.order(nation, "PASS")
    for address in (page, url(campaign, "desk/times/")):
        assert 'value="remind"' not in ada.read(address)


@pytest.mark.parametrize(
    ("every", "answered", "shown"),
    [
        ("minutes", "Deadlines by minutes come on these days, too", "come all the same"),
        ("weekday", "Saved.", ": no deadline"),
    ],
)
def test_holidays_are_not_promised_to_a_game_by_minutes(
    as_: Browser, every: str, answered: str, shown: str
) -> None:
    """0.2: such a game ignores days, and a class read that its holidays had no deadline."""
    rules = {"minutes": {"every": "minutes", "minutes": 10}, "weekday": FRIDAYS}
    campaign = Campaign.begin(schedule=rules[every])
    typed = {"do": "holidays", "holidays": "2026-12-24 Christmas"}
    page = as_("ada").submit(url(campaign, "desk/times/"), typed, follow=True)
    assert answered in page
    assert ("by minutes come on these days" in page) == (every == "minutes")
    row = re.search(r"<dt>Christmas</dt><dd>(.*?)</dd>", page)
    assert row is not None
    assert row[1].endswith(shown)


def test_holidays_and_game_settings_are_set_by_page(campaign: Campaign, as_: Browser) -> None:
    ada, page = as_("ada"), url(campaign, "desk/times/")
    wrong = ada.submit(page, {"do": "holidays", "holidays": "2026-13-01 Nonsense"})
    assert "“2026-13-01” in “2026-13-01 Nonsense” is not a day" in wrong
    ada.post(
        page, {"do": "holidays", "holidays": "2026-12-24 2026-12-26 Christmas\n2027-01-01 New Year"}
    )
    campaign.game.refresh_from_db()
    assert campaign.game.holidays == [
        ["2026-12-24", "2026-12-26", "Christmas"],
        ["2027-01-01", "2027-01-01", "New Year"],
    ]
    assert "2026-12-24 2026-12-26 Christmas" in ada.read(page)
    ada.post(
        page, {"do": "ways", "may_lock_early": "on", "approval_hours": "12", "absence_days": "3"}
    )
    campaign.game.refresh_from_db()
    game = campaign.game
    assert (game.may_lock_early, game.approval_hours, game.absence_days) == (True, 12, 3)


def test_orders_are_closed_early_only_when_all_are_in(campaign: Campaign, as_: Browser) -> None:
    shown = as_("ada").submit(
        url(campaign, "desk/times/"), {"do": "process", "reason": "All are in."}
    )
    assert "can still send orders and have sent none" in shown
    assert as_("ada").post(url(campaign, "desk/times/"), {"do": "dance"}).status_code == 400


def test_absence_is_entered_by_page_and_by_the_gamesmaster(as_: Browser, watch: Watch) -> None:
    campaign = Campaign.begin(schedule=FRIDAYS)
    gustav, page = as_("gustav"), url(campaign, "away/")
    assert "before it begins" in gustav.submit(page, {"first": "2026-11-28", "last": "2026-11-26"})
    assert gustav.post(page, {"first": "2026-11-26", "last": "2026-11-28"}).status_code == 302
    absence = Absence.objects.get()
    assert absence.person == person("gustav")
    assert "Thursday 26 November 2026 to Saturday 28 November 2026" in gustav.read(page)
    assert as_("felix").post(page, {"withdraw": absence.code}).status_code == 404
    gustav.post(page, {"withdraw": absence.code})
    absence.refresh_from_db()
    assert absence.withdrawn_at is not None
    seat = campaign.seat("France").pk
    days = {"first": "2026-12-10", "last": "2026-12-12"}
    as_("ada").post(url(campaign, "desk/times/"), {"do": "away", "seat": seat, **days})
    entered = Absence.objects.get(withdrawn_at=None)
    assert (entered.person, entered.entered_by) == (person("felix"), person("ada"))
    assert "France" in as_("ada").read(url(campaign, "desk/times/"))
    withdraw = url(campaign, f"desk/times/absences/{entered.code}/withdraw/")
    assert as_("gustav").post(withdraw).status_code == 403
    as_("ada").post(withdraw)
    assert not Absence.objects.filter(withdrawn_at=None).exists()


def test_page_of_a_refused_form_begins_at_the_first_wrong_field(
    campaign: Campaign, as_: Browser
) -> None:
    """WCAG 3.3.1: a screen reader would read the top of a page that looks as before."""
    gustav, page = as_("gustav"), url(campaign, "away/")
    assert "autofocus" not in gustav.read(page)
    for days, at in (({"first": "soon"}, "first"), ({"first": "2026-11-20"}, "last")):
        shown = gustav.submit(page, days)
        (focus,) = re.findall(r"<input[^>]* autofocus[^>]*>", shown)
        assert f'id="away-{at}"' in focus
        assert 'aria-invalid="true"' in focus
        assert f"away-{at}_error" in focus
    shown = gustav.submit(url(campaign, "press/write/"), {"text": "To nobody."})
    assert len(re.findall(r"<p[^>]* role=\"alert\" tabindex=\"-1\" autofocus>", shown)) == 1


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Sao_Paulo"])
def test_days_of_an_absence_are_asked_for_in_the_games_own_zone_by_name(
    campaign: Campaign, as_: Browser, zone: str
) -> None:
    Person.objects.filter(pk=person("gustav").pk).update(zone=zone)
    assert "In New York time." in as_("gustav").read(url(campaign, "away/"))
    assert "In New York time." in as_("ada").read(url(campaign, "desk/times/"))


def test_player_leaves_by_page_and_another_requests_the_seat(
    campaign: Campaign, as_: Browser
) -> None:
    felix, seat = as_("felix"), campaign.seat("France")
    assert "Enter a reason" in felix.submit(url(campaign, "leave/"), {"reason": " "})
    felix.post(url(campaign, "leave/"), {"reason": "A new child."})
    assert not Sitting.objects.current().filter(seat=seat).exists()
    ada, people = as_("ada"), url(campaign, "desk/people/")
    assert "A new child." in ada.read(people)
    ada.post(people, {"do": "offer", "seat": seat.pk})
    assert "France in" in as_().read("/standby/")
    assert "Open seats: France." in as_().read(f"/games/{campaign.game.pk}/")
    assert "France in “The lights go out”" in as_().read("/")
    assert as_().post("/standby/", {"game": campaign.game.pk}).status_code == 302
    assert not Standby.objects.exists()
    dana = as_("dana")
    dana.post("/standby/", {"game": campaign.game.pk, "note": "Gladly <b>now</b>."})
    standby = Standby.objects.get()
    shown = ada.read(people)
    assert "Gladly &lt;b&gt;now&lt;/b&gt;." in shown
    ada.post(people, {"do": "standby", "seat": seat.pk, "standby": standby.code})
    assert Sitting.objects.get(seat=seat, until=None).person == person("dana")
    assert "No seat is open" in as_().read("/standby/")


def test_standby_for_any_game_is_added_and_removed(campaign: Campaign, as_: Browser) -> None:
    dana = as_("dana")
    dana.post("/standby/", {"note": ""})
    row = Standby.objects.get()
    assert row.game is None
    assert as_("charlie").post("/standby/", {"down": row.code}).status_code == 404
    dana.post("/standby/", {"down": row.code})
    row.refresh_from_db()
    assert row.until is not None


def test_open_seat_of_a_private_game_is_not_listed(private: Campaign, as_: Browser) -> None:
    seat = private.seat("France")
    desk.vacate(seat, private.players["France"], "Gone.", private.ada, private.now)
    desk.offer_open(seat, private.ada, private.now)
    assert "No seat is open" in as_("dana").read("/standby/")
    as_("dana").post("/standby/", {"game": private.game.pk})
    assert not Standby.objects.exists()


def test_seats_are_offered_and_filled_by_page(campaign: Campaign, as_: Browser) -> None:
    ada, page, seat = as_("ada"), url(campaign, "desk/people/"), campaign.seat("France")
    replace = {"do": "replace", "seat": seat.pk, "reason": "Silent."}
    wrong = ada.submit(page, replace | {"email": "dana"})
    assert "“dana” is not an e-mail address" in wrong
    assert "Silent." in wrong
    ada.post(page, replace | {"email": "dana@example.org", "extra_hours": "24"})
    offer = Invitation.objects.get(email="dana@example.org")
    ada.post(page, {"do": "uninvite", "invitation": offer.code})
    ada.post(page, {"do": "service", "seat": seat.pk})
    assert Seat.objects.get(pk=seat.pk).bot
    ada.post(page, {"do": "no-service", "seat": seat.pk})
    assert not Seat.objects.get(pk=seat.pk).bot
    britain, bea = campaign.seat("Britain"), campaign.players["Britain"]
    ada.post(page, {"do": "eject", "seat": britain.pk, "person": bea.pk, "reason": "Threats."})
    assert desk.empty_seats(campaign.game) == ["France", "Britain"]
    stranger, una = Campaign.begin().seat("USA"), campaign.players["USA"]
    vacate = {"do": "vacate", "seat": stranger.pk, "person": una.pk, "reason": "Mine."}
    assert ada.post(page, vacate).status_code == 404


def request_link(letter: Letter) -> str:
    link = re.search(r"/gamesmaster/\S+", rendering.render(letter).text)
    assert link is not None
    return link[0]


def test_added_gamesmaster_must_accept_by_the_letters_link(
    campaign: Campaign, as_: Browser
) -> None:
    """25.7, B15: another gamesmaster runs the game only after accepting."""
    ada, page = as_("ada"), url(campaign, "desk/people/")
    ada.post(page, {"do": "remove", "person": campaign.ada.pk})
    assert campaign.game.gamesmasters.count() == 1
    ada.post(page, {"do": "add", "email": "abe@example.org"})
    assert campaign.game.gamesmasters.count() == 1
    ada.post(page, {"do": "unask", "person": person("abe").pk})
    first = campaign.letters("runs", "abe")[-1]
    assert as_().get(request_link(first)).status_code == 410
    ada.post(page, {"do": "add", "email": "abe@example.org"})
    link = request_link(campaign.letters("runs", "abe")[-1])
    assert as_().get(link).status_code == 200
    assert campaign.game.gamesmasters.count() == 1
    assert as_().post(link, {"name": "Abe"}).status_code == 302
    assert campaign.game.gamesmasters.count() == 2
    assert as_().post(link, {"name": "Abe"}).status_code == 410
    ada.post(page, {"do": "hand-over", "email": "abe@example.org"})
    assert list(campaign.game.gamesmasters.all()) == [person("abe")]
    assert ada.get(page).status_code == 403
