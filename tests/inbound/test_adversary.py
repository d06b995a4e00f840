"""Hostile mail, and everything at once (issue 4, items 2, 4 and 6)."""

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
from games.desk import addresses as desk_addresses
from games.letters import rendering
from games.models import Letter, Person, Phase, Press, Sitting
from games.press import rules
from games.turns import process
from games.turns import queue as turns_queue
from gamesmaster import clock
from orders import in_force as orders_in_force
from orders import unread
from orders.inbound import handle
from orders.inbound import queue as intake
from orders.inbound.identity import trust, waiting
from orders.inbound.transports import lmtp
from orders.models import Handling, Mail, Submission
from tests.inbound.writing import address_of, answers, hand_in, keep, send, written
from tests.support.at_once import side_by_side
from tests.support.browsing import log_in, send_letters
from tests.support.campaign import Campaign, person

pytestmark = pytest.mark.django_db
Status = Handling.Status


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch, campaign: Campaign) -> Campaign:
    """The pages' clock is the campaign's."""
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
    return reverse("mail-confirm", args=[tokens.key_of("confirm", row.nonce)])


def look_at(row: Handling, now: datetime) -> Handling:
    if token := intake.claim_one(row.mail_id, now):
        handle.handle_mail(row.pk, token, now)
    row.refresh_from_db()
    return row


# --- keys ---


def test_the_key_of_another_player_gives_nobody_his_nation(campaign: Campaign) -> None:
    """Felix writes to Gustav's address: nothing is obeyed, he is told, and Gustav hears nothing
    (reviews/mail.md B4)."""
    row = send(campaign, "France", "PLACE 10 Poland\n", to=address_of(campaign, "Germany"))
    assert (row.status, row.person) == (Status.DONE, campaign.players["France"])
    assert not Submission.objects.exists()
    assert [letter.kind for letter in answers("felix")] == ["word"]
    assert answers("gustav") == []


def test_a_key_in_the_copy_field_is_no_address_that_the_letter_came_to(campaign: Campaign) -> None:
    """A key in Cc may be copied from a letter; only where the server delivered it counts."""
    row = send(campaign, "France", "STATUS\n", headers={"Cc": address_of(campaign, "Germany")})
    assert row.person == campaign.players["France"]
    assert not Handling.objects.filter(person=campaign.players["Germany"]).exists()


def test_one_letter_to_two_games_is_obeyed_in_both_whatever_the_way_in(campaign: Campaign) -> None:
    """A mailbox may hold one copy for both addresses: each is a letter, answered once."""
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


def test_a_letter_to_many_addresses_is_obeyed_for_its_sender_alone(campaign: Campaign) -> None:
    everybody = [address_of(campaign, nation) for nation in campaign.players]
    raw = written("gustav@example.org", ", ".join(everybody), "PLACE 10 Poland\n")
    handle.take_in(raw, way="imap", envelope_from=None, envelope_to=[], now=campaign.now)
    assert [submission.seat.nation for submission in Submission.objects.all()] == ["Germany"], (
        Handling.objects.values("words", "sender")
    )
    assert Handling.objects.filter(kind="another's address", answer=None).count() == 4
    assert [letter.kind for letter in answers("gustav")] == ["answer"]


# --- who wrote it ---

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
def test_no_result_that_somebody_else_has_made_up_is_believed(
    campaign: Campaign, settings: Settings, results: str
) -> None:
    """RFC 8601: quoted strings and comments are the sender's; only our server's verdicts count."""
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", OURS
    headers = {"Authentication_Results": results} if results else {}
    row = send(campaign, "Germany", "PLACE 10 Poland\n", headers=headers)
    assert row.status == Status.UNCONFIRMED, row.words
    assert not Submission.objects.exists()


