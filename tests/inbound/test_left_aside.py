"""Orders in plain words that did not count are named in the answer, never lost."""

from __future__ import annotations

from email.message import EmailMessage
from typing import Any

import pytest

from games.letters import rendering
from games.models import Letter
from orders.models import Submission
from tests.support.campaign import Campaign

from .writing import address_of, hand_in, send

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


def understood(campaign: Campaign) -> list[str]:
    submission = Submission.objects.filter(game=campaign.game).latest("number")
    return [words for _, words in submission.understood]


def answer_to(campaign: Campaign, text: str, **how: Any) -> str:
    """Return the text of the answer to a message of Germany's player."""
    handling = send(campaign, "Germany", text, **how)
    assert handling.answer is not None
    return rendering.render(Letter.objects.get(pk=handling.answer.pk)).text


@pytest.mark.parametrize(
    "below",
    [
        *("Sent from my iPhone\n\n5 to Austria", "-- \n5 to Austria", "—\n5 to Austria"),
        *("____________\n5 to Austria", "> What do you do?\n5 to Austria", "| 5 to Austria"),
        "-----Original Message-----\n5 to Austria",
        "On Mon, 16 Nov 2026, Ada wrote:\n> Your orders?\n5 to Austria\n> Deadline?",
    ],
)
def test_plain_order_below_a_quotation_is_named_and_does_not_count(below: str) -> None:
    campaign = Campaign.begin()
    text = answer_to(campaign, f"5 to Poland\n\n{below}")
    assert understood(campaign) == ["PLACE 5 Poland"]
    assert "LEFT ASIDE" in text
    assert "5 to Austria" in text.partition("LEFT ASIDE")[2]


@pytest.mark.parametrize("line", ["Take control of Austria", "Aus: five", "the rest to the French"])
def test_plain_order_without_digits_is_named(line: str) -> None:
    text = answer_to(Campaign.begin(), f"5 to Poland\n\n-- \n{line}")
    assert line in text.partition("LEFT ASIDE")[2]


@pytest.mark.parametrize(
    "line", ["Tel. +49 30 123456", "Berlin, 16 November 2026", "Write to us, we send 5", "Gerd"]
)
def test_signature_is_not_named_as_an_order(line: str) -> None:
    assert "LEFT ASIDE" not in answer_to(Campaign.begin(), f"5 to Poland\n\n-- \n{line}")


def test_quoted_letter_of_ours_is_not_named_as_orders() -> None:
    """Also if a mail program quotes it without marks and the player deletes its first lines."""
    campaign = Campaign.begin()
    letter = Letter.objects.filter(person=campaign.players["Germany"], kind="opened").latest("pk")
    quoted = rendering.render(letter).text.partition("===")[2].partition("\n")[2]
    text = answer_to(
        campaign,
        f"5 to Poland\n\n-----Original Message-----\n{quoted}\n8 to Austria",
        headers={"In-Reply-To": letter.message_id},
    )
    aside = text.partition("LEFT ASIDE")[2].partition("WHAT COUNTS NOW")[0]
    assert "8 to Austria" in aside
    assert aside.count("\n    ") <= 2, aside


@pytest.mark.parametrize("text", ["5 to Poland", "BOARD"])
def test_notice_and_text_below_a_footer_are_named(text: str) -> None:
    """Also beside a command: what is below the footer may have been a condition."""
    notice = "CAUTION: This email originated from outside of the organization."
    footer = "Sent from my iPhone\nOnly if France agrees."
    answer = answer_to(Campaign.begin(), f"{notice}\n\n{text}\n\n{footer}")
    left_out = " ".join(answer.partition("LEFT OUT")[2].split())
    assert left_out.startswith(
        "Read as a footer or a notice about your mail, not as orders:"
        f" “{notice}”, “Sent from my iPhone”, “Only if France agrees.”."
    )


def test_unused_text_file_is_named() -> None:
    campaign = Campaign.begin()
    mail = EmailMessage()
    mail["From"], mail["To"] = "gustav@example.org", address_of(campaign, "Germany")
    mail["Message-ID"], mail["Subject"] = "<file@example.org>", "Orders"
    mail.set_content("Thanks!")
    mail.add_attachment("5 to Poland\n", filename="orders.txt")
    handling = hand_in(campaign, mail.as_bytes())
    assert handling.answer is not None
    text = rendering.render(Letter.objects.get(pk=handling.answer.pk)).text
    assert "No line of “orders.txt” counts. Write your lines into the message itself." in " ".join(
        text.split()
    )
    assert not Submission.objects.filter(game=campaign.game).exists()


def test_subject_in_plain_words_is_named() -> None:
    text = answer_to(Campaign.begin(), "\n", subject="5 in Poland and 5 in Austria")
    assert "Your subject “5 in Poland and 5 in Austria” looks like an order, but did" in text


