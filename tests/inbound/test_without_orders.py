"""Mail of players without any line like an order: notes of absence, clicks, words to others."""

from __future__ import annotations

import pytest

from games.models import Letter, Press
from games.positions import in_force
from orders.models import Handling, Submission
from tests.support.campaign import Campaign
from tests.support.letters import letter_text

from . import corpus
from .writing import address_of, answers, hand_in, send

NOT_NEAR = [name for name, expected in corpus.EXPECTED.items() if not expected.get("near", True)]
CLICKED = [name for name, expected in corpus.EXPECTED.items() if expected.get("clicked")]


def of_gustav(campaign: Campaign, name: str) -> bytes:
    head, _, body = corpus.raw(name).partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"to:")]
    to = b"To: " + address_of(campaign, "Germany").encode()
    return b"\r\n".join([to, *lines]) + b"\r\n\r\n" + body


@pytest.mark.django_db
@pytest.mark.letters
def test_message_without_a_line_like_an_order_is_answered_once_a_day(campaign: Campaign) -> None:
    """Notes of absence in any language, and mail of programs in a person's name."""
    assert len(NOT_NEAR) >= 4
    for name in NOT_NEAR:
        row = hand_in(campaign, of_gustav(campaign, name), sender="gustav@example.org")
        assert (row.status, row.kind) == (Handling.Status.DONE, "no order"), name
    assert not Submission.objects.exists()
    (letter,) = answers("gustav")
    text = letter_text(letter)
    assert "No line of your message looks like an order or a command" in text
    assert "REJECTED" not in text


@pytest.mark.django_db
def test_click_on_a_reaction_or_an_invitation_is_not_answered(campaign: Campaign) -> None:
    assert len(CLICKED) >= 2
    for name in CLICKED:
        row = hand_in(campaign, of_gustav(campaign, name), sender="gustav@example.org")
        assert row.status == Handling.Status.IGNORED, name
    assert not Submission.objects.exists()
    assert answers("gustav") == []
    row = hand_in(campaign, of_gustav(campaign, "calendar-reply-with-orders"))
    assert row.status == Handling.Status.DONE
    assert Submission.objects.get().counts


@pytest.mark.django_db
@pytest.mark.letters
@pytest.mark.parametrize(
    "text",
    [
        "GERMANY (Maier): Pol +4, Aus +3, Rhi +3.",
        "PLAZE 4 Polnd",
        "Polnd 5",
        "five in Polan",
        "Atack Poland: Russia",
        "Finl",
        "Take Austra",
    ],
)
def test_misspelled_line_is_answered_with_what_is_wrong(campaign: Campaign, text: str) -> None:
    row = send(campaign, "Germany", f"{text}\n")
    assert row.kind == "commands"
    assert row.answer is not None
    assert text in letter_text(row.answer)


@pytest.mark.django_db
def test_words_to_another_player_are_not_taken_for_nothing(campaign: Campaign) -> None:
    """Their writer is asked whether they are a letter, however little they look like orders."""
    send(campaign, "Russia", "PRESS TO Germany\nShall we meet?\nEND\n")
    letter = Letter.objects.get(
        about__press=Press.objects.get().pk, person=campaign.players["Germany"]
    )
    row = send(campaign, "Germany", "Yes, gladly.\n", headers={"In-Reply-To": letter.message_id})
    assert row.status == Handling.Status.UNCONFIRMED


@pytest.mark.django_db
@pytest.mark.letters
@pytest.mark.parametrize(
    "text",
    [
        *("I withdraw my orders.", "Scrap everything I sent.", "Disregard my previous email"),
        *("Correction to my orders: Turkey instead of Greece.", "Can I still change my orders?"),
    ],
)
def test_words_about_orders_in_force_are_answered_after_chat_too(
    campaign: Campaign, text: str
) -> None:
    """They had the day's only answer to chat, which did not say that the orders stand, or none."""
    send(campaign, "Germany", "What a turn, lads\n")
    campaign.order("Germany", "PLACE 5 Poland")
    row = send(campaign, "Germany", f"{text}\n")
    assert (row.kind, Submission.objects.count()) == ("no order", 1)
    assert row.answer is not None
    words = letter_text(row.answer)
    assert "the orders that you sent before stand. Reply with the one word CANCEL" in words
    assert send(campaign, "Germany", f"{text} Really\n").answer is None
    send(campaign, "Germany", "CANCEL\n", headers={"In-Reply-To": row.answer.message_id})
    assert not in_force.texts_in_force(campaign.phase)


@pytest.mark.django_db
@pytest.mark.letters
@pytest.mark.parametrize(("text", "ordered"), [("What a turn, lads", True), ("Scrap it", False)])
def test_chat_or_words_about_no_orders_are_not_answered_twice_a_day(
    campaign: Campaign, text: str, ordered: bool
) -> None:
    if ordered:
        campaign.order("Germany", "PLACE 5 Poland")
    for _ in range(2):
        send(campaign, "Germany", f"{text}\n")
    (letter,) = answers("gustav")
    assert "nothing changed; HELP" in letter_text(letter)


@pytest.mark.django_db
@pytest.mark.letters
@pytest.mark.parametrize(
    "text", ["I do nothing this turn.", "Nothing from me this time", "I don't"]
)
def test_words_of_one_who_orders_nothing_are_answered_with_pass(
    campaign: Campaign, text: str
) -> None:
    """They were no line like an order, answered once a day, and the turn counted as missed."""
    for _ in range(2):
        row = send(campaign, "Germany", f"{text}\n")
        assert row.answer is not None
        assert "Did you mean “PASS”?" in " ".join(letter_text(row.answer).split())


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["Everything at home", "We keep all our PFs at home"])
def test_order_without_a_name_of_the_card_is_read(campaign: Campaign, text: str) -> None:
    """It was answered with “No line of your message looks like an order”, once a day."""
    send(campaign, "Germany", f"{text}\n")
    assert Submission.objects.get().understood == [[1, "PLACE 10 Germany"]]
