"""Which mail is set aside: what a program generated, not what a list or a relay handled.

By the real ways in, because each hands on headers and the envelope in its own manner.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from email.utils import format_datetime
from types import SimpleNamespace

import pytest
from anymail.signals import inbound, tracking
from django.core.management import call_command
from django.urls import include, path
from pytest_django import Settings

from games.accounts import tokens
from games.base import clock
from games.models import Address, Letter
from gamesmaster import urls
from orders.inbound import set_aside
from orders.inbound.transports import webhook
from orders.models import Handling, Submission
from tests.inbound import corpus, test_webhook
from tests.inbound.test_lmtp import Running
from tests.inbound.writing import address_of, answers, send, written
from tests.support.campaign import Campaign, person
from tests.support.letters import letter_text
from tests.support.processes import free_port

pytestmark = pytest.mark.letters
Status = Handling.Status
GENERAL = "orders@games.test"

#: Headers of providers, relays, rules and lists on what people write, and near misses of signs of
#: a program.
HANDLING = (
    "Feedback-ID: i12345678:Fastmail",
    "Feedback-ID: izesmtp:qcloud",
    "X-Auto-Response-Suppress: All",
    "X-Auto-Response-Suppress: DR, OOF, AutoReply",
    "List-Unsubscribe: <https://relay.example.net/u/1>",
    "List-Id: Friends <friends.example.org>",
    "Precedence: bulk",
    "X-Loop: gustav@example.org",
    "X-MS-Exchange-Inbox-Rules-Loop: gustav@example.org",
    "X-Mailer: Campaign Monitor",
    "Auto-Submitted: no",
    "Auto-Submitted: No (written by hand)",
    "X-Autoreply: no",
)
#: Headers that say of this very message that a program generated it.
GENERATED = (
    "Auto-Submitted: auto-replied (vacation)",
    "Auto-Submitted: auto-generated; owner-email=gustav@example.org",
    "Auto-Submitted: auto-notified",
    "X-Autoreply: yes",
    "X-Autorespond: your orders",
    "X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent",
    "Precedence: auto_reply",
    "Content-Type: multipart/report; report-type=disposition-notification; boundary=x",
    "Return-Path: <>",
)


# --- by each way in ---

Deliver = Callable[[bytes, str], None]


@pytest.fixture(params=["lmtp", "webhook", "pipe"])
def deliver(
    request: pytest.FixtureRequest,
    transactional_db: None,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Deliver]:
    """Return a function that delivers a message of Gustav to an address by one of the ways in."""
    match request.param:
        case "lmtp":
            with Running(f"127.0.0.1:{free_port()}") as server:

                def by_lmtp(raw: bytes, to: str) -> None:
                    with server.client() as client:
                        lines = raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
                        assert client.sendmail("gustav@example.org", [to], lines) == {}

                yield by_lmtp
        case "webhook":
            settings.MAIL_WEBHOOK = "postmark"
            settings.ANYMAIL = {"WEBHOOK_SECRET": "name:secret"}
            settings.ROOT_URLCONF = test_webhook.__name__
            patterns = path("anymail/", include(webhook.patterns()))
            test_webhook.urlpatterns[:] = [*urls.urlpatterns, patterns]
            webhook.connect()

            def by_webhook(raw: bytes, to: str) -> None:
                report = {"OriginalRecipient": to, "MessageStream": "inbound"}
                report["RawEmail"] = raw.decode()
                sender = {"Name": "Return-Path", "Value": "<gustav@example.org>"}
                assert test_webhook.post("inbound", {**report, "Headers": [sender]}) == 200

            yield by_webhook
            inbound.disconnect(dispatch_uid="orders.inbound.transports.webhook.receive")
            tracking.disconnect(dispatch_uid="orders.inbound.transports.webhook.track")
        case _:

            def by_pipe(raw: bytes, to: str) -> None:
                monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
                call_command("receivemail", recipient=to, sender="gustav@example.org")

            yield by_pipe


def newest() -> Handling:
    return Handling.objects.select_related("mail", "answer").latest("pk")


def test_orders_count_whatever_a_header_says_about_handling(deliver: Deliver) -> None:
    campaign = Campaign.begin(clock.now())
    to = address_of(campaign, "Germany")
    messages = [
        f"{header}\n".encode() + written("gustav@example.org", to, "PLACE 10 Poland\n")
        for header in HANDLING
    ]
    files = ("feedback-id", "auto-response-suppress", "long-html-line", "list-mail", "x-loop")
    now = f"Date: {format_datetime(clock.now())}\r\n".encode()
    messages += [re.sub(rb"(?m)^Date: .*\r?\n", now, corpus.raw(name)) for name in files]
    for number, raw in enumerate(messages, start=1):
        deliver(raw, to)
        row = newest()
        assert (row.status, row.kind) == (Status.DONE, "commands"), (raw[:200], row.words)
        assert row.answer is not None
        assert row.answer.kind == "answer"
        assert Submission.objects.filter(counts=True).count() == number
    assert campaign.letters("mailaside") == []


def test_generated_mail_is_kept_listed_and_told_once_a_day(deliver: Deliver) -> None:
    """RFC 3834: it is not answered. Nor is it obeyed, but nobody's orders vanish unseen."""
    campaign = Campaign.begin(clock.now())
    to = address_of(campaign, "Germany")
    for header in GENERATED:
        raw = f"{header}\n".encode() + written("gustav@example.org", to, "PLACE 10 Poland\n")
        deliver(raw, to)
        row = newest()
        assert (row.status, row.kind) == (Status.IGNORED, "automatic"), (header, row.words)
        assert (row.game, row.person) == (campaign.game, campaign.players["Germany"])
        assert b"PLACE 10 Poland" in bytes(row.mail.raw)
    assert set_aside.listed(campaign.game, clock.now()).count() == len(GENERATED)
    assert not Submission.objects.exists()
    assert answers("gustav") == []
    (letter,) = campaign.letters("mailaside")
    assert letter.address == "ada@example.org"
    text = letter_text(letter)
    assert "gustav@example.org" in text
    assert "It says of itself “Auto-Submitted: auto-replied (vacation)”." in text
    assert "PLACE" not in text


