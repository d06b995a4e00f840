"""The teacher's page, printed codes and their limits, the projected page (issue 7, point 5)."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from games import desk, permissions
from games.accounts import tokens
from games.desk import classroom, presets, roster
from games.models import Game, Letter, Person, PrintedCode
from orders.intake import ledger
from orders.models import Submission
from tests.support.browsing import Visitor
from tests.support.campaign import MONDAY, NATIONS, Campaign, person

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db
CLASS = "\n".join(f"Pupil {number}" for number in range(1, 13)) + "\nDana Late, dana@example.org"


@pytest.fixture
def school(db: None) -> Campaign:
    """Return a private game in its first phase with a class of twelve pupils with codes."""
    options = presets.presets()["classroom"].options
    campaign = Campaign.open(seats=dict.fromkeys(NATIONS, ""), options=options, public=False)
    pupils = roster.deal_teams(
        roster.read_list(CLASS.rpartition("\n")[0], NATIONS), NATIONS, presets.printed_teams(), {}
    )
    classroom.seat_class(campaign.game, pupils, campaign.ada, MONDAY)
    desk.start(campaign.game, MONDAY)
    campaign.game.refresh_from_db()
    return campaign


def pupil(campaign: Campaign, nation: str, place: int = 0) -> Person:
    sitting = campaign.seat(nation).sittings.current().order_by("pk")[place]
    return sitting.person


def come_in(who: Person) -> Visitor:
    """Return a browser in which a pupil has entered the code of their slip."""
    browser = Visitor()
    code = tokens.printed_code(PrintedCode.objects.get(person=who, revoked_at=None))
    answer = browser.post(reverse("class"), {"code": code})
    assert answer.status_code == 302
    return browser


@pytest.mark.both_databases
def test_class_list_leads_through_codes_to_orders(as_: Browser) -> None:
    """From the preset to orders sent by a pupil who has only a slip."""
    ada = as_("ada")
    form = ada.submit(
        reverse("game-new"),
        {"preset": "classroom", "title": "History, form 10b", "market": "yahoo"},
    )
    assert 'value="History, form 10b"' in form, "what was typed stays"
    assert "Filled in as “Classroom”" in form
    assert not Game.objects.exists()
    fields = dict(
        re.findall(r'<input type="(?:text|time|number)" name="([a-z_0-9]+)" value="([^"]*)"', form)
    )
    fields |= {"title": "History, form 10b", "card": "historical", "market": "demo"}
    fields |= {"every": "times", "days_of_times": "weekdays", "zone": "Europe/London"}
    fields |= {"time": "09:00", "second_time": "14:00", "may_lock_early": "on"}
    fields |= {"option_rng_source": "commit_reveal", "option_ow2_show_year": "yes"}
    answer = ada.post(reverse("game-new"), fields)
    assert answer.status_code == 302, answer.content.decode()
    game = Game.objects.get()
    assert game.schedule == {"every": "times", "times": ["09:00", "14:00"], "on": "weekdays"}
    page = reverse("desk-class", args=[game.pk])

    plan = ada.submit(page, {"pupils": CLASS, "deal": "printed", "do": "plan"})
    assert "Proposed teams" in plan
    assert "Seat these 13" in plan
    assert not PrintedCode.objects.exists(), "a plan seats nobody"
    assert ada.post(page, {"pupils": CLASS, "deal": "printed", "do": "seat"})["Location"] == page
    assert PrintedCode.objects.count() == 12
    assert Letter.objects.filter(kind="invitation", address="dana@example.org").exists()
    sheet = ada.get(reverse("desk-class-slips", args=[game.pk]))
    assert sheet["Content-Type"] == "application/pdf"
    assert sheet.content.startswith(b"%PDF")
    assert "no-store" in sheet["Cache-Control"]

    ada.post(reverse("game-start", args=[game.pk]))
    german = game.seats.get(nation="Germany").sittings.get().person
    browser = come_in(german)
    page_text = browser.read(game.get_absolute_url())
    assert "Germany" in page_text
    seat = game.seats.get(nation="Germany")
    orders = reverse("orders", args=[game.pk, seat.pk])
    sent = browser.post(orders, {"text": "PLACE 5 Poland", "phase": "1", "do": "send-anyway"})
    assert sent.status_code == 302, sent.content.decode()
    assert Submission.objects.get(seat=seat).person == german
    letters = browser.read(reverse("class-letters", args=[game.pk]))
    first = Letter.objects.filter(person=german).order_by("pk")[0]
    assert reverse("class-letter", args=[game.pk, first.code]) in letters
    assert "History, form 10b" in browser.read(reverse("class-letter", args=[game.pk, first.code]))


def test_teachers_page_says_who_has_sent_something(school: Campaign, as_: Browser) -> None:
    """In one look; only a gamesmaster who may read the orders learns who in a team sends them."""
    ben = pupil(school, "France", 1)
    page = reverse("desk-class", args=[school.game.pk])
    assert as_("ada").read(page).count("nothing sent yet") == 12
    arrival = ledger.Arrival("web", ben, MONDAY)
    ledger.receive(school.seat("France"), "PLACE 2 Rhineland", arrival)
    shown = as_("ada").read(page)
    assert shown.count("nothing sent yet") == 11
    row = shown[shown.index(f'class="member">{ben.name}') :].partition("</li>")[0]
    assert "sent <time" in row
    school.game.gamesmasters.set([person("abe")])
    Person.objects.filter(pk=school.ada.pk).update(is_superuser=True)
    hidden = as_("ada").read(page)
    assert ben.name in hidden
    assert "sent <time" not in hidden
    assert "nothing sent yet" not in hidden


def test_code_opens_only_its_game(school: Campaign, as_: Browser) -> None:
    other = Campaign.begin(public=False)
    anna = pupil(school, "France")
    browser = come_in(anna)
    game = school.game
    assert browser.get("/")["Location"] == game.get_absolute_url()
    for path in (
        game.get_absolute_url(),
        reverse("press", args=[game.pk]),
        reverse("class-letters", args=[game.pk]),
        reverse("class-wall", args=[game.pk]),
    ):
        assert browser.get(path).status_code == 200, path
    for path in (
        "/me/",
        "/games/new/",
        "/standby/",
        "/desk/",
        "/closures/",
        other.game.get_absolute_url(),
        "/honesty/",
        "/admin/",
    ):
        answer = browser.get(path)
        assert answer.status_code == 403, path
        assert "Your code opens one game" in answer.content.decode()
    for path in (
        reverse("desk", args=[game.pk]),
        reverse("desk-class", args=[game.pk]),
        reverse("desk-class-slips", args=[game.pk]),
    ):
        assert browser.get(path).status_code == 403, path
    britain = school.seat("Britain")
    assert browser.get(reverse("orders", args=[game.pk, britain.pk])).status_code in (403, 404)
    assert permissions.held_seats(anna, game) == [school.seat("France")]
    assert permissions.held_seats(anna, other.game) == []
    assert browser.post(reverse("logout"))["Location"] == reverse("class"), "for the next pupil"
    assert "_auth_user_id" not in browser.session


def test_next_pupil_on_a_tablet_cannot_go_back_to_pages_of_the_last(
    school: Campaign, as_: Browser
) -> None:
    """Browsers show pages again after a logout that they may keep; orders of a team are secret."""
    browser, game = come_in(pupil(school, "France")), school.game
    order_page = reverse("orders", args=[game.pk, school.seat("France").pk])
    for path in (order_page, game.get_absolute_url(), reverse("class-letters", args=[game.pk])):
        assert "no-store" in browser.get(path)["Cache-Control"], path
    assert "no-store" not in as_("ada").get(game.get_absolute_url())["Cache-Control"]


def test_pupil_who_has_lost_the_page_finds_where_to_type_the_code(school: Campaign) -> None:
    """After the browser was closed, a link to the game asks for an e-mail address."""
    address = Visitor().get(school.game.get_absolute_url())["Location"]
    assert address.startswith(reverse("login"))
    assert f'href="{reverse("class")}"' in Visitor().read(address)


def test_page_on_stored_data_offers_pupils_nothing_that_their_code_does_not_open(
    school: Campaign,
) -> None:
    page = come_in(pupil(school, "France")).read(reverse("kept"))
    assert reverse("me-erase") not in page
    assert reverse("me-export") not in page
    assert "“About you” to download" not in page
    assert "ask your gamesmaster" in page


def test_head_and_foot_of_a_pupils_page_lead_only_where_their_code_does(school: Campaign) -> None:
    """“Honest dice” and “Feed” stood on each page and led to “Your code opens one game”."""
    browser = come_in(pupil(school, "France"))
    page = browser.read(school.game.get_absolute_url())
    around = page.partition("<main")[0] + page.partition("</main>")[2]
    for address in set(re.findall(r'<a [^>]*href="(/[^"#]*)', around)) - {"/"}:
        assert browser.get(address).status_code == 200, address


def test_pupil_of_a_team_finds_their_own_name(school: Campaign) -> None:
    """“Pupil 2, Pupil 5, Pupil 8 (you)” told the first that they were the last."""
    first, last = pupil(school, "France"), pupil(school, "France", 4)
    browser = come_in(first)
    page = browser.read(school.game.get_absolute_url())
    mine = page.split('<tr class="mine">')[1].split("</tr>")[0]
    assert f"{first.name}</span> (you)" in mine
    assert mine.count("(you)") == 1
    page = browser.read(reverse("nation", args=[school.game.pk, "france"]))
    assert f"{last.name}: your team." in page


def test_order_page_of_a_team_begins_with_what_becomes_of_orders(school: Campaign) -> None:
    """On a telephone the team is four screens below “Send”."""
    seat = school.seat("France")
    orders = reverse("orders", args=[school.game.pk, seat.pk])
    speaker, member = come_in(pupil(school, "France")), come_in(pupil(school, "France", 1))
    assert 'href="#team"' not in speaker.read(orders)
    assert "a proposal to your spokesman" in member.read(orders).partition('id="orders"')[0]
    member.post(orders, {"text": "PLACE 2 Rhineland", "phase": "1", "do": "send-anyway"})
    head = speaker.read(orders).partition('id="orders"')[0]
    assert 'Your team proposes orders. <a href="#team">Read them</a>' in head
    ledger.receive(
        seat, "PLACE 2 Rhineland", ledger.Arrival("web", pupil(school, "France"), MONDAY)
    )
    assert 'href="#team"' not in speaker.read(orders)


def test_revoked_code_logs_its_pupil_out_at_once(school: Campaign, as_: Browser) -> None:
    anna = pupil(school, "France")
    browser = come_in(anna)
    as_("ada").post(reverse("desk-class-pupil", args=[school.game.pk, anna.pk]), {"do": "end"})
    assert browser.get(school.game.get_absolute_url())["Location"] == reverse("class")
    assert "_auth_user_id" not in browser.session


def test_wrong_code_is_quoted(school: Campaign) -> None:
    page = Visitor().submit(reverse("class"), {"code": "<b>x"})
    assert "“&lt;b&gt;x” is not a code of any game" in page
    assert "Enter the 8 characters" in Visitor().submit(reverse("class"), {"code": ""})


def test_wrong_codes_are_limited_per_network(
    school: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "WRONG_PRINTED_CODES", 2)
    browser = Visitor()
    for _ in range(2):
        browser.post(reverse("class"), {"code": "WRONG"})
    code = tokens.printed_code(PrintedCode.objects.get(person=pupil(school, "France")))
    assert "Wait 10 minutes" in browser.submit(reverse("class"), {"code": code})
    assert browser.post(reverse("class"), {"code": code}, REMOTE_ADDR="10.9.8.7").status_code == 302


def test_letters_and_orders_of_a_team_are_hidden_from_other_teams(school: Campaign) -> None:
    """No pupil reads what another team sends."""
    game, france = school.game, school.seat("France")
    first = come_in(pupil(school, "France"))
    first.post(
        reverse("orders", args=[game.pk, france.pk]),
        {"text": "PLACE 6 Rhineland", "phase": "1", "do": "send-anyway"},
    )
    for nation in ("Britain", "Germany"):
        browser = come_in(pupil(school, nation))
        for path in (
            game.get_absolute_url(),
            reverse("press", args=[game.pk]),
            reverse("class-letters", args=[game.pk]),
            reverse("class-wall", args=[game.pk]),
        ):
            assert "PLACE 6 Rhineland" not in browser.read(path)
        theirs = Letter.objects.filter(game=game, person=pupil(school, "France")).first()
        assert theirs is not None
        assert browser.get(reverse("class-letter", args=[game.pk, theirs.code])).status_code == 404


def page_of(browser: Visitor, school: Campaign) -> str:
    return browser.read(reverse("desk-class", args=[school.game.pk]))


def test_teacher_moves_pupils_names_spokesmen_and_replaces_codes(
    school: Campaign, as_: Browser
) -> None:
    ada, anna = as_("ada"), pupil(school, "France")
    at = reverse("desk-class-pupil", args=[school.game.pk, anna.pk])
    page = ada.submit(at, {"do": "move", "nation": "Britain"}, follow=True)
    assert f"{anna.name} is now in the team of Britain." in page
    # 25.9
    assert f"{anna.name} now speaks for Britain." in ada.submit(at, {"do": "speak"}, follow=True)
    assert re.search(rf"{anna.name}, spokesman</span>", page_of(ada, school))
    assert "has a new code" in ada.submit(at, {"do": "code"}, follow=True)
    assert "already in that team" in ada.submit(
        at, {"do": "move", "nation": "Britain"}, follow=True
    )
    assert ada.post(at, {"do": "dance"}).status_code == 404
    slip = ada.get(reverse("desk-class-slips", args=[school.game.pk]), {"pupil": anna.pk})
    assert slip["Content-Type"] == "application/pdf"


def test_teachers_page_is_for_the_gamesmaster_only(school: Campaign, as_: Browser) -> None:
    """Wrong person, wrong method, other game."""
    other = Campaign.begin(public=False)
    anna = pupil(school, "France")
    page, button = (
        reverse("desk-class", args=[school.game.pk]),
        reverse("desk-class-pupil", args=[school.game.pk, anna.pk]),
    )
    slips = reverse("desk-class-slips", args=[school.game.pk])
    for address in (page, slips):
        assert as_().get(address)["Location"].startswith(reverse("login"))
        assert as_("charlie").get(address).status_code == 404, "a private game is not known to him"
    assert as_("charlie").post(button, {"do": "code"}).status_code == 404
    assert as_("ada").get(button).status_code == 405
    elsewhere = reverse("desk-class-pupil", args=[other.game.pk, anna.pk])
    assert as_("ada").post(elsewhere, {"do": "code"}).status_code == 404
    no_pupil = reverse("desk-class-pupil", args=[school.game.pk, person("gustav").pk])
    assert as_("ada").post(no_pupil, {"do": "code"}).status_code == 404


def test_games_page_leads_its_gamesmaster_to_the_class(school: Campaign, as_: Browser) -> None:
    """Not the pupils, and not where no class plays."""
    to_class = reverse("desk-class", args=[school.game.pk])
    assert to_class in as_("ada").read(school.game.get_absolute_url())
    anna = pupil(school, "France")
    assert to_class not in come_in(anna).read(school.game.get_absolute_url())
    other = Campaign.begin().game
    assert reverse("desk-class", args=[other.pk]) not in as_("ada").read(other.get_absolute_url())


@pytest.mark.parametrize(
    ("pupils", "sentence"),
    [
        ("", "Paste the class list, one pupil per line."),
        ("Anna Berg, Atlantis", "“Atlantis” is not a team"),
        ("Anna\nAnna", "is in the list twice"),
    ],
)
def test_invalid_class_list_is_explained_and_kept(
    school: Campaign, as_: Browser, pupils: str, sentence: str
) -> None:
    page = as_("ada").submit(
        reverse("desk-class", args=[school.game.pk]),
        {"pupils": pupils, "deal": "evenly", "do": "seat"},
    )
    assert sentence in page
    assert pupils in page
    assert PrintedCode.objects.count() == 12


def test_list_pasted_again_with_a_newcomer_seats_the_newcomer_alone(
    school: Campaign, as_: Browser
) -> None:
    """A second click, or a pupil who joins the class later: nobody gets a second seat or code."""
    ada, page = as_("ada"), reverse("desk-class", args=[school.game.pk])
    listed = {"pupils": CLASS.rpartition("\n")[0], "deal": "evenly"}
    again = ada.submit(page, {**listed, "do": "seat"})
    assert "Everybody on the list is already in this game." in again
    listed["pupils"] += "\nZoe New"
    plan = ada.submit(page, {**listed, "do": "plan"})
    assert "Left out, because already in this game: Pupil 1, Pupil 2," in plan
    assert "Seat these 1</button>" in plan
    ada.post(page, {**listed, "do": "seat"})
    assert PrintedCode.objects.count() == 13


def test_classroom_wall_shows_only_public_facts(
    campaign: Campaign, as_: Browser, watch: Watch
) -> None:
    """The same for a logged-in teacher as for a stranger, because the page is projected."""
    campaign.order("Germany", "PLACE 10 Poland", final=True)
    campaign.order("France", "PLACE 3 Rhineland")
    watch.set(campaign.now)
    wall = reverse("class-wall", args=[campaign.game.pk])
    pages = {name: as_(name).read(wall) for name in (None, "ada", "gustav")}
    for page in pages.values():
        assert "in, and final" not in page  # it would end nothing in this game
        assert page.count("not yet") == 3
        assert "PLACE" not in page
        assert "Poland</h" not in page
        assert 'http-equiv="refresh"' in page
    walls = [page[page.index('id="wall"') : page.index("</main>")] for page in pages.values()]
    main = [re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", wall) for wall in walls]
    assert len({re.sub(r"\d\d:\d\d [A-Z]+|in \d+ [a-z]+", "", text) for text in main}) == 1, (
        "whoever looks, the wall is the same"
    )


def test_wall_of_an_abandoned_game_announces_no_deadline(school: Campaign, as_: Browser) -> None:
    desk.abandon(school.game, "The term is over.", school.ada, MONDAY)
    ada = as_("ada")
    wall = ada.read(f"/games/{school.game.pk}/class/")
    assert "The game is over" in wall
    assert "orders are due" not in wall
    assert "not yet" not in wall
    page = ada.read(f"/games/{school.game.pk}/")
    assert "not yet" not in page
    assert "class.invalid" not in page


def test_wall_of_a_private_game_is_for_its_people_only(school: Campaign, as_: Browser) -> None:
    wall = reverse("class-wall", args=[school.game.pk])
    assert as_().get(wall)["Location"].startswith(reverse("login"))
    assert as_("charlie").get(wall).status_code == 404
    assert as_("ada").get(wall).status_code == 200


def test_paper_page_lists_no_pupils(school: Campaign, as_: Browser) -> None:
    """It asks for no postal address of pupils and prints nothing for them."""
    page = as_("ada").read(reverse("desk-paper", args=[school.game.pk]))
    assert "class.invalid" not in page
    assert "person-" not in page
