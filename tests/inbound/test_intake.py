"""A message is stored before it is parsed, and handled once (issue 4, 1; design 1)."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from games.models import EvidenceError, Letter, Person, Press
from games.positions import unread
from games.turns import load, process
from games.turns import queue as turns_queue
from orders.inbound import handle, parsed
from orders.inbound import queue as intake
from orders.inbound.execution import execute
from orders.inbound.identity import trust
from orders.models import Handling, Mail, Submission
from tests.inbound.writing import address_of, answers, hand_in, keep, send, written
from tests.support.at_once import side_by_side
from tests.support.browsing import send_letters
from tests.support.campaign import Campaign, person

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.letters,
    pytest.mark.quick,
]
Status = Handling.Status


def test_orders_by_mail_are_in_force_and_answered_once(campaign: Campaign) -> None:
    """issue 4, 1: each message gets exactly one answer."""
    row = send(campaign, "Germany", "PLACE 10 Poland\n")
    assert row.status == Status.DONE, (row.words, row.fault)
    submission = Submission.objects.get()
    assert (submission.seat.nation, submission.channel) == ("Germany", "mail")
    assert submission.counts
    assert [letter.kind for letter in answers("gustav")] == ["answer"]
    assert row.answer == answers("gustav")[0]
    assert row.answer.in_reply_to == row.mail.message_id


@pytest.mark.both_databases
def test_message_is_stored_byte_for_byte(campaign: Campaign) -> None:
    """design 1: stored as received."""
    raw = b"From: x@example.org\r\nSubject: \xff\x00\r\n\r\n\x00\xfe no text \r\n"
    mail = intake.keep(raw, "lmtp", "", ["orders@games.test"], campaign.now).mail
    assert bytes(Mail.objects.get(pk=mail.pk).raw) == raw
    with pytest.raises(EvidenceError):
        Mail.objects.filter(pk=mail.pk).update(message_id="another")


@pytest.mark.both_databases
def test_message_received_by_two_ways_is_one(campaign: Campaign) -> None:
    """issue 4, 1: same Message-ID and body hash; servers change line ends and add headers."""
    to = address_of(campaign, "Germany")
    raw = written("gustav@example.org", to, "PLACE 10 Poland\n", message_id="<one@example.org>")
    first = hand_in(campaign, raw, to).mail
    again = b"Received: from a by b\r\n" + raw.replace(b"\n", b"\r\n")
    by_imap = handle.take_in(
        again, way="imap", envelope_from=None, envelope_to=[], now=campaign.now
    )
    assert by_imap == first
    assert Submission.objects.count() == 1
    assert len(answers("gustav")) == 1


@pytest.mark.both_databases
def test_same_text_in_another_message_is_another_message(campaign: Campaign) -> None:
    send(campaign, "Germany", "PLACE 10 Poland\n")
    send(campaign, "Germany", "PLACE 10 Poland\n")
    assert Submission.objects.count() == 2


@pytest.mark.both_databases
def test_message_to_two_players_is_stored_for_each(campaign: Campaign) -> None:
    """issue 4, 1: the recipient is part of a message's identity."""
    raw = written("gustav@example.org", "orders@games.test", "STATUS\n")
    to = (address_of(campaign, nation) for nation in ("Germany", "France"))
    stored = {hand_in(campaign, raw, address).mail_id for address in to}
    assert len(stored) == 2


@pytest.mark.both_databases
@pytest.mark.parametrize("general_first", [True, False])
def test_message_with_a_copy_to_the_general_address_is_one(
    campaign: Campaign, settings: Settings, general_first: bool
) -> None:
    """docs/mail.md, “Mail of programs”: a letter to another nation went out twice."""
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", "mx.games.test"
    own, general = address_of(campaign, "Germany"), settings.MAIL_REPLY
    text, proof = "PRESS TO France\nHello.\nEND\n", "mx.games.test; dmarc=pass"
    raw = written("gustav@example.org", f"{own}, {general}", text, Authentication_Results=proof)
    for address in (general, own) if general_first else (own, general):
        hand_in(campaign, raw, address)
    assert Mail.objects.get().envelope_to == [own]
    assert Press.objects.count() == 1
    assert len(answers("gustav")) == 1


