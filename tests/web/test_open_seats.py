"""Games about to begin, with free seats to take or to request (issue 27, 1)."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from games import desk, permissions, tasks
from games.base import clock
from games.desk import DeskError
from games.models import Game, Invitation, Letter, Sitting
from games.pages import list_pages
from tests.support.browsing import Visitor
from tests.support.campaign import MONDAY, NATIONS, Campaign, person

pytestmark = pytest.mark.django_db

ALL_BUT_FRANCE = {nation: "bot" for nation in NATIONS if nation != "France"}


def opened(joining: str = Game.Joining.OPEN, **changes: Any) -> Game:
    """Return a game about to begin in which only France is free."""
    defaults: dict[str, Any] = {
        "seats": ALL_BUT_FRANCE,
        "title": "Come and play",
        "joining": joining,
    }
    return Campaign.open(**defaults | changes).game


def letters(kind: str) -> list[str]:
    return sorted(Letter.objects.filter(kind=kind).values_list("address", flat=True))


def test_stranger_takes_the_last_free_seat_and_the_game_begins() -> None:
    game = opened(starts_when_full=True)
    visitor = Visitor()
    page = visitor.read(reverse("standby"))
    assert "Come and play" in page
    assert "Free: France." in page
    to = reverse("join-openly", args=[game.pk])
    assert to in page
    login = visitor.get(to)
    assert login.headers["Location"] == f"{reverse('login')}?next={to}"
    visitor.force_login(person("stranger"))
    answer = visitor.post(to, {"nation": "France", "name": "Fay"}, follow=True)
    assert "You play France." in answer.content.decode()
    game.refresh_from_db()
    assert game.status == Game.Status.RUNNING
    assert "Come and play" not in visitor.read(reverse("standby"))


def test_guest_takes_no_seat_without_an_address() -> None:
    """Letters would reach nobody."""
    game, guest = opened(), Visitor()
    guest.post(reverse("practice"))
    answer = guest.post(reverse("join-openly", args=[game.pk]), {"nation": "France", "name": "Fay"})
    assert answer.headers["Location"] == reverse("practice-keep")
    assert not game.seats.filter(sittings__isnull=False).exists()


@pytest.mark.both_databases
def test_open_seat_is_taken_once_and_only_if_anybody_may() -> None:
    """Neither an old page nor a guessed address opens another game."""
    game, dana = opened(), Visitor()
    dana.force_login(person("dana"))
    for other in (
        opened(Game.Joining.INVITED),
        opened(Game.Joining.ASK),
        Campaign.begin().game,
    ):
        assert dana.get(reverse("join-openly", args=[other.pk])).status_code == 404
    to = reverse("join-openly", args=[game.pk])
    assert dana.post(to, {"nation": "Germany"}).status_code == 200
    assert not Sitting.objects.filter(seat__game=game).exists()
    dana.post(to, {"nation": "France"})
    erik = Visitor()
    erik.force_login(person("erik"))
    answer = erik.post(to, {"nation": "France"})
    assert "That seat is taken" in answer.content.decode()
    assert [sitting.person.email for sitting in Sitting.objects.filter(seat__game=game)] == [
        "dana@example.org"
    ]


def test_requested_seat_is_given_by_the_gamesmaster_with_a_letter() -> None:
    game, dana = opened(Game.Joining.ASK), Visitor()
    dana.force_login(person("dana"))
    assert "Ask for a seat" in dana.read(reverse("standby"))
    dana.post(reverse("standby"), {"game": game.pk, "note": "France, please."})
    assert letters("asks") == ["ada@example.org"]
    assert "the gamesmaster decides" in dana.read(reverse("standby"))
    assert not permissions.held_seats(person("dana"), game)
    seat = game.seats.get(nation="France")
    desk.seat_standby(seat, desk.standbys(game)[0], person("ada"), clock.now())
    assert permissions.holds(person("dana"), seat)
    assert letters("newcomer") == ["dana@example.org"]
    tasks.do_all_due(clock.now())


@pytest.mark.both_databases
def test_people_are_notified_once_of_games_they_want() -> None:
    for name, kind in (("any", ""), ("ww2", "origins-ww2"), ("ww1", "origins-ww1")):
        desk.stand_by(person(name), None, "", MONDAY, ruleset_id=kind)
    desk.stand_by(person("ada"), None, "", MONDAY)  # Ada runs the game herself
    game = opened(Game.Joining.INVITED)
    assert letters("seats") == []
    desk.set_joining(game, Game.Joining.OPEN, person("ada"), MONDAY)
    assert letters("seats") == ["any@example.org", "ww2@example.org"]
    desk.set_joining(game, Game.Joining.ASK, person("ada"), MONDAY)
    assert letters("seats") == ["any@example.org", "ww2@example.org"]
    opened(card_name="historical", title="At once")
    assert len(letters("seats")) == 4


def test_open_game_must_be_public_and_not_begun() -> None:
    with pytest.raises(DeskError, match="only its players may watch"):
        opened(public=False)
    private = opened(Game.Joining.INVITED, public=False)
    with pytest.raises(DeskError, match="only its players may watch"):
        desk.set_joining(private, Game.Joining.OPEN, person("ada"), MONDAY)
    begun = Campaign.begin()
    with pytest.raises(DeskError, match="has begun"):
        desk.set_joining(begun.game, Game.Joining.OPEN, person("ada"), MONDAY)
    with pytest.raises(DeskError, match="“nobody”"):
        desk.set_joining(opened(), "nobody", person("ada"), MONDAY)


@pytest.mark.both_databases
def test_seat_with_an_invitation_is_not_offered_to_all() -> None:
    game = Campaign.open(seats={**ALL_BUT_FRANCE, "Britain": ""}, joining=Game.Joining.OPEN).game
    desk.invite(game.seats.get(nation="France"), "fay@example.org", person("ada"), MONDAY)
    assert desk.games_to_join() == [(game, ["Britain"])]
    assert Invitation.objects.open().count() == 1


def test_gamesmaster_sets_joining_when_opening_and_later() -> None:
    game, ada = opened(Game.Joining.INVITED), Visitor()
    ada.force_login(person("ada"))
    page = ada.read(reverse("desk-people", args=[game.pk]))
    assert re.search(r'<option value="invited" selected>', page)
    to = reverse("desk-people", args=[game.pk])
    answer = ada.post(to, {"do": "joining", "joining": "open"}, follow=True)
    assert "Free seats are for anybody, at once." in answer.content.decode()
    assert desk.games_to_join() == [(game, ["France"])]
    assert 'name="joining"' in ada.read(reverse("game-new"))


@pytest.mark.both_databases
def test_who_plays_who_is_missing_and_how_reliable_is_read_before_taking_a_seat() -> None:
    """Issue 44, 9; review of a player, N14."""
    seats = {"USA": "bot", "Russia": "rosa@example.org", "Germany": "bea@example.org"}
    game = opened(seats=seats, title="Come and play")
    offer = game.seats.get(nation="Germany").invitations.get()
    offer.accepted_at = offer.accepted_by = None
    offer.save()
    Sitting.objects.filter(seat__nation="Germany").delete()
    rosa = person("rosa")
    rosa.name, rosa.record_shown = "Rosa", True
    rosa.save()
    visitor = Visitor()
    listed = visitor.read(reverse("standby"))
    visitor.force_login(person("dana"))
    joining = visitor.read(reverse("join-openly", args=[game.pk]))
    for page in (listed, joining):
        company = re.sub(r"<[^>]+>", "", page.split('class="company"')[1].split("</ul>")[0])
        told = " ".join(company.split())
        assert "USA: a bot" in told
        assert "Rosa, new here" in told
        assert "Germany: invited, no answer yet" in told
        assert "France: free" in told
        assert page.index('class="company"') < page.index(
            "Take a seat" if page is listed else "Play France"
        )
    game.anonymous = True
    game.save()
    assert "Rosa" not in visitor.read(reverse("standby")), "who plays is hidden"
    assert "a player" in visitor.read(reverse("standby"))


def test_visitor_learns_of_the_standby_list() -> None:
    page = Visitor().read(reverse("standby"))
    assert 'id="stand"' in page
    assert "Log in to join the list" in page


def test_desk_offers_no_start_before_every_seat_is_taken() -> None:
    """Review of a player, N11: “Start the game” stood beside “begins when the last seat is
    taken”."""
    game, ada = opened(), Visitor()
    ada.force_login(game.opened_by)
    page = ada.read(game.get_absolute_url())
    assert "Start the game" not in page
    assert "No player yet: France." in page
    assert "You can start it when every seat is taken." in page
    desk.invite(game.seats.get(nation="France"), "fay@example.org", game.opened_by, MONDAY)
    page = ada.read(game.get_absolute_url())
    assert "No player yet" not in page
    assert "Invited, no answer yet: France." in page
    desk.join_openly(opened(starts_when_full=False), "France", person("dana"), MONDAY)
    full = Game.objects.latest("pk")
    page = ada.read(full.get_absolute_url())
    assert "Start the game" in page
    assert "Every seat is taken." in page


def test_page_of_a_game_about_to_begin_goes_on_when_it_begins() -> None:
    """Review of a player, N14: “Seats are being filled” stayed under “Turn 1 is open”."""
    game, visitor = opened(starts_when_full=True), Visitor()
    page = visitor.read(game.get_absolute_url())
    assert "data-follow" in page
    address = re.search(r'data-address="([^"]+)"', page)
    assert address is not None
    assert visitor.get(address[1]).json()["follow"] == ""
    desk.join_openly(game, "France", person("dana"), clock.now())
    assert visitor.get(address[1]).json()["follow"] == game.get_absolute_url()
    assert "data-follow" not in visitor.read(game.get_absolute_url())


@pytest.mark.both_databases
def test_open_seats_are_listed_page_by_page_and_found_by_game_and_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Issue 45: a page that showed every seat of 2,000 games cost 312 bare pages."""
    monkeypatch.setattr(list_pages, "ROWS", 2)
    running = [
        Campaign.begin(MONDAY + timedelta(hours=number), title=f"Running {number}")
        for number in range(3)
    ]
    for campaign in running:
        desk.vacate(
            campaign.seat("USA"), campaign.players["USA"], "Exams.", campaign.ada, campaign.now
        )
        desk.offer_open(campaign.seat("USA"), campaign.ada, campaign.now)
    desk.pause(running[2].game, "A wedding.", running[2].ada, running[2].now)
    opened(title="About to begin")
    visitor, to = Visitor(), reverse("standby")

    def titles(query: str = "") -> list[str]:
        return re.findall(r'<a href="/games/\d+/">(.*?)</a>', visitor.read(f"{to}{query}"))

    assert titles() == ["About to begin", "Running 2", "Running 1"]
    assert titles("?page=2") == ["Running 0"]
    assert "?page=1" in visitor.read(f"{to}?page=2")
    assert "The list ends before page 3" in visitor.read(f"{to}?page=3")
    assert titles("?title=running 0") == ["Running 0"]
    assert titles("?title=begin") == ["About to begin"]
    assert titles("?ruleset_id=origins-ww1") == []
    found = visitor.read(f"{to}?ruleset_id=origins-ww2&title=running")
    assert "?ruleset_id=origins-ww2&amp;title=running&amp;page=2" in found
    assert "“chess” is not one of the choices" in visitor.read(f"{to}?ruleset_id=chess")
    visitor.force_login(person("dana"))
    visitor.post(to, {"game": running[0].game.pk, "note": "Any."})
    assert letters("asks") == ["ada@example.org"], "a seat on another page can be asked for"


def test_short_list_of_open_seats_has_no_search() -> None:
    opened()
    assert "Search" not in Visitor().read(reverse("standby"))
