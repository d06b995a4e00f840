"""The pages of letters between nations and of questions to the gamesmaster (issue 4, item 5)."""

from __future__ import annotations

import pytest
from django.urls import reverse

from games.models import Game, Press, Sitting
from games.press import conversations as rules
from games.press import rules as press_rules
from games.web.desk.opening_form import GameForm
from tests.support.campaign import Campaign, person

from .conftest import Browser

pytestmark = pytest.mark.django_db
RAVEN = "The raven flies at midnight."


def url(name: str, campaign: Campaign, *more: int) -> str:
    return reverse(name, args=[campaign.game.pk, *more])


def write(as_: Browser, campaign: Campaign, name: str, text: str = RAVEN, **typed: object) -> int:
    """Sends a letter from the page; the status that came back."""
    return as_(name).post(url("press-write", campaign), {"text": text, **typed}).status_code


def code(campaign: Campaign, number: int = 1) -> int:
    """The code by which people know the letter that was written as this one of the game."""
    return campaign.game.press_written.get(number=number).code


def shown(as_: Browser, campaign: Campaign, name: str | None, number: int | None = None) -> str:
    """The page of letters, or of the circle of one of them."""
    circle = {"circle": code(campaign, number)} if number else {}
    return as_(name).read(url("press", campaign), circle)


def test_who_may_read_the_letters(as_: Browser, campaign: Campaign, private: Campaign) -> None:
    """Wrong person, wrong role, wrong method, other game."""
    assert as_().get(url("press", campaign))["Location"].startswith(reverse("login"))
    assert as_("charlie").get(url("press", campaign)).status_code == 403
    assert as_("charlie").get(url("press", private)).status_code == 404
    assert as_("gustav").get(url("press", campaign)).status_code == 200
    assert as_("ada").get(url("press", campaign)).status_code == 200
    assert as_("gustav").post(url("press", campaign)).status_code == 405
    assert as_("gustav").get(reverse("press", args=[10**6])).status_code == 404


def test_who_may_write_a_letter(as_: Browser, campaign: Campaign, private: Campaign) -> None:
    assert as_().get(url("press-write", campaign))["Location"].startswith(reverse("login"))
    assert (
        as_().post(url("press-write", campaign), {"text": RAVEN, "to": "France"}).status_code == 302
    )
    assert write(as_, campaign, "charlie", to="France") == 403
    assert write(as_, private, "charlie", to="France") == 404
    assert as_("gustav").delete(url("press-write", campaign)).status_code == 405
    assert not Press.objects.exists()
    assert write(as_, campaign, "gustav", to="France") == 302
    one = Press.objects.get()
    assert (one.seat, one.person) == (campaign.seat("Germany"), person("gustav"))
    assert (one.to, one.channel) == (["France"], "web")


def test_nobody_writes_in_the_name_of_another(as_: Browser, campaign: Campaign) -> None:
    """Who the letter is from is asked of the session, never of the form."""
    write(as_, campaign, "gustav", to="France", writer=str(campaign.seat("Russia").pk))
    write(as_, campaign, "gustav", to="France", writer="gamesmaster")
    assert {one.seat for one in Press.objects.all()} == {campaign.seat("Germany")}
    assert write(as_, campaign, "ada", to="France", writer=str(campaign.seat("Russia").pk)) == 302
    assert Press.objects.filter(seat=None).count() == 1


def test_a_letter_is_shown_to_its_readers_and_to_nobody_else(
    as_: Browser, campaign: Campaign
) -> None:
    """No page that anybody else can open has the letter, its circle or an address."""
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


def test_an_answer_goes_to_the_circle_of_the_letter(as_: Browser, campaign: Campaign) -> None:
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