# --- whose key, whose address ---

in_database = pytest.mark.django_db


def headers_of(line: str) -> dict[str, str]:
    name, _, value = line.partition(": ")
    return {name: value}


@in_database
@pytest.mark.parametrize("line", [*HANDLING, *GENERATED])
def test_mail_of_a_stranger_without_a_key_is_not_answered(campaign: Campaign, line: str) -> None:
    """RFC 3834, 2: no loop begins. It concerns no game, so that no gamesmaster is told."""
    raw_headers = {} if line.startswith("Content-Type") else headers_of(line)
    row = send(campaign, "Germany", "HELP\n", sender="m@x.example", to=GENERAL, headers=raw_headers)
    assert (row.status, row.game, row.person) == (Status.IGNORED, None, None)
    assert not Letter.objects.filter(address="m@x.example").exists()
    assert campaign.letters("mailaside") == []


@in_database
def test_key_with_another_address_is_confirmed_whatever_the_headers(campaign: Campaign) -> None:
    """The proof of the sender is as for any mail, and one question stands for all of a phase."""
    for line in HANDLING:
        row = send(
            campaign, "Germany", "PLACE 1 Poland\n", sender="m@x.example", headers=headers_of(line)
        )
        assert row.status == Status.UNCONFIRMED, (line, row.words)
    assert [letter.kind for letter in answers("gustav")] == ["confirm"]
    assert not Submission.objects.exists()


@in_database
def test_player_without_a_key_is_answered_as_before(campaign: Campaign) -> None:
    row = send(campaign, "Germany", "PLACE 1 Poland\n", to=GENERAL, headers=headers_of(HANDLING[0]))
    assert (row.status, row.kind) == (Status.DONE, "no address")
    assert [letter.kind for letter in answers("gustav")] == ["word"]
    assert not Submission.objects.exists()


@in_database
@pytest.mark.parametrize("line", [HANDLING[0], HANDLING[2]])
def test_proven_orders_without_a_key_count(
    campaign: Campaign, settings: Settings, line: str
) -> None:
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", "mx.games.test"
    proof = {"Authentication-Results": "mx.games.test; dmarc=pass header.from=example.org"}
    row = send(
        campaign, "Germany", "PLACE 1 Poland\n", to=GENERAL, headers=proof | headers_of(line)
    )
    assert row.status == Status.DONE, row.words
    assert Submission.objects.get().counts


@in_database
def test_request_for_no_answer_holds_back_all_but_the_receipt(campaign: Campaign) -> None:
    """Without a key nothing counts and nobody is answered, so the gamesmaster is told."""
    for line in HANDLING[2:4]:
        row = send(campaign, "Germany", "PLACE 1 Poland\n", to=GENERAL, headers=headers_of(line))
        assert (row.status, row.game) == (Status.IGNORED, campaign.game)
    assert answers("gustav") == []
    assert len(campaign.letters("mailaside", "ada")) == 1


