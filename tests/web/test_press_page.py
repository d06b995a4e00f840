"""The pages of letters between nations and of questions to the gamesmaster (issue 4, item 5)."""

from __future__ import annotations

import secrets
from datetime import timedelta

import pytest
from django.urls import reverse

from games.base import clock
from games.models import Game, Press, Seat, Sitting
from games.press import conversations as rules
from games.rules.settings import complete_settings
from games.web.desk.opening_form import GameForm
from tests.support.campaign import Campaign, person

from .conftest import Browser

pytestmark = pytest.mark.django_db
RAVEN = "The raven flies at midnight."


def url(name: str, campaign: Campaign, *more: int) -> str:
    return reverse(name, args=[campaign.game.pk, *more])


def write(as_: Browser, campaign: Campaign, name: str, text: str = RAVEN, **typed: object) -> int:
    """Send a letter from the page; return the response's status."""
    return as_(name).post(url("press-write", campaign), {"text": text, **typed}).status_code


def code(campaign: Campaign, number: int = 1) -> int:
    """Return the code of the game's letter with a number."""
    return campaign.game.press_written.get(number=number).code


def shown(as_: Browser, campaign: Campaign, name: str | None, number: int | None = None) -> str:
    """Return the page of letters, or of the circle of one letter."""
    circle = {"circle": code(campaign, number)} if number else {}
    return as_(name).read(url("press", campaign), circle)


def test_press_page_needs_permission(as_: Browser, campaign: Campaign, private: Campaign) -> None:
    """Wrong person, wrong role, wrong method, other game."""
    assert as_().get(url("press", campaign))["Location"].startswith(reverse("login"))
    assert as_("charlie").get(url("press", campaign)).status_code == 403
    assert as_("charlie").get(url("press", private)).status_code == 404
    assert as_("gustav").get(url("press", campaign)).status_code == 200
    assert as_("ada").get(url("press", campaign)).status_code == 200
    assert as_("gustav").post(url("press", campaign)).status_code == 405
    assert as_("gustav").get(reverse("press", args=[10**6])).status_code == 404


def test_only_players_and_gamesmasters_write_letters(
    as_: Browser, campaign: Campaign, private: Campaign
) -> None:
    assert as_().get(url("press-write", campaign))["Location"].startswith(reverse("login"))
    assert write(as_, campaign, "", to="France") == 403
    assert write(as_, campaign, "charlie", to="France") == 403
    assert write(as_, private, "charlie", to="France") == 404
    assert as_("gustav").delete(url("press-write", campaign)).status_code == 405
    assert not Press.objects.exists()
    assert write(as_, campaign, "gustav", to="France") == 302
    letter = Press.objects.get()
    assert (letter.seat, letter.person) == (campaign.seat("Germany"), person("gustav"))
    assert (letter.to, letter.channel) == (["France"], "web")


def test_letter_in_the_name_of_another_is_refused(as_: Browser, campaign: Campaign) -> None:
    """The writer comes from the session, never from the form."""
    write(as_, campaign, "gustav", to="France", writer=str(campaign.seat("Russia").pk))
    write(as_, campaign, "gustav", to="France", writer="gamesmaster")
    assert {letter.seat for letter in Press.objects.all()} == {campaign.seat("Germany")}
    assert write(as_, campaign, "ada", to="France", writer=str(campaign.seat("Russia").pk)) == 302
    assert Press.objects.filter(seat=None).count() == 1