def test_what_was_typed_is_kept_where_a_letter_cannot_go(as_: Browser, campaign: Campaign) -> None:
    answer = as_("gustav").post(url("press-write", campaign), {"text": RAVEN})
    assert answer.status_code == 200
    page = answer.content.decode()
    assert RAVEN in page
    assert "The letter says not to whom it goes" in page
    page = as_("gustav").submit(
        url("press-write", campaign), {"text": RAVEN, "to": ["all", "France"]}
    )
    assert "tick the one or the others" in page
    page = as_("gustav").submit(url("press-write", campaign), {"text": "x" * 9000, "to": "France"})
    assert "9,000 characters long" in page
    assert not Press.objects.exists()


def test_a_letter_is_text(as_: Browser, campaign: Campaign) -> None:
    write(as_, campaign, "gustav", "<script>alert(1)</script>", to="France")
    assert "<script>alert" not in shown(as_, campaign, "felix", 1)


def test_the_form_is_guarded_against_other_sites(campaign: Campaign) -> None:
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(person("gustav"), backend="django.contrib.auth.backends.ModelBackend")
    assert (
        client.post(url("press-write", campaign), {"text": RAVEN, "to": "France"}).status_code
        == 403
    )
    assert client.post(url("question-answer", campaign, 1), {"text": "x"}).status_code == 403


def test_unsigned_is_offered_only_where_the_game_allows_it(
    as_: Browser, campaign: Campaign
) -> None:
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


def test_who_plays_two_nations_says_which_one_writes(as_: Browser, campaign: Campaign) -> None:
    Sitting.objects.create(
        seat=campaign.seat("France"), person=person("gustav"), since=campaign.now
    )
    page = as_("gustav").submit(url("press-write", campaign), {"text": RAVEN, "to": "Russia"})
    assert "Say for which nation you write." in page
    assert (
        write(as_, campaign, "gustav", to="Russia", writer=str(campaign.seat("France").pk)) == 302
    )
    assert Press.objects.get().seat == campaign.seat("France")


def test_questions_are_the_gamesmasters_to_read_and_to_answer(
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


def test_a_question_stands_until_it_is_answered(as_: Browser, campaign: Campaign) -> None:
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
    assert rules.unanswered(campaign.game) == []
    assert "No." in shown(as_, campaign, "gustav", 1)
    assert "May I attack" not in shown(as_, campaign, "felix")


def test_a_blackout_is_shown_before_anybody_writes(as_: Browser, campaign: Campaign) -> None:
    Game.objects.filter(pk=campaign.game.pk).update(press={"closed": ["placement"]})
    assert "no letters between nations until it is resolved" in shown(as_, campaign, "gustav")
    page = as_("gustav").submit(url("press-write", campaign), {"text": RAVEN, "to": "France"})
    assert "Keep the letter and send it then." in page
    assert RAVEN in page


def test_letters_are_open_to_everybody_at_the_end_where_the_rules_said_so(
    as_: Browser, campaign: Campaign
) -> None:
    write(as_, campaign, "gustav", to="France")
    Game.objects.filter(pk=campaign.game.pk).update(status="finished")
    assert as_().get(url("press", campaign)).status_code == 302
    Game.objects.filter(pk=campaign.game.pk).update(press={"released": True})
    assert RAVEN in shown(as_, campaign, None, 1)
    assert RAVEN in shown(as_, campaign, "charlie", 1)


def test_the_rules_of_letters_are_chosen_when_a_game_is_opened(
    as_: Browser, campaign: Campaign
) -> None:
    chosen = {"press_sender": "grey", "press_closed": "attacks", "press_released": "on"}
    form = GameForm({"title": "x", **chosen}, ruleset_id="origins-ww2", person=person("ada"))
    form.is_valid()
    assert press_rules.check(form.press_rules()) == {
        "sender": "grey",
        "closed": ["attacks"],
        "gamesmaster_reads": False,
        "released": True,
        "deals": "private",
    }
    assert "Every letter says which nation wrote it." in as_().read(
        campaign.game.get_absolute_url()
    )
