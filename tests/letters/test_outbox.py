"""Sending of letters (docs/design.md 4 and 7): each once, none lost."""

from __future__ import annotations

import re
import time
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.mail import EmailMultiAlternatives
from django.db import OperationalError
from pytest_django import Settings

from games import desk, tasks
from games.accounts import tokens
from games.base import clock, ending
from games.letters import delivery, rendering, sending
from games.models import Letter, Phase
from games.outbox.messages import account_letters, game_letters
from games.outbox.outgoing import Outgoing
from games.turns import process
from games.turns import queue as turns_queue
from tests.letters.postoffice import OK, PostOffice, free_port, parts
from tests.support.at_once import side_by_side
from tests.support.campaign import MONDAY, Campaign, person

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.letters,
    pytest.mark.quick,
]

MINUTE = timedelta(minutes=1)


def new_campaign() -> Campaign:
    """Return a campaign in which only the letters that open its first phase are unsent."""
    campaign = Campaign.begin()
    Letter.objects.exclude(kind="opened").delete()
    return campaign


def only(name: str) -> Letter:
    """Delete all letters but the one to this person; return it."""
    Letter.objects.exclude(address=f"{name}@example.org").delete()
    return Letter.objects.get()


def post(now: datetime = MONDAY) -> int:
    token, ids = sending.claim(now, 50)
    return sending.send(ids, token, now)


def test_message_id_fits_on_one_header_line_and_names_nothing(settings: Settings) -> None:
    """RFC 5322, 2.1.1: a header of up to 78 characters is not folded."""
    settings.MAIL_DOMAIN = f"{'a' * 20}.example.org"
    letter = Letter(key="game-49999/phase-24/approval-20261126035512/person-24991")
    assert re.fullmatch(rf"<letter-[0-9a-f]{{24}}@{settings.MAIL_DOMAIN}>", letter.message_id)
    assert len(f"Message-ID: {letter.message_id}") <= 78
    assert Letter(key=letter.key).message_id != letter.message_id
    assert Letter.code_in(letter.message_id) == letter.code


def test_every_letter_is_sent_once_over_one_connection(office: PostOffice) -> None:
    """Promise 4."""
    new_campaign()
    assert sending.pending(MONDAY) == 6
    assert post() == 6
    assert post() == 0
    assert sorted(address for address, _ in office.taken) == sorted(
        f"{n}@example.org" for n in ("ada", "bea", "felix", "gustav", "rosa", "una")
    )
    assert office.connections == 1
    assert sending.pending(MONDAY) == 0
    assert not Letter.objects.exclude(status="sent", sent_at=MONDAY, due_at=None, claim="").exists()


def test_letter_has_a_thread_and_automatic_headers(office: PostOffice) -> None:
    """Design 7: stable Message-IDs, one thread per game, Auto-Submitted (RFC 3834)."""
    campaign = new_campaign()
    letter = only("gustav")
    post()
    [message] = office.to("gustav@example.org")
    assert message["Message-ID"] == letter.message_id
    assert letter.message_id == f"<letter-{letter.code}@games.test>"
    assert message["References"] == message["In-Reply-To"] == campaign.game.thread_id
    assert message["Auto-Submitted"] == "auto-generated"
    # MS-OXCMAIL 2.1.3.2.20: “All” and “NDR” also suppress reports of failed delivery.
    assert message["X-Auto-Response-Suppress"] == "DR, RN, NRN, OOF, AutoReply"
    assert message["Reply-To"] == message["From"]
    assert message["Subject"] == (
        "[The lights go out] Turn 1 placement: your orders by Mon 16 Nov, 18:00"
    )
    text, html = parts(message)
    letter.refresh_from_db()
    assert (text, html) == (letter.text, letter.html)


