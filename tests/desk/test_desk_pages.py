"""The desk: a gamesmaster's games, most urgent first, and the page of one game (design.md 1)."""

from __future__ import annotations

import html
import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from games import desk
from games.desk import forecast, votes
from games.models import Act, Complaint, Game, Letter, Person, Phase, Reading, Resolution
from games.models.people import CLASS_DOMAIN
from games.press import complaints, conversations
from games.web.desk import inbox
from tests.inbound.writing import send
from tests.support.campaign import MONDAY, NATIONS, Campaign, person
from tests.web.conftest import Browser, Watch

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("watch")]
DAILY = {"every": "days", "days": 1, "time": "09:00"}
#: What stands beside a way to repeat deadlines, and what opens a part of a page.
RADIO = r'type="radio" name="every"[^>]*>\s*(?:<select.*?</select>)?\s*<label[^>]*>(.*?)</label>'
SUMMARY = r"<summary>(.*?)</summary>"
PAGES = ("desk", "desk-rulings", "desk-approval", "desk-prospects")


def page(client: Client, name: str, game: Game) -> str:
    response = client.get(reverse(name, args=[game.pk]))
    assert response.status_code == 200, (name, response.status_code)
    return response.content.decode()


@pytest.mark.parametrize(("name", "pattern"), [("desk-times", RADIO), ("desk-people", SUMMARY)])
def test_things_to_press_have_names_of_their_own(name: str, pattern: str, as_: Browser) -> None:
    """A screen reader said “Every” four times, and five times “Replace”."""
    shown = page(as_("ada"), name, Campaign.begin().game)
    names = [re.sub(r"<[^>]+>", "", found) for found in re.findall(pattern, shown, re.DOTALL)]
    assert len(names) > 5
    assert len({*names}) == len(names), names


# --- the tabs ---


def shown_tabs(client: Client, game: Game) -> list[str]:
    nav = page(client, "desk-times", game).partition('aria-label="The desk of this game"')[2]
    return re.findall(r">([^<>]+)</a></li>", nav.partition("</nav>")[0])


def test_desk_shows_tabs_for_features_of_the_game(as_: Browser) -> None:
    """gamesmaster.md U7: all games had the same 11 tabs, Forecast and Class among them."""
    common = ["Desk", "Time", "People", "Letters", "Questions"]
    forming = Campaign.open().game
    assert shown_tabs(as_("ada"), forming) == [*common, "Telephone", "Paper", "Channels", "Class"]
    running = Campaign.begin()
    played = [*common, "Rulings", "Forecast", "Telephone", "Paper", "Channels"]
    assert shown_tabs(as_("ada"), running.game) == played
    running.game.seats.filter(nation="France").update(team=True)
    assert shown_tabs(as_("ada"), running.game) == [*played, "Class"]
    desk.abandon(running.game, "We stop.", person("ada"), running.now)
    running.game.refresh_from_db()
    assert shown_tabs(as_("ada"), running.game) == [
        *common,
        "Rulings",
        "Telephone",  # the final result is read out, too
        "Paper",
        "Class",
    ]


# --- permissions ---


@pytest.mark.parametrize("name", PAGES)
def test_desk_asks_strangers_to_log_in_and_refuses_other_people(
    campaign: Campaign, as_: Browser, name: str
) -> None:
    where = reverse(name, args=[campaign.game.pk])
    assert as_().get(where).status_code == 302
    assert as_("charlie").get(where).status_code == 403


@pytest.mark.parametrize("name", PAGES)
def test_private_game_desk_is_not_found_for_other_people(
    private: Campaign, as_: Browser, name: str
) -> None:
    assert as_("charlie").get(reverse(name, args=[private.game.pk])).status_code == 404


@pytest.mark.parametrize("name", PAGES)
def test_player_cannot_open_the_desk(campaign: Campaign, as_: Browser, name: str) -> None:
    assert as_("gustav").get(reverse(name, args=[campaign.game.pk])).status_code == 403