def test_delivery_address_without_the_key_does_not_hide_it(
    campaign: Campaign, settings: Settings
) -> None:
    """Some servers write the mailbox into Delivered-To, without what follows the plus sign."""
    own, mailbox = address_of(campaign, "Germany"), settings.MAIL_REPLY
    raw = written("gustav@example.org", own, "PLACE 10 Poland\n", Delivered_To=mailbox)
    mail = handle.take_in(raw, way="imap", envelope_from=None, envelope_to=[], now=campaign.now)
    assert mail.envelope_to == [own]
    assert Submission.objects.get().counts
    assert intake.is_known(raw)


def test_oversized_message_is_refused_and_not_stored(
    campaign: Campaign, settings: Settings
) -> None:
    """issue 4, 6: refused on receipt."""
    settings.MAIL_LARGEST = 100
    with pytest.raises(intake.TooLarge, match=r"at most 100 are accepted"):
        handle.take_in(b"x" * 101, way="lmtp", envelope_from="", envelope_to=[], now=campaign.now)
    assert not Mail.objects.exists()


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\0",
        b"no headers at all",
        b"From: \xff\xff\n\n",
        b"Message-ID: <" + b"a" * 5000 + b">\n\nx",
    ],
)
def test_malformed_message_is_stored_and_handled(campaign: Campaign, raw: bytes) -> None:
    row = hand_in(campaign, raw, way="pipe", sender=None)
    assert row.status in (Status.DONE, Status.IGNORED, Status.UNCONFIRMED)
    assert not Submission.objects.exists()