@pytest.mark.both_databases
def test_two_workers_claim_disjoint_letters() -> None:
    """Design 4: one conditional update with a checked row count, before anything is sent."""
    new_campaign()
    _, first = sending.claim(MONDAY, 4)
    _, second = sending.claim(MONDAY, 4)
    assert len(first) == 4
    assert len(second) == 2
    assert not set(first) & set(second)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_concurrent_workers_send_each_letter_once(office: PostOffice) -> None:
    """Promise 4, with threads that run at the same time."""
    new_campaign()
    claims: list[list[int]] = []

    def work() -> None:
        for _ in range(6):
            token, ids = sending.claim(MONDAY, 2)
            claims.append(ids)
            sending.send(ids, token, MONDAY)

    assert side_by_side(work, work, work, work) == []
    taken = [pk for ids in claims for pk in ids]
    assert len(taken) == len(set(taken)) == 6
    assert len(office.taken) == 6


@pytest.mark.both_databases
def test_phase_change_is_one_letter_to_each_reader() -> None:
    """The report says what is due next; no second letter opens the next phase."""
    campaign = Campaign.begin()
    Letter.objects.all().delete()
    campaign.now = campaign.phase.deadline
    token, [phase] = turns_queue.claim(campaign.now, 1)
    process.process([phase], token, campaign.now)
    _, ids = sending.claim(campaign.now, 50)
    kinds = [Letter.objects.get(pk=pk).kind for pk in ids]
    assert kinds == ["board"] * 6


def test_temporary_refusal_is_retried_with_an_identical_letter(office: PostOffice) -> None:
    """RFC 5321, 4xx: same Message-ID and text, whatever the game has done meanwhile."""
    campaign = new_campaign()
    letter = only("gustav")
    office.at_address["gustav@example.org"] = ["451 come back later", OK]
    assert post() == 0
    letter.refresh_from_db()
    assert (letter.status, letter.attempts) == ("deferred", 1)
    assert letter.due_at == MONDAY + MINUTE
    assert "come back later" in letter.fault
    before = letter.text
    Phase.objects.filter(game=campaign.game).update(deadline=MONDAY + timedelta(days=90))
    assert post(MONDAY + MINUTE / 2) == 0
    assert post(MONDAY + MINUTE) == 1
    [message] = office.to("gustav@example.org")
    assert message["Message-ID"] == letter.message_id
    assert parts(message)[0] == before


def test_temporary_refusal_of_the_text_is_retried(office: PostOffice) -> None:
    """4xx after DATA."""
    new_campaign()
    letter = only("gustav")
    office.at_content[:] = ["452 disk full", OK]
    post()
    letter.refresh_from_db()
    assert letter.status == "deferred"
    assert post(MONDAY + MINUTE) == 1


def test_unreachable_mail_server_defers_all_letters(settings: Settings) -> None:
    """Design 5: losing a part loses nothing."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    new_campaign()
    assert post() == 0
    assert Letter.objects.filter(status="deferred", claim="", claimed_until=None).count() == 6
    assert "does not answer" in Letter.objects.all()[0].fault
    assert sending.pending(MONDAY + MINUTE) == 6


def test_delay_grows_up_to_six_hours() -> None:
    """1, 2, 5, 15, 60 minutes, then doubling."""
    minutes = [sending.delay(failures) / MINUTE for failures in range(1, 10)]
    assert minutes == [1, 2, 5, 15, 60, 120, 240, 360, 360]


def test_permanent_refusal_fails_and_is_reported_once(office: PostOffice) -> None:
    """Promise 4: the gamesmaster is notified once for each phase and person."""
    campaign = new_campaign()
    Letter.objects.exclude(address__in=("gustav@example.org", "rosa@example.org")).delete()
    office.at_address["gustav@example.org"] = ["550 no such user"]
    assert post() == 1
    lost = Letter.objects.get(address="gustav@example.org")
    assert (lost.status, lost.due_at) == ("failed", None)
    [told] = campaign.letters("undelivered")
    assert told.address == "ada@example.org"
    assert post() == 1
    text, _ = parts(office.to("ada@example.org")[0])
    assert "Gustav" in text
    assert "gustav@example.org" in text
    assert "550 no such user" in text

    with Outgoing([campaign.game]) as out:
        game_letters.report_hold(campaign.phase, MONDAY, out)
    game_letters.reminder(campaign.phase, [campaign.seat("Germany")], MONDAY)
    post()
    assert Letter.objects.filter(kind="reminder", status="failed").count() == 1
    assert len(campaign.letters("undelivered")) == 1


def test_failed_notice_about_a_failed_letter_is_not_reported(office: PostOffice) -> None:
    """No loops: if the gamesmaster's own address fails there is nobody to notify."""
    campaign = new_campaign()
    campaign.game.gamesmasters.add(person("abe"))
    only("gustav")
    for name in ("ada", "abe", "gustav"):
        office.at_address[f"{name}@example.org"] = ["550 no such user"]
    for _ in range(4):
        post()
    assert Letter.objects.filter(kind="undelivered", status="failed").count() == 2
    assert Letter.objects.count() == 3


