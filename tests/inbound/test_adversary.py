"""Hostile mail, and mail that arrives all at once (issue 4, items 2, 4 and 6)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.core import mail as django_mail
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from games import desk
from games.accounts import tokens
from games.base import clock
from games.base.signing import Salt
from games.desk import addresses as desk_addresses
from games.letters import rendering
from games.models import Letter, Person, Phase, Press, Sitting
from games.positions import in_force as orders_in_force
from games.positions import unread
from games.seats import press_rules
from games.turns import process
from games.turns import queue as turns_queue
from orders.inbound import handle
from orders.inbound import queue as intake
from orders.inbound.identity import trust, waiting
from orders.inbound.transports import lmtp
from orders.models import Handling, Mail, Submission
from tests.inbound.writing import address_of, answers, hand_in, keep, send, written
from tests.support.at_once import side_by_side
from tests.support.browsing import log_in, send_letters
from tests.support.campaign import Campaign, person

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
Status = Handling.Status


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch, campaign: Campaign) -> Campaign:
    """Set the pages' clock to the campaign's."""
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    return campaign


def in_force(campaign: Campaign, nation: str, phase: Phase | None = None) -> str:
    standing = orders_in_force.in_force(phase or campaign.phase).get(nation)
    return standing.text if standing else ""


def replace(person_out: Person, campaign: Campaign, nation: str, person_in: Person) -> None:
    Sitting.objects.current().filter(seat=campaign.seat(nation), person=person_out).update(
        until=campaign.now
    )
    Sitting.objects.create(seat=campaign.seat(nation), person=person_in, since=campaign.now)


def confirm_page(row: Handling) -> str:
    return reverse("mail-confirm", args=[tokens.key_of(Salt.CONFIRMATION, row.nonce)])


def look_at(row: Handling, now: datetime) -> Handling:
    if token := intake.claim_one(row.mail_id, now):
        handle.handle_mail(row.pk, token, now)
    row.refresh_from_db()
    return row


# --- keys ---


def test_key_of_another_player_gives_no_access_to_their_nation(campaign: Campaign) -> None:
    """reviews/mail.md B4: Felix writes to Gustav's address. Felix is told, Gustav gets nothing."""
    row = send(campaign, "France", "PLACE 10 Poland\n", to=address_of(campaign, "Germany"))
    assert (row.status, row.person) == (Status.DONE, campaign.players["France"])
    assert not Submission.objects.exists()
    assert [letter.kind for letter in answers("felix")] == ["word"]
    assert answers("gustav") == []


def test_reply_key_in_cc_is_not_used(campaign: Campaign) -> None:
    """A key in Cc may be copied from a letter; only the address of delivery counts."""
    row = send(campaign, "France", "STATUS\n", headers={"Cc": address_of(campaign, "Germany")})
    assert row.person == campaign.players["France"]
    assert not Handling.objects.filter(person=campaign.players["Germany"]).exists()


def test_letter_to_two_games_is_obeyed_in_both(campaign: Campaign) -> None:
    """A mailbox may have one copy for both addresses; each address gets its own answer."""
    other = Campaign.begin(title="Another")
    both = [address_of(campaign, "Germany"), address_of(other, "Germany")]
    raw = written("gustav@example.org", ", ".join(both), "PLACE 10 Poland\n")
    for way, sender, to in (
        ("imap", None, []),
        ("lmtp", "gustav@example.org", [both[1]]),
        ("pipe", None, both),
    ):
        handle.take_in(raw, way=way, envelope_from=sender, envelope_to=to, now=campaign.now)
    assert sorted(Submission.objects.values_list("game_id", flat=True)) == [
        campaign.game.pk,
        other.game.pk,
    ]
    assert len(answers("gustav")) == 2


def test_letter_to_all_players_is_obeyed_only_for_its_sender(campaign: Campaign) -> None:
    everybody = [address_of(campaign, nation) for nation in campaign.players]
    raw = written("gustav@example.org", ", ".join(everybody), "PLACE 10 Poland\n")
    handle.take_in(raw, way="imap", envelope_from=None, envelope_to=[], now=campaign.now)
    assert [submission.seat.nation for submission in Submission.objects.all()] == ["Germany"], (
        Handling.objects.values("words", "sender")
    )
    assert Handling.objects.filter(kind="another's address", answer=None).count() == 4
    assert [letter.kind for letter in answers("gustav")] == ["answer"]