@pytest.mark.parametrize("name", PAGES)
def test_gamesmaster_of_another_game_cannot_open_the_desk(
    campaign: Campaign, as_: Browser, name: str
) -> None:
    other = Campaign.begin()
    other.game.gamesmasters.set([person("dana")])
    assert as_("dana").get(reverse(name, args=[other.game.pk])).status_code == 200
    assert as_("dana").get(reverse(name, args=[campaign.game.pk])).status_code == 403


@pytest.mark.parametrize("name", [*PAGES, "rulings"])
def test_read_only_pages_refuse_post(campaign: Campaign, as_: Browser, name: str) -> None:
    assert as_("ada").post(reverse(name, args=[campaign.game.pk])).status_code == 405


@pytest.mark.both_databases
def test_list_of_desks_shows_each_gamesmasters_own_games(campaign: Campaign, as_: Browser) -> None:
    assert as_().get(reverse("desks")).status_code == 302
    assert "You run no game yet" in as_("charlie").read(reverse("desks"))
    assert campaign.game.title in as_("ada").read(reverse("desks"))
    assert as_("ada").post(reverse("desks")).status_code == 405


def test_public_list_of_rulings_needs_permission_in_a_private_game(
    campaign: Campaign, private: Campaign, as_: Browser
) -> None:
    act: Any = {"game": campaign.game, "done_at": MONDAY}
    Act.objects.create(kind="pause", words="The game is paused.", **act)
    Act.objects.create(kind="note", words="Told to nobody.", private=True, **act)
    text = page(as_(), "rulings", campaign.game)
    assert "The game is paused." in text
    assert "Told to nobody." not in text
    assert as_("charlie").get(reverse("rulings", args=[private.game.pk])).status_code == 404


# --- contents ---


@pytest.mark.both_databases
def test_most_urgent_game_comes_first(as_: Browser) -> None:
    quiet, empty, held = (Campaign.begin(title=name) for name in ("Quiet", "Empty seat", "Held"))
    empty.seat("USA").sittings.update(until=MONDAY)
    Phase.objects.filter(pk=held.phase.pk).update(
        status="held", held_from="locked", fault="The rules cannot decide.", due_at=None
    )
    text = as_("ada").read(reverse("desks"))
    places = [text.index(f">{title}</a></h2>") for title in ("Held", "Empty seat", "Quiet")]
    assert places == sorted(places)
    assert "Nobody plays USA." in text
    assert "is on hold and needs you" in text
    assert quiet.phase.status == Phase.Status.OPEN


def test_desk_lists_submissions_with_times(campaign: Campaign, as_: Browser) -> None:
    Person.objects.filter(pk=person("gustav").pk).update(telephone="+49 30 1234")
    campaign.order("Germany", "PLACE 2 Poland")
    campaign.order("Germany", "PLACE 4 Poland", final=True)
    campaign.order("France", "qwertz")
    text = page(as_("ada"), "desk", campaign.game)
    assert "in, and final" not in text  # it would end nothing in this game
    assert "no line could be read" in text
    assert "not yet" in text
    assert 'href="tel:+49301234"' in text
    assert campaign.game.submissions.get(number=2).get_absolute_url() in text
    assert "Orders close and the phase is resolved:" in text


def test_desk_warns_of_rejected_lines_in_orders_in_force(as_: Browser) -> None:
    """gamesmaster.md U10: a rejected line was visible only under “read”."""
    campaign = Campaign.begin(seats=dict.fromkeys(NATIONS, "bot") | {"USA": "una@example.org"})
    campaign.order("USA", "PLACE 1 Poland")
    assert "rejected" not in page(as_("ada"), "desk", campaign.game)
    campaign.order("USA", "PLACE 1 Poland\n\nPLACE three Atlantis")
    assert "1 line rejected" in page(as_("ada"), "desk", campaign.game)


