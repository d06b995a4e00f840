"""A signed message with another Message-ID is the same message, obeyed once (issue 19, 14)."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from pytest_django import Settings

from games.accounts import tokens
from games.positions import in_force as orders_in_force
from orders.inbound import handle, queue
from orders.inbound.execution import execute
from orders.inbound.identity import trust
from orders.models import Handling, Mail, Signature, Submission
from tests.inbound.writing import address_of, answers, hand_in, written
from tests.support.at_once import side_by_side
from tests.support.campaign import Campaign

from .signing import changed_value, resolver, sign

pytestmark = pytest.mark.django_db
Status = Handling.Status
TWO = "PLACE 10 Poland\n", "PLACE 11 Poland\n"


@pytest.fixture(autouse=True)
def _dns(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check signatures with the key that the sender's domain publishes."""
    settings.MAIL_TRUST = "dkim"
    check = trust._check_signature
    monkeypatch.setattr(
        trust, "_check_signature", lambda message, raw, _: check(message, raw, resolver)
    )


def letter(campaign: Campaign, text: str, *, to: str = "") -> bytes:
    """Return Germany's orders with a signature that covers neither Date nor Message-ID."""
    raw = written("gustav@example.org", to or address_of(campaign, "Germany"), text)
    return sign(raw.replace(b"\n", b"\r\n"))


def renamed(raw: bytes, number: int = 1) -> bytes:
    """Return the message with another Message-ID, as the owner of a copy might send it."""
    head, _, rest = raw.partition(b"Message-ID: ")
    return head + b"Message-ID: <%d@evil.test>" % number + rest[rest.index(b"\r\n") :]


def in_force(campaign: Campaign) -> str:
    standing = orders_in_force.in_force(campaign.phase).get("Germany")
    return standing.text.strip() if standing else ""


@pytest.mark.both_databases
def test_copy_of_old_orders_under_another_message_id_is_ignored(campaign: Campaign) -> None:
    first, second = (letter(campaign, text) for text in TWO)
    original = hand_in(campaign, first)
    hand_in(campaign, second)
    copy = hand_in(campaign, renamed(first))
    assert copy.mail_id != original.mail_id
    assert (copy.status, copy.answer) == (Status.IGNORED, None)
    assert copy.words == (
        f"Its DKIM signature is that of message {original.mail_id}, which arrived earlier: it"
        " is a copy."
    )
    assert in_force(campaign) == "PLACE 11 Poland"
    assert (Submission.objects.count(), len(answers("gustav"))) == (2, 2)


@pytest.mark.both_databases
@pytest.mark.parametrize("how", ["spaces", "unused bits", "zeros", "modulus"])
def test_copy_is_recognized_with_a_rewritten_signature(campaign: Campaign, how: str) -> None:
    """dkimpy accepts each of these as the same signature, so they must count as one."""
    raw = letter(campaign, TWO[0])
    hand_in(campaign, raw)
    assert hand_in(campaign, renamed(changed_value(raw, how))).status == Status.IGNORED
    assert Submission.objects.count() == 1


@pytest.mark.both_databases
def test_copy_with_one_of_two_signatures_is_recognized(campaign: Campaign) -> None:
    """Both signatures of the domain are valid, and either can be removed."""
    raw = letter(campaign, TWO[0])
    above = sign(raw, names=("from", "to"))
    only_above = above[: len(above) - len(raw)] + raw[raw.index(b"From:") :]
    hand_in(campaign, above)
    assert Signature.objects.count() == 2
    for number, copy in enumerate((raw, only_above)):
        assert hand_in(campaign, renamed(copy, number)).status == Status.IGNORED
    assert Submission.objects.count() == 1


def test_invalid_signature_does_not_make_a_copy(campaign: Campaign) -> None:
    """Putting a message's signature on another must not make the first one look like a copy."""
    first, second = (letter(campaign, text) for text in TWO)
    of_second = second[: second.index(b"From:")]
    assert hand_in(campaign, of_second + first).status == Status.DONE
    assert hand_in(campaign, second).status == Status.DONE
    assert in_force(campaign) == "PLACE 11 Poland"


def test_copy_to_the_general_address_is_recognized(campaign: Campaign) -> None:
    """A person with the letter but without the key would send it there, and its proof is valid."""
    raw = letter(campaign, TWO[0])
    assert hand_in(campaign, raw).status == Status.DONE
    assert hand_in(campaign, renamed(raw), "orders@games.test").status == Status.IGNORED


def test_copy_to_a_renewed_reply_address_is_recognized(campaign: Campaign) -> None:
    raw = letter(campaign, TWO[0])
    hand_in(campaign, raw)
    tokens.renew_reply(campaign.players["Germany"], campaign.game, campaign.now)
    assert hand_in(campaign, renamed(raw)).status == Status.IGNORED
    assert Submission.objects.count() == 1


def test_signed_message_to_two_games_is_obeyed_in_both(campaign: Campaign) -> None:
    other = Campaign.begin(title="Another")
    both = [address_of(game_campaign, "Germany") for game_campaign in (campaign, other)]
    hand_in(campaign, letter(campaign, TWO[0], to=", ".join(both)), *both)
    assert set(Submission.objects.values_list("game", flat=True)) == {
        campaign.game.pk,
        other.game.pk,
    }


