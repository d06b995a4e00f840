"""A series: games of the same people in which the nations move on (issue 27, 3)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from games import positions
from games.desk import DeskError
from games.models import Game, Person
from games.models.people import CLASS_DOMAIN
from games.records import series
from tests.support.browsing import Visitor
from tests.support.campaign import NATIONS, PLAYERS, Campaign

pytestmark = pytest.mark.django_db

NOBODY = AnonymousUser()


def finished(**given: Any) -> Campaign:
    campaign = Campaign.begin(**given)
    while campaign.game.status == Game.Status.RUNNING:
        campaign.pass_deadline()
        campaign.game.refresh_from_db()
    return campaign


def test_next_game_of_a_series_is_prefilled_with_moved_nations() -> None:
    campaign, ada = finished(), Visitor()
    ada.force_login(campaign.ada)
    to = f"{reverse('game-new')}?again={campaign.game.pk}&amp;series"
    assert to in ada.read(campaign.game.get_absolute_url())
    page = ada.read(to.replace("&amp;", "&"))
    emails = re.findall(r'name="email_\d" value="([^"]+)"', page)
    moved = [f"{PLAYERS[nation]}@example.org" for nation in NATIONS]
    assert emails == [moved[-1], *moved[:-1]]


@pytest.mark.both_databases
def test_table_of_a_series_counts_the_games_that_its_reader_may_see() -> None:
    first = finished(title="First")
    seats = series.next_nations(NATIONS)
    names = {seats[nation]: f"{name}@example.org" for nation, name in PLAYERS.items()}
    second = Campaign.begin(first.now, title="Second", seats=names, follows=first.game)
    assert series.games_of(second.game) == series.games_of(first.game) == [first.game, second.game]
    rows = {row.person.email: row for row in series.table([first.game, second.game], NOBODY)}
    scores = positions.standing(first.game).scores
    gustav = rows["gustav@example.org"]
    assert gustav.points == scores["Germany"]
    assert [game_result.nation for game_result in gustav.games if game_result] == [
        "Germany",
        seats["Germany"],
    ]
    assert sum(row.wins for row in rows.values()) == len(first.resolution().winners or [])
    page = Visitor().read(reverse("series", args=[second.game.pk]))
    assert "Series: First" in page
    columns = re.findall(r'<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]+)', page)
    assert columns == ["Player", "Won", "Points", "Game 1", "Game 2"], "on a phone too (issue 24)"
    Game.objects.filter(pk=first.game.pk).update(public=False)
    first.game.refresh_from_db()
    assert all(len(row.games) == 1 for row in series.table([first.game, second.game], NOBODY))
    assert "First" not in Visitor().read(reverse("series", args=[second.game.pk]))


def test_series_ends_when_everybody_has_had_each_nation_and_never_forks() -> None:
    game = Campaign.open(title="Game 1").game
    for number in range(2, len(NATIONS) + 1):
        game = Campaign.open(title=f"Game {number}", follows=game).game
    assert len(series.games_of(game)) == len(NATIONS)
    with pytest.raises(DeskError, match="is complete"):
        Campaign.open(title="One too many", follows=game)
    with pytest.raises(DeskError, match="already continues"):
        Campaign.open(title="Fork", follows=series.games_of(game)[0])


def test_game_outside_a_series_has_no_table() -> None:
    game = Campaign.open().game
    assert Visitor().get(reverse("series", args=[game.pk])).status_code == 404


def test_page_that_plays_again_names_the_players_it_leaves_out() -> None:
    """Who has no address is seated by another page; a player sees nobody's address."""
    campaign, ada, gustav = finished(), Visitor(), Visitor()
    page = f"{reverse('game-new')}?again={campaign.game.pk}"
    ada.force_login(campaign.ada)
    gustav.force_login(campaign.players["Germany"])
    assert "not filled in" not in ada.read(page)
    for nation, address in (("France", "felix@by-post.invalid"), ("USA", f"u@{CLASS_DOMAIN}")):
        player = campaign.players[nation]
        Person.objects.filter(pk=player.pk).update(by_post=True, email=address, name=nation)
    read = ada.read(page)
    assert "not filled in: France. Open the game, then seat them on the page “Paper”." in read
    assert "not filled in: USA. Open the game, then seat them on the page “Class”." in read
    assert "Only gamesmasters see addresses" in gustav.read(page)