def test_results_below_anothers_received_came_with_the_letter(
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
def test_tricks_with_the_name_of_the_sender_obey_nothing(campaign: Campaign, sender: str) -> None:
    to = address_of(campaign, "Germany")
    raw = (
        f"From: {sender}\nTo: {to}\nSubject: x\nMessage-ID:"
        f" <{abs(hash(sender))}@evil.test>\n\nPLACE 10 Poland\n".encode()
    )
    hand_in(campaign, raw, to)
    assert not Submission.objects.exists()
    assert not Letter.objects.filter(address__contains="evil").exists()
    assert not Letter.objects.filter(address="mallory@example.net").exists()


def test_a_second_from_obeys_nothing(campaign: Campaign) -> None:
    to = address_of(campaign, "Germany")
    raw = b"From: mallory@example.net\n" + written("gustav@example.org", to, "PLACE 10 Poland\n")
    hand_in(campaign, raw, to)
    assert not Submission.objects.exists()


def test_forged_mail_does_not_use_up_what_a_player_may_send(
    campaign: Campaign, settings: Settings
) -> None:
    """limits: two hundred forged letters must not defer the one that Gustav sends."""
    settings.MAIL_OBEYED_AN_HOUR = 3
    for number in range(5):
        send(campaign, "Germany", f"PLACE {number} Poland\n", to="orders@games.test")
    row = send(campaign, "Germany", "PLACE 10 Poland\n")
    assert row.status == Status.DONE, row.words
    assert in_force(campaign, "Germany").strip() == "PLACE 10 Poland"


def test_an_old_letter_that_comes_once_more_is_not_obeyed_by_its_signature_alone(
    campaign: Campaign, settings: Settings
) -> None:
    """A signature need not cover the Message-ID: a copy of old orders would pass as new."""
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = "results", OURS
    signed = {"Authentication_Results": f"{OURS}; dkim=pass header.d=example.org"}
    assert send(campaign, "Germany", "PLACE 10 Poland\n", headers=signed).status == Status.DONE
    assert send(campaign, "Germany", "PLACE 11 Poland\n", headers=signed).status == Status.DONE
    later = campaign.now + timedelta(days=4)
    row = send(campaign, "Germany", "PLACE 10 Poland\n", headers=signed, at=later)
    assert row.status == Status.UNCONFIRMED
    assert "16 November" in row.words


@pytest.mark.django_db(transaction=True)
def test_the_dns_of_a_stranger_keeps_nobody_waiting(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MAIL_TRUST=dkim: slow DNS holds no transaction open, and no page asks it."""
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


# --- one after the other, and at once ---


def test_letters_that_are_read_out_of_order_hold_in_the_order_in_which_they_came(
    campaign: Campaign,
) -> None:
    """The first one failed once and comes up again when the second has been obeyed."""
    first = keep(campaign, "Germany", "PLACE 10 Poland\n", at=campaign.now)
    second = keep(campaign, "Germany", "PLACE 11 Poland\n", at=campaign.now + timedelta(seconds=5))
    look_at(second, campaign.now + timedelta(seconds=6))
    look_at(first, campaign.now + timedelta(seconds=60))
    assert in_force(campaign, "Germany").strip() == "PLACE 11 Poland"
    assert len(answers("gustav")) == 2


def test_orders_that_were_written_before_a_cancel_do_not_come_back_after_it(
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


def test_a_letter_is_for_the_phase_that_was_open_when_it_came(campaign: Campaign) -> None:
    """Put off, or confirmed late, it must not be taken for the phase that has opened meanwhile."""
    row = keep(
        campaign, "Germany", "PLACE 10 Poland\n", at=campaign.phase.deadline - timedelta(minutes=1)
    )
    Handling.objects.update(
        attempts=3, due_at=campaign.now + timedelta(days=1)
    )  # it has failed; nobody waits for it any more
    first = campaign.pass_deadline()
    assert campaign.phase.pk != first.pk
    Handling.objects.update(due_at=campaign.now)
    look_at(row, campaign.now + timedelta(minutes=1))
    submission = Submission.objects.get()
    assert (submission.phase, submission.late, submission.counts) == (first, True, False)
    assert in_force(campaign, "Germany") == ""
    text = rendering.render(answers("gustav")[-1]).text
    assert "not used" in text


def test_a_link_that_is_used_after_the_phase_has_closed_orders_nothing_for_the_next(
    watch: Campaign,
) -> None:
    row = send(watch, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    first = watch.pass_deadline()
    page = confirm_page(row)
    assert Client().post(page, {"wish": "confirm"}).status_code == 200
    submission = Submission.objects.get()
    assert (submission.phase, submission.late) == (first, True)
    assert in_force(watch, "Germany") == ""


def test_a_link_is_for_who_sat_there_when_the_letter_came(watch: Campaign) -> None:
    """The seat changed hands: the letter orders nothing, pressed by either player."""
    row = send(watch, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    replace(watch.players["Germany"], watch, "Germany", person("dana"))
    page = confirm_page(row)
    answer = Client().post(page, {"wish": "confirm"})
    assert answer.status_code == 410
    assert "no seat" in answer.content.decode()
    assert not Submission.objects.exists()
    row.refresh_from_db()
    assert row.status == Status.UNCONFIRMED


def test_what_was_written_for_one_nation_is_not_ordered_for_another(watch: Campaign) -> None:
    """Gustav wrote for Germany, and sits as France by the time he confirms it."""
    row = send(watch, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    watch.now += timedelta(minutes=1)
    gustav = watch.players["Germany"]
    replace(gustav, watch, "Germany", person("dana"))
    replace(watch.players["France"], watch, "France", gustav)
    watch.now += timedelta(minutes=1)
    Client().post(confirm_page(row), {"wish": "confirm"})
    assert not Submission.objects.exists()


def test_a_mail_scanner_that_follows_every_link_does_nothing(watch: Campaign) -> None:
    """Neither GET nor HEAD, nor a POST without the page's own token."""
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
def test_a_link_that_is_pressed_five_times_at_once_obeys_once() -> None:
    campaign = Campaign.begin()
    row = send(campaign, "Germany", "PLACE 10 Poland\n", sender="gustav@example.net")
    faults = side_by_side(*[lambda: waiting.confirm(row, campaign.now)] * 5)
    assert [type(fault).__name__ for fault in faults] == ["NotWaiting"] * 4
    assert Submission.objects.count() == 1
    assert [letter.kind for letter in answers("gustav")] == ["confirm", "answer"]


@pytest.mark.django_db(transaction=True)
def test_the_letters_of_five_players_at_once_are_all_obeyed() -> None:
    """design 5: the game's row is taken; nobody's orders are lost, and the ledger has no gap."""
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


def test_what_came_in_the_last_instant_counts_though_it_is_kept_a_moment_after_it(
    campaign: Campaign, settings: Settings
) -> None:
    """design 1: received before the deadline, written to disk after it, no order is lost."""
    settings.MAIL_IN = True
    phase, to = campaign.phase, address_of(campaign, "Germany")
    came = phase.deadline - timedelta(milliseconds=5)
    token, phases = turns_queue.claim(phase.deadline, 10)
    process.process([phases[0]], token, phase.deadline)  # the tick of the deadline itself
    hand_in(campaign, written("gustav@example.org", to, "PLACE 10 Poland\n"), to, at=came)
    assert Submission.objects.get().counts
    campaign.wait_until(phase.deadline + timedelta(seconds=5))
    phase.refresh_from_db()
    assert phase.status == "resolved"


def test_mail_to_the_address_of_everybody_is_waited_for_too(campaign: Campaign) -> None:
    phase = campaign.phase
    raw = written("gustav@example.org", "orders@games.test", "PLACE 10 Poland\n")
    intake.store(
        raw,
        way="lmtp",
        envelope_from="",
        envelope_to=["orders@games.test"],
        now=phase.deadline - timedelta(seconds=1),
    )
    assert unread.arrivals([campaign.game.pk], phase.deadline)


@pytest.mark.django_db(transaction=True)
def test_the_moment_at_the_door_is_the_one_that_counts() -> None:
    """LMTP: when the last line was taken, not when one of its threads had time for it."""
    campaign = Campaign.begin()
    came = campaign.phase.deadline - timedelta(seconds=1)
    to = address_of(campaign, "Germany")
    raw = written("gustav@example.org", to, "PLACE 10 Poland\n")
    assert lmtp.deliver(raw, "gustav@example.org", to, came) == lmtp.KEPT
    assert Mail.objects.get().received_at == came


# --- games and people that are no longer there ---


def test_a_player_who_was_put_out_is_answered_once_a_day_and_obeyed_in_nothing(
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


def test_a_held_letter_of_somebody_who_has_left_lets_nothing_in(
    campaign: Campaign, settings: Settings
) -> None:
    settings.MAIL_UNPROVEN = "hold"
    row = send(campaign, "Germany", "PLACE 10 Poland\n", sender="mallory@example.net")
    replace(campaign.players["Germany"], campaign, "Germany", person("dana"))
    with pytest.raises(waiting.NotWaiting, match="no seat"):
        waiting.let_in(row, campaign.ada, campaign.now)
    row.refresh_from_db()
    assert row.status == Status.HELD
    assert not Submission.objects.exists()


def test_the_gamesmaster_of_another_game_lets_nothing_in(
    watch: Campaign, settings: Settings
) -> None:
    """Neither on the page of the game nor on his own with the number of the letter."""
    settings.MAIL_UNPROVEN = "hold"
    row = send(watch, "Germany", "PLACE 10 Poland\n", sender="mallory@example.net")
    mine = Campaign.begin(title="Another")
    mine.game.gamesmasters.set([person("charlie")])
    browser = log_in("charlie")
    for game in (watch.game, mine.game):
        browser.post(reverse("mail-held", args=[game.pk]), {"mail": row.pk, "wish": "let_in"})
        browser.post(reverse("desk-mail", args=[game.pk, row.pk]), {"decision": "obey"})
    with pytest.raises(waiting.NotWaiting, match="Only the gamesmaster"):
        waiting.let_in(row, person("charlie"), watch.now)
    row.refresh_from_db()
    assert (row.status, Submission.objects.count()) == (Status.HELD, 0)


def test_a_paused_game_takes_orders_and_names_no_made_up_date(campaign: Campaign) -> None:
    """design 5: the clock stands; the instant on record is shown nowhere."""
    desk.pause(campaign.game, "Holiday.", campaign.ada, campaign.now)
    row = send(campaign, "Germany", "PLACE 10 Poland\nDEADLINE\nSTATUS\nORDERS\nHISTORY\nHELP\n")
    assert row.answer is not None
    rendered = rendering.render(row.answer)
    assert not re.search(r"\b2999\b", rendered.text + rendered.html)
    assert Submission.objects.get().counts


def test_a_closed_account_is_neither_obeyed_nor_answered(campaign: Campaign) -> None:
    to = address_of(campaign, "Germany")
    Person.objects.filter(email="gustav@example.org").update(is_active=False)
    assert send(campaign, "Germany", "PLACE 10 Poland\n", to=to).status == Status.IGNORED
    assert answers("gustav") == []


# --- answers and headers ---


def sent_answers(campaign: Campaign) -> list[django_mail.EmailMessage]:
    """What has gone out to Gustav in answer, through the backend of the tests."""
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
def test_any_subject_is_answered_under_one_line(
    campaign: Campaign, settings: Settings, subject: bytes
) -> None:
    """issue 4, 6: header injection impossible; an answer goes out whatever stood there."""
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
def test_letters_to_oneself_or_to_nobody_are_refused_and_told(campaign: Campaign, to: str) -> None:
    row = send(campaign, "Germany", f"PRESS TO {to}\nHello\nEND\n")
    assert not Press.objects.exists()
    assert row.answer is not None
    assert "NOT DONE" in rendering.render(row.answer).text


def test_an_unsigned_letter_tells_in_no_way_who_wrote_it() -> None:
    """issue 4, 5: neither headers, text, pages nor the gamesmaster's admin."""
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
    sent = Press.objects.get()
    browser = log_in("ada")
    for page in ("/admin/games/press/", f"/admin/games/press/{sent.pk}/change/"):
        shown = browser.read(page)
        assert browser.get(page).status_code == 200
        assert "gustav" not in shown.lower()
        assert "Germany" not in shown
    assert "Germany" not in str(rules.as_record(campaign.game, private=True))


@pytest.mark.parametrize("reads", [False, True])
def test_a_gamesmaster_reads_no_press_by_way_of_the_outbox(reads: bool) -> None:
    """issue 4, 5: only where the first letter said so, in whatever place a letter is kept."""
    campaign = Campaign.begin(press={"gamesmaster_reads": reads})
    send(campaign, "Germany", "PRESS TO France\nThe secret word is Rhubarb\nEND\n")
    send_letters(campaign.now)
    Person.objects.filter(pk=campaign.ada.pk).update(is_staff=True)
    browser = log_in("ada")
    shown = "".join(
        browser.read(f"/admin/games/letter/{letter.pk}/change/") for letter in Letter.objects.all()
    )
    assert ("Rhubarb" in shown) is reads


def test_a_gamesmaster_who_plays_reads_nobodys_orders_by_way_of_the_outbox(
    campaign: Campaign,
) -> None:
    """permissions: he would play with open cards against closed ones."""
    felix = campaign.players["France"]
    campaign.game.gamesmasters.add(felix)
    Person.objects.filter(pk=felix.pk).update(is_staff=True)
    send(campaign, "Germany", "PLACE 17 Poland\n")
    campaign.order("Britain", "PLACE 13 France")
    send_letters(campaign.now)
    browser = log_in("felix")
    for letter in Letter.objects.filter(kind__in=("answer", "receipt")).exclude(person=felix):
        shown = browser.read(f"/admin/games/letter/{letter.pk}/change/")
        assert "PLACE 17" not in shown
        assert "PLACE 13" not in shown


def test_when_letters_are_closed_none_gets_through_by_any_word() -> None:
    campaign = Campaign.begin(press={"closed": ["placement"]})
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
