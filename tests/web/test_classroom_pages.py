"""The teacher's page, codes and what they do not open, the projected page (issue 7, point 5)."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from games import desk, permissions
from games.accounts import tokens
from games.desk import classroom, presets, roster
from games.models import Game, Letter, Person, PrintedCode
from orders.models import Submission
from tests.support.browsing import Visitor
from tests.support.campaign import MONDAY, NATIONS, Campaign, person

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db
CLASS = "\n".join(f"Pupil {number}" for number in range(1, 13)) + "\nDana Late, dana@example.org"


@pytest.fixture
def school(db: None) -> Campaign:
    """A class in the first phase of a private game, twelve pupils with codes."""
    options = presets.presets()["classroom"].options
    campaign = Campaign.open(seats=dict.fromkeys(NATIONS, ""), options=options, public=False)
    pupils = roster.deal_teams(
        roster.read_list(CLASS.rpartition("\n")[0], NATIONS), NATIONS, presets.printed_teams(), {}
    )
    classroom.seat_class(campaign.game, pupils, campaign.ada, MONDAY)
    desk.start(campaign.game, campaign.ada, MONDAY)
    campaign.game.refresh_from_db()
    return campaign


def pupil(campaign: Campaign, nation: str, place: int = 0) -> Person:
    sitting = campaign.seat(nation).sittings.current().order_by("pk")[place]
    return sitting.person


def come_in(who: Person, code: str = "") -> Visitor:
    """A browser in which a pupil has typed in the code of his slip."""
    browser = Visitor()
    answer = browser.post(
        reverse("class"),
        {"code": code or tokens.printed_code(PrintedCode.objects.get(person=who, revoked_at=None))},
    )
    assert answer.status_code == 302
    return browser


def test_a_class_goes_from_a_pasted_list_through_codes_to_orders(as_: Browser) -> None:
    """From the stored choice to an order sent by a pupil who has nothing but a slip."""
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
    somebody = game.seats.get(nation="Germany").sittings.get().person
    browser = come_in(somebody)
    told = browser.read(game.get_absolute_url())
    assert "Germany" in told
    seat = game.seats.get(nation="Germany")
    orders = reverse("orders", args=[game.pk, seat.pk])
    sent = browser.post(orders, {"text": "PLACE 5 Poland", "phase": "1", "do": "send"})
    assert sent.status_code == 302, sent.content.decode()
    assert Submission.objects.get(seat=seat).person == somebody
    letters = browser.read(reverse("class-letters", args=[game.pk]))
    first = Letter.objects.filter(person=somebody).order_by("pk")[0]
    assert reverse("class-letter", args=[game.pk, first.pk]) in letters
    assert "History, form 10b" in browser.read(reverse("class-letter", args=[game.pk, first.pk]))


def test_a_code_opens_its_game_and_nothing_else(school: Campaign, as_: Browser) -> None:
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
    assert permissions.seats_held(anna, game) == [school.seat("France")]
    assert permissions.seats_held(anna, other.game) == []
    browser.post(reverse("logout"))
    assert "_auth_user_id" not in browser.session


def test_who_is_in_by_a_code_that_ends_is_out_at_once(school: Campaign, as_: Browser) -> None:
    anna = pupil(school, "France")
    browser = come_in(anna)
    as_("ada").post(reverse("desk-class-pupil", args=[school.game.pk, anna.pk]), {"do": "end"})
    assert browser.get(school.game.get_absolute_url())["Location"] == reverse("class")
    assert "_auth_user_id" not in browser.session


def test_a_wrong_code_is_told_and_quoted(school: Campaign) -> None:
    page = Visitor().submit(reverse("class"), {"code": "<b>x"})
    assert "“&lt;b&gt;x” opens no game" in page
    assert "Enter the 8 characters" in Visitor().submit(reverse("class"), {"code": ""})


def test_codes_are_limited_by_where_they_come_from(
    school: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "WRONG_PRINTED_CODES", 2)
    browser = Visitor()
    for _ in range(2):
        browser.post(reverse("class"), {"code": "WRONG"})
    code = tokens.printed_code(PrintedCode.objects.get(person=pupil(school, "France")))
    assert "Wait ten minutes" in browser.submit(reverse("class"), {"code": code})
    assert browser.post(reverse("class"), {"code": code}, REMOTE_ADDR="10.9.8.7").status_code == 302


def test_a_teams_letters_and_orders_are_the_teams(school: Campaign) -> None:
    """What one team sends, no pupil of another reads."""
    game, france = school.game, school.seat("France")
    first = come_in(pupil(school, "France"))
    first.post(
        reverse("orders", args=[game.pk, france.pk]),
        {"text": "PLACE 6 Rhineland", "phase": "1", "do": "send"},
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
        assert browser.get(reverse("class-letter", args=[game.pk, theirs.pk])).status_code == 404


def page_of(browser: Visitor, school: Campaign) -> str:
    return browser.read(reverse("desk-class", args=[school.game.pk]))


def test_the_teachers_buttons(school: Campaign, as_: Browser) -> None:
    ada, anna = as_("ada"), pupil(school, "France")
    at = reverse("desk-class-pupil", args=[school.game.pk, anna.pk])
    page = ada.submit(at, {"do": "move", "nation": "Britain"}, follow=True)
    assert f"{anna.name} is in the team of Britain now." in page
    # 25.9: the teacher names the spokesman.
    assert f"{anna.name} speaks for Britain from now on." in ada.submit(
        at, {"do": "speak"}, follow=True
    )
    assert re.search(rf"{anna.name}, spokesman</span>", page_of(ada, school))
    assert "has a new code" in ada.submit(at, {"do": "code"}, follow=True)
    assert "in that team already" in ada.submit(
        at, {"do": "move", "nation": "Britain"}, follow=True
    )
    assert ada.post(at, {"do": "dance"}).status_code == 404
    one = ada.get(reverse("desk-class-slips", args=[school.game.pk]), {"pupil": anna.pk})
    assert one["Content-Type"] == "application/pdf"


def test_the_teachers_page_is_the_gamesmasters(school: Campaign, as_: Browser) -> None:
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


@pytest.mark.parametrize(
    ("pupils", "sentence"),
    [
        ("", "Paste the class list: one pupil a line."),
        ("Anna, Atlantis", "“Atlantis” is not a team"),
        ("Anna\nAnna", "is in the list twice"),
    ],
)
def test_a_list_that_will_not_do_is_told_and_kept(
    school: Campaign, as_: Browser, pupils: str, sentence: str
) -> None:
    page = as_("ada").submit(
        reverse("desk-class", args=[school.game.pk]),
        {"pupils": pupils, "deal": "evenly", "do": "seat"},
    )
    assert sentence in page
    assert pupils in page
    assert PrintedCode.objects.count() == 12


def test_the_wall_shows_what_anybody_may_see_and_no_more(
    campaign: Campaign, as_: Browser, watch: Watch
) -> None:
    """For a logged-in teacher as for a stranger: the picture is on the wall."""
    campaign.order("Germany", "PLACE 10 Poland", final=True)
    campaign.order("France", "PLACE 3 Rhineland")
    watch.set(campaign.now)
    wall = reverse("class-wall", args=[campaign.game.pk])
    pages = {name: as_(name).read(wall) for name in (None, "ada", "gustav")}
    for page in pages.values():
        assert "in, and final" in page
        assert page.count("not yet") == 3
        assert "PLACE" not in page
        assert "Poland</h" not in page
        assert 'http-equiv="refresh"' in page
    walls = [page[page.index('id="wall"') : page.index("</main>")] for page in pages.values()]
    main = [re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", wall) for wall in walls]
    assert len({re.sub(r"\d\d:\d\d [A-Z]+|in \d+ [a-z]+", "", text) for text in main}) == 1, (
        "whoever looks, the wall is the same"
    )


def test_a_private_games_wall_is_its_peoples(school: Campaign, as_: Browser) -> None:
    wall = reverse("class-wall", args=[school.game.pk])
    assert as_().get(wall)["Location"].startswith(reverse("login"))
    assert as_("charlie").get(wall).status_code == 404
    assert as_("ada").get(wall).status_code == 200


def test_a_pupil_is_nobody_elsewhere(school: Campaign, as_: Browser) -> None:
    """The desk's page of paper asks no postal address of pupils, and prints nothing for them."""
    page = as_("ada").read(reverse("desk-paper", args=[school.game.pk]))
    assert "class.invalid" not in page
    assert "person-" not in page
