"""Orders in doubt by mail: the question, YES, and orders that bind (contract 3a.2, 3a.4)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from pytest_django import Settings

from games.letters import headers
from games.models import Letter, Person, Press
from games.positions import in_force
from games.press import conversations
from orders.models import Handling, Submission
from tests.inbound.post import answer
from tests.inbound.writing import send
from tests.support import teams
from tests.support.campaign import MONDAY, Campaign
from tests.support.letters import letter_text

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
#: In doubt with one reading, because it asks for more beside orders that it replaces.
DOUBTFUL = "Also 3 in Austria"


@pytest.fixture(autouse=True)
def _mail_in(settings: Settings) -> None:
    settings.MAIL_IN = True


@pytest.fixture
def campaign(db: None) -> Campaign:
    return Campaign.begin(options={"orders.language": "plain"})


def later(minutes: int) -> datetime:
    return MONDAY + timedelta(minutes=minutes)


def answered(campaign: Campaign, text: str, *, at: datetime) -> str:
    """Send a message of Germany's player. Return the text of its answer."""
    letter = send(campaign, "Germany", text, at=at).answer
    assert letter is not None
    return letter_text(letter)


def one_line(text: str) -> str:
    return " ".join(text.split())


def standing(campaign: Campaign, nation: str = "Germany") -> str:
    return in_force.texts_in_force(campaign.phase).get(nation, "")


def ask(campaign: Campaign, text: str = DOUBTFUL, minutes: int = 1) -> tuple[Handling, Submission]:
    """Send orders in doubt by mail. Return the handling, with the answer, and the question."""
    row = send(campaign, "Germany", text, at=later(minutes))
    question = in_force.open_question(
        campaign.seat("Germany"), campaign.phase, campaign.players["Germany"]
    )
    assert question is not None
    return row, question


def say_yes(campaign: Campaign, letter: Letter | None, minutes: int = 5, word: str = "YES") -> str:
    """Answer a letter with YES; return the text of the answer."""
    named = {"In-Reply-To": letter.message_id} if letter is not None else {}
    row = send(campaign, "Germany", word, at=later(minutes), subject="Re: x", headers=named)
    assert row.answer is not None
    return one_line(letter_text(row.answer))


