"""People who leave and people who join (issue 5, 6; rules 0.2)."""

from __future__ import annotations

import re
from datetime import timedelta
from importlib import import_module

import pytest
from django.db import connection
from django.urls import reverse
from pytest_django import Settings

from games import desk, permissions, positions
from games.accounts import tokens
from games.desk import DeskError, classroom, roster
from games.letters import rendering
from games.models import Act, Invitation, Letter, Person, Phase, Seat, Sitting, Standby
from games.turns import vacancies
from tests.desk.conftest import Browser
from tests.support.campaign import NATIONS, PLAYERS, Campaign, person
from tests.support.letters import letter_text
from tests.support.origins_ww1 import ADDRESSES
from tests.support.origins_ww1 import Campaign as WorldWarOne

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def text(campaign: Campaign, kind: str, name: str) -> str:
    return letter_text(campaign.letters(kind, name)[-1])


def readers(campaign: Campaign, kind: str) -> set[str]:
    return {letter.address.split("@")[0] for letter in campaign.letters(kind)}


def silent(campaign: Campaign, *nations: str) -> Phase:
    """Let the open phase pass with orders of all nations but these; return it."""
    phase = campaign.phase
    acting = campaign.game.rules.acting_nations(positions.state_of(phase))
    for nation in NATIONS:
        if nation not in nations and nation in acting:
            campaign.order(nation, "PASS")
    return campaign.pass_deadline()


def test_leaving_player_keeps_orders_in_force_and_all_are_notified() -> None:
    campaign = Campaign.begin()
    campaign.order("France", "PLACE 6 Poland")
    felix = campaign.players["France"]
    desk.vacate(campaign.seat("France"), felix, "A new child.", felix, campaign.now)
    sitting = Sitting.objects.get(seat__nation="France", person=felix)
    assert (sitting.until, sitting.ended_because) == (campaign.now, "A new child.")
    assert not permissions.may_order(felix, campaign.seat("France"))
    assert "The player of France left the game." in text(campaign, "seat", "gustav")
    assert "A new child." in text(campaign, "seat", "gustav")
    assert "felix" not in readers(campaign, "seat")
    assert "You no longer play France." in text(campaign, "left", "felix")
    campaign.pass_deadline()
    assert campaign.board()["Poland"]["France"].pf == 6


def test_ejected_player_loses_the_seat_with_a_reason() -> None:
    campaign = Campaign.begin()
    seat, felix = campaign.seat("France"), campaign.players["France"]
    with pytest.raises(DeskError, match="Enter a reason"):
        desk.eject(seat, felix, "", campaign.ada, campaign.now)
    desk.eject(seat, felix, "Threats.", campaign.ada, campaign.now)
    words = Act.objects.get(kind="ejected").words
    assert words == "The player of France was removed from the game."
    with pytest.raises(DeskError, match="no longer plays France"):
        desk.eject(seat, felix, "Twice.", campaign.ada, campaign.now)