# --- the sender ---

OURS = "mx.games.test"
PASSES = "dmarc=pass header.from=example.org"


@pytest.mark.parametrize(
    "results",
    [
        f'{OURS}; spf=pass smtp.mailfrom="gustav@example.org"@evil.test',
        f'{OURS}; spf=pass smtp.mailfrom="x\\"; {PASSES}; \\""@evil.test',
        f'{OURS}; spf=pass smtp.mailfrom="a(b"@evil.test; dkim=none (c"; {PASSES}; "d)',
        f"{OURS}; spf=pass smtp.mailfrom=gustav@example.org@evil.test",
        f"{OURS}; spf=pass smtp.mailfrom=evil.test; x-note=pass ({PASSES})",
        f"{OURS}; dkim=pass header.i=gustav@example.org.evil.test",
        f"{OURS}; dkim=pass header.i=@evil.test header.s=example.org",
        f"{OURS}; dkim=fail header.d=example.org; dkim=pass header.d=evil.test",
        f"{OURS}; dmarc=pass header.from=evil.test",
        f"{OURS}; dmarc=passed header.from=example.org",
        f"{OURS}; arc=pass header.d=example.org; iprev=pass",
        f"{OURS}.evil.test; {PASSES}",
        f"mx.example.net; {PASSES}",
        f"evil.test ({OURS}); {PASSES}",
        f"{OURS}",
        "",
    ],
)
def test_forged_authentication_result_is_not_believed(
    campaign: Campaign, settings: Settings, results: str
) -> None:
    """RFC 8601: quoted strings and comments are the sender's; only our server's results count."""
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", OURS
    headers = {"Authentication_Results": results} if results else {}
    row = send(campaign, "Germany", "PLACE 10 Poland\n", headers=headers)
    assert row.status == Status.UNCONFIRMED, row.words
    assert not Submission.objects.exists()


def test_results_below_a_foreign_received_header_are_not_believed(
    campaign: Campaign, settings: Settings
) -> None:
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", OURS
    to = address_of(campaign, "Germany")
    forged = f"Authentication-Results: {OURS}; {PASSES}\n".encode()
    raw = (
        b"Received: from a by mail.evil.test; now\n"
        + forged
        + written("gustav@example.org", to, "PLACE 10 Poland\n")
    )
    hand_in(campaign, raw, to)
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    "sender",
    [
        "gustav@example.org <mallory@example.net>",
        '"gustav@example.org" <mallory@example.net>',
        "mallory@example.net (gustav@example.org)",
        "gustav@example.org, mallory@example.net",
        "<gustav@example.org> <mallory@example.net>",
        "gustav@example.org.evil.test",
        "gustav+x@example.org",
        "gustav@examp1e.org",
        "=?utf-8?q?gustav=40example.org?= <mallory@example.net>",
        "Group: gustav@example.org, mallory@example.net;",
        "",
    ],
)
def test_spoofed_from_header_is_not_obeyed(campaign: Campaign, sender: str) -> None:
    to = address_of(campaign, "Germany")
    raw = (
        f"From: {sender}\nTo: {to}\nSubject: x\nMessage-ID:"
        f" <{abs(hash(sender))}@evil.test>\n\nPLACE 10 Poland\n".encode()
    )
    hand_in(campaign, raw, to)
    assert not Submission.objects.exists()
    assert not Letter.objects.filter(address__contains="evil").exists()
    assert not Letter.objects.filter(address="mallory@example.net").exists()


def test_letter_with_two_from_headers_is_not_obeyed(campaign: Campaign) -> None:
    to = address_of(campaign, "Germany")
    raw = b"From: mallory@example.net\n" + written("gustav@example.org", to, "PLACE 10 Poland\n")
    hand_in(campaign, raw, to)
    assert not Submission.objects.exists()