@pytest.mark.both_databases
def test_failed_message_is_retried_and_answered_once(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """design 5: a failure is rolled back and retried with a growing delay."""
    real, calls = execute.obey, []

    def failing(*given: Any, **more: Any) -> None:
        real(*given, **more)
        calls.append(1)
        if len(calls) < 3:
            raise RuntimeError("the database has gone away")

    monkeypatch.setattr(execute, "obey", failing)
    row = send(campaign, "Germany", "PLACE 10 Poland\n")
    assert (row.status, row.attempts) == (Status.WAITING, 1)
    assert row.due_at == campaign.now + timedelta(minutes=1)
    assert not Submission.objects.exists()
    campaign.wait_until(campaign.now + timedelta(minutes=1))
    campaign.wait_until(campaign.now + timedelta(minutes=5))
    row.refresh_from_db()
    assert row.status == Status.DONE
    assert Submission.objects.count() == 1
    assert len(answers("gustav")) == 1


@pytest.mark.parametrize("answers_again", [True, False])
def test_message_waits_while_dns_does_not_answer(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, settings: Settings, answers_again: bool
) -> None:
    """MAIL_TRUST=dkim: it is neither refused nor obeyed, and at last it is held as unproven."""
    settings.MAIL_TRUST = "dkim"
    silence = trust.Trust(False, "", "DNS did not answer.", unanswered=True)
    proof = trust.Trust(True, "dkim", "It bears a signature (DKIM) that holds.")
    monkeypatch.setattr(parsed, "check_signature", lambda mail: silence)
    monkeypatch.setattr(parsed, "is_addressed_to_us", lambda mail, message: True)
    row = send(campaign, "Germany", "PLACE 10 Poland\n")
    assert (row.status, row.answer) == (Status.WAITING, None)
    assert row.due_at is not None
    campaign.wait_until(campaign.now + timedelta(minutes=5))
    if answers_again:
        monkeypatch.setattr(parsed, "check_signature", lambda mail: proof)
    for _ in range(settings.MAIL_TRIES):
        row.refresh_from_db()
        if row.status != Status.WAITING or row.due_at is None:
            break
        campaign.wait_until(row.due_at)
    assert row.status == (Status.DONE if answers_again else Status.UNCONFIRMED)
    assert [order.counts for order in Submission.objects.all()] == [True] * answers_again


def test_finally_failed_message_is_reported_to_gamesmaster_and_sender(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """issue 4: nothing is lost, and no person's message stays unanswered."""
    settings.MAIL_TRIES = 2

    def failing(*given: Any, **more: Any) -> None:
        raise RuntimeError("it fails each time")

    monkeypatch.setattr(execute, "obey", failing)
    row = send(campaign, "Germany", "PLACE 10 Poland\n")
    campaign.wait_until(campaign.now + timedelta(minutes=2))
    row.refresh_from_db()
    assert (row.status, row.due_at) == (Status.FAILED, None)
    assert len(campaign.letters("mailfailed", "ada")) == 1
    assert [letter.kind for letter in answers("gustav")] == ["word"]
    send_letters(campaign.now)
    assert "it fails each time" in campaign.letters("mailfailed", "ada")[0].text


@pytest.mark.both_databases
def test_mail_worker_that_lost_its_lease_does_nothing(campaign: Campaign) -> None:
    keep(campaign, "Germany", "PLACE 10 Poland\n", at=campaign.now)
    token, (handling,) = intake.claim(campaign.now)
    later = campaign.now + timedelta(minutes=30)
    other, _ = intake.claim(later)
    handle.handle_mail(handling, token, later)
    assert not Submission.objects.exists()
    handle.handle_mail(handling, other, later)
    assert Submission.objects.count() == 1


@pytest.mark.both_databases
def test_a_task_delivered_twice_handles_a_message_once(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second delivery, during the first one, finds no rows under the token."""
    keep(campaign, "Germany", "PLACE 10 Poland\n", at=campaign.now)
    token, (handling,) = intake.claim(campaign.now)
    obey = execute.obey

    def delivered_again(*given: Any, **more: Any) -> Any:
        monkeypatch.setattr(execute, "obey", obey)
        handle.handle_mail(handling, token, campaign.now)
        return obey(*given, **more)

    monkeypatch.setattr(execute, "obey", delivered_again)
    handle.handle_mail(handling, token, campaign.now)
    assert Submission.objects.count() == 1
    assert len(answers("gustav")) == 1
    assert Handling.objects.get().attempts == 1


def test_lateness_is_judged_by_the_time_of_arrival(campaign: Campaign) -> None:
    """design 5: the announced instant decides."""
    in_time = campaign.phase.deadline - timedelta(seconds=1)
    keep(campaign, "Germany", "PLACE 10 Poland\n", at=in_time)
    assert unread.arrivals([campaign.game.pk], campaign.phase.deadline)
    token, (handling,) = intake.claim(in_time + timedelta(seconds=3))
    handle.handle_mail(handling, token, in_time + timedelta(seconds=3))
    assert not Submission.objects.get().late
    assert not unread.arrivals([campaign.game.pk], campaign.phase.deadline)


@pytest.mark.both_databases
def test_answers_per_hour_are_limited(campaign: Campaign, settings: Settings) -> None:
    """issue 4, 6: over the limit, mail is obeyed, and one letter says that answers are paused."""
    settings.MAIL_ANSWERS_AN_HOUR = 3
    for _ in range(6):
        assert send(campaign, "Germany", "PLACE 10 Poland\n").status == Status.DONE
    assert Submission.objects.count() == 6
    assert [letter.kind for letter in answers("gustav")] == ["answer", "answer", "answer", "word"]
    campaign.now += timedelta(minutes=61)
    send(campaign, "Germany", "STATUS\n")
    assert answers("gustav")[-1].kind == "answer"


@pytest.mark.both_databases
def test_messages_over_the_limit_are_deferred(campaign: Campaign, settings: Settings) -> None:
    """issue 4, 6: limits per sender."""
    settings.MAIL_OBEYED_AN_HOUR = 2
    rows = [send(campaign, "Germany", "PLACE 10 Poland\n") for _ in range(3)]
    assert [row.status for row in rows] == [Status.DONE, Status.DONE, Status.WAITING]
    token, ids = intake.claim(campaign.now + timedelta(minutes=61))
    assert ids == [rows[2].pk]
    handle.handle_mail(rows[2].pk, token, campaign.now + timedelta(minutes=61))
    rows[2].refresh_from_db()
    assert rows[2].status == Status.DONE


def test_mail_to_a_finished_game_is_answered_once(campaign: Campaign) -> None:
    """issue 4, 4."""
    campaign.game.status = "finished"
    campaign.game.save()
    for _ in range(3):
        assert send(campaign, "Germany", "PLACE 10 Poland\n").status == Status.DONE
    assert [letter.kind for letter in answers("gustav")] == ["word"]
    assert not Submission.objects.exists()


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_simultaneous_deliveries_are_one_message_with_one_answer() -> None:
    """issue 4, 1: exactly once, in any order."""
    campaign = Campaign.begin()
    to = address_of(campaign, "Germany")
    raw = written("gustav@example.org", to, "PLACE 10 Poland\n", message_id="<one@example.org>")
    assert side_by_side(*[lambda: hand_in(campaign, raw, to)] * 5) == []
    campaign.wait_until(campaign.now + timedelta(minutes=3))
    assert (Mail.objects.count(), Handling.objects.count(), Submission.objects.count()) == (1, 1, 1)
    assert len(answers("gustav")) == 1


def test_mail_of_a_stranger_is_not_answered(campaign: Campaign) -> None:
    row = send(campaign, "Germany", "HELP\n", sender="mallory@example.net", to="orders@games.test")
    assert row.status == Status.IGNORED
    assert not Letter.objects.filter(address="mallory@example.net").exists()
    assert not Person.objects.filter(email="mallory@example.net").exists()
    assert person("gustav").email == "gustav@example.org"


@pytest.mark.both_databases
def test_lock_waits_for_mail_that_arrived_in_time(campaign: Campaign) -> None:
    """design 1: no order is lost that was stored just before the deadline and read after it."""
    phase = campaign.phase
    keep(campaign, "Germany", "PLACE 10 Poland\n", at=phase.deadline - timedelta(seconds=1))
    token, phases = turns_queue.claim(phase.deadline, 10)
    process.process([phases[0]], token, phase.deadline)
    phase.refresh_from_db()
    assert phase.status == "open"
    campaign.wait_until(phase.deadline + timedelta(seconds=3))
    phase.refresh_from_db()
    assert phase.status == "resolved"
    assert Submission.objects.get().counts


@pytest.mark.both_databases
def test_lock_waits_for_mail_at_most_its_patience(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """design 1: a deadline is enforced, whatever crashes."""
    phase = campaign.phase
    keep(campaign, "Germany", "PLACE 10 Poland\n", at=phase.deadline - timedelta(seconds=1))
    monkeypatch.setattr(intake, "claim", lambda now: ("", []))
    campaign.wait_until(phase.deadline + load.MAIL_PATIENCE + timedelta(seconds=1))
    phase.refresh_from_db()
    assert phase.status == "resolved"


def test_only_a_player_of_the_game_is_notified_of_an_oversized_letter(
    campaign: Campaign, settings: Settings
) -> None:
    """ways-in.md B4: also if they wrote to another player's address; not strangers or programs."""
    settings.MAIL_LARGEST = 2_000
    to = address_of(campaign, "Germany")
    for sender, headers in (
        ("eve@elsewhere.example", {}),
        ("gustav@example.org", {"Auto-Submitted": "auto-replied"}),
        ("felix@example.org", {}),
    ):
        raw = written(sender, to, "x" * 9_000, **headers)
        handle.take_in(
            raw,
            way="webhook",
            envelope_from=sender,
            envelope_to=[to],
            now=campaign.now,
            headers_only=True,
        )
    notified = Letter.objects.filter(kind="word").values_list("address", flat=True)
    assert list(notified) == [campaign.players["France"].email]


@pytest.mark.parametrize("text", ["STOCK " + "A/" * 40_000, "*" * 80_000, '"' * 80_000])
def test_long_word_of_a_player_is_handled_in_time(campaign: Campaign, text: str) -> None:
    """Issue 4: none may stop the service. From each letter of a word, a mail address was looked for
    in all of it: 19 seconds for the first."""
    begun = time.process_time()
    send(campaign, "Germany", text)
    assert time.process_time() - begun < 3