def test_desk_hides_orders_from_a_playing_gamesmaster(as_: Browser) -> None:
    people = {"USA": "me", "Germany": "gustav@example.org"}
    campaign = Campaign.begin(seats=dict.fromkeys(NATIONS, "bot") | people)
    campaign.order("Germany", "PLACE 4 Poland")
    text = page(as_("ada"), "desk", campaign.game)
    assert campaign.game.submissions.get(number=1).get_absolute_url() not in text
    assert "only after the phase is resolved" in text
    assert as_("ada").get(reverse("desk-prospects", args=[campaign.game.pk])).status_code == 403
    assert "Forecast" not in shown_tabs(as_("ada"), campaign.game)


@pytest.mark.both_databases
def test_failed_letters_and_letters_to_print_are_listed(campaign: Campaign, as_: Browser) -> None:
    letter = Letter.objects.filter(game=campaign.game, kind="begins").order_by("pk")[0]
    Letter.objects.filter(pk=letter.pk).update(status="failed", fault="550 no such user")
    Letter.objects.filter(pk=letter.pk + 1).update(status="print")
    text = page(as_("ada"), "desk", campaign.game)
    assert "550 no such user" in text
    assert "1 letter could not be delivered." in text
    assert "1 letter to be printed and posted." in text


def test_letters_of_a_telephone_player_are_no_task(campaign: Campaign, as_: Browser) -> None:
    """Without a postal address they cannot be posted; an evening has two a phase for each seat."""
    gustav = campaign.players["Germany"]
    Person.objects.filter(pk=gustav.pk).update(by_post=True, telephone="+49 40 123456")
    Letter.objects.filter(game=campaign.game, person=gustav).update(status="print")
    assert "to be printed" not in page(as_("ada"), "desk", campaign.game)
    assert "Print all as one PDF" in page(as_("ada"), "desk-paper", campaign.game)
    Person.objects.filter(pk=gustav.pk).update(postal_address="Am Markt 1\nBremen")
    assert "letters to be printed and posted." in page(as_("ada"), "desk", campaign.game)


@pytest.mark.both_databases
def test_question_is_listed_until_it_is_answered(campaign: Campaign, as_: Browser) -> None:
    seat, rosa = campaign.seat("Russia"), campaign.players["Russia"]
    how: Any = {"channel": "web", "now": MONDAY}
    question = conversations.send(
        campaign.game, seat, rosa, [], "May I <b>wait</b>?", to_gamesmaster=True, **how
    )
    text = page(as_("ada"), "desk", campaign.game)
    assert "May I &lt;b&gt;wait&lt;/b&gt;?" in text
    assert "1 question of players without an answer." in text
    how |= {"answers": question}
    conversations.send(campaign.game, None, campaign.ada, ["Russia"], "You may.", **how)
    assert "without an answer" not in page(as_("ada"), "desk", campaign.game)


def test_held_mail_is_shown_with_its_text_and_decided_by_post_only(
    campaign: Campaign, as_: Browser, settings: Settings
) -> None:
    settings.MAIL_UNPROVEN = "hold"
    held = send(campaign, "Germany", "PLACE 4 Poland\n", sender="gustav@elsewhere.example")
    text = page(as_("ada"), "desk", campaign.game)
    assert "PLACE 4 Poland" in text
    assert "1 message on hold for you." in text
    where = reverse("desk-mail", args=[campaign.game.pk, held.code])
    assert as_("ada").get(where).status_code == 405
    assert as_("charlie").post(where, {"decision": "obey"}).status_code == 403
    assert as_("gustav").post(where, {"decision": "obey"}).status_code == 403
    other = Campaign.begin()
    elsewhere = reverse("desk-mail", args=[other.game.pk, held.code])
    assert as_("ada").post(elsewhere, {"decision": "obey"}).status_code == 404
    answer = as_("ada").submit(where, {"decision": "perhaps"}, follow=True)
    assert "Choose whether to accept or refuse the message." in answer
    held.refresh_from_db()
    assert held.status == "held"