def test_answer_shows_the_reading_and_what_stays_in_force(campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 5 Poland")
    text = one_line(answer(campaign, campaign.players["Germany"], DOUBTFUL, at=later(1)))
    assert "They are in doubt: recorded, and not in force before you confirm them." in text
    assert "We would read your orders so: PLACE 3 Austria Reply YES to send these, or" in text
    assert f"/orders/{campaign.seat('Germany').pk}/?question=2" in text.replace("- ", "-")
    assert "orders No. 1 stay in force" in text
    assert standing(campaign) == "PLACE 5 Poland"


def test_answer_says_that_orders_in_doubt_count_alone_at_the_deadline(campaign: Campaign) -> None:
    text = one_line(answer(campaign, campaign.players["Germany"], DOUBTFUL, at=later(1)))
    assert "if you send nothing more, orders No. 1 count at the deadline as we read them" in text


def test_answer_says_that_orders_in_doubt_never_count_where_the_option_is_off() -> None:
    """`orders.in_doubt` = never."""
    campaign = Campaign.begin(options={"orders.language": "plain", "orders.in_doubt": "never"})
    text = one_line(answer(campaign, campaign.players["Germany"], DOUBTFUL, at=later(1)))
    assert "do not count unless you confirm them" in text


@pytest.mark.parametrize("word", ["YES", "Yes, please.", "yes!", "Yes, please send them."])
def test_yes_sends_the_reading_in_place_of_earlier_orders(campaign: Campaign, word: str) -> None:
    campaign.order("Germany", "PLACE 5 Poland")
    row, _ = ask(campaign)
    text = say_yes(campaign, row.answer, word=word)
    assert standing(campaign) == "PLACE 3 Austria"
    assert "They are in force, in place of No. 1." in text


def test_second_yes_changes_nothing(campaign: Campaign) -> None:
    row, _ = ask(campaign)
    say_yes(campaign, row.answer)
    text = say_yes(campaign, row.answer, minutes=6)
    assert "“YES” changed nothing: no orders of yours wait for it." in text
    assert Submission.objects.count() == 2


def test_yes_after_newer_orders_changes_nothing(campaign: Campaign) -> None:
    """The letter that it answers is older than the orders in force."""
    row, _ = ask(campaign)
    campaign.order("Germany", "PLACE 5 Poland", at=later(3))
    assert "no orders of yours wait for it" in say_yes(campaign, row.answer)
    assert standing(campaign) == "PLACE 5 Poland"


def test_yes_that_came_before_newer_orders_and_is_read_late_changes_nothing(
    campaign: Campaign,
) -> None:
    ask(campaign)
    campaign.order("Germany", "PLACE 5 Poland", at=later(8))
    say_yes(campaign, None, minutes=5)
    assert standing(campaign) == "PLACE 5 Poland"


def test_yes_to_an_older_question_does_not_answer_the_newer_one(campaign: Campaign) -> None:
    row, _ = ask(campaign)
    _, newer = ask(campaign, "Also 4 in Poland", minutes=3)
    text = say_yes(campaign, row.answer)
    assert f"older than your orders No. {newer.seat_number}" in text
    assert standing(campaign) == ""


def test_yes_in_the_message_with_orders_in_doubt_does_not_confirm_them(campaign: Campaign) -> None:
    send(campaign, "Germany", f"{DOUBTFUL}\n\nYES", at=later(1))
    assert standing(campaign) == ""


def test_other_answer_to_the_question_says_that_orders_still_wait(campaign: Campaign) -> None:
    """“Ok” was answered with “nothing changed” alone."""
    assert "still wait" not in one_line(answered(campaign, "Ok", at=later(2)))
    campaign.order("Germany", "PLACE 5 Poland")
    answered(campaign, DOUBTFUL, at=later(3))
    text = one_line(answered(campaign, "Confirmed.", at=later(4)))
    assert "Reply with the one word YES to send them" in text
    assert standing(campaign) == "PLACE 5 Poland"


def test_unproven_yes_waits_like_orders(campaign: Campaign) -> None:
    """It has no more right than orders from the same address (design 7)."""
    ask(campaign)
    row = send(campaign, "Germany", "YES", sender="mallory@example.org", at=later(5))
    assert row.status != Handling.Status.DONE
    assert standing(campaign) == ""


def test_yes_to_another_players_letter_is_words_to_that_player(campaign: Campaign) -> None:
    """“Will you help me?” - “Yes” confirms no orders."""
    ask(campaign)
    press = conversations.send(
        campaign.game,
        campaign.seat("Russia"),
        campaign.players["Russia"],
        ("Germany",),
        "Will you help me?",
        channel=Press.Channel.WEB,
        now=later(2),
    )
    letter = Letter.objects.get(about__press=press.pk, person=campaign.players["Germany"])
    letter_text(letter)
    letter.refresh_from_db()
    row = send(
        campaign,
        "Germany",
        "Yes",
        at=later(5),
        subject="Re: x",
        headers={"In-Reply-To": letter.message_id},
    )
    assert row.kind == Handling.CHOICE
    assert standing(campaign) == ""


def test_cancel_takes_back_a_question(campaign: Campaign) -> None:
    row, _ = ask(campaign)
    send(campaign, "Germany", "CANCEL", at=later(3))
    assert "no orders of yours wait for it" in say_yes(campaign, row.answer)
    phase = campaign.pass_deadline()
    assert "Germany" in phase.missed


def test_orders_lists_what_is_in_doubt(campaign: Campaign) -> None:
    ask(campaign)
    text = one_line(answer(campaign, campaign.players["Germany"], "ORDERS", at=later(3)))
    assert "in doubt: a question to you" in text
    assert "In doubt, No. 1: PLACE 3 Austria. Reply YES to send that." in text


def test_yes_of_a_team_member_sends_their_own_vote() -> None:
    campaign = teams.begin("majority", options={"orders.language": "plain"})
    text = one_line(answer(campaign, campaign.players["Germany"], DOUBTFUL, at=later(1)))
    assert "do not count unless you confirm them" in text
    answer(campaign, campaign.players["Germany"], "YES", at=later(5))
    vote = in_force.votes(campaign.phase)["Germany"][1]
    assert vote.text == "PLACE 3 Austria"


def test_orders_that_cannot_be_taken_back_come_first(campaign: Campaign) -> None:
    """Contract 3a.2: in words, with how to take them back before the deadline."""
    campaign.order("Germany", "PLACE 5 Austria\nPLACE 5 Poland")
    campaign.pass_deadline()
    text = one_line(
        answer(
            campaign,
            campaign.players["Germany"],
            "UNDERSTANDING Poland\nCONTROL Austria",
            at=campaign.now,
        )
    )
    said = text.index("CONTROL in Austria. It cannot be taken back once judged.")
    assert said < text.index("Understood:")
    assert "you can: send CANCEL, or your orders again without that line" in text


def test_orders_that_can_be_replaced_are_not_called_binding(campaign: Campaign) -> None:
    text = answer(campaign, campaign.players["Germany"], "PLACE 5 Poland", at=later(1))
    assert "taken back once" not in one_line(text)


def test_greeting_of_another_nation_asks_whether_it_is_a_letter(campaign: Campaign) -> None:
    """“Hello Russia” above order lines, in answer to a letter of the service."""
    campaign.order("Germany", "PLACE 5 Poland")
    row = send(campaign, "Germany", "Hello Russia,\n\nI place 5 in Austria.\n\nHans", at=later(5))
    assert row.kind == Handling.CHOICE
    assert row.answer is not None
    text = one_line(letter_text(row.answer))
    assert "Your message greets Russia and has no command." in text
    assert "SEND THIS TO RUSSIA" in text
    assert standing(campaign) == "PLACE 5 Poland"
    to = headers.reply_to(row.answer, later(6))
    sent = send(campaign, "Germany", "SEND", to=to, at=later(6))
    assert sent.status == Handling.Status.DONE
    press = Press.objects.latest("pk")
    assert "I place 5 in Austria." in press.text
    assert standing(campaign) == "PLACE 5 Poland"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Hello Rosa, shall we share Poland?", True),
        ("Dear Russia, 5 in Poland from me", True),
        ("Hello Ada, 5 in Poland", False),
        ("Hello, Russia and Poland 5 each", False),
    ],
)
def test_greeting_may_have_a_sentence_behind_it(campaign: Campaign, text: str, asked: bool) -> None:
    """In a game with free text the line was an order to the gamesmaster, and Rosa never saw it."""
    row = send(campaign, "Germany", text, at=later(5))
    assert (row.status == Handling.Status.UNCONFIRMED) == asked
    assert not standing(campaign) or not asked