def test_equal_letters_with_different_signatures_are_two_messages(campaign: Campaign) -> None:
    """Orders sent again by hand have another Date, and so another signature that covers it."""
    for number in (1, 2):
        raw = written(
            "gustav@example.org", address_of(campaign, "Germany"), TWO[0], X_Sent=str(number)
        ).replace(b"\n", b"\r\n")
        assert hand_in(campaign, sign(raw, names=("from", "to", "x-sent"))).status == Status.DONE
    assert Submission.objects.count() == 2


def test_copy_of_an_unconfirmed_letter_is_ignored(campaign: Campaign) -> None:
    """An old letter needs confirmation once; its copies are ignored."""
    raw = letter(campaign, TWO[0])
    late = campaign.now + timedelta(days=4)
    row = hand_in(campaign, raw, at=late)
    assert row.status == Status.UNCONFIRMED
    assert hand_in(campaign, renamed(raw), at=late).status == Status.IGNORED
    assert [answer.kind for answer in answers("gustav")] == ["confirm"]


# --- retries of our own ---


@pytest.mark.both_databases
def test_same_bytes_by_another_way_are_one_message(campaign: Campaign) -> None:
    """A mailbox may give a letter a second UID, or it may come by a second way."""
    raw = letter(campaign, TWO[0])
    row = hand_in(campaign, raw)
    later = campaign.now + timedelta(minutes=1)
    assert hand_in(campaign, raw, way=Mail.Way.IMAP, sender=None, at=later) == row
    assert (Submission.objects.count(), Signature.objects.count()) == (1, 1)


@pytest.mark.both_databases
def test_deferred_message_is_obeyed_once_and_its_copy_never(
    campaign: Campaign, settings: Settings
) -> None:
    settings.MAIL_OBEYED_AN_HOUR = 0
    raw = letter(campaign, TWO[0])
    row = hand_in(campaign, raw)
    assert (row.status, Signature.objects.count()) == (Status.WAITING, 1)
    assert hand_in(campaign, renamed(raw)).status == Status.IGNORED
    settings.MAIL_OBEYED_AN_HOUR = 200
    later = campaign.now + timedelta(minutes=11)
    handle.handle_mail(row.pk, queue.claim_one(row.mail_id, later), later)
    row.refresh_from_db()
    assert (row.status, Submission.objects.count()) == (Status.DONE, 1)


@pytest.mark.both_databases
def test_failed_message_is_retried_and_not_taken_for_its_own_copy(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = letter(campaign, TWO[0])
    with monkeypatch.context() as broken:
        broken.setattr(execute, "obey", lambda *given, **more: 1 / 0)
        row = hand_in(campaign, raw)
    assert (row.status, row.attempts, Signature.objects.count()) == (Status.WAITING, 1, 0)
    later = campaign.now + timedelta(minutes=2)
    handle.handle_mail(row.pk, queue.claim_one(row.mail_id, later), later)
    row.refresh_from_db()
    assert (row.status, Submission.objects.count()) == (Status.DONE, 1)
    assert hand_in(campaign, renamed(raw)).status == Status.IGNORED


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_simultaneous_copies_are_obeyed_once() -> None:
    campaign = Campaign.begin()
    raw, to = letter(campaign, TWO[0]), address_of(campaign, "Germany")
    copies = [renamed(raw, number) for number in range(4)]
    assert side_by_side(*[partial(hand_in, campaign, copy, to) for copy in copies]) == []
    statuses = sorted(Handling.objects.values_list("status", flat=True))
    assert statuses == ["done", "ignored", "ignored", "ignored"]
    assert Submission.objects.count() == 1


# --- results of our own server ---


def test_copy_is_recognized_by_the_signature_our_server_accepted(
    campaign: Campaign, settings: Settings
) -> None:
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", "mx.games.test"
    passed = (
        b"Authentication-Results: mx.games.test; dmarc=pass header.from=example.org; dkim=pass"
        b" header.d=example.org\r\n"
    )
    first, second = (passed + letter(campaign, text) for text in TWO)
    statuses = [hand_in(campaign, raw).status for raw in (first, second, renamed(first))]
    assert statuses == [Status.DONE, Status.DONE, Status.IGNORED]
    assert in_force(campaign) == "PLACE 11 Poland"


def test_signature_without_from_needs_confirmation(
    campaign: Campaign,
) -> None:
    """RFC 6376 5.4: Eve signs her own letter, then writes Gustav's address into From."""
    raw = written("eve@example.org", address_of(campaign, "Germany"), TWO[0])
    signed = sign(raw.replace(b"\n", b"\r\n"), names=("to", "subject", "date", "message-id"))
    row = hand_in(campaign, signed.replace(b"From: eve@", b"From: gustav@"))
    assert row.status == Status.UNCONFIRMED
    assert "does not cover From" in row.words
    assert not Submission.objects.exists()