@pytest.mark.parametrize("text", ["Thanks!\nGustav", "Hi Ada,\n\nmany thanks\n", "-- \nGustav"])
@pytest.mark.parametrize("subject", ["PLACE 10 Poland", "Re: PLACE 10 Poland"])
def test_order_in_the_subject_above_courtesies_alone_counts(text: str, subject: str) -> None:
    campaign = Campaign.begin()
    answer_to(campaign, text, subject=subject)
    assert understood(campaign) == ["PLACE 10 Poland"]


def test_order_in_the_subject_beside_others_is_named_unless_it_is_among_them() -> None:
    campaign = Campaign.begin()
    text = answer_to(campaign, "PLACE 4 Austria", subject="PLACE 6 Poland")
    assert "Your subject “PLACE 6 Poland” looks like an order, but did not" in text
    assert understood(campaign) == ["PLACE 4 Austria"]
    assert "LEFT ASIDE" not in answer_to(campaign, "PLACE 4 Austria", subject="PLACE 4 Austria")
    assert "LEFT ASIDE" not in answer_to(campaign, "PLACE 4 Austria", subject="Germany, turn 1")


@pytest.mark.parametrize("label", ["Subject:", "Betreff:", "Objet :"])
def test_subject_above_a_quoted_letter_is_not_named_as_an_order(label: str) -> None:
    """Outlook writes it there in the sender's language; “Germany” and a number made it suspect."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 10 Poland")
    letter = campaign.letters("receipt", "gustav")[-1]
    subject = rendering.render(letter).subject
    text = answer_to(
        campaign,
        f"PLACE 5 Austria\n\n________________________________\nVon: Gamesmaster"
        f" <gamesmaster@games.test>\nGesendet: Montag, 16. November 2026 17:00\nAn: Gustav\n"
        f"{label} {subject}\n\n{rendering.render(letter).text}\nBetreff: 8 to Austria",
        headers={"In-Reply-To": letter.message_id},
    )
    aside = text.partition("LEFT ASIDE")[2].partition("WHAT COUNTS NOW")[0]
    assert "Betreff: 8 to Austria" in aside, "this is no subject of ours"
    assert subject not in " ".join(aside.split())


@pytest.mark.parametrize("prefix", ["", "AW: "])
def test_subject_of_a_receipt_is_no_order_of_who_answers_it(prefix: str) -> None:
    """A receipt has the subject of the orders, which newer ones may have replaced."""
    campaign = Campaign.begin()
    first = send(campaign, "Germany", "\n", subject="PLACE 10 Poland").answer
    send(campaign, "Germany", "PLACE 5 Austria")
    assert first is not None
    text = answer_to(
        campaign,
        "On Mon, 16 Nov 2026, Ada wrote:\n> PLACE 10 Poland\n",
        subject=f"{prefix}{rendering.render(first).subject}",
        headers={"In-Reply-To": first.message_id},
    )
    assert "NOTHING CHANGED" in text
    assert understood(campaign) == ["PLACE 5 Austria"]


def test_crossed_out_order_does_not_count_and_is_named() -> None:
    """The plain alternative of the same message does not show what is crossed out."""
    campaign = Campaign.begin()
    mail = EmailMessage()
    mail["From"], mail["To"] = "gustav@example.org", address_of(campaign, "Germany")
    mail["Message-ID"], mail["Subject"] = "<crossed@example.org>", "Orders"
    mail.set_content("10 to Poland\n3 to Italy\n")
    mail.add_alternative("<div><s>10 to Poland</s></div><div>3 to Italy</div>", subtype="html")
    handling = hand_in(campaign, mail.as_bytes())
    assert understood(campaign) == ["PLACE 3 Italy"]
    assert handling.answer is not None
    text = rendering.render(Letter.objects.get(pk=handling.answer.pk)).text
    assert "You crossed out “10 to Poland”, so it does not count." in " ".join(text.split())


def test_encrypted_message_is_answered_with_what_to_do() -> None:
    armor = "-----BEGIN PGP MESSAGE-----\n\nhQEMA\n=abcd\n-----END PGP MESSAGE-----\n"
    text = answer_to(Campaign.begin(), armor)
    assert "We cannot read encrypted messages. Send your orders unencrypted." in text
    assert "REJECTED" not in text
    assert "contains no order" not in text


@pytest.mark.parametrize("thanks", ["Thanks!", "👍", "Hi Ada,\n\nthank you very much!\n\nGustav"])
def test_thanks_alone_are_answered_shortly(thanks: str) -> None:
    text = answer_to(Campaign.begin(), thanks)
    assert "Thank you. Nothing changed." in text
    assert "WHAT COUNTS NOW" in text
    assert "contains no order" not in text
    assert "ORDERS FOR GERMANY" not in text
