"""The operator decides who may open games (issue 26, 2)."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games import desk, permissions
from games.desk import classroom, practice, roster
from games.models import Person
from tests.support.campaign import MONDAY, NATIONS, Campaign, person

pytestmark = pytest.mark.django_db


def staff() -> Person:
    return Person.objects.at("sam@example.org", is_staff=True)


@pytest.mark.parametrize(
    ("allowed", "opens"),
    [
        (["anyone"], {"ada", "bea", "sam"}),
        (["staff"], {"sam"}),
        (["ada@example.org"], {"ada", "sam"}),
        ([], {"sam"}),
    ],
)
def test_setting_decides_who_may_open_games(
    allowed: list[str], opens: set[str], settings: Any
) -> None:
    settings.GAMES_OPENED_BY = allowed
    people = {"ada": person("ada"), "bea": person("bea"), "sam": staff()}
    assert {name for name, opener in people.items() if permissions.opens_games(opener)} == opens
    assert not permissions.opens_games(Person.objects.at("g@example.org", guest=True))


def test_pupil_is_offered_no_game_to_open(settings: Any) -> None:
    """“Play again with the same people” led a pupil to “Your code opens one game”."""
    settings.GAMES_OPENED_BY = ["anyone"]
    game = Campaign.open(seats=dict.fromkeys(NATIONS, "")).game
    seated = [roster.Pupil("Anna Berg", nation="France")]
    [pupil] = classroom.seat_class(game, seated, person("ada"), MONDAY)
    assert not permissions.opens_games(pupil)
    assert not permissions.plays_again(pupil, game)


def test_no_page_or_program_opens_a_game_against_the_setting(settings: Any) -> None:
    settings.GAMES_OPENED_BY = ["staff"]
    with pytest.raises(desk.DeskError, match="Only the staff of this service open games"):
        Campaign.open()


def test_practice_game_needs_no_permission(settings: Any) -> None:
    settings.GAMES_OPENED_BY = ["staff"]
    visitor = Person.objects.at("visitor@example.org", guest=True)
    assert practice.begin(visitor, "Germany", MONDAY).practice


def test_pages_offer_opening_a_game_only_to_permitted_people(settings: Any, client: Client) -> None:
    settings.GAMES_OPENED_BY = ["ada@example.org"]
    assert "Only people whom the operator" in client.get("/").content.decode()
    client.force_login(person("bea"))
    front = client.get("/").content.decode()
    assert reverse("game-new") not in front
    refused = client.get(reverse("game-new"))
    assert refused.status_code == 403
    assert "Only people whom the operator" in refused.content.decode()
    assert client.post(reverse("game-new"), {}).status_code == 403
    client.force_login(person("ada"))
    assert reverse("game-new") in client.get("/").content.decode()
    assert client.get(reverse("game-new")).status_code == 200


def test_front_page_says_that_anyone_may_open_a_game(client: Client) -> None:
    assert "Anyone who logs in may open a game." in client.get("/").content.decode()
