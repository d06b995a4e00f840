"""Letters that come back (issue 4, item 6)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pytest_django import Settings

from games.accounts import tokens
from games.models import Letter
from orders.inbound import bounces
from orders.models import Handling
from tests.inbound.writing import answers, hand_in, send
from tests.support.browsing import send_letters
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db


BOUNCES = "bounces@games.test"


def returned(
    letter: Letter, status: str = "5.1.1", action: str = "failed", *, message_id: str | None = None
) -> bytes:
    """What Postfix sends back."""
    return (
        "From: MAILER-DAEMON@mx.example.org\r\nTo: bounces@games.test\r\nSubject: Undelivered Mail"
        " Returned to Sender\r\nMessage-ID:"
        f" <b{letter.pk}-{status}-{action}@mx.example.org>\r\nAuto-Submitted:"
        " auto-replied\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report;"
        ' report-type=delivery-status; boundary="x"\r\n\r\n--x\r\nContent-Type:'
        " text/plain\r\n\r\nI am sorry.\r\n--x\r\nContent-Type:"
        " message/delivery-status\r\n\r\nReporting-MTA: dns;"
        f" mx.example.org\r\n\r\nFinal-Recipient: rfc822; {letter.address}\r\nAction:"
        f" {action}\r\nStatus: {status}\r\nDiagnostic-Code: smtp; 550 {status} no such"
        " mailbox\r\n\r\n--x\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID:"
        f" {message_id or letter.message_id}\r\nSubject: x\r\n\r\n--x--\r\n"
    ).encode()


def come_back(letter: Letter, campaign: Campaign, to: str = BOUNCES, **how: str) -> Handling:
    return hand_in(campaign, returned(letter, **how), to, sender="")


@pytest.fixture
def sent(campaign: Campaign, settings: Settings) -> list[Letter]:
    """Four letters to Gustav that went out."""
    settings.MAIL_BOUNCES = BOUNCES
    for _ in range(3):
        campaign.pass_deadline()
    rows = campaign.game.letters.filter(address="gustav@example.org", status="sent")
    letters = list(rows.exclude(person=None).order_by("pk")[:4])
    assert len(letters) == 4
    return letters


def test_a_letter_that_comes_back_is_marked(campaign: Campaign, sent: list[Letter]) -> None:
    row = come_back(sent[0], campaign)
    assert (row.status, row.kind) == (Handling.Status.IGNORED, "bounce")
    sent[0].refresh_from_db()
    assert sent[0].status == Letter.Status.BOUNCED
    assert "no such mailbox" in sent[0].fault


def test_an_answer_that_comes_back_is_marked_and_not_answered(campaign: Campaign) -> None:
    row = send(campaign, "Germany", "STATUS\n")
    assert row.answer is not None
    Letter.objects.filter(pk=row.answer.pk).update(status="sent", sent_at=campaign.now)
    come_back(row.answer, campaign, to="gamesmaster@games.test")
    row.answer.refresh_from_db()
    assert row.answer.status == "bounced"
    assert len(answers("gustav")) == 1


def test_the_address_it_came_back_to_tells_which_letter_it_was(
    campaign: Campaign, sent: list[Letter]
) -> None:
    """VERP: where the report says nothing of use."""
    to = tokens.plus("bounces@games.test", tokens.bounce_token(sent[0]))
    come_back(sent[0], campaign, to=to, message_id="<unknown@example.org>")
    sent[0].refresh_from_db()
    assert sent[0].status == Letter.Status.BOUNCED


def test_a_forged_address_marks_nothing(campaign: Campaign, sent: list[Letter]) -> None:
    wrong = tokens.plus("bounces@games.test", f"b{sent[0].pk}-0123456789abcdef")
    come_back(sent[0], campaign, to=wrong, message_id="<unknown@example.org>")
    sent[0].refresh_from_db()
    assert sent[0].status == Letter.Status.SENT


def test_a_letter_that_is_only_late_is_not_marked(campaign: Campaign, sent: list[Letter]) -> None:
    come_back(sent[0], campaign, status="4.4.1", action="delayed")
    sent[0].refresh_from_db()
    assert sent[0].status == Letter.Status.SENT


def test_after_three_the_gamesmaster_hears_once_with_the_telephone_number(
    campaign: Campaign, sent: list[Letter]
) -> None:
    """issue 4, 6: after a few, with the telephone number on file."""
    gustav = campaign.players["Germany"]
    gustav.telephone = "+49 30 1234"
    gustav.save()
    for number, letter in enumerate(sent):
        come_back(letter, campaign)
        assert len(campaign.letters("bouncing", "ada")) == (1 if number >= 2 else 0)
    send_letters(campaign.now)
    (told,) = campaign.letters("bouncing", "ada")
    assert "+49 30 1234" in told.text
    assert "gustav@example.org" in told.text
    assert campaign.letters("bouncing", "gustav") == []


def test_in_whatever_order_they_come_back(campaign: Campaign, sent: list[Letter]) -> None:
    for letter in reversed(sent):
        come_back(letter, campaign)
    assert len(campaign.letters("bouncing", "ada")) == 1


def test_a_letter_that_arrived_ends_the_run(campaign: Campaign, sent: list[Letter]) -> None:
    """Once per run of them: what arrived in between shows that the address is good."""
    later = campaign.now + bounces.COMES_BACK_WITHIN + timedelta(hours=1)
    bounces.mark(sent[0], "550", later)
    bounces.mark(sent[1], "550", later)
    bounces.mark(sent[3], "550", later)
    assert campaign.letters("bouncing", "ada") == []