def test_letter_fails_after_too_many_tries(office: PostOffice, settings: Settings) -> None:
    """settings.LETTER_TRIES; then as after a permanent refusal."""
    settings.LETTER_TRIES = 3
    new_campaign()
    letter = only("gustav")
    office.at_address["gustav@example.org"] = ["451 never today"]
    now = MONDAY
    for _ in range(3):
        post(now)
        now += timedelta(hours=1)
    letter.refresh_from_db()
    assert letter.status == "failed"
    assert "3 tries failed" in letter.fault
    assert Letter.objects.filter(kind="undelivered").count() == 1


@pytest.mark.both_databases
def test_expired_lease_is_claimed_by_another_worker(office: PostOffice, settings: Settings) -> None:
    """Design 4: a dead worker blocks nobody, and a sleeping one comes too late."""
    new_campaign()
    letter = only("gustav")
    dead, ids = sending.claim(MONDAY, 50)
    assert sending.claim(MONDAY, 50) == ("", [])
    later = MONDAY + timedelta(seconds=settings.LEASE_SECONDS)
    token, again = sending.claim(later, 50)
    assert again == ids == [letter.pk]
    assert sending.send(ids, dead, later) == 0
    assert office.taken == []
    assert sending.send(again, token, later) == 1


class Asleep:
    """A machine that sleeps: the wall clock jumps, the monotonic one does not."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = MONDAY
        monkeypatch.setattr(clock, "now", lambda: self.now)

    def sleeps(self, long: timedelta = timedelta(hours=2)) -> None:
        self.now += long


@pytest.mark.both_databases
@pytest.mark.parametrize("hours", [2, -2])
def test_sleeping_worker_checks_its_lease_before_the_next_letter(
    office: PostOffice, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    """Promise 4: after waking all leases have expired; 31 letters went out twice."""
    new_campaign()
    wall, real, taken_over = Asleep(monkeypatch), sending._finish, []

    def finish(*given: Any, **named: Any) -> bool:
        done = real(*given, **named)
        if len(office.taken) == 3:
            Letter.objects.filter(due_at__gt=wall.now + timedelta(hours=hours)).update(
                due_at=wall.now + timedelta(hours=hours)
            )
            wall.sleeps(timedelta(hours=hours))
            taken_over.append(sending.claim(wall.now, 50))
        return done

    monkeypatch.setattr(sending, "_finish", finish)
    assert post() == 3
    [(token, rest)] = taken_over
    assert len(rest) == 3
    assert sending.send(rest, token, wall.now) == 3
    assert len({message["Message-ID"] for _, message in office.taken}) == len(office.taken) == 6


def test_lease_renewed_after_a_sleep_counts_from_then(
    office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Renewed by the time before the sleep it would have expired already, and the letters would be
    claimed again."""
    new_campaign()
    wall, real, render = Asleep(monkeypatch), delivery.Server.send, rendering.render

    def rendered(letter: Letter, *batch: Any) -> rendering.RenderedLetter:
        if wall.now == MONDAY:
            wall.sleeps()
        return render(letter, *batch)

    def send(self: delivery.Server, message: Any) -> None:
        assert sending.claim(wall.now, 50) == ("", [])
        real(self, message)

    monkeypatch.setattr(rendering, "render", rendered)
    monkeypatch.setattr(delivery.Server, "send", send)
    assert post() == 6
    assert len(office.taken) == 6


