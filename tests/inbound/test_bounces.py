"""Letters that bounce (issue 4, item 6)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pytest_django import Settings

from games.accounts import tokens
from games.letters import sending
from games.models import Letter
from orders.inbound import bounces
from orders.models import Handling
from tests.inbound.writing import answers, hand_in, send
from tests.support.browsing import send_letters
from tests.support.campaign import Campaign

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


BOUNCES = "bounces@games.test"


def returned(
    letter: Letter, status: str = "5.1.1", action: str = "failed", *, message_id: str | None = None
) -> bytes:
    """Return a bounce as Postfix sends it."""
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
    """Return four letters sent to Gustav."""
    settings.MAIL_BOUNCES = BOUNCES
    for _ in range(3):
        campaign.pass_deadline()
    rows = campaign.game.letters.filter(address="gustav@example.org", status="sent")
    letters = list(rows.exclude(person=None).order_by("pk")[:4])
    assert len(letters) == 4
    return letters


def test_bounced_letter_is_marked(campaign: Campaign, sent: list[Letter]) -> None:
    row = come_back(sent[0], campaign)
    assert (row.status, row.kind) == (Handling.Status.IGNORED, "bounce")
    sent[0].refresh_from_db()
    assert sent[0].status == Letter.Status.BOUNCED
    assert "no such mailbox" in sent[0].fault


@pytest.mark.parametrize("report", [True, False])
def test_reason_of_exim_is_told(campaign: Campaign, sent: list[Letter], report: bool) -> None:
    """Exim says 5.0.0 of every failure, and the reason in the text only (its deliver.c)."""
    text = (
        "This message was created automatically by mail delivery software.\r\n\r\n"
        "A message sent by\r\n\r\n  <bounces@games.test>\r\n\r\n"
        "could not be delivered to one or more of its recipients. The following\r\n"
        "address(es) failed:\r\n\r\n"
        "  gustav@example.org\r\n"
        "    (generated from team@example.org)\r\n"
        "    mailbox is full:\r\n"
        "    retry timeout exceeded\r\n\r\n"
    )
    head = (
        "From: Mail Delivery System <Mailer-Daemon@mx.example.org>\r\nTo: bounces@games.test\r\n"
        "Subject: Mail delivery failed: returning message to sender\r\nAuto-Submitted:"
        " auto-replied\r\nX-Failed-Recipients: gustav@example.org\r\nMIME-Version: 1.0\r\n"
    )
    copy = f"Message-ID: {sent[0].message_id}\r\nSubject: x\r\n\r\n"
    whole = (
        "Content-Type: multipart/report; report-type=delivery-status; boundary=x\r\n\r\n"
        f"--x\r\nContent-type: text/plain; charset=us-ascii\r\n\r\n{text}\r\n"
        "--x\r\nContent-type: message/delivery-status\r\n\r\nReporting-MTA: dns;"
        " mx.example.org\r\n\r\nAction: failed\r\nFinal-Recipient:"
        " rfc822;gustav@example.org\r\nStatus: 5.0.0\r\n\r\n"
        f"--x\r\nContent-type: message/rfc822\r\n\r\n{copy}--x--\r\n"
        if report
        else f"Content-Type: text/plain\r\n\r\n{text}------ This is a copy of the message,"
        f" including all the headers. ------\r\n\r\n{copy}"
    )
    hand_in(campaign, f"{head}{whole}".encode(), BOUNCES, sender="")
    sent[0].refresh_from_db()
    assert sent[0].status == Letter.Status.BOUNCED
    reason = "(generated from team@example.org) mailbox is full: retry timeout exceeded"
    assert sent[0].fault == reason


def test_letter_that_comes_back_before_it_is_marked_as_sent_stays_returned(
    campaign: Campaign, sent: list[Letter]
) -> None:
    """A mail server refuses within a second what its next one does not take; if the database was
    busy, the worker then marked the letter as sent."""
    Letter.objects.filter(pk=sent[0].pk).update(status="sending", claim="mine", sent_at=None)
    come_back(sent[0], campaign)
    sending._mark_sent(sent[0], "mine", campaign.now)
    sent[0].refresh_from_db()
    assert (sent[0].status, sent[0].claim) == (Letter.Status.BOUNCED, "")
    assert sent[0].sent_at == campaign.now


def test_bounced_answer_is_marked_and_not_answered(campaign: Campaign) -> None:
    row = send(campaign, "Germany", "STATUS\n")
    assert row.answer is not None
    Letter.objects.filter(pk=row.answer.pk).update(status="sent", sent_at=campaign.now)
    come_back(row.answer, campaign, to="gamesmaster@games.test")
    row.answer.refresh_from_db()
    assert row.answer.status == "bounced"
    assert len(answers("gustav")) == 1


def test_bounce_address_identifies_the_letter(campaign: Campaign, sent: list[Letter]) -> None:
    """VERP: used when the report does not identify the letter."""
    to = tokens.plus("bounces@games.test", tokens.bounce_token(sent[0]))
    come_back(sent[0], campaign, to=to, message_id="<unknown@example.org>")
    sent[0].refresh_from_db()
    assert sent[0].status == Letter.Status.BOUNCED


def test_forged_bounce_address_marks_nothing(campaign: Campaign, sent: list[Letter]) -> None:
    wrong = tokens.plus("bounces@games.test", f"b{sent[0].pk}-0123456789abcdef")
    come_back(sent[0], campaign, to=wrong, message_id="<unknown@example.org>")
    sent[0].refresh_from_db()
    assert sent[0].status == Letter.Status.SENT


def test_delayed_letter_is_not_marked(campaign: Campaign, sent: list[Letter]) -> None:
    come_back(sent[0], campaign, status="4.4.1", action="delayed")
    sent[0].refresh_from_db()
    assert sent[0].status == Letter.Status.SENT


@pytest.mark.both_databases
def test_third_bounce_notifies_the_gamesmaster_once(campaign: Campaign, sent: list[Letter]) -> None:
    """issue 4, 6."""
    gustav = campaign.players["Germany"]
    gustav.telephone = "+49 30 1234"
    gustav.save()
    for number, letter in enumerate(sent):
        come_back(letter, campaign)
        assert len(campaign.letters("bouncing", "ada")) == (1 if number >= 2 else 0)
    send_letters(campaign.now)
    (notice,) = campaign.letters("bouncing", "ada")
    assert "+49 30 1234" in notice.text
    assert "gustav@example.org" in notice.text
    assert campaign.letters("bouncing", "gustav") == []


def test_bounces_in_any_order_notify_once(campaign: Campaign, sent: list[Letter]) -> None:
    for letter in reversed(sent):
        come_back(letter, campaign)
    assert len(campaign.letters("bouncing", "ada")) == 1


def test_delivered_letter_resets_the_count_of_bounces(
    campaign: Campaign, sent: list[Letter]
) -> None:
    """A letter that arrived in between shows that the address works."""
    later = campaign.now + bounces.COMES_BACK_WITHIN + timedelta(hours=1)
    bounces.mark(sent[0], "550", later)
    bounces.mark(sent[1], "550", later)
    bounces.mark(sent[3], "550", later)
    assert campaign.letters("bouncing", "ada") == []