def test_forged_mail_does_not_use_up_a_players_limit(
    campaign: Campaign, settings: Settings
) -> None:
    """limits: two hundred forged letters must not defer Gustav's own."""
    settings.MAIL_OBEYED_AN_HOUR = 3
    for number in range(5):
        send(campaign, "Germany", f"PLACE {number} Poland\n", to="orders@games.test")
    row = send(campaign, "Germany", "PLACE 10 Poland\n")
    assert row.status == Status.DONE, row.words
    assert in_force(campaign, "Germany").strip() == "PLACE 10 Poland"


def test_old_signed_letter_needs_confirmation(campaign: Campaign, settings: Settings) -> None:
    """A signature need not cover the Message-ID: a copy of old orders would pass as new."""
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", OURS
    signed = {"Authentication_Results": f"{OURS}; {PASSES}"}
    assert send(campaign, "Germany", "PLACE 10 Poland\n", headers=signed).status == Status.DONE
    assert send(campaign, "Germany", "PLACE 11 Poland\n", headers=signed).status == Status.DONE
    later = campaign.now + timedelta(days=4)
    to = address_of(campaign, "Germany")
    old = written("gustav@example.org", to, "PLACE 10 Poland\n", **signed)
    row = hand_in(campaign, old, to, at=later)
    assert row.status == Status.UNCONFIRMED
    assert "16 November" in row.words