def test_crash_between_sending_and_marking_repeats_an_identical_letter(
    office: PostOffice, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worst result of a crash: twice the same Message-ID and the same text."""
    new_campaign()
    only("gustav")

    def dies(*args: object, **more: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sending, "_finish", dies)
        with pytest.raises(KeyboardInterrupt):
            post()
    assert post(MONDAY + timedelta(seconds=settings.LEASE_SECONDS + 1)) == 1
    first, second = office.to("gustav@example.org")
    assert first["Message-ID"] == second["Message-ID"]
    assert first["Date"] == second["Date"]
    assert parts(first) == parts(second)


@pytest.mark.both_databases
def test_letter_that_fails_to_render_does_not_stop_the_others(
    office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design 5: what cannot be done is pushed back, so that it blocks nothing."""
    new_campaign()
    right = rendering.render

    def wrong_for_rosa(letter: Letter, *batch: Any) -> rendering.RenderedLetter:
        if letter.address.startswith("rosa"):
            raise ZeroDivisionError("a slip")
        return right(letter, *batch)

    monkeypatch.setattr(rendering, "render", wrong_for_rosa)
    assert post() == 5
    letter = Letter.objects.get(address="rosa@example.org")
    assert letter.status == "deferred"
    assert "a slip" in letter.fault
    monkeypatch.undo()


def test_next_letter_after_a_lost_connection_opens_a_new_one(office: PostOffice) -> None:
    """421 closes the connection (RFC 5321, 3.8)."""
    new_campaign()
    office.at_content[:] = ["421 closing", OK]
    assert post() == 5
    assert office.connections == 2
    assert post(MONDAY + MINUTE) == 1


def test_letter_with_a_token_keeps_no_text(office: PostOffice) -> None:
    """Design 8: neither the outbox nor a copy of the database lets anybody log in."""
    campaign = Campaign.begin()
    Letter.objects.all().delete()
    key = tokens.new_login(campaign.players["Germany"], "", MONDAY)
    account_letters.login(key, MONDAY)
    account_letters.invitation(
        tokens.new_invitation(campaign.seat("Russia"), "nina@example.org", campaign.ada, MONDAY),
        MONDAY,
    )
    assert post() == 2
    for letter in Letter.objects.all():
        assert letter.status == "sent"
        assert (letter.subject, letter.text, letter.html) == ("", "", "")
    for part in parts(office.to("gustav@example.org")[0]):
        assert tokens.login_token(key) in part
        assert tokens.login_code(key) in part


@pytest.mark.parametrize("act", ["extended", "paused", "abandoned"])
def test_reminder_of_a_deadline_that_no_longer_holds_is_not_sent(
    office: PostOffice, act: str
) -> None:
    """Rules 0.2: while the mail server was away, the deadline moved; the letter about that came
    first, and then a reminder of the old one."""
    campaign = Campaign.begin()
    phase, ada, now = campaign.phase, campaign.ada, campaign.now
    desk.remind(phase, ada, now)
    match act:
        case "extended":
            desk.extend(phase, phase.deadline + 5 * MINUTE, "A flood.", ada, now)
        case "paused":
            desk.pause(campaign.game, "A flood.", ada, now)
        case "abandoned":
            desk.abandon(campaign.game, "A flood.", ada, now)
    assert post() > 0
    reminders = Letter.objects.filter(kind="reminder")
    assert set(reminders.values_list("status", flat=True)) == {"dropped"}


def test_letter_with_an_expired_token_is_not_sent(office: PostOffice) -> None:
    """An expired login, a withdrawn invitation: the letter would be useless."""
    campaign = Campaign.begin()
    Letter.objects.all().delete()
    account_letters.login(tokens.new_login(campaign.players["Germany"], "", MONDAY), MONDAY)
    first = tokens.new_invitation(campaign.seat("Russia"), "nina@example.org", campaign.ada, MONDAY)
    account_letters.invitation(first, MONDAY)
    tokens.new_invitation(campaign.seat("Russia"), "olga@example.org", campaign.ada, MONDAY)
    assert post(MONDAY + tokens.LOGIN_LASTS) == 0
    assert office.taken == []
    assert Letter.objects.filter(status="dropped").count() == 2
    assert not Letter.objects.filter(kind="undelivered").exists()


def test_titles_and_names_write_no_headers(office: PostOffice) -> None:
    """Header injection, through everything that people type."""
    campaign = Campaign.begin()
    campaign.game.title = "Peace\r\nBcc: all@example.org\n\nDear all\x0b\u2028now"
    campaign.game.save()
    gustav = campaign.players["Germany"]
    gustav.name = "Gustav\r\nX-Evil: 1"
    gustav.save()
    Letter.objects.exclude(kind="opened", address="gustav@example.org").delete()
    assert post() == 1
    [message] = office.to("gustav@example.org")
    assert message["Bcc"] is None
    assert message["X-Evil"] is None
    assert message["Subject"] == (
        "[Peace Bcc: all@example.org Dear all now] Turn 1 placement: your orders by Mon 16 Nov,"
        " 18:00"
    )
    assert "\nBcc:" not in parts(message)[0]
    assert "\nX-Evil:" not in parts(message)[0]


def test_sending_nothing_opens_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tick every second must not connect to the mail server."""

    def refuse(*args: object, **more: object) -> EmailMultiAlternatives:
        raise AssertionError("nobody asked for a connection")

    monkeypatch.setattr(delivery, "get_connection", refuse)
    assert sending.claim(MONDAY, 50) == ("", [])
    assert sending.send([], "", MONDAY) == 0


@pytest.mark.both_databases
def test_mark_is_retried_while_the_database_is_busy(
    office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Promise 4: without its mark the letter would be sent again once the lease expires."""
    new_campaign()
    only("una")
    real, waits = sending._finish, iter([OperationalError("database is locked")] * 2)
    pauses: list[float] = []

    def finish(*given: Any, **named: Any) -> bool:
        for refusal in waits:
            raise refusal
        return real(*given, **named)

    monkeypatch.setattr(sending, "_finish", finish)
    monkeypatch.setattr(time, "sleep", pauses.append)
    # keep the test's own connection open
    monkeypatch.setattr(sending, "close_old_connections", lambda: None)
    assert post() == 1
    assert Letter.objects.get().status == "sent"
    assert len(office.taken) == 1
    assert pauses == [0.2, 1.0]


@pytest.mark.both_databases
def test_worker_asked_to_end_releases_the_letters_that_it_has_not_begun(
    office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Promise 4: killed in the midst of a letter, it would send it again. A release is no try."""
    new_campaign()
    Letter.objects.filter(address__in=("rosa@example.org", "una@example.org")).update(attempts=1)
    monkeypatch.setattr(ending, "is_asked", lambda: len(office.taken) == 2)
    assert post() == 2
    rest = Letter.objects.filter(status="queued", claim="", claimed_until=None)
    assert list(rest.order_by("attempts").values_list("attempts", flat=True)) == [0, 0, 1, 1]
    assert tasks.do_all_due(MONDAY) == 0  # nor does its tick claim them again
    monkeypatch.undo()
    assert post() == 4
    assert len({address for address, _ in office.taken}) == len(office.taken) == 6


@pytest.mark.both_databases
def test_repeated_task_sends_nothing_twice(
    office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/faults.md: a queue may deliver a task five times; each run has its own token."""
    new_campaign()
    token, ids = sending.claim(MONDAY, 50)
    again: list[int] = []
    deliver = sending._deliver

    def meanwhile(letter: Letter, *given: Any, **named: Any) -> bool:
        if not again:
            # the same task, delivered again while the first run is at work
            again.append(sending.send(ids, token, MONDAY))
        return deliver(letter, *given, **named)

    monkeypatch.setattr(sending, "_deliver", meanwhile)
    assert sending.send(ids, token, MONDAY) == len(ids) == 6
    assert again == [0]
    assert len(office.taken) == 6
