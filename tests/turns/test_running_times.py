"""Every time that runs out by itself moves with an outage, by the rule of deadlines."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.apps import apps
from django.db import models
from pytest_django import Settings

from games import desk
from games.accounts import tokens
from games.desk import votes
from games.models import Act, DeadlineChange, Game, Invitation, Letter, Motion, Outage, Phase
from games.rules import time_credit
from games.turns import rulings, running_times, ways_in
from games.turns.ways_in import PAGES
from tests.desk.test_outage import pulse, shut
from tests.support.campaign import MONDAY, PLAYERS, Campaign, person
from tests.support.letters import letter_text
from tests.support.ticks import tick_at

pytestmark = pytest.mark.django_db

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
Set = Callable[[datetime], None]
DAYS = {"every": "days", "days": 7, "time": "09:00"}
#: Columns that only say when something was or happened, in whichever model.
PAST = frozenset(
    {
        *("accepted_at", "added_at", "asked_at", "begun_at", "changed_at", "checked_at"),
        *("closed_at", "confirmed_at", "credited_at", "date_joined", "done_at", "drawn_at"),
        *("ended_at", "entered_at", "erased_at", "finished_at", "handled_at", "invited_at"),
        *("joined_at", "kept_at", "last_login", "last_used_at", "locked_at", "made_at"),
        *("offered_at", "opened_at", "passed_at", "paused_at", "posted_on", "read_at"),
        *("received_at", "released_at"),
        *("removed_at", "resolved_at", "restored_at", "revoked_at", "saved_at", "sent_at"),
        "seen_on",
        *("settled_at", "since", "started_at", "taken_at", "tried_at", "until", "used_at"),
        *("withdrawn_at", "written_at"),
    }
)


@pytest.fixture(autouse=True)
def time_is_given_back(settings: Settings) -> None:
    settings.GIVE_TIME_BACK = True


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Set:
    return tick_at(monkeypatch, "phases")


@pytest.fixture
def later(at: Set) -> Set:
    """Return a function that runs a tick at an instant until which nothing was shut."""

    def run(now: datetime) -> None:
        pulse(now - MINUTE)
        pulse(now, PAGES)
        at(now)

    return run


def pass_vote(campaign: Campaign, kind: str, *names: str) -> Motion:
    for name in names:
        motion = votes.cast(campaign.game, person(name), kind, "", campaign.now)
    assert motion.due_at is not None
    return motion


def letters_to(name: str, since: datetime) -> list[Letter]:
    rows = Letter.objects.filter(address=f"{name}@example.org", written_at__gte=since)
    return list(rows.select_related("game", "phase", "person"))


def test_every_column_with_an_instant_says_whether_an_outage_moves_it() -> None:
    """A new column fails here until it is decided."""
    columns = {
        f"{model._meta.app_label}.{model.__name__}.{field.name}"
        for app in ("games", "orders")
        for model in apps.get_app_config(app).get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.DateField)
    }
    named = {*running_times.MOVES, *running_times.STAYS}
    assert named <= columns
    assert not {*running_times.MOVES} & {*running_times.STAYS}
    assert {column for column in columns - named if column.split(".")[-1] not in PAST} == set()


def test_time_for_a_veto_is_given_back(at: Set, later: Set) -> None:
    """A service that is down over it would end the game without the gamesmaster."""
    campaign = Campaign.begin(schedule=DAYS)
    due = pass_vote(campaign, "draw", *PLAYERS.values()).due_at
    assert due == MONDAY + DAY
    shut(MONDAY + 20 * HOUR, MONDAY + 30 * HOUR, PAGES)
    at(MONDAY + 30 * HOUR)
    motion = Motion.objects.get()
    assert motion.due_at == MONDAY + 40 * HOUR
    act = Act.objects.get(kind="moved")
    assert act.words.startswith("The vote for a draw between all nations takes effect without a")
    assert act.reason.endswith("10 hours are given back, counted from the end of the outage.")
    assert len(letters_to("rosa", MONDAY + 30 * HOUR)) == 1
    later(MONDAY + 40 * HOUR + MINUTE)
    campaign.game.refresh_from_db()
    assert campaign.game.status == Game.Status.ABANDONED


def test_vote_waits_while_a_veto_cannot_come_in(at: Set) -> None:
    campaign = Campaign.begin(schedule=DAYS)
    pass_vote(campaign, "draw", *PLAYERS.values())
    pulse(MONDAY + 20 * HOUR, PAGES)
    for hour in (24, 27, 30):
        at(MONDAY + hour * HOUR)
        campaign.game.refresh_from_db()
        assert campaign.game.status == Game.Status.RUNNING
    ways_in.beat(PAGES, MONDAY + 30 * HOUR)
    at(MONDAY + 30 * HOUR)
    assert Motion.objects.get().due_at == MONDAY + 40 * HOUR


def test_vote_for_more_time_still_comes_before_the_deadline(at: Set) -> None:
    campaign = Campaign.begin(schedule={"every": "minutes", "minutes": 24 * 60})
    assert pass_vote(campaign, "more-time", "una", "rosa", "bea").due_at == MONDAY + 12 * HOUR
    shut(MONDAY + 11 * HOUR, MONDAY + 22 * HOUR, PAGES)
    at(MONDAY + 22 * HOUR)
    assert campaign.phase.deadline == MONDAY + DAY
    assert Motion.objects.get().due_at == MONDAY + 23 * HOUR


def test_outage_over_a_deadline_and_a_veto_writes_each_person_one_letter(at: Set) -> None:
    campaign = Campaign.begin(schedule={"every": "minutes", "minutes": 24 * 60})
    pass_vote(campaign, "draw", *PLAYERS.values())
    shut(MONDAY + 20 * HOUR, MONDAY + 79 * HOUR, PAGES)
    at(MONDAY + 79 * HOUR)
    assert campaign.phase.deadline == Motion.objects.get().due_at == MONDAY + 103 * HOUR
    (letter,) = letters_to("rosa", MONDAY + 79 * HOUR)
    text = " ".join(letter_text(letter).split())
    assert "24 hours are given back" in text
    assert "which took 59 hours: never more than a day." in text
    assert "The vote for a draw between all nations takes effect without a veto" in text


def test_hours_of_approval_are_given_back(at: Set, later: Set) -> None:
    campaign = Campaign.begin(schedule=DAYS)
    desk.change_settings(campaign.game, {"approval_hours": 12}, campaign.ada, MONDAY)
    campaign.wait_until(campaign.phase.deadline)
    phase = campaign.phase
    assert phase.status == Phase.Status.APPROVAL
    due, start = phase.due_at, campaign.now
    assert due == start + 12 * HOUR
    shut(start + HOUR, start + 40 * HOUR, PAGES)
    at(start + 40 * HOUR)
    phase.refresh_from_db()
    assert (phase.status, phase.due_at) == (Phase.Status.APPROVAL, start + 52 * HOUR)
    assert "goes out without approval" in Act.objects.get(kind="moved").words
    later(start + 52 * HOUR + MINUTE)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED


def test_result_that_was_approved_does_not_wait_again(at: Set) -> None:
    campaign = Campaign.begin(schedule=DAYS)
    desk.change_settings(campaign.game, {"approval_hours": 12}, campaign.ada, MONDAY)
    campaign.wait_until(campaign.phase.deadline)
    phase, start = campaign.phase, campaign.now
    rulings.release(phase, campaign.ada, start + 2 * HOUR)
    shut(start + HOUR, start + 40 * HOUR, PAGES)
    at(start + 40 * HOUR)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED


def test_invitation_and_request_last_longer_after_an_outage_over_their_end() -> None:
    campaign = Campaign.open(seats={"USA": "una@example.org"})
    invitation = Invitation.objects.filter(accepted_at=None).first()
    if invitation is None:
        invitation = tokens.new_invitation(
            campaign.seat("France"), "felix@example.org", campaign.ada, MONDAY
        )
    end = MONDAY + tokens.INVITATION_LASTS
    assert not tokens.is_open(invitation, end)
    shut(end - HOUR, end + HOUR, PAGES)
    assert tokens.is_open(invitation, end + 24 * HOUR)
    assert not tokens.is_open(invitation, end + 26 * HOUR)


def test_two_ways_that_were_shut_at_once_count_once() -> None:
    end = MONDAY + DAY
    for way, until in (("pages", end + HOUR), ("mail", end + 2 * HOUR)):
        Outage.objects.create(way=way, since=end - HOUR, until=until, credited_at=end + 2 * HOUR)
    assert Outage.objects.end_of(MONDAY, DAY) == end + 5 * HOUR


@pytest.mark.parametrize(
    ("length", "took", "words"),
    [
        (3 * HOUR, 2 * HOUR, "2 hours are given back, counted from the end of the outage."),
        (10 * DAY, MINUTE, "24 hours are given back, counted from the end of the outage."),
        (3 * DAY, 59 * HOUR, "which took 59 hours: never more than a day."),
        (5 * MINUTE, 90 * MINUTE, "60 minutes are given back, counted from the end of the outage,"
         " which took 90 minutes: never more than an hour."),
        (3 * HOUR, 9 * HOUR, "which took 9 hours: never more than there was in all."),
    ],
)  # fmt: skip
def test_letter_says_how_much_is_given_and_why_not_all(
    length: timedelta, took: timedelta, words: str
) -> None:
    said = time_credit.describe(MONDAY, MONDAY + length, MONDAY, MONDAY + took)
    assert said.endswith(words)
    assert not DeadlineChange.objects.exists()