@pytest.mark.django_db(transaction=True)
def test_slow_dns_blocks_no_transaction_and_no_page(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MAIL_TRUST=dkim: DNS queries run outside transactions, and pages make none."""
    settings.MAIL_TRUST, asked = "dkim", []

    def slow(*given: object) -> trust.Trust:
        asked.append(connection.in_atomic_block)
        return trust.Trust(False, "", "It bears no signature.")

    campaign = Campaign.begin()
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    monkeypatch.setattr(trust, "_check_signature", slow)
    row = send(campaign, "Germany", "PLACE 10 Poland\n")
    assert (row.status, asked) == (Status.UNCONFIRMED, [False])
    page = confirm_page(row)
    assert Client().get(page).status_code == 200
    assert Client().post(page, {"wish": "confirm"}).status_code == 200
    assert Submission.objects.get().counts
    send(campaign, "Germany", "PLACE 11 Poland\n", to="orders@games.test")
    assert asked == [False, False]


# --- order, and simultaneous letters ---


def test_letters_count_in_order_of_arrival(
    campaign: Campaign,
) -> None:
    """The first one failed once and is handled again after the second."""
    first = keep(campaign, "Germany", "PLACE 10 Poland\n", at=campaign.now)
    second = keep(campaign, "Germany", "PLACE 11 Poland\n", at=campaign.now + timedelta(seconds=5))
    look_at(second, campaign.now + timedelta(seconds=6))
    look_at(first, campaign.now + timedelta(seconds=60))
    assert in_force(campaign, "Germany").strip() == "PLACE 11 Poland"
    assert len(answers("gustav")) == 2


def test_cancel_also_cancels_earlier_letters_read_later(
    campaign: Campaign,
) -> None:
    look_at(keep(campaign, "Germany", "PLACE 9 Poland\n", at=campaign.now), campaign.now)
    first = keep(campaign, "Germany", "PLACE 10 Poland\n", at=campaign.now + timedelta(seconds=1))
    second = keep(campaign, "Germany", "CANCEL\n", at=campaign.now + timedelta(seconds=5))
    look_at(second, campaign.now + timedelta(seconds=6))
    assert in_force(campaign, "Germany") == ""
    look_at(first, campaign.now + timedelta(seconds=60))
    assert in_force(campaign, "Germany") == ""
    assert "arrived later and counts" in str(Handling.objects.get(pk=first.pk).outcome)


def test_deferred_letter_is_for_the_phase_open_at_its_arrival(campaign: Campaign) -> None:
    """A deferred or late confirmed letter must not count for the phase that has opened since."""
    row = keep(
        campaign, "Germany", "PLACE 10 Poland\n", at=campaign.phase.deadline - timedelta(minutes=1)
    )
    Handling.objects.update(
        attempts=3, due_at=campaign.now + timedelta(days=1)
    )  # it has failed, so the lock no longer waits for it
    first = campaign.pass_deadline()
    assert campaign.phase.pk != first.pk
    Handling.objects.update(due_at=campaign.now)
    look_at(row, campaign.now + timedelta(minutes=1))
    submission = Submission.objects.get()
    assert (submission.phase, submission.late, submission.counts) == (first, True, False)
    assert in_force(campaign, "Germany") == ""
    text = rendering.render(answers("gustav")[-1]).text
    assert "not used" in text


def test_confirmation_after_the_lock_is_late_for_its_phase(
    watch: Campaign,
) -> None:
    row = send(watch, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    first = watch.pass_deadline()
    page = confirm_page(row)
    assert Client().post(page, {"wish": "confirm"}).status_code == 200
    submission = Submission.objects.get()
    assert (submission.phase, submission.late) == (first, True)
    assert in_force(watch, "Germany") == ""


def test_confirmation_link_is_for_the_player_at_arrival(watch: Campaign) -> None:
    """The seat has a new player: the letter orders nothing, from either one."""
    row = send(watch, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    replace(watch.players["Germany"], watch, "Germany", person("dana"))
    page = confirm_page(row)
    answer = Client().post(page, {"wish": "confirm"})
    assert answer.status_code == 410
    assert "no seat" in answer.content.decode()
    assert not Submission.objects.exists()
    row.refresh_from_db()
    assert row.status == Status.UNCONFIRMED


def test_letter_confirmed_after_a_change_of_nation_orders_nothing(watch: Campaign) -> None:
    """Gustav wrote for Germany, but plays France when they confirm it."""
    row = send(watch, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    watch.now += timedelta(minutes=1)
    gustav = watch.players["Germany"]
    replace(gustav, watch, "Germany", person("dana"))
    replace(watch.players["France"], watch, "France", gustav)
    watch.now += timedelta(minutes=1)
    Client().post(confirm_page(row), {"wish": "confirm"})
    assert not Submission.objects.exists()


def test_mail_scanner_that_follows_links_has_no_effect(watch: Campaign) -> None:
    """GET and HEAD have no effect, nor does a POST without the page's CSRF token."""
    row = send(watch, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    address = desk_addresses.add(watch.players["Germany"], "more@example.net", watch.now)
    pages = [confirm_page(row)]
    pages.append(reverse("address-confirm", args=[tokens.address_token(address)]))
    scanner = Client(enforce_csrf_checks=True)
    for page in pages:
        assert [scanner.get(page).status_code, scanner.head(page).status_code] == [200, 200]
        assert scanner.post(page, {"wish": "confirm"}).status_code == 403
        assert scanner.options(page).status_code == 405
    row.refresh_from_db()
    address.refresh_from_db()
    assert (row.status, address.confirmed_at) == (Status.UNCONFIRMED, None)


@pytest.mark.django_db(transaction=True)
def test_simultaneous_confirmations_obey_once() -> None:
    campaign = Campaign.begin()
    row = send(campaign, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    faults = side_by_side(*[lambda: waiting.confirm(row, campaign.now)] * 5)
    assert [type(fault).__name__ for fault in faults] == ["NotWaitingError"] * 4
    assert Submission.objects.count() == 1
    assert [letter.kind for letter in answers("gustav")] == ["confirm", "answer"]


@pytest.mark.django_db(transaction=True)
def test_simultaneous_letters_are_all_obeyed() -> None:
    """design 5: the game's row is locked; no orders are lost, and the ledger has no gap."""
    campaign = Campaign.begin()
    to = {nation: address_of(campaign, nation) for nation in campaign.players}

    def write(nation: str, number: int) -> None:
        text = f"PLACE {number} Poland\nSTATUS\n"
        hand_in(campaign, written(campaign.players[nation].email, to[nation], text), to[nation])

    faults = side_by_side(*[partial(write, nation, number) for nation in to for number in (1, 2)])
    campaign.wait_until(campaign.now + timedelta(minutes=3))
    assert faults == []
    assert set(Handling.objects.values_list("status", flat=True)) == {Status.DONE}
    assert sorted(Submission.objects.values_list("number", flat=True)) == list(range(1, 11))
    assert Letter.objects.filter(kind="answer").count() == 10


# --- the last instant ---


def test_letter_received_before_the_deadline_and_stored_after_it_counts(
    campaign: Campaign, settings: Settings
) -> None:
    """design 1: an order received before the deadline counts even if stored after it."""
    settings.MAIL_IN = True
    phase, to = campaign.phase, address_of(campaign, "Germany")
    came = phase.deadline - timedelta(milliseconds=5)
    token, phases = turns_queue.claim(phase.deadline, 10)
    process.process([phases[0]], token, phase.deadline)  # the tick at the deadline
    hand_in(campaign, written("gustav@example.org", to, "PLACE 10 Poland\n"), to, at=came)
    assert Submission.objects.get().counts
    campaign.wait_until(phase.deadline + timedelta(seconds=5))
    phase.refresh_from_db()
    assert phase.status == "resolved"


def test_lock_waits_for_mail_to_the_general_address(campaign: Campaign) -> None:
    phase = campaign.phase
    raw = written("gustav@example.org", "orders@games.test", "PLACE 10 Poland\n")
    intake.keep(raw, "lmtp", "", ["orders@games.test"], phase.deadline - timedelta(seconds=1))
    assert unread.arrivals([campaign.game.pk], phase.deadline)


@pytest.mark.django_db(transaction=True)
def test_lmtp_stores_the_time_of_receipt() -> None:
    """LMTP: when the last line was received, not when a thread had time for it."""
    campaign = Campaign.begin()
    came = campaign.phase.deadline - timedelta(seconds=1)
    to = address_of(campaign, "Germany")
    raw = written("gustav@example.org", to, "PLACE 10 Poland\n")
    assert lmtp.deliver(raw, "gustav@example.org", to, came) == lmtp.KEPT
    assert Mail.objects.get().received_at == came


# --- former games and players ---


def test_removed_player_is_answered_once_a_day_without_effect(
    campaign: Campaign,
) -> None:
    old = address_of(campaign, "Germany")
    replace(campaign.players["Germany"], campaign, "Germany", person("dana"))
    for text in (
        "PLACE 10 Poland\n",
        "BOARD\n",
        "PRESS TO France\nHello\nEND\n",
        "QUESTION\nWhy?\nEND\n",
        "ABSENT 1 December\n",
    ):
        row = send(campaign, "Germany", text, to=old)
        assert row.status == Status.DONE
    assert not Submission.objects.exists()
    assert not Press.objects.exists()
    assert len(answers("gustav")) == 1


def test_held_letter_of_a_former_player_cannot_be_let_in(
    campaign: Campaign, settings: Settings
) -> None:
    settings.MAIL_UNPROVEN = "hold"
    row = send(campaign, "Germany", "PLACE 10 Poland\n", sender="mallory@example.net")
    replace(campaign.players["Germany"], campaign, "Germany", person("dana"))
    with pytest.raises(waiting.NotWaitingError, match="no seat"):
        waiting.let_in(row, campaign.ada, campaign.now)
    row.refresh_from_db()
    assert row.status == Status.HELD
    assert not Submission.objects.exists()


def test_gamesmaster_of_another_game_cannot_let_mail_in(
    watch: Campaign, settings: Settings
) -> None:
    """Neither on this game's page nor on their own with the letter's number."""
    settings.MAIL_UNPROVEN = "hold"
    row = send(watch, "Germany", "PLACE 10 Poland\n", sender="mallory@example.net")
    mine = Campaign.begin(title="Another")
    mine.game.gamesmasters.set([person("charlie")])
    browser = log_in("charlie")
    for game in (watch.game, mine.game):
        browser.post(reverse("mail-held", args=[game.pk]), {"mail": row.code, "wish": "let_in"})
        browser.post(reverse("desk-mail", args=[game.pk, row.code]), {"decision": "obey"})
    with pytest.raises(waiting.NotWaitingError, match="Only the gamesmaster"):
        waiting.let_in(row, person("charlie"), watch.now)
    row.refresh_from_db()
    assert (row.status, Submission.objects.count()) == (Status.HELD, 0)


def test_paused_game_accepts_orders_and_shows_no_placeholder_date(campaign: Campaign) -> None:
    """design 5: the clock is stopped, and the stored placeholder date is shown nowhere."""
    desk.pause(campaign.game, "Holiday.", campaign.ada, campaign.now)
    row = send(campaign, "Germany", "PLACE 10 Poland\nDEADLINE\nSTATUS\nORDERS\nHISTORY\nHELP\n")
    assert row.answer is not None
    rendered = rendering.render(row.answer)
    assert not re.search(r"\b2999\b", rendered.text + rendered.html)
    assert Submission.objects.get().counts


def test_mail_of_a_closed_account_is_ignored(campaign: Campaign) -> None:
    to = address_of(campaign, "Germany")
    Person.objects.filter(email="gustav@example.org").update(is_active=False)
    assert send(campaign, "Germany", "PLACE 10 Poland\n", to=to).status == Status.IGNORED
    assert answers("gustav") == []


# --- answers and headers ---


def sent_answers(campaign: Campaign) -> list[django_mail.EmailMessage]:
    """Return the answers sent to Gustav through the test backend."""
    send_letters(campaign.now)
    assert not Letter.objects.exclude(status="sent").exists()
    mine = [message for message in django_mail.outbox if message.to == ["gustav@example.org"]]
    return [
        message for message in mine if message.extra_headers["Auto-Submitted"] == "auto-replied"
    ]


@pytest.mark.parametrize(
    "subject",
    [
        b"Bef\xf6hle f\xfcr Deutschland",
        "Befehle für Österreich".encode(),
        b"=?utf-8?q?=0d=0aBcc:_mallory@example.net?=",
        b"=?utf-8?b?" + b"QQ==" * 2000 + b"?=",
        b"x" * 9000,
        b"\x00\x01\x02",
        b"=?nonsense?q?a?=",
        b"Re: " * 500 + b"x",
        "\u2028Bcc: mallory@example.net\u0085X-Wicked: 1".encode(),
    ],
    ids=range(9),
)
def test_any_subject_is_answered_with_a_one_line_subject(
    campaign: Campaign, settings: Settings, subject: bytes
) -> None:
    """issue 4, 6: no header injection; an answer goes out whatever the subject is."""
    settings.MAIL_IN = True
    to = address_of(campaign, "Germany")
    raw = (
        f"From: gustav@example.org\nTo: {to}\nMessage-ID: <s@example.org>\nSubject: ".encode()
        + subject
        + b"\n\nSTATUS\n"
    )
    hand_in(campaign, raw, to)
    (message,) = sent_answers(campaign)
    assert "\n" not in message.subject
    lines = message.message().as_bytes().split(b"\n\n")[0].lower().split(b"\n")
    assert not [line for line in lines if line.startswith((b"bcc:", b"x-wicked"))]


@pytest.mark.parametrize(
    "name",
    [
        "<" + "a" * 470 + "@b.example>",
        "<" + "a" * 5000 + "@b.example>",
        "no brackets",
        "<é@example.org>",
        "<a@b>\n <c@d>",
        "<>",
    ],
    ids=range(6),
)
def test_any_message_id_and_references_are_answered(
    campaign: Campaign, settings: Settings, name: str
) -> None:
    settings.MAIL_IN = True
    to = address_of(campaign, "Germany")
    references = "\n ".join(f"<{number}@example.org>" for number in range(2000))
    head = (
        f"From: gustav@example.org\nTo: {to}\nMessage-ID: {name}\nIn-Reply-To: {name}\nReferences:"
        f" {references}\nSubject: x\n\nSTATUS\n"
    )
    hand_in(campaign, head.encode(), to)
    (message,) = sent_answers(campaign)
    raw = message.message().as_bytes()
    assert all(len(line) <= 998 for line in raw.split(b"\n"))  # RFC 5322, 2.1.1


# --- letters between nations ---


@pytest.mark.parametrize(
    "to",
    [
        "Germany",
        "Germany, France",
        "Atlantis",
        "Italy",
        "gustav@example.org",
        "felix@example.org",
        ", ;",
    ],
)
def test_press_to_oneself_or_to_nobody_is_refused(campaign: Campaign, to: str) -> None:
    row = send(campaign, "Germany", f"PRESS TO {to}\nHello\nEND\n")
    assert not Press.objects.exists()
    assert row.answer is not None
    assert "NOT DONE" in rendering.render(row.answer).text


def test_unsigned_letter_hides_its_writer() -> None:
    """issue 4, 5: in headers, text, pages and the gamesmaster's admin."""
    campaign = Campaign.begin(press={"sender": "anonymous", "gamesmaster_reads": True})
    row = send(
        campaign,
        "Germany",
        "BROADCAST UNSIGNED\nDown with the tyrant\nEND\n",
        message_id="<gustav-1@mail.example.org>",
    )
    assert "No." not in row.words
    send_letters(campaign.now)
    carried = [message for message in django_mail.outbox if "Down with the tyrant" in message.body]
    assert {message.to[0] for message in carried} == {
        f"{name}@example.org" for name in ("una", "felix", "bea", "rosa")
    }
    for message in carried:
        raw = message.message().as_string().lower()
        assert "gustav" not in raw
        assert "mail.example.org" not in raw
    Person.objects.filter(pk=campaign.ada.pk).update(is_staff=True)
    press = Press.objects.get()
    browser = log_in("ada")
    for page in ("/admin/games/press/", f"/admin/games/press/{press.pk}/change/"):
        text = browser.read(page)
        assert browser.get(page).status_code == 200
        assert "gustav" not in text.lower()
        assert "Germany" not in text
    assert "Germany" not in str(press_rules.letters_as_record(campaign.game, private=True))


@pytest.mark.parametrize("reads", [False, True])
def test_outbox_shows_press_only_to_a_gamesmaster_who_may_read_it(reads: bool) -> None:
    """issue 4, 5: only if the first letter said so, wherever a letter is stored."""
    campaign = Campaign.begin(press={"gamesmaster_reads": reads})
    send(campaign, "Germany", "PRESS TO France\nThe secret word is Rhubarb\nEND\n")
    send_letters(campaign.now)
    Person.objects.filter(pk=campaign.ada.pk).update(is_staff=True)
    browser = log_in("ada")
    text = "".join(
        browser.read(f"/admin/games/letter/{letter.pk}/change/") for letter in Letter.objects.all()
    )
    assert ("Rhubarb" in text) is reads


def test_outbox_hides_orders_from_a_playing_gamesmaster(
    campaign: Campaign,
) -> None:
    """permissions: they would see the orders of their opponents."""
    felix = campaign.players["France"]
    campaign.game.gamesmasters.add(felix)
    Person.objects.filter(pk=felix.pk).update(is_staff=True)
    send(campaign, "Germany", "PLACE 17 Poland\n")
    campaign.order("Britain", "PLACE 13 France")
    send_letters(campaign.now)
    browser = log_in("felix")
    for letter in Letter.objects.filter(kind__in=("answer", "receipt")).exclude(person=felix):
        text = browser.read(f"/admin/games/letter/{letter.pk}/change/")
        assert "PLACE 17" not in text
        assert "PLACE 13" not in text


def test_no_command_sends_press_while_press_is_closed() -> None:
    campaign = Campaign.begin(press={"closed": "placement"})
    for text in (
        "PRESS TO France\nx\nEND",
        "BROADCAST\nx\nEND",
        "PRESS TO France, Gamesmaster\nx\nEND",
        "BROADCAST UNSIGNED\nx\nEND",
    ):
        send(campaign, "Germany", text + "\n")
    assert not Press.objects.exists()
    send(campaign, "Germany", "QUESTION\nMay I?\nEND\n")
    assert Press.objects.get().to_gamesmaster