def test_replacement_gets_a_summary_and_all_get_the_extra_time() -> None:
    """Issue 5, 6: board, scores, history, what is due; promised extra time for all."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 6 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    campaign.pass_deadline()
    seat, now = campaign.seat("France"), campaign.now
    offer = desk.replace(seat, "dana@example.org", "No answer.", campaign.ada, now, extra_hours=24)
    old = campaign.phase.deadline
    desk.accept(offer, person("dana"), now)
    assert campaign.phase.deadline == old + 24 * HOUR
    assert "France has a new player, who gets extra time." in text(campaign, "seat", "gustav")
    summary = text(campaign, "newcomer", "dana")
    assert "Welcome: you now play France." in summary
    assert "Germany attacks" in summary or "attack" in summary.lower()
    assert f"/games/{campaign.game.pk}/phases/2/" in summary
    assert "SCORES" in summary
    assert "@" not in summary
    assert "The new player is Dana." in text(campaign, "seat", "gustav")
    assert "dana" not in readers(campaign, "seat")


def test_letters_about_people_are_equal_in_text_and_html() -> None:
    """Design 7."""
    from tests.letters.test_letters import seen_in, words

    campaign = Campaign.begin()
    felix, now = campaign.players["France"], campaign.now
    desk.pause(campaign.game, "Snow <b>and</b> ice.", campaign.ada, now)
    desk.resume(campaign.game, "Thaw.", campaign.ada, now)
    rule = {"every": "days", "days": 3, "time": "09:00"}
    desk.reschedule(campaign.game, rule, "UTC", "Slower.", campaign.ada, now, move_open=True)
    desk.change_settings(campaign.game, {"may_lock_early": True}, campaign.ada, now)
    desk.vacate(campaign.seat("France"), felix, "A new child.", felix, now)
    offer = desk.invite(campaign.seat("France"), "dana@example.org", campaign.ada, now)
    desk.accept(offer, person("dana"), now)
    desk.stand_by(person("charlie"), campaign.game, "I have time.", now)
    desk.hand_over(campaign.game, "abe@example.org", campaign.ada, now)
    silent(campaign, "Britain")
    silent(campaign, "Britain")
    silent(campaign, "Britain")
    desk.abandon(campaign.game, "Enough.", person("abe"), campaign.now)
    of_time = ("paused", "resumed", "rescheduled", "change", "abandoned")
    for kind in (*of_time, "seat", "left", "newcomer", "asks", "handed", "vacant"):
        assert campaign.letters(kind), kind
        for letter in campaign.letters(kind):
            made = rendering.render(letter)
            assert not words(made.text) - words(seen_in(made.html)), kind
            long = [line for line in made.text.splitlines() if len(line) > 72]
            assert all(line.startswith("    ") for line in long)
            for part in (made.subject, made.text, made.html):
                written = re.sub(r"(?s)<!DOCTYPE html>|<style>.*?</style>", "", part)
                assert "None" not in written
                assert "{" not in written
                assert "!" not in written
            assert "<b>" not in made.html


def test_service_takes_an_empty_seat_and_gives_it_back() -> None:
    campaign = Campaign.begin()
    seat = campaign.seat("France")
    desk.vacate(seat, campaign.players["France"], "Gone.", campaign.ada, campaign.now)
    desk.let_the_service_play(seat, campaign.now, campaign.ada)
    assert Seat.objects.get(pk=seat.pk).bot
    desk.stop_service(seat, campaign.ada, campaign.now)
    assert not Seat.objects.get(pk=seat.pk).bot
    assert desk.empty_seats(campaign.game) == ["France"]
    with pytest.raises(DeskError, match="not played by the service"):
        desk.stop_service(seat, campaign.ada, campaign.now)


def test_open_seat_is_listed_until_a_player_sits_down() -> None:
    """Issue 5, 6."""
    campaign = Campaign.begin()
    seat = campaign.seat("France")
    with pytest.raises(DeskError, match="not empty"):
        desk.offer_open(seat, campaign.ada, campaign.now)
    desk.vacate(seat, campaign.players["France"], "Gone.", campaign.ada, campaign.now)
    assert desk.seats_on_offer() == []
    desk.offer_open(seat, campaign.ada, campaign.now)
    assert desk.seats_on_offer() == [seat]
    with pytest.raises(DeskError, match="listed already"):
        desk.offer_open(seat, campaign.ada, campaign.now)
    standby = desk.stand_by(person("dana"), campaign.game, "Gladly.", campaign.now + HOUR)
    assert "Dana (dana@example.org) would like to take over a seat" in text(campaign, "asks", "ada")
    assert desk.standbys(campaign.game) == [standby]
    assert desk.seat_standby(seat, standby, campaign.ada, campaign.now + HOUR) is not None
    assert desk.open_seats(campaign.game) == []
    assert permissions.holds(person("dana"), seat)
    assert Standby.objects.get().until is not None


def offered() -> tuple[Campaign, Seat]:
    """Return a running game and its French seat, which is empty and listed."""
    campaign = Campaign.begin()
    seat = campaign.seat("France")
    desk.vacate(seat, campaign.players["France"], "Gone.", campaign.ada, campaign.now)
    desk.offer_open(seat, campaign.ada, campaign.now)
    assert desk.open_seats(campaign.game) == [seat]
    return campaign, seat


def test_open_seat_is_not_listed_while_the_service_plays_it() -> None:
    campaign, seat = offered()
    desk.let_the_service_play(seat, campaign.now, campaign.ada)
    assert desk.seats_on_offer() == []
    desk.stop_service(seat, campaign.ada, campaign.now)
    assert desk.seats_on_offer() == [seat]


def test_listing_ends_when_the_player_returns() -> None:
    campaign, seat = offered()
    desk.take_back(seat, "A mistake.", campaign.ada, campaign.now)
    desk.vacate(seat, campaign.players["France"], "Gone again.", campaign.ada, campaign.now)
    assert desk.open_seats(campaign.game) == []


@pytest.mark.both_databases
def test_listing_ends_with_the_game() -> None:
    """Issue 45: else the lists of open seats would go through those of all past games."""
    campaign, seat = offered()
    desk.abandon(campaign.game, "Nobody is left.", campaign.ada, campaign.now)
    assert Seat.objects.get(pk=seat.pk).offered_at is None


@pytest.mark.both_databases
def test_listings_of_the_first_release_are_found_by_its_acts() -> None:
    """From 0.1.0 on, databases keep working: it knew of listings from the acts of desks alone."""
    listed, seat = offered()
    taken, its_seat = offered()
    standby = desk.stand_by(person("dana"), taken.game, "", taken.now + HOUR)
    desk.seat_standby(its_seat, standby, taken.ada, taken.now + HOUR)
    ended, other = offered()
    desk.end_offer(other, ended.ada, ended.now)
    Seat.objects.update(offered_at=None)
    migration = import_module("games.migrations.0004_due_letters_last_days_and_offers")
    with connection.cursor() as cursor:
        cursor.execute(migration.LISTED)
    assert desk.seats_on_offer() == [seat]
    assert Seat.objects.get(pk=seat.pk).offered_at == listed.now


def test_standby_for_any_game_is_asked_before_being_seated() -> None:
    campaign = Campaign.begin()
    seat = campaign.seat("France")
    desk.vacate(seat, campaign.players["France"], "Gone.", campaign.ada, campaign.now)
    standby = desk.stand_by(person("dana"), None, "", campaign.now)
    assert desk.seat_standby(seat, standby, campaign.ada, campaign.now) is None
    assert Invitation.objects.get(email="dana@example.org").seat == seat
    with pytest.raises(DeskError, match="already on that list"):
        desk.stand_by(person("dana"), None, "", campaign.now)
    desk.stand_down(standby, campaign.now)
    assert desk.standbys(campaign.game) == []
    with pytest.raises(DeskError, match="You already play in"):
        desk.stand_by(person("una"), campaign.game, "", campaign.now)


def test_standby_for_games_of_one_kind_is_offered_no_other() -> None:
    """The form asks for which games a person stands by."""
    campaign = Campaign.begin()
    desk.stand_by(person("dana"), None, "", campaign.now, ruleset_id="origins-ww1")
    zoe = desk.stand_by(person("zoe"), None, "", campaign.now, ruleset_id="origins-ww2")
    assert desk.standbys(campaign.game) == [zoe]


def test_address_of_a_standby_for_any_game_is_not_listed(as_: Browser) -> None:
    """The account page says that only the gamesmaster of one's games sees one's address."""
    campaign = Campaign.begin()
    seat, zoe = campaign.seat("France"), person("zoe")
    desk.vacate(seat, campaign.players["France"], "Gone.", campaign.ada, campaign.now)
    desk.stand_by(person("dana"), None, "", campaign.now)
    desk.stand_by(Person.objects.at("nobody@example.org"), None, "", campaign.now)
    desk.stand_by(zoe, campaign.game, "", campaign.now)
    page = as_("ada").read(reverse("desk-people", args=[campaign.game.pk]))
    assert "Dana" in page
    assert "a player without a name" in page
    assert "dana@example.org" not in page
    assert "nobody@example.org" not in page
    assert zoe.email in page, "who asked for a seat in this game wrote to its gamesmaster"


def test_people_page_offers_to_replace_the_link_that_a_former_gamesmaster_knows(
    as_: Browser,
) -> None:
    """Security: who was removed kept knowing it, and nothing said so."""
    campaign = Campaign.open()
    game, ada = campaign.game, campaign.ada
    desk.vacate(campaign.seat("USA"), campaign.players["USA"], "Ill.", ada, campaign.now)
    address, offered = reverse("desk-people", args=[game.pk]), "may still know the link to share"
    otto = desk.add_gamesmaster(game, "otto@example.org", ada, campaign.now)
    assert offered not in as_("ada").read(address)
    desk.remove_gamesmaster(game, otto, ada, campaign.now)
    assert offered in as_("ada").read(address)
    old = tokens.join_token(game)
    as_("ada").post(address, {"do": "link"})
    game.refresh_from_db()
    assert not tokens.is_join(old, game)
    assert offered not in as_("ada").read(address)


def test_people_page_says_that_a_former_gamesmaster_may_know_codes(as_: Browser) -> None:
    campaign = Campaign.open()
    game, ada, now = campaign.game, campaign.ada, campaign.now
    otto = desk.add_gamesmaster(game, "otto@example.org", ada, now)
    classroom.seat_class(game, [roster.Pupil("Anna", "", "USA")], ada, now)
    anna = Person.objects.get(name="Anna")
    desk.hand_over(game, otto.email, ada, now + HOUR)
    address = reverse("desk-people", args=[game.pk])
    assert "the code of 1 pupil, and order with it" in as_("otto").read(address)
    classroom.new_code(game, anna, otto, now + 2 * HOUR)
    assert "may still know the code" not in as_("otto").read(address)


def test_last_gamesmaster_cannot_leave_but_hands_the_game_over() -> None:
    """Issue 5, 6: several gamesmasters; hand over the game."""
    campaign = Campaign.begin()
    with pytest.raises(DeskError, match="Add another one first"):
        desk.remove_gamesmaster(campaign.game, campaign.ada, campaign.ada, campaign.now)
    abe = desk.add_gamesmaster(campaign.game, "Abe@example.org", campaign.ada, campaign.now)
    assert permissions.runs(abe, campaign.game)
    assert "You run this game from now on." in text(campaign, "handed", "abe")
    with pytest.raises(DeskError, match="already runs this game"):
        desk.add_gamesmaster(campaign.game, "abe@example.org", campaign.ada, campaign.now)
    desk.hand_over(campaign.game, "abe@example.org", campaign.ada, campaign.now)
    assert not permissions.runs(campaign.ada, campaign.game)
    assert "handed over" in text(campaign, "handed", "ada")
    with pytest.raises(DeskError, match="not an e-mail address"):
        desk.hand_over(campaign.game, "abe", person("abe"), campaign.now)


@pytest.mark.both_databases
def test_two_missed_phases_in_a_row_are_reported_once() -> None:
    """Rules 0.2: after 2 NMRs in a row the seat is reported vacant (`seat.nmr_limit`)."""
    campaign = Campaign.begin()
    silent(campaign, "Britain")
    assert campaign.letters("vacant") == []
    silent(campaign, "Britain")
    assert readers(campaign, "vacant") == {"ada"}
    assert "sent no orders in 2 phases in a row" in text(campaign, "vacant", "ada")
    silent(campaign, "Britain")
    assert len(campaign.letters("vacant")) == 1
    assert [seat.nation for seat, missed in desk.vacant_seats(campaign.game)] == ["Britain"]
    silent(campaign)
    assert desk.vacant_seats(campaign.game) == []
    assert Act.objects.filter(kind="vacant").count() == 1


def test_letter_about_a_vacant_seat_tells_of_orders_that_did_not_count(settings: Settings) -> None:
    """A player whose orders cannot be read is not away. By mail alone the gamesmaster needs the
    command."""
    settings.MAIL_IN = True
    campaign = Campaign.begin()
    silent(campaign, "Britain")
    campaign.order("Britain", "No attack from me. I am travelling.")
    silent(campaign, "Britain")
    told = text(campaign, "vacant", "ada")
    assert "Orders did come for Turn 1 attacks, and did not count: No. 1, no line could be" in told
    assert "VACATE Britain: why, as a reply" in told


def test_orders_between_two_misses_reset_the_count() -> None:
    campaign = Campaign.begin()
    silent(campaign, "Britain")
    silent(campaign)
    silent(campaign, "Britain")
    assert campaign.letters("vacant") == []


def test_missed_turns_stay_with_the_predecessor() -> None:
    """Issue 5, 6."""
    campaign = Campaign.begin()
    silent(campaign, "Britain")
    seat = campaign.seat("Britain")
    offer = desk.replace(seat, "dana@example.org", "Silent.", campaign.ada, campaign.now)
    desk.accept(offer, person("dana"), campaign.now + timedelta(seconds=1))
    campaign.now += timedelta(seconds=2)
    phase = silent(campaign, "Britain")
    assert vacancies.count_missed(campaign.game, phase)[seat] == 1
    assert campaign.letters("vacant") == []
    assert Person.objects.filter(email=f"{PLAYERS['Britain']}@example.org").exists()


# --- one person, one nation ---


@pytest.mark.both_databases
def test_player_is_not_invited_to_a_second_nation() -> None:
    campaign = Campaign.begin()
    felix = campaign.players["France"]
    desk.vacate(campaign.seat("France"), felix, "Leaves.", felix, campaign.now)
    sentence = "gustav@example.org already plays Germany in this game."
    with pytest.raises(DeskError, match=sentence):
        desk.invite(campaign.seat("France"), "Gustav@example.org", campaign.ada, campaign.now)
    with pytest.raises(DeskError, match=sentence):
        desk.invite(
            campaign.seat("Britain"), "gustav@example.org", campaign.ada, campaign.now, joins=True
        )
    assert not campaign.seat("Britain").team
    desk.invite(campaign.seat("France"), "felix@example.org", campaign.ada, campaign.now)


@pytest.mark.both_databases
def test_player_does_not_accept_a_second_nation() -> None:
    """The invitation may be older than the seat: the person got the first seat meanwhile."""
    campaign = Campaign.begin()
    for nation in ("France", "USA"):
        player, seat = campaign.players[nation], campaign.seat(nation)
        desk.vacate(seat, player, "Leaves.", player, campaign.now)
    offer = desk.invite(campaign.seat("France"), "dana@example.org", campaign.ada, campaign.now)
    Sitting.objects.create(seat=campaign.seat("USA"), person=person("dana"), since=campaign.now)
    with pytest.raises(DeskError, match="already plays USA"):
        desk.accept(offer, person("dana"), campaign.now)
    assert not campaign.seat("France").sittings.current().exists()


@pytest.mark.both_databases
def test_address_has_one_open_invitation_of_a_game() -> None:
    campaign = Campaign.begin()
    for nation in ("France", "USA"):
        player, seat = campaign.players[nation], campaign.seat(nation)
        desk.vacate(seat, player, "Leaves.", player, campaign.now)
    first = desk.invite(campaign.seat("France"), "dana@example.org", campaign.ada, campaign.now)
    with pytest.raises(DeskError, match="already invited to play France"):
        desk.invite(campaign.seat("USA"), "dana@example.org", campaign.ada, campaign.now)
    desk.withdraw(first, campaign.now, campaign.ada)
    desk.invite(campaign.seat("USA"), "dana@example.org", campaign.ada, campaign.now)


def test_replacement_writes_each_bystander_one_letter() -> None:
    """Vacated, a new deadline, played by another: they read it as one event."""
    campaign = Campaign.begin(schedule={"every": "days", "days": 3, "time": "09:00"})
    seat, start, was = campaign.seat("Germany"), campaign.now, campaign.phase.deadline
    offer = desk.replace(seat, "nora@example.org", "Ill.", campaign.ada, start, extra_hours=6)
    campaign.wait_until(start + timedelta(minutes=5))
    desk.accept(offer, person("nora"), campaign.now)
    campaign.wait_until(start + timedelta(days=1, minutes=1))
    assert campaign.phase.deadline == was + timedelta(hours=6)
    rows = Letter.objects.filter(written_at__gte=start, status=Letter.Status.SENT)
    told = rows.filter(address="rosa@example.org")
    (letter,) = told.exclude(kind__in=("invitation", "begins", "opened", "reminder"))
    written = " ".join(letter_text(letter).split())
    assert "Germany is played by another player from now on." in written
    assert "The deadline of Turn 1 placement moved from" in written
    to_nora = rows.filter(address="nora@example.org").order_by("pk")
    assert [row.kind for row in to_nora] == ["invitation", "newcomer"]


@pytest.mark.parametrize("do", ["vacate", "eject", "spokesman", "note", "remove", "unask"])
def test_people_page_names_nobody_from_outside_the_game(
    campaign: Campaign, as_: Browser, do: str
) -> None:
    """A number in a form named any account: refusals say who the person is."""
    outsider = Person.objects.at("hidden@example.org")
    data = {"do": do, "seat": campaign.seat("Germany").pk, "person": outsider.pk}
    data |= {"reason": "Enough.", "text": "A note."}
    page = reverse("desk-people", args=[campaign.game.pk])
    answer = as_("ada").post(page, data, follow=True).content.decode()
    assert "That person is not in this game." in answer
    assert outsider.email not in answer


def test_page_says_who_left_a_team_that_plays_on(campaign: Campaign, as_: Browser) -> None:
    """It said that the seat is vacated."""
    seat, gustav = campaign.seat("Germany"), campaign.players["Germany"]
    offer = desk.invite(seat, "zoe@example.org", campaign.ada, campaign.now, joins=True)
    desk.accept(offer, person("zoe"), campaign.now)
    data = {"do": "vacate", "seat": seat.pk, "person": gustav.pk, "reason": "A new child."}
    page = as_("ada").post(reverse("desk-people", args=[campaign.game.pk]), data, follow=True)
    assert "Gustav no longer plays Germany." in page.content.decode()
    assert seat.sittings.current().get().person == person("zoe")


def test_answered_request_to_run_a_game_is_not_called_withdrawn(
    campaign: Campaign, as_: Browser
) -> None:
    game = campaign.game
    dana = desk.ask_gamesmaster(game, "dana@example.org", campaign.ada, campaign.now)
    desk.accept_request(tokens.request_token(Act.objects.latest("pk")), campaign.now)
    data = {"do": "unask", "person": dana.pk}
    page = as_("ada").post(reverse("desk-people", args=[game.pk]), data, follow=True)
    assert "has been accepted or withdrawn already" in page.content.decode()
    assert game.gamesmasters.filter(pk=dana.pk).exists()


def test_game_that_is_over_can_be_handed_over(campaign: Campaign) -> None:
    """The desk offers it, and the gamesmaster can still rule on a finished game."""
    game = campaign.game
    desk.abandon(game, "Enough.", campaign.ada, campaign.now)
    dana = desk.ask_gamesmaster(
        game, "dana@example.org", campaign.ada, campaign.now, hands_over=True
    )
    desk.accept_request(tokens.request_token(Act.objects.latest("pk")), campaign.now)
    game.refresh_from_db()
    assert list(game.gamesmasters.all()) == [dana]


def test_seat_can_be_taken_when_its_extra_time_is_over() -> None:
    """In the hours of grace the deadline is past, and the phase is still open."""
    campaign = Campaign.begin(options={"orders.grace_hours": 12})
    seat = campaign.seat("France")
    offer = desk.replace(
        seat, "dana@example.org", "No answer.", campaign.ada, campaign.now, extra_hours=1
    )
    deadline = campaign.phase.deadline
    desk.accept(offer, person("dana"), deadline + 2 * HOUR)
    assert seat.sittings.current().get().person == person("dana")
    assert campaign.phase.deadline == deadline


def test_player_of_a_pair_leaves_both_nations_at_once(as_: Browser) -> None:
    """Rules A.5. The page let them choose one, and said then that they no longer play that one."""
    seats = dict(ADDRESSES, Russia="table", France="table")
    pairs = [("Britain", "France"), ("Germany", "Russia")]
    campaign = WorldWarOne.begin(seats=seats, pairs=pairs)
    page = reverse("leave", args=[campaign.game.pk])
    assert "<select" not in as_("gustav").read(page)
    told = as_("gustav").submit(page, {"reason": "No time."}, follow=True)
    assert "You no longer play Germany and Russia." in told
    assert not Sitting.objects.current().filter(person=person("gustav")).exists()


@pytest.mark.parametrize("page", ["leave", "away", "votes"])
def test_forms_of_a_game_that_is_over_lead_to_the_game(as_: Browser, page: str) -> None:
    """They stayed reachable by address, and could only be refused."""
    campaign = Campaign.begin()
    address = reverse(page, args=[campaign.game.pk])
    assert as_("rosa").get(address).status_code == 200
    desk.abandon(campaign.game, "No time.", campaign.ada, campaign.now)
    for answer in (as_("rosa").get(address), as_("rosa").post(address, {"reason": "No time."})):
        assert answer.status_code == 302
        assert answer.headers["Location"] == campaign.game.get_absolute_url()
    assert Sitting.objects.current().filter(person=person("rosa")).exists()


def test_everybody_reads_why_a_player_left_before_the_game_began(as_: Browser) -> None:
    """The form says that the reason goes to every player; not even the gamesmaster got a letter."""
    campaign = Campaign.open()
    as_("rosa").post(reverse("leave", args=[campaign.game.pk]), {"reason": "No time."})
    assert len(campaign.letters("seat")) == 5
    text = letter_text(campaign.letters("seat", "ada")[-1])
    assert "The player of Russia left the game." in text
    assert "No time." in text
    assert "stay in force" not in text