def test_mail_that_was_set_aside_is_listed_without_text_for_a_player(
    campaign: Campaign, as_: Browser
) -> None:
    """Its text may be orders."""
    send(campaign, "Germany", "I am away.\n", headers={"Auto-Submitted": "auto-replied"})
    assert "Mail that was set aside" in page(as_("ada"), "desk", campaign.game)
    assert "I am away." in page(as_("ada"), "desk", campaign.game)
    assert "+…@" not in page(as_("ada"), "desk", campaign.game)
    campaign.game.gamesmasters.add(person("bea"))
    text = page(as_("bea"), "desk", campaign.game)
    assert "It says of itself “Auto-Submitted: auto-replied”." in text
    assert "I am away." not in text
    other = Campaign.begin()
    assert "set aside" not in page(as_("ada"), "desk", other.game)


def test_standbys_and_recent_acts_are_listed(campaign: Campaign, as_: Browser) -> None:
    desk.stand_by(person("dana"), campaign.game, "evenings only", MONDAY)
    desk.pause(campaign.game, "Snow.", campaign.ada, MONDAY)
    text = page(as_("ada"), "desk", campaign.game)
    assert "evenings only" in text
    assert "The game is paused." in text
    assert "Snow." in text


def test_reported_letter_waits_on_the_desk_of_those_who_decide(
    campaign: Campaign, as_: Browser
) -> None:
    letter = conversations.send(
        campaign.game,
        campaign.seat("France"),
        campaign.players["France"],
        ["Germany"],
        "I know where you live.",
        channel="web",
        now=campaign.now,
    )
    complaints.report(campaign.players["Germany"], letter, "A threat.", campaign.now)
    campaign.game.gamesmasters.add(person("bea"))  # plays, and reads no letters of others
    text = page(as_("ada"), "desk", campaign.game)
    assert f'<a href="{reverse("complaints")}">1 reported letter.</a>' in text
    assert "reported letter" not in page(as_("bea"), "desk", campaign.game)
    complaints.close(Complaint.objects.get(), campaign.ada, campaign.now)
    assert "reported letter" not in page(as_("ada"), "desk", campaign.game)


def test_passed_vote_waits_on_the_desk_until_the_veto(campaign: Campaign, as_: Browser) -> None:
    Game.objects.filter(pk=campaign.game.pk).update(veto_hours=24)
    campaign.game.refresh_from_db()
    for player in campaign.players.values():
        votes.cast(campaign.game, player, "draw", "", campaign.now)
    text = page(as_("ada"), "desk", campaign.game)
    assert "The players voted for a draw between all nations; you can veto it until Tuesday" in text
    assert f"{reverse('desk-times', args=[campaign.game.pk])}#votes" in text
    votes.veto(campaign.game, "Not yet.", campaign.ada, campaign.now)
    assert "you can veto it" not in page(as_("ada"), "desk", campaign.game)


def test_silent_seat_waits_on_the_desk_until_it_sends_orders(
    campaign: Campaign, as_: Browser
) -> None:
    for _ in range(2):
        for nation in NATIONS:
            if nation != "Russia":
                campaign.order(nation, "PASS")
        campaign.pass_deadline()
    seat = campaign.seat("Russia")
    text = page(as_("ada"), "desk", campaign.game)
    assert "Russia has been silent for 2 phases and counts as vacant." in text
    assert f"{reverse('desk-people', args=[campaign.game.pk])}#seat-{seat.pk}" in text
    campaign.order("Russia", "PASS")
    campaign.pass_deadline()
    assert "has been silent" not in page(as_("ada"), "desk", campaign.game)


def test_silent_seats_share_one_line_of_the_desk(campaign: Campaign, as_: Browser) -> None:
    """With seven nations the list of what waits was longer than the window."""
    for _ in range(4):
        campaign.pass_deadline()
    text = page(as_("ada"), "desk", campaign.game)
    assert "USA, France, Britain, Russia and Germany have been silent and count as vacant." in text
    assert text.count("silent") == 1


