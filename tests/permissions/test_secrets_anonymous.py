"""An anonymous game, read as everybody: nobody learns who plays which nation until it is over
(design 8; issue 27, 4). Checked on pages, letters, feeds, calendars, pictures, exports and the
API."""

from __future__ import annotations

import logging

import pytest
from django.urls import reverse
from pytest_django import Settings

from games import desk
from games.base import clock
from games.desk import votes
from games.models import Invitation, Person
from games.seats import track_record
from tests.records.played import short_card
from tests.support.campaign import MONDAY, PLAYERS, Campaign, person
from tests.support.letters import letter_text
from tests.support.walk import ADA, Play
from tests.web.conftest import Browser, as_

__all__ = ["as_"]
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("letters_with_pictures"),
    pytest.mark.letters,
]
READERS = ("gustav", "felix", "charlie", "")


def begin(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Play:
    """Begin a game whose players have unique names and public track records."""
    short_card(monkeypatch, turns=1)
    # Each refused page would be logged.
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    settings.MAIL_IN = True
    campaign = Campaign.open(MONDAY, anonymous=True)
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    play = Play(campaign, everybody=(*PLAYERS.values(), ADA, "charlie", "dana", ""))
    for name in (*PLAYERS.values(), "dana"):
        player = person(name)
        player.name, player.record_shown = play.secrets.word("name", name, ADA), True
        player.save()
    desk.start(campaign.game, campaign.now)
    campaign.game.refresh_from_db()
    return play


def test_anonymous_game_hides_players_until_the_end(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    play = begin(monkeypatch, settings)
    campaign = play.campaign
    play.order("Germany", "PLACE 7 Poland")
    play.order("France", "PLACE 4 Poland")
    play.write("Germany", "PRESS TO France", "felix")
    play.write("Russia", "BROADCAST", *PLAYERS.values())
    play.agree("Germany", "France", "Rumania")
    votes.cast(campaign.game, person("felix"), "more-time", "", campaign.now)
    desk.vacate(
        campaign.seat("Britain"), person("bea"), "I move house.", person("bea"), campaign.now
    )
    desk.invite(campaign.seat("Britain"), "dana@example.org", campaign.ada, campaign.now)
    desk.accept(Invitation.objects.latest("pk"), person("dana"), campaign.now)
    assert play.told(*READERS) == []
    play.look_no_further()
    assert play.pages(ADA) == []  # not a leak: the gamesmaster knows the names
    campaign.pass_deadline()
    assert play.told(*READERS) == []
    campaign.pass_deadline()
    assert campaign.game.status == "finished"
    gustav = Person.objects.get(pk=person("gustav").pk).name
    page = play.browser("felix").get(campaign.game.get_absolute_url()).content.decode()
    assert gustav in page
    assert "anonymous" not in page


def test_gamesmaster_of_an_anonymous_game_reads_names(as_: Browser) -> None:
    campaign = Campaign.begin(MONDAY, anonymous=True)
    Person.objects.filter(pk=person("gustav").pk).update(name="Gustav the Great")
    at = campaign.game.get_absolute_url()
    assert "Gustav the Great" in as_("ada").read(at)
    shown = as_("felix").read(at)
    assert "Gustav the Great" not in shown
    assert "who plays which nation is shown when it is over" in shown


def test_gamesmaster_who_leaves_a_seat_of_an_anonymous_game_is_not_named() -> None:
    """The letter said “The reason (Ada)”, so everybody learned who had played France."""
    seats = {nation: f"{name}@example.org" for nation, name in PLAYERS.items()}
    seats["France"] = "ada@example.org"
    campaign = Campaign.begin(MONDAY, anonymous=True, seats=seats)
    desk.vacate(campaign.seat("France"), campaign.ada, "No time.", campaign.ada, campaign.now)
    text = letter_text(campaign.letters("seat", "gustav")[-1])
    assert "The reason (the player of France): “No time.”" in text
    assert "Ada" not in text


def test_gamesmaster_who_votes_in_an_anonymous_game_is_not_named(as_: Browser) -> None:
    """The list of acts said “France votes for … , Ada”, and of a seat that she left the same."""
    seats = {nation: f"{name}@example.org" for nation, name in PLAYERS.items()}
    seats["France"] = "ada@example.org"
    campaign = Campaign.begin(MONDAY, anonymous=True, seats=seats)
    Person.objects.filter(pk=campaign.ada.pk).update(name="Ada Lovelace")
    votes.cast(campaign.game, campaign.ada, "more-time", "", campaign.now)
    desk.vacate(campaign.seat("France"), campaign.ada, "No time.", campaign.ada, campaign.now)
    shown = as_("gustav").read(reverse("rulings", args=[campaign.game.pk]))
    assert "France votes for" in shown
    assert "The player of France left the game." in shown
    assert "Lovelace" not in shown
    desk.pause(campaign.game, "A holiday.", campaign.ada, campaign.now)
    paused = as_("gustav").read(reverse("rulings", args=[campaign.game.pk]))
    assert paused.count("Lovelace") == 1  # as its gamesmaster


def test_track_record_counts_an_anonymous_game_when_it_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Watching a record grow with each deadline would reveal who plays."""
    short_card(monkeypatch, turns=1)
    campaign, gustav = Campaign.begin(MONDAY, anonymous=True), person("gustav")
    campaign.order("Germany", "PLACE 7 Poland")
    campaign.pass_deadline()
    assert track_record.track_record_of(gustav, campaign.now).due == 0
    campaign.pass_deadline()
    assert track_record.track_record_of(gustav, campaign.now).due == 2


def test_opening_page_offers_anonymous_games(as_: Browser) -> None:
    assert 'name="anonymous"' in as_("ada").read("/games/new/?game=origins-ww2")