@pytest.mark.parametrize(
    "greeting",
    [
        *("Hi Felix,", "Lieber Felix", "Dear felix meyer,"),
        *("Felix,", "Felix!", "Felix, my dear!", "@Felix,", "France,"),
    ],
)
def test_greeting_of_another_player_asks_whether_it_is_a_letter(
    campaign: Campaign, greeting: str
) -> None:
    """A plan that was meant for an ally is no order."""
    Person.objects.filter(name="Felix").update(name="Felix Meyer")
    row = send(campaign, "Germany", f"{greeting}\n\nI place 5 in Austria.\n\nGustav", at=later(5))
    assert row.kind == Handling.CHOICE
    assert row.answer is not None
    assert "Your message greets France and has no command." in one_line(letter_text(row.answer))
    assert not Submission.objects.exists()


def test_greeting_of_a_player_of_an_anonymous_game_says_nothing_of_who_plays() -> None:
    campaign = Campaign.begin(anonymous=True)
    send(campaign, "Germany", "Hi Felix,\n\nPLACE 5 Austria", at=later(5))
    assert standing(campaign) == "PLACE 5 Austria"


def test_name_of_a_gamesmaster_is_greeted_as_the_service_is(campaign: Campaign) -> None:
    Person.objects.filter(name="Ada").update(name="Felix Adams")
    send(campaign, "Germany", "Hi Felix,\n\nPLACE 5 Austria", at=later(5))
    assert standing(campaign) == "PLACE 5 Austria"


@pytest.mark.parametrize("greeting", ["Ada,", "Germany,", "Gustav here,", "Merhaba,"])
def test_first_line_to_no_other_player_leaves_orders_in_force(
    campaign: Campaign, greeting: str
) -> None:
    send(campaign, "Germany", f"{greeting}\n\nPLACE 5 Austria", at=later(5))
    assert Submission.objects.get().counts


@pytest.mark.parametrize("greeting", ["Hello Ada,", "Dear Germany,", "Hi all,", "Hi Gustav,"])
def test_other_greetings_are_passed_over(campaign: Campaign, greeting: str) -> None:
    send(campaign, "Germany", f"{greeting}\n\nPLACE 5 Austria", at=later(5))
    assert standing(campaign) == "PLACE 5 Austria"


@pytest.mark.parametrize("text", ["Russia, 5", "Russia, Austria: 5 each!"])
def test_first_line_with_a_number_speaks_to_nobody(campaign: Campaign, text: str) -> None:
    send(campaign, "Germany", text, at=later(5))
    assert not Handling.objects.filter(kind=Handling.CHOICE).exists()


def test_greeting_beside_a_command_about_orders_is_passed_over(campaign: Campaign) -> None:
    send(campaign, "Germany", "Hello Russia,\n\nPLACE 5 Austria\nFINAL", at=later(5))
    assert standing(campaign) == "PLACE 5 Austria"


def test_status_names_orders_in_doubt(campaign: Campaign) -> None:
    ask(campaign)
    text = one_line(answer(campaign, campaign.players["Germany"], "STATUS", at=later(3)))
    assert "no orders are in force. No. 1, in doubt, waits for your YES." in text


def test_final_with_orders_in_doubt_waits_for_yes_and_says_so(campaign: Campaign) -> None:
    row, _ = ask(campaign, f"{DOUBTFUL}\nFINAL")
    assert row.answer is not None
    text = letter_text(row.answer)
    assert "“FINAL” was ignored: these orders of Germany are in doubt." in text
    assert "is valid" not in text
    say_yes(campaign, row.answer, word="YES\nFINAL")
    assert Submission.objects.latest("pk").final