def waiting_for_sales(*attacks: str) -> tuple[Campaign, Phase, datetime]:
    """Return a newspaper game that waits for sales, its phase, and when their session closes."""
    campaign = Campaign.begin(market="newspaper", schedule=DAILY)
    campaign.order("Germany", "PLACE 10 Poland\nPLACE 10 Austria")
    campaign.order("France", "PLACE 6 Poland\nPLACE 6 Austria")
    campaign.pass_deadline()
    campaign.order("Germany", "\n".join(attacks))
    campaign.pass_deadline()
    phase = campaign.phase
    assert phase.status == Phase.Status.DRAWING
    assert phase.session_closes is not None
    return campaign, phase, phase.session_closes


def test_desk_asks_for_figures_only_while_a_stock_lacks_one() -> None:
    campaign, phase, closes = waiting_for_sales("ATTACK Poland: France STOCK GE")
    assert phase.stocks == ["GE"]

    def words(now: datetime) -> list[str]:
        (desk_of_game,) = inbox.desks_of([campaign.game], campaign.ada, now)
        return [task.words for task in desk_of_game.wants]

    asked = f"Sales figures of {phase.title_within} need to be entered."
    assert asked not in words(closes - timedelta(minutes=1))  # nobody can know them
    assert asked in words(closes)
    desk.enter_figure(phase, "GE", 5_412_700, campaign.ada, closes + timedelta(hours=1))
    assert asked not in words(closes + timedelta(hours=1))


def test_sales_are_entered_as_a_table_once_the_session_is_over(as_: Browser, watch: Watch) -> None:
    campaign, phase, closes = waiting_for_sales(
        "ATTACK Poland: France STOCK GE", "ATTACK Austria: France STOCK XOM"
    )
    watch.set(closes - timedelta(minutes=1))
    assert "Enter the figures" not in page(as_("ada"), "desk", campaign.game)
    watch.set(closes + timedelta(minutes=1))
    shown = as_("ada").get(reverse("desk", args=[campaign.game.pk]))
    assert shown.context["figure_form"].stocks == ("GE", "XOM")
    address = reverse("phase-figure", args=[campaign.game.pk, phase.number])
    refused = as_("ada").post(address, {"volume-GE": "5412700", "volume-XOM": "37"})
    assert "Enter “no report” for XOM instead" in html.unescape(refused.content.decode())
    assert not Reading.objects.exists()  # all of them or none
    answer = as_("ada").post(address, {"volume-GE": "5412700", "no_report-XOM": "on"})
    assert answer.url == reverse("desk", args=[campaign.game.pk])  # type: ignore[attr-defined]
    entered = Reading.objects.order_by("symbol").values_list("symbol", "volume")
    assert list(entered) == [("GE", 5_412_700), ("XOM", None)]


def test_letters_to_pupils_are_no_task(as_: Browser) -> None:
    """They read them on a page: what the desk counts is what its page lists."""
    campaign = Campaign.begin()
    pupil = campaign.players["Germany"]
    Person.objects.filter(pk=pupil.pk).update(email=f"p1@{CLASS_DOMAIN}")
    Letter.objects.filter(person=pupil).update(status=Letter.Status.PRINT)
    text = page(as_("ada"), "desk", campaign.game)
    assert "to be printed" not in text
    assert "Nothing to print" in page(as_("ada"), "desk-paper", campaign.game)


def test_missed_turns_in_a_row_count_for_the_present_player(
    campaign: Campaign, as_: Browser
) -> None:
    campaign.order("Germany", "PLACE 4 Poland")
    campaign.pass_deadline()
    campaign.pass_deadline()
    phases = list(campaign.game.phases.order_by("number"))
    for phase in phases[:2]:
        missed = ["USA", "France", *(["Germany"] if phase.number == 2 else [])]
        Phase.objects.filter(pk=phase.pk).update(missed=missed)
    phases = list(campaign.game.phases.order_by("number"))
    seats = list(campaign.game.seats.all())
    sent = [(phases[0].pk, "Germany")]
    since = dict.fromkeys(NATIONS, MONDAY) | {"France": phases[1].deadline - timedelta(minutes=1)}
    missed_turns = inbox.count_missed(seats, phases, sent, since)
    assert missed_turns["USA"] == 2
    assert missed_turns["Germany"] == 1
    assert missed_turns["France"] == 1, "what the predecessor missed stays his"
    assert missed_turns["Russia"] == 0