def test_letter_of_a_page_that_was_clicked_twice_goes_once(
    as_: Browser, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To others, or a minute later, the same words are another letter."""
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    for to, letters in (("France", 1), ("France", 1), ("Russia", 2), (["France", "Russia"], 3)):
        assert write(as_, campaign, "gustav", to=to) == 302
        assert Press.objects.count() == letters
    now += timedelta(seconds=61)
    assert write(as_, campaign, "gustav", to="France") == 302
    assert Press.objects.count() == 4


@pytest.mark.both_databases
def test_letter_is_shown_to_its_readers_only(as_: Browser, campaign: Campaign) -> None:
    """No other page shows the letter, its circle or an address."""
    write(as_, campaign, "gustav", to="France")
    for name in ("gustav", "felix"):
        assert RAVEN in shown(as_, campaign, name)
        assert RAVEN in shown(as_, campaign, name, 1)
    for name in ("bea", "rosa", "una", "ada"):
        assert RAVEN not in shown(as_, campaign, name)
        assert as_(name).get(url("press", campaign), {"circle": code(campaign)}).status_code == 404
        assert (
            as_(name).get(url("press-write", campaign), {"answer": code(campaign)}).status_code
            == 404
        )
        data = {"answer": code(campaign), "text": "x", "to": "France"}
        assert as_(name).post(url("press-write", campaign), data).status_code == 404
    for who in (None, "charlie", "bea", "ada", "gustav"):
        for path in (
            campaign.game.get_absolute_url(),
            url("record", campaign),
            url("phase", campaign, 1),
        ):
            assert RAVEN not in as_(who).read(path)
    assert "@example.org" not in shown(as_, campaign, "felix", 1)


@pytest.mark.both_databases
def test_answer_goes_to_the_circle_of_the_letter(as_: Browser, campaign: Campaign) -> None:
    write(as_, campaign, "gustav", to=["France", "Britain"])
    form = (
        as_("felix").get(url("press-write", campaign), {"answer": code(campaign)}).context["form"]
    )
    assert form.initial["to"] == ["Britain", "Germany"]
    write(as_, campaign, "felix", "Gladly.", to=form.initial["to"], answer=str(code(campaign)))
    assert "2 letters" in shown(as_, campaign, "bea")
    assert shown(as_, campaign, "bea", 1).index(RAVEN) < shown(as_, campaign, "bea", 2).index(
        "Gladly."
    )


def test_group_with_the_newest_letter_comes_first(
    as_: Browser, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Codes are drawn, so that they tell nobody how many letters others wrote: they have no
    order."""
    drawn = iter([80_000, 3, 40_000])
    monkeypatch.setattr(secrets, "randbelow", lambda below: next(drawn))
    for to in ("France", "Russia", "Britain"):
        write(as_, campaign, "gustav", to=to)
    circles = as_("gustav").get(url("press", campaign)).context["circles"]
    assert [circle.title for circle in circles] == ["Britain", "Russia", "France"]


def test_text_of_a_refused_letter_is_kept(as_: Browser, campaign: Campaign) -> None:
    answer = as_("gustav").post(url("press-write", campaign), {"text": RAVEN})
    assert answer.status_code == 200
    page = answer.content.decode()
    assert RAVEN in page
    assert "The letter does not say who it is for" in page
    page = as_("gustav").submit(
        url("press-write", campaign), {"text": RAVEN, "to": ["all", "France"]}
    )
    assert "Tick either all, or those you want" in page
    page = as_("gustav").submit(url("press-write", campaign), {"text": "x" * 9000, "to": "France"})
    assert "9,000 characters long" in page
    assert not Press.objects.exists()


def test_letter_is_escaped(as_: Browser, campaign: Campaign) -> None:
    write(as_, campaign, "gustav", "<script>alert(1)</script>", to="France")
    assert "<script>alert" not in shown(as_, campaign, "felix", 1)


def test_press_form_needs_a_csrf_token(campaign: Campaign) -> None:
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(person("gustav"), backend="django.contrib.auth.backends.ModelBackend")
    assert (
        client.post(url("press-write", campaign), {"text": RAVEN, "to": "France"}).status_code
        == 403
    )
    assert client.post(url("question-answer", campaign, 1), {"text": "x"}).status_code == 403


def test_unsigned_is_offered_only_if_the_game_allows_it(as_: Browser, campaign: Campaign) -> None:
    assert "unsigned" not in as_("gustav").get(url("press-write", campaign)).context["form"].fields
    Game.objects.filter(pk=campaign.game.pk).update(press={"sender": "grey"})
    write(as_, campaign, "gustav", to="all", unsigned="on")
    page = shown(as_, campaign, "felix", 1)
    assert "A nation that does not sign" in page
    assert "Germany" not in page.partition("said-list")[2].partition("</ol>")[0]
    assert (
        as_("felix").get(url("press-write", campaign), {"answer": code(campaign)}).status_code
        == 200
    )
    answered = as_("felix").get(url("press-write", campaign), {"answer": code(campaign)})
    assert answered.context["form"].initial.get("to") is None


def test_player_of_two_nations_chooses_which_one_writes(as_: Browser, campaign: Campaign) -> None:
    Sitting.objects.create(
        seat=campaign.seat("France"), person=person("gustav"), since=campaign.now
    )
    page = as_("gustav").submit(url("press-write", campaign), {"text": RAVEN, "to": "Russia"})
    assert "Choose the nation you write for." in page
    assert (
        write(as_, campaign, "gustav", to="Russia", writer=str(campaign.seat("France").pk)) == 302
    )
    assert Press.objects.get().seat == campaign.seat("France")


def test_only_gamesmasters_read_and_answer_questions(
    as_: Browser, campaign: Campaign, private: Campaign
) -> None:
    """Wrong person, wrong role, wrong method, other game."""
    write(as_, campaign, "gustav", "May I attack myself?", to="gamesmaster")
    for name, status in (("charlie", 403), ("gustav", 403), ("felix", 403)):
        assert as_(name).get(url("questions", campaign)).status_code == status
        assert (
            as_(name)
            .post(url("question-answer", campaign, code(campaign)), {"text": "Yes."})
            .status_code
            == status
        )
    assert as_().get(url("questions", campaign)).status_code == 302
    assert as_("charlie").get(url("questions", private)).status_code == 404
    assert as_("ada").get(url("question-answer", campaign, code(campaign))).status_code == 405
    assert as_("ada").post(url("question-answer", private, 1), {"text": "No."}).status_code == 404
    page = as_("ada").read(url("questions", campaign))
    assert "May I attack myself?" in page
    assert "@example.org" not in page.partition("<main")[2]


@pytest.mark.both_databases
def test_question_is_unanswered_until_it_is_answered(as_: Browser, campaign: Campaign) -> None:
    write(as_, campaign, "gustav", "May I attack myself?", to="gamesmaster")
    assert "1 unanswered" in shown(as_, campaign, "ada")
    page = as_("ada").submit(url("question-answer", campaign, code(campaign)), {"text": " "})
    assert "The letter is empty" in page
    assert (
        as_("ada")
        .post(url("question-answer", campaign, code(campaign)), {"text": "No."})
        .status_code
        == 302
    )
    assert not rules.unanswered_questions([campaign.game])
    assert "No." in shown(as_, campaign, "gustav", 1)
    assert "May I attack" not in shown(as_, campaign, "felix")


def test_closed_press_is_announced_before_writing(as_: Browser, campaign: Campaign) -> None:
    Game.objects.filter(pk=campaign.game.pk).update(press={"closed": "placement"})
    assert "no letters between nations until it is resolved" in shown(as_, campaign, "gustav")
    page = as_("gustav").read(url("press-write", campaign))
    assert "You cannot send letters in Turn 1, placement, until it is resolved." in page
    assert "You can always ask the gamesmaster." in page
    page = as_("gustav").submit(url("press-write", campaign), {"text": RAVEN, "to": "France"})
    assert "Keep the letter and send it then." in page
    assert RAVEN in page


def test_page_says_before_a_letter_is_written_that_the_game_takes_none(
    as_: Browser, campaign: Campaign
) -> None:
    """It said so only after “Send the letter”."""
    forming = Campaign.open(title="Another").game
    page = as_("gustav").read(reverse("press-write", args=[forming.pk]))
    assert "has not begun: you can send letters once it has. You can always ask the" in page
    write(as_, campaign, "felix", to="Germany")
    for status, asks in (("finished", True), ("abandoned", False)):
        Game.objects.filter(pk=campaign.game.pk).update(status=status)
        page = as_("gustav").read(url("press-write", campaign))
        assert "is over: you can no longer send letters." in page
        assert ("You can always ask the gamesmaster." in page) is asks
        assert ("<button>Send the letter" in page) is asks
        letter = shown(as_, campaign, "gustav", 1)
        assert (url("press-write", campaign) in letter) is asks
        assert "?answer=" not in letter, "France gets no letters any more"


def test_letter_to_a_bot_is_not_offered(as_: Browser, campaign: Campaign) -> None:
    """Review of a player, B17: it was refused only after it had been written."""
    Seat.objects.filter(game=campaign.game, nation="Russia").update(bot=True)
    answer = as_("gustav").get(url("press-write", campaign))
    offered = [name for name, _ in answer.context["form"].fields["to"].choices]
    assert offered == ["all", "USA", "France", "Britain", "gamesmaster"]
    assert "The service plays Russia: it reads no letters, but" in answer.content.decode()
    Seat.objects.filter(game=campaign.game).exclude(nation="Germany").update(bot=True)
    alone = as_("gustav").get(url("press-write", campaign)).context["form"].fields["to"].choices
    assert [name for name, _ in alone] == ["gamesmaster"], "nobody else would read it"


def test_letters_are_published_at_the_end_if_the_rules_say_so(
    as_: Browser, campaign: Campaign
) -> None:
    write(as_, campaign, "gustav", to="France")
    Game.objects.filter(pk=campaign.game.pk).update(status="finished")
    assert as_().get(url("press", campaign)).status_code == 302
    Game.objects.filter(pk=campaign.game.pk).update(press={"released": True})
    assert RAVEN in shown(as_, campaign, None, 1)
    assert RAVEN in shown(as_, campaign, "charlie", 1)


def test_press_rules_are_chosen_at_opening(as_: Browser, campaign: Campaign) -> None:
    chosen = {"press_sender": "grey", "press_closed": "attacks", "press_released": "on"}
    form = GameForm({"title": "x", **chosen}, ruleset_id="origins-ww2", person=person("ada"))
    form.is_valid()
    values = complete_settings(form.rules, form.chosen_settings())
    assert {id: value for id, value in values.items() if id.startswith("press.")} == {
        "press.sender": "grey",
        "press.closed": "attacks",
        "press.gamesmaster_reads": False,
        "press.released": True,
        "press.deals": "private",
    }
    assert "Every letter says which nation wrote it." in as_().read(
        campaign.game.get_absolute_url()
    )