@in_database
def test_generated_mail_of_a_player_without_a_key_is_told(campaign: Campaign) -> None:
    row = send(campaign, "Germany", "Away.\n", to=GENERAL, headers=headers_of(GENERATED[0]))
    assert (row.status, row.game, row.person) == (Status.IGNORED, campaign.game, person("gustav"))
    assert len(campaign.letters("mailaside", "ada")) == 1


@in_database
@pytest.mark.parametrize("sender", ["g@new.example", "gustav@example.org"])
def test_note_to_the_bounce_address_is_told(
    campaign: Campaign, settings: Settings, sender: str
) -> None:
    """RFC 3834, 4: responders write to the envelope sender, which is a letter's own address.
    vacation(1) of Debian 12 puts no header on its notes, and the player's server signs them."""
    settings.MAIL_BOUNCES = "bounces@games.test"
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", "mx.games.test"
    letter = Letter.objects.filter(game=campaign.game, person=person("gustav")).latest("pk")
    to = tokens.plus(settings.MAIL_BOUNCES, tokens.bounce_token(letter))
    proof = {"Authentication-Results": "mx.games.test; dmarc=pass header.from=example.org"}
    row = send(campaign, "Germany", "PASS\n", sender=sender, to=to, headers=proof)
    assert (row.status, row.game, row.person) == (Status.IGNORED, campaign.game, person("gustav"))
    assert len(campaign.letters("mailaside", "ada")) == 1
    assert answers("gustav") == []
    assert not Submission.objects.exists()


@in_database
def test_note_about_one_of_several_games_is_told_to_each(campaign: Campaign) -> None:
    """Another game's gamesmaster may see that it came, but not its text."""
    other = Campaign.begin(title="Another", now=campaign.now)
    row = send(campaign, "Germany", "Away.\n", to=GENERAL, headers=headers_of(GENERATED[0]))
    assert (row.game, row.person) == (None, person("gustav"))
    for each in (campaign, other):
        assert [letter.address for letter in each.letters("mailaside")] == ["ada@example.org"]
        assert list(set_aside.listed(each.game, each.now)) == [row]
    letter = Letter.objects.filter(game=other.game, person=person("gustav")).latest("pk")
    headers = {"In-Reply-To": letter.message_id, **headers_of(GENERATED[0])}
    row = send(campaign, "Germany", "Away.\n", to=GENERAL, headers=headers)
    assert row.game == other.game


@in_database
def test_notes_are_told_again_the_next_day(campaign: Campaign) -> None:
    for hours in (0, 1, 24):
        at = campaign.now + timedelta(hours=hours)
        send(campaign, "Germany", "Away.\n", headers=headers_of(GENERATED[0]), at=at)
    assert len(campaign.letters("mailaside", "ada")) == 2
    after = campaign.now + set_aside.SHOWN + timedelta(hours=2)
    assert set_aside.listed(campaign.game, after).count() == 1


@in_database
def test_note_about_a_finished_game_is_not_told(campaign: Campaign) -> None:
    campaign.game.status = "finished"
    campaign.game.save()
    row = send(campaign, "Germany", "Away.\n", headers=headers_of(GENERATED[0]))
    assert (row.status, row.game) == (Status.IGNORED, campaign.game)
    assert campaign.letters("mailaside") == []


@in_database
def test_address_where_nobody_reads_is_believed_if_it_is_on_file(campaign: Campaign) -> None:
    stranger = send(campaign, "Germany", "PLACE 1 Poland\n", sender="no-reply@shop.example")
    assert (stranger.status, stranger.game) == (Status.IGNORED, campaign.game)
    assert len(campaign.letters("mailaside", "ada")) == 1
    Address.objects.create(
        person=person("gustav"),
        email="no-reply@maier.example",
        added_at=campaign.now,
        confirmed_at=campaign.now,
    )
    send(campaign, "Germany", "PLACE 1 Poland\n", sender="no-reply@maier.example")
    assert Submission.objects.get().counts


@in_database
def test_own_letter_that_comes_back_is_set_aside(campaign: Campaign, settings: Settings) -> None:
    letter = Letter.objects.filter(game=campaign.game, person=person("gustav")).latest("pk")
    settings.MAIL_DOMAIN = letter.message_id.rpartition("@")[2].strip(">")
    row = send(campaign, "Germany", "PLACE 1 Poland\n", message_id=letter.message_id)
    assert (row.status, row.kind) == (Status.IGNORED, "automatic")
    row = send(campaign, "Germany", "PLACE 1 Poland\n", sender=settings.MAIL_REPLY)
    assert (row.status, row.kind) == (Status.IGNORED, "automatic")
    assert not Submission.objects.exists()
    assert answers("gustav") == []