def test_desk_queries_do_not_grow_over_twelve_phases(campaign: Campaign, as_: Browser) -> None:
    client = as_("ada")

    def questions() -> int:
        with CaptureQueriesContext(connection) as queries:
            page(client, "desk", campaign.game)
        return len(queries)

    first = questions()
    for _ in range(3):
        campaign.order("Germany", "PLACE 4 Poland")
        campaign.pass_deadline()
    some = questions()
    while campaign.game.status == Game.Status.RUNNING and campaign.game.phases.count() < 12:
        campaign.pass_deadline()
    assert campaign.game.phases.count() == 12
    # The start position of the first phase is not read but computed, from the seats.
    assert questions() <= some <= first + 4
    assert questions() < 60


def test_list_of_desks_queries_do_not_grow_with_games(as_: Browser) -> None:
    client = as_("ada")

    def questions() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(reverse("desks")).status_code == 200
        return len(queries)

    Campaign.begin()
    before = questions()
    for _ in range(3):
        Campaign.begin()
    assert questions() == before


# --- forecast ---


def attacking() -> Campaign:
    """Return a campaign in which Germany's 8 in Poland attack Russia's 4."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 8 Poland")
    campaign.order("Russia", "PLACE 4 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE")
    return campaign


def test_forecast_shows_odds_and_the_result_of_each_digit(as_: Browser, watch: Watch) -> None:
    campaign = attacking()
    watch.set(campaign.now)
    board = campaign.board()["Poland"]
    text = page(as_("ada"), "desk-prospects", campaign.game)
    assert f"{board['Germany'].pf} to {board['Russia'].pf}" in text
    assert "400 trials" in text
    table = campaign.game.rules.guide.table()
    odds = f"{board['Germany'].pf // board['Russia'].pf}-1"
    column = table.columns.index(odds)

    (attack,) = forecast.prospects_of(campaign.phase).attacks
    assert attack.odds == odds
    assert attack.comes_to_a_throw == 1
    results_by_digit = {outcome.digit: outcome.result for outcome in attack.outcomes}
    assert results_by_digit == {digit: results[column] for digit, results in table.rows}


def test_forecast_is_repeatable_and_writes_nothing(as_: Browser) -> None:
    campaign = attacking()
    before = Resolution.objects.count()
    assert forecast.prospects_of(campaign.phase) == forecast.prospects_of(campaign.phase)
    assert Resolution.objects.count() == before


def test_forecast_frequencies_match_the_table(as_: Browser) -> None:
    campaign = attacking()
    prospects = forecast.prospects_of(campaign.phase)
    (attack,) = prospects.attacks
    survival = sum(1 for outcome in attack.outcomes if not dict(outcome.losses).get("Russia")) / 10
    expected = dict(prospects.areas)["Poland"][prospects.nations.index("Russia")]
    assert expected.pf == pytest.approx(survival * campaign.board()["Poland"]["Russia"].pf, abs=0.5)


def test_placement_phase_has_no_forecast(campaign: Campaign, as_: Browser) -> None:
    assert "There is no forecast now" in page(as_("ada"), "desk-prospects", campaign.game)


def test_forecast_is_never_cached(as_: Browser) -> None:
    campaign = attacking()
    response = as_("ada").get(reverse("desk-prospects", args=[campaign.game.pk]))
    assert "no-store" in response["Cache-Control"]
    assert "private" in response["Cache-Control"]


def test_public_list_of_rulings_shows_no_empty_list_of_actions(
    as_: Browser, campaign: Campaign
) -> None:
    """Seen in a picture (issue 24): a heading over “Nothing.”"""
    assert "Other actions" not in page(as_(), "rulings", campaign.game)
