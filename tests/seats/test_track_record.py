"""How reliably a person plays, for those who may see it (issue 27, 2)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse

from games import desk
from games.accounts import tokens
from games.desk import DeskError
from games.models import Game, Invitation, Person
from games.operations.personal import erasure, export
from games.seats import track_record
from tests.support.browsing import Visitor
from tests.support.campaign import NATIONS, Campaign, person

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
LATER = timedelta(days=1)


def record(campaign: Campaign, nation: str) -> track_record.TrackRecord:
    return track_record.track_record_of(campaign.players[nation], campaign.now)


def order(campaign: Campaign, nation: str) -> None:
    placing = campaign.phase.kind == "placement"
    campaign.order(nation, "PLACE 1 Poland" if placing else "PASS")


def played(phases: int, *nations: str) -> Campaign:
    """Return a game of so many phases in which only these nations send orders."""
    campaign = Campaign.begin()
    for _ in range(phases):
        for nation in nations:
            order(campaign, nation)
        campaign.pass_deadline()
    return campaign


def test_phase_is_on_time_if_orders_were_in_force_at_the_lock() -> None:
    campaign = played(4, "Germany")
    germany, france = record(campaign, "Germany"), record(campaign, "France")
    assert (germany.on_time, germany.due) == (4, 4)
    assert (france.on_time, france.due) == (0, 4)
    assert france.summary == "on time in 0 of 4 phases"
    assert record(Campaign.open(), "Germany").summary == "on time in 4 of 4 phases"
    assert track_record.track_record_of(person("nobody"), campaign.now).summary == "new here"


def test_seat_taken_over_never_counts_against_the_newcomer() -> None:
    campaign = played(2, "Germany")
    seat, left = campaign.seat("France"), campaign.players["France"]
    desk.vacate(seat, left, "Gone.", campaign.ada, campaign.now)
    standby = desk.stand_by(person("dana"), campaign.game, "", campaign.now)
    desk.seat_standby(seat, standby, campaign.ada, campaign.now)
    campaign.pass_deadline()
    dana = track_record.track_record_of(person("dana"), campaign.now)
    assert (dana.taken_over, dana.due, dana.on_time, dana.left) == (1, 0, 0, 0)
    campaign.players["France"] = person("dana")
    order(campaign, "France")
    campaign.pass_deadline()
    dana = track_record.track_record_of(person("dana"), campaign.now)
    assert (dana.due, dana.on_time) == (1, 1)
    gone = track_record.track_record_of(left, campaign.now)
    assert (gone.left, gone.due) == (1, 2)
    assert gone.summary == "on time in 0 of 2 phases, left 1 seat"


def test_old_games_practice_and_forming_seats_do_not_count() -> None:
    campaign = played(2, "Germany")
    old = campaign.now + track_record.WINDOW + LATER
    assert track_record.track_record_of(campaign.players["Germany"], old).due == 0
    Game.objects.update(practice=True)
    assert record(campaign, "Germany").due == 0
    forming = Campaign.open(title="Another")
    seat = forming.seat("France")
    desk.vacate(seat, forming.players["France"], "Not now.", forming.ada, forming.now)
    assert record(forming, "France").left == 0


def test_results_are_counted_by_nation() -> None:
    campaign = Campaign.begin()
    while campaign.game.status == Game.Status.RUNNING:
        campaign.pass_deadline()
        campaign.game.refresh_from_db()
    won = [nation for nation in NATIONS if record(campaign, nation).games[nation][1]]
    winners = campaign.resolution().winners or []
    assert won == [nation for nation in NATIONS if nation in winners]
    assert all(record(campaign, nation).games[nation][0] == 1 for nation in NATIONS)


def test_track_record_is_private_until_its_person_shows_it() -> None:
    campaign = played(1, "Germany")
    gustav, to = campaign.players["Germany"], ""
    to = reverse("track-record", args=[gustav.pk])
    stranger, own = Visitor(), Visitor()
    own.force_login(gustav)
    assert stranger.get(to).status_code == 404
    assert "Only you see this page" in own.read(to)
    assert to not in stranger.read(campaign.game.get_absolute_url())
    shown = {"name": "Gustav", "zone": "UTC", "record_shown": "on"}
    own.post(reverse("me"), shown)
    assert "1 of 1" in stranger.read(to)
    assert to in stranger.read(campaign.game.get_absolute_url())
    Person.objects.filter(pk=gustav.pk).update(is_active=False)
    assert stranger.get(to).status_code == 404


def test_game_may_require_a_share_of_phases_on_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(track_record, "ENOUGH", 2)
    campaign = played(2, "Germany")
    seats = {
        nation: "" if nation in ("France", "Britain", "Russia") else "bot" for nation in NATIONS
    }
    game = Campaign.open(
        campaign.now, seats=seats, joining=Game.Joining.OPEN, least_on_time=80
    ).game
    with pytest.raises(DeskError, match="80% of their phases; you were in 0%"):
        desk.join_openly(game, "France", campaign.players["Britain"], campaign.now)
    desk.join_openly(game, "France", campaign.players["Germany"], campaign.now)
    desk.join_openly(game, "Britain", person("newcomer"), campaign.now)
    by_link = Visitor()
    by_link.force_login(campaign.players["Russia"])
    link = reverse("join", args=[game.pk, tokens.join_token(game)])
    assert "orders on time in 80 of 100 phases" in by_link.read(link)
    assert "you were in 0%" in by_link.submit(link, {"nation": "Russia"})
    desk.invite(game.seats.get(nation="Russia"), "rosa@example.org", game.opened_by, campaign.now)
    desk.accept(Invitation.objects.latest("pk"), campaign.players["Russia"], campaign.now)
    assert "80 of 100 phases" in Visitor().read(reverse("standby")) or not desk.games_to_join()


def test_track_record_is_part_of_export_and_erasure() -> None:
    """Issue 27, 2."""
    campaign = played(1, "Germany")
    gustav = campaign.players["Germany"]
    Person.objects.filter(pk=gustav.pk).update(record_shown=True)
    parts = {part["title"]: part["rows"] for part in export.all_data(gustav, campaign.now)["parts"]}
    (row,) = parts["How you play"]
    assert (row["phases_due"], row["phases_on_time"], row["finished_games"]) == (1, 1, [])
    to = reverse("track-record", args=[gustav.pk])
    assert "1 of 1" in Visitor().read(to)
    erasure.erase(gustav, campaign.now, by=None, press=False)
    assert Visitor().get(to).status_code == 404
    assert to not in Visitor().read(campaign.game.get_absolute_url())
