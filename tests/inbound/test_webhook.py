"""Letters and bounces from a mail provider: Postmark through anymail (issue 4, item 1)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import include, path
from pytest_django import Settings

from games.base import clock
from games.models import Letter
from gamesmaster import urls
from orders.inbound.transports import webhook
from orders.models import Mail, Submission
from tests.inbound.writing import address_of, written
from tests.support.campaign import Campaign
from tests.support.letters import letter_text

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
urlpatterns: list[Any] = []


@pytest.fixture
def campaign(db: None, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    campaign = Campaign.begin()
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    return campaign


@pytest.fixture(autouse=True)
def _provider(settings: Settings) -> Iterator[None]:
    from anymail.signals import inbound, tracking

    settings.MAIL_WEBHOOK = "postmark"
    settings.ANYMAIL = {"WEBHOOK_SECRET": "name:secret"}
    urlpatterns[:] = [*urls.urlpatterns, path("anymail/", include(webhook.patterns()))]
    settings.ROOT_URLCONF = __name__
    webhook.connect()
    yield
    inbound.disconnect(dispatch_uid="orders.inbound.transports.webhook.receive")
    tracking.disconnect(dispatch_uid="orders.inbound.transports.webhook.track")


def post(kind: str, body: dict[str, Any], secret: str = "name:secret") -> int:
    authorization = "Basic " + base64.b64encode(secret.encode()).decode()
    answer = Client().post(
        f"/anymail/postmark/{kind}/",
        json.dumps(body),
        content_type="application/json",
        headers={"Authorization": authorization},
    )
    return answer.status_code


def handed_in(campaign: Campaign, text: str = "PLACE 10 Poland\n") -> dict[str, Any]:
    to = address_of(campaign, "Germany")
    return {
        "OriginalRecipient": to,
        "MessageStream": "inbound",
        "RawEmail": written("gustav@example.org", to, text).decode(),
        "Headers": [{"Name": "Return-Path", "Value": "<gustav@example.org>"}],
    }


def test_webhook_letter_is_stored_and_obeyed(campaign: Campaign) -> None:
    assert post("inbound", handed_in(campaign)) == 200
    mail = Mail.objects.get()
    assert (mail.way, mail.envelope_to) == ("webhook", [address_of(campaign, "Germany")])
    assert Submission.objects.get().counts


def test_webhook_without_the_secret_is_refused(campaign: Campaign) -> None:
    """issue 4, 1: signatures are checked."""
    assert post("inbound", handed_in(campaign), secret="name:guess") == 400
    assert not Mail.objects.exists()


def test_malformed_webhook_is_refused(campaign: Campaign) -> None:
    """ways-in.md 1: broken JSON, or an inbound message at tracking, was a 500 and a traceback."""
    reports: list[Any] = [7, "{", {"FromFull": {}}]
    assert [post("tracking", report) for report in reports] == [400, 400, 400]
    assert post("inbound", handed_in(campaign) | {"Headers": 7}) == 400


def test_webhook_letter_for_a_foreign_address_is_ignored(campaign: Campaign) -> None:
    """ways-in.md B6: with a catch-all at the provider, mail to webmaster@ was obeyed."""
    report = handed_in(campaign)
    own, foreign = report["OriginalRecipient"], "webmaster@elsewhere.example"
    report["RawEmail"] = report["RawEmail"].replace(own, foreign)
    for recipient in (foreign, ""):
        report["OriginalRecipient"] = recipient
        assert post("inbound", report) == 200
    assert not Mail.objects.exists()


def test_webhook_letter_that_names_a_foreign_address_first_is_obeyed(campaign: Campaign) -> None:
    """SendGrid, SES and MailerSend report a message once; anymail names its first recipient alone,
    so that orders with a copy to webmaster@ were lost."""
    report = handed_in(campaign)
    own, foreign = report["OriginalRecipient"], "webmaster@games.test"
    report["RawEmail"] = report["RawEmail"].replace(own, f"{foreign}, {own}")
    for recipient in (foreign, own):
        report["OriginalRecipient"] = recipient
        assert post("inbound", report) == 200
    assert Mail.objects.get().envelope_to == [own]
    assert Submission.objects.get().counts


@pytest.mark.both_databases
def test_webhook_letter_reported_in_pieces_again_is_the_same(campaign: Campaign) -> None:
    """Without raw messages anymail puts a message together, and each report of it had boundaries of
    its own: a provider that tried again had it obeyed again, after newer orders."""
    own = address_of(campaign, "Germany")
    pieces = {
        "OriginalRecipient": own,
        "FromFull": {"Email": "gustav@example.org", "Name": "", "MailboxHash": ""},
        "ToFull": [{"Email": own, "Name": "", "MailboxHash": ""}],
        "Subject": "Orders",
        "TextBody": "PLACE 10 Poland\n",
        "HtmlBody": "<p>PLACE 10 Poland</p>",
        "Headers": [
            {"Name": "Return-Path", "Value": "<gustav@example.org>"},
            {"Name": "Message-ID", "Value": "<1@example.org>"},
        ],
    }
    assert [post("inbound", pieces) for _ in range(2)] == [200, 200]
    assert Mail.objects.count() == 1
    assert Submission.objects.get().text.strip() == "PLACE 10 Poland"


def test_sender_of_an_oversized_webhook_letter_is_notified(
    campaign: Campaign, settings: Settings
) -> None:
    """ways-in.md B4: a player who replied with a photograph thought that they had ordered."""
    settings.MAIL_LARGEST = 2_000
    report = handed_in(campaign, "PLACE 10 Poland\n" + "x" * 60_000 + "\n")
    assert post("inbound", report) == 200
    assert post("inbound", report) == 200
    mail, letter = Mail.objects.get(), Letter.objects.get(kind="word")
    assert len(mail.raw) < 2_000
    assert letter.address == "gustav@example.org"
    assert "so we did not read it" in letter_text(letter)
    assert not Submission.objects.exists()


def test_webhook_of_several_megabytes_is_read(campaign: Campaign) -> None:
    """Larger than the body limit of pages; its sender is notified all the same."""
    assert post("inbound", handed_in(campaign, ("x" * 70 + "\n") * 70_000)) == 200
    assert Letter.objects.filter(kind="word").count() == 1


def test_webhooks_of_other_providers_do_not_exist() -> None:
    """No secret protects them, so they would be open to anybody."""
    assert Client().post("/anymail/mailgun/inbound/").status_code == 404
    assert {str(pattern.name).partition("_")[0] for pattern in webhook.patterns()} == {"postmark"}


@pytest.mark.both_databases
@pytest.mark.parametrize("own_ids", [False, True])
def test_webhook_bounce_marks_the_letter(campaign: Campaign, own_ids: bool) -> None:
    """A provider may use its own message ids: then the newest letter to the address is meant."""
    campaign.wait_until(campaign.now)
    letter = (
        Letter.objects.filter(address="gustav@example.org", status="sent")
        .order_by("-sent_at", "-pk")
        .first()
    )
    assert letter is not None
    body = {
        "RecordType": "Bounce",
        "Type": "HardBounce",
        "Email": "Gustav@example.org",
        "MessageID": "own-id" if own_ids else letter.message_id.strip("<>"),
        "BouncedAt": "2026-11-16T18:00:00Z",
        "Details": "no such mailbox",
    }
    assert post("tracking", body) == 200
    letter.refresh_from_db()
    assert letter.status == Letter.Status.BOUNCED
