"""Attacks by a reviewer, and the defenses against them (docs/design.md 1, 4, 5, 8)."""

from __future__ import annotations

import threading
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core import mail as django_mail
from django.db import connection

from games import desk, market, positions, tasks
from games.accounts import tokens
from games.base import clock
from games.letters import sending
from games.models import Game, Invitation, Letter, LoginKey, Person, Phase, Sitting
from games.rules.origins_ww2 import programs
from games.turns import closing, process
from games.turns import queue as turns_queue
from orders.intake import bots, ledger
from orders.models import Submission
from tests.support import ticks
from tests.support.at_once import side_by_side
from tests.support.browsing import Visitor, send_letters
from tests.support.campaign import MONDAY, NATIONS, Campaign, person

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)


def attack(campaign: Campaign) -> Phase:
    """Play placement, send an attack by Germany and lock the phase; return it."""
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 6 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    return phase


# --- concurrency ---


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(
    connection.vendor == "sqlite",
    reason="SQLite lets one transaction write at a time, from its beginning",
)
def test_deadline_cannot_be_moved_while_the_phase_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """design 5: the lock reads, the desk moves, the lock writes: the move must be refused."""
    campaign = Campaign.begin()
    phase = campaign.phase
    deadline = phase.deadline
    token, _ = turns_queue.claim(deadline, 10)
    reading, moved = threading.Event(), threading.Event()
    state_of = positions.state_of

    def slow(asked: Phase) -> Any:
        if threading.current_thread().name == "lock":
            reading.set()
            moved.wait(1.0)
        return state_of(asked)

    monkeypatch.setattr(positions, "state_of", slow)

    def lock() -> None:
        threading.current_thread().name = "lock"
        process.process([phase.pk], token, deadline)

    def extend() -> None:
        reading.wait(5)
        try:
            desk.extend(phase, deadline + 24 * HOUR, "Felix is at sea", campaign.ada, deadline)
        finally:
            moved.set()

    (fault,) = side_by_side(lock, extend)
    assert isinstance(fault, desk.DeskError)
    phase.refresh_from_db()
    assert (phase.status, phase.deadline) == (Phase.Status.RESOLVED, deadline)
    assert not phase.deadline_changes.exists()
    assert campaign.letters("moved") == []


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_orders_that_race_with_the_lock_are_entirely_before_or_after_it() -> None:
    """design 5: intake and lock both take the game's row first."""
    campaign = Campaign.begin()
    deadline = campaign.phase.deadline
    phase = campaign.phase
    token, _ = turns_queue.claim(deadline, 10)
    works = [
        lambda n=n: campaign.order("Germany", f"PLACE {n} Poland", at=deadline) for n in range(1, 6)
    ]
    assert side_by_side(*works, lambda: process.process([phase.pk], token, deadline)) == []
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    rows = list(Submission.objects.order_by("number"))
    assert [row.number for row in rows] == [1, 2, 3, 4, 5]
    assert [row.previous_hash for row in rows] == ["", *(row.hash for row in rows[:-1])]
    in_time = [row for row in rows if row.phase_id == phase.pk and row.counts]
    late = [row.late for row in rows if row.phase_id == phase.pk]
    assert late == sorted(late)
    judged = campaign.resolution(phase).orders.get("Germany", "")
    assert judged == (in_time[-1].text if in_time else judged)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_two_invitations_to_one_seat_seat_one_person() -> None:
    """design 8: an invitation is valid for one person; so is a seat."""
    campaign = Campaign.open(seats=dict.fromkeys(NATIONS, ""))
    seat = campaign.seat("France")
    first = tokens.new_invitation(seat, "felix@example.org", campaign.ada, MONDAY)
    second = tokens.new_invitation(seat, "bea@example.org", campaign.ada, MONDAY)
    # the state after two simultaneous offers
    Invitation.objects.filter(pk=first.pk).update(withdrawn_at=None)
    felix, bea = person("felix"), person("bea")
    faults = side_by_side(
        lambda: desk.accept(first, felix, MONDAY), lambda: desk.accept(second, bea, MONDAY)
    )
    assert [type(fault) for fault in faults] == [desk.DeskError]
    assert Sitting.objects.current().filter(seat=seat).count() == 1


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_seat_taken_by_a_person_and_a_bot_at_once_has_one_player() -> None:
    """Otherwise the orders of the last sender would count."""
    for _ in range(3):
        campaign = Campaign.open(seats=dict.fromkeys(NATIONS, ""))
        seat = campaign.seat("France")
        offer = tokens.new_invitation(seat, "felix@example.org", campaign.ada, MONDAY)
        felix = person("felix")
        same_seat = campaign.seat("France")
        side_by_side(
            partial(desk.accept, offer, felix, MONDAY),
            partial(desk.let_the_service_play, same_seat, MONDAY),
        )
        seat.refresh_from_db()
        assert seat.bot != seat.sittings.current().exists()


@pytest.mark.both_databases
def test_game_starts_only_once() -> None:
    """design 4: one unresolved phase per game, one first letter."""
    campaign = Campaign.begin()
    with pytest.raises(desk.DeskError, match="already begun"):
        desk.start(campaign.game, MONDAY)
    assert campaign.game.phases.count() == 1


def test_finished_game_seats_nobody() -> None:
    """An invitation is valid for 2 months, which may be longer than the game."""
    campaign = Campaign.open(seats=dict.fromkeys(NATIONS, ""))
    offer = desk.invite(campaign.seat("France"), "felix@example.org", campaign.ada, MONDAY)
    Game.objects.filter(pk=campaign.game.pk).update(status=Game.Status.FINISHED)
    offer = Invitation.objects.get(pk=offer.pk)
    with pytest.raises(desk.DeskError, match="is over"):
        desk.accept(offer, person("felix"), MONDAY)
    offer.refresh_from_db()
    assert offer.accepted_at is None


@pytest.mark.both_databases
def test_phase_claimed_while_its_game_is_paused_continues_later() -> None:
    """design 5: the worker checks the game's status again after the claim."""
    campaign = Campaign.begin()
    phase = campaign.phase
    token, _ = turns_queue.claim(phase.deadline, 10)
    Game.objects.filter(pk=campaign.game.pk).update(status=Game.Status.PAUSED)
    process.process([phase.pk], token, phase.deadline)
    phase.refresh_from_db()
    assert (phase.status, phase.claim, phase.attempts) == (Phase.Status.OPEN, "", 0)
    assert turns_queue.claim(phase.deadline + HOUR, 10) == ("", [])
    Game.objects.filter(pk=campaign.game.pk).update(status=Game.Status.RUNNING)
    campaign.wait_until(phase.deadline + HOUR)
    assert campaign.phase.number == 2


@pytest.mark.both_databases
def test_game_paused_during_market_reading_publishes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The worker locks the game's row before publishing."""
    campaign = Campaign.begin()
    phase = attack(campaign)
    observe = market.observe_all

    def slow(*given: Any, **more: Any) -> Any:
        Game.objects.filter(pk=campaign.game.pk).update(status=Game.Status.PAUSED)
        return observe(*given, **more)

    monkeypatch.setattr(market, "observe_all", slow)
    assert phase.due_at is not None
    campaign.wait_until(phase.due_at + SECOND)
    phase.refresh_from_db()
    assert (phase.status, phase.claim) == (Phase.Status.DRAWING, "")
    monkeypatch.setattr(market, "observe_all", observe)
    Game.objects.filter(pk=campaign.game.pk).update(status=Game.Status.RUNNING)
    campaign.wait_until(campaign.now + SECOND)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED


# --- workers ---


def test_phase_that_kills_its_worker_every_time_is_held(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """design 5: held after a few tries and reported to the gamesmaster, though no try ever ends."""

    class Killed(BaseException):
        pass

    def dies(*given: Any) -> None:
        raise Killed

    campaign = Campaign.begin()
    monkeypatch.setattr(closing, "close", dies)
    now = campaign.phase.deadline
    for _ in range(settings.PHASE_TRIES):
        token, (claimed,) = turns_queue.claim(now, 10)
        with pytest.raises(Killed):
            process.process([claimed], token, now)
        now += timedelta(seconds=settings.LEASE_SECONDS)
    token, (claimed,) = turns_queue.claim(now, 10)
    process.process([claimed], token, now)
    assert campaign.phase.status == Phase.Status.HELD
    assert "did not finish" in campaign.phase.fault
    assert len(campaign.letters("held", "ada")) == 1


def test_waiting_for_a_worker_is_no_try(settings: Any) -> None:
    """design 5: losing all workers loses nothing, and holds nothing."""
    campaign = Campaign.begin()
    now = campaign.phase.deadline
    for _ in range(3 * settings.PHASE_TRIES):
        token, claimed = turns_queue.claim(now, 10)
        assert claimed == [campaign.phase.pk]
        now += timedelta(seconds=settings.LEASE_SECONDS)
    process.process([campaign.phase.pk], token, now)
    assert campaign.phase.number == 2


@pytest.mark.both_databases
def test_error_with_unstorable_characters_holds_the_phase(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """PostgreSQL stores no NUL: an error that quotes one must not be retried from lease to
    lease."""
    campaign = Campaign.begin()

    def broken(*given: Any) -> None:
        raise ValueError("cannot read \0 or \ud800")

    monkeypatch.setattr(closing, "close", broken)
    monkeypatch.setattr(process.logger, "exception", lambda *words: None)
    for _ in range(settings.PHASE_TRIES):
        assert campaign.phase.due_at is not None
        campaign.wait_until(campaign.phase.due_at)
    assert campaign.phase.status == Phase.Status.HELD
    assert "cannot read" in campaign.phase.fault


@pytest.mark.both_databases
def test_jobs_refused_by_the_broker_are_due_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """design 5: losing the broker loses nothing, and no deadline waits for a dead lease."""

    def refuse(*given: Any) -> None:
        raise OSError("the broker is gone")

    Campaign.begin()
    monkeypatch.setattr(tasks.do_job, "delay", refuse)
    for now, what in ((MONDAY + HOUR, "phases"), (MONDAY, "letters")):
        monkeypatch.setattr(clock, "now", lambda now=now: now)
        with pytest.raises(OSError, match="broker"):
            tasks.tick()
        assert (turns_queue.count_in_flight(now), sending.count_in_flight(now)) == (0, 0), what
    assert turns_queue.claim(MONDAY + HOUR, 10)[1] != []
    assert len(sending.claim(MONDAY, 100)[1]) == Letter.objects.count() > 0


def test_tick_hands_out_deadlines_before_bots_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Promise 2: no slow or broken bot delays a deadline."""
    campaign = Campaign.begin()
    handed: dict[str, list[int]] = {}
    monkeypatch.setattr(
        tasks.do_job, "delay", lambda job, ids, token: handed.setdefault(job, []).extend(ids)
    )
    monkeypatch.setattr(clock, "now", lambda: campaign.phase.deadline)

    def broken(now: Any) -> int:
        raise RuntimeError("no player comes to an end")

    monkeypatch.setitem(tasks.JOBS, "bots", tasks.Quick(broken))
    with pytest.raises(RuntimeError):
        tasks.tick()
    assert handed["phases"] == [campaign.phase.pk]


@pytest.mark.both_databases
def test_idle_bots_do_not_block_other_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many bots are idle, the others play."""
    monkeypatch.setattr(bots, "MOST_A_TICK", 3)
    real = bots._play
    idle = Campaign.begin(title="Idle", seats=dict.fromkeys(NATIONS, "bot"))
    idles = idle.game.pk
    monkeypatch.setattr(bots, "_play", lambda seat, now: seat.game_id != idles and real(seat, now))
    busy = Campaign.begin(title="Busy", seats=dict.fromkeys(NATIONS, "bot"))
    assert bots.play(MONDAY) == 3
    assert bots.play(MONDAY) == 2
    assert busy.game.submissions.count() == 5


@pytest.mark.both_databases
def test_bot_sends_no_orders_into_the_next_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    """Orders computed for one phase are not sent in another; two ticks at once send once."""
    campaign = Campaign.begin(seats=dict.fromkeys(NATIONS, "bot"))
    seat, phase = campaign.seat("France"), campaign.phase
    real = programs.orders

    def slow(*given: Any) -> str:
        monkeypatch.setattr(programs, "orders", real)
        ticks.finish_tick(MONDAY)  # another tick, which finishes before this one
        campaign.wait_until(phase.deadline)
        return real(*given)

    monkeypatch.setattr(programs, "orders", slow)
    assert bots._play(seat, MONDAY) is False
    assert seat.submissions.filter(phase=phase).count() == 1


def test_figure_entered_during_market_reading_is_used_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """desk: although a worker schedules the next reading in a quarter of an hour meanwhile."""
    campaign = Campaign.begin(market="newspaper")
    phase = attack(campaign)
    assert phase.session_closes is not None
    now = phase.session_closes + HOUR
    observe = market.observe_all

    def slow(*given: Any, **more: Any) -> Any:
        seen = observe(*given, **more)
        monkeypatch.setattr(market, "observe_all", observe)
        desk.enter_figure(phase, "GE", 5_412_345, campaign.ada, now + SECOND)
        return seen

    monkeypatch.setattr(market, "observe_all", slow)
    token, _ = turns_queue.claim(now, 10)
    process.process([phase.pk], token, now)
    campaign.wait_until(now + 2 * SECOND)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED


# --- time ---


@pytest.mark.both_databases
def test_clock_set_back_a_day_expires_leases(settings: Any) -> None:
    """games.base.clock: a lease that ends later than possible has expired, for phases and
    letters."""
    campaign = Campaign.begin()
    tomorrow = MONDAY + 24 * HOUR
    token, claimed = turns_queue.claim(tomorrow, 10)
    _, letters = sending.claim(tomorrow, 10)
    assert (len(claimed), len(letters)) == (1, 10)
    now = campaign.phase.deadline
    assert (turns_queue.count_in_flight(now), sending.count_in_flight(now)) == (0, 0)
    second, again = turns_queue.claim(now, 10)
    assert again == claimed
    assert sending.claim(now, 10)[1] == letters
    process.process([claimed[0]], token, now)
    assert campaign.phase.number == 1
    process.process([claimed[0]], second, now)
    assert campaign.phase.number == 2


def test_early_lock_within_grace_is_not_before_the_last_orders() -> None:
    """Promise 3: ended early within grace, a phase is due when the last orders came."""
    campaign = Campaign.begin(may_lock_early=True, options={"orders.grace_hours": 2})
    phase = campaign.phase
    late = phase.deadline + HOUR
    for nation in NATIONS:
        campaign.order(nation, "PASS", final=True, at=late)
    phase.refresh_from_db()
    assert phase.due_at == late
    assert turns_queue.claim(late - SECOND, 10) == ("", [])
    campaign.wait_until(late)
    phase.refresh_from_db()
    assert phase.locked_at == late


def test_lock_by_a_clock_that_is_behind_is_not_before_the_newest_orders() -> None:
    """Promise 3: the session must open after everything that counts, whatever two clocks say."""
    campaign = Campaign.begin(may_lock_early=True)
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.pass_deadline()
    for nation in NATIONS:
        newest = campaign.order(nation, "PASS", final=True, at=campaign.phase.deadline)
    phase = campaign.phase
    Phase.objects.filter(pk=phase.pk).update(due_at=phase.deadline - 10 * SECOND)
    token, _ = turns_queue.claim(phase.deadline - 10 * SECOND, 10)
    process.process([phase.pk], token, phase.deadline - 10 * SECOND)
    phase.refresh_from_db()
    assert phase.locked_at == newest.received_at


def test_orders_after_an_early_lock_are_answered_with_the_reason(client: Visitor) -> None:
    """design 5: they are late, and the answer says why."""
    campaign = Campaign.begin(may_lock_early=True)
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 6 Poland")
    campaign.pass_deadline()
    phase = campaign.phase
    for nation in NATIONS:
        text = "ATTACK Poland: France STOCK GE" if nation == "Germany" else "PASS"
        campaign.order(nation, text, final=True)
    campaign.wait_until(campaign.now)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.DRAWING
    assert campaign.now < phase.deadline
    submission = campaign.order("Germany", "PASS")
    assert (submission.late, submission.counts) == (True, False)
    tasks.do_all_due(campaign.now)
    letter = campaign.letters("receipt", "gustav")[-1]
    for words in (letter.text, letter.html):
        unfolded = " ".join(words.split())
        assert (
            "before the deadline, but orders were already closed, because every nation" in unfolded
        )
        assert "after the deadline" not in words
    client.force_login(campaign.players["Germany"])
    page = client.read(submission.get_absolute_url())
    assert "before the deadline, but the phase had been closed" in page


def test_moved_deadline_has_its_own_reminder() -> None:
    """design 5: a deadline moved by a week has a reminder a week later, if orders are owed."""
    campaign = Campaign.begin(schedule={"every": "days", "days": 7, "time": "09:00"})
    first = campaign.phase
    assert first.remind_at is not None
    campaign.wait_until(first.remind_at)
    later = first.deadline + 7 * 24 * HOUR
    desk.extend(first, later, "Felix is at sea", campaign.ada, campaign.now)
    moved = campaign.phase
    assert moved.remind_at == moved.deadline - timedelta(days=2)
    campaign.wait_until(moved.remind_at)
    assert len(campaign.letters("reminder", "felix")) == 2


@pytest.mark.parametrize("ahead", [timedelta(days=367), timedelta(days=2_900_000)])
def test_distant_deadline_is_refused_with_a_sentence(ahead: timedelta) -> None:
    """A typing error: one clear sentence, and nothing moves."""
    campaign = Campaign.begin()
    with pytest.raises(desk.DeskError, match="at most 366 days ahead"):
        desk.extend(campaign.phase, MONDAY + ahead, "A slip", campaign.ada, MONDAY)


# --- letters ---


def test_letters_survive_a_long_outage_of_the_mail_server(settings: Any) -> None:
    """design 7, promise 4: an unreachable server does not use up a letter's tries."""
    from tests.support.processes import free_port

    Campaign.begin()
    written = Letter.objects.count()
    settings.LETTER_TRIES = 3
    good = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    now = MONDAY
    for _ in range(8):
        token, ids = sending.claim(now, 50)
        assert len(ids) == written
        sending.send(ids, token, now)
        due = Letter.objects.values_list("due_at", flat=True)[0]
        assert due is not None
        assert now < due <= now + sending.LONGEST_OUTAGE_WAIT
        now = due
    settings.EMAIL_BACKEND = good
    token, ids = sending.claim(now, 50)
    assert sending.send(ids, token, now) == written
    assert not Letter.objects.exclude(status="sent").exists()


# --- user text ---


@pytest.mark.both_databases
@pytest.mark.parametrize("text", ["PASS\0", "PLACE 4 Poland\nPLACE \ud800 Rumania"])
def test_unstorable_characters_are_refused_with_one_sentence(text: str) -> None:
    """CONTRIBUTING: bad input gets one clear sentence; PostgreSQL stores no NUL."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 4 Poland")
    refused = f"Line {text.count(chr(10)) + 1} contains a character we cannot store"
    with pytest.raises(ledger.LedgerError, match=refused):
        campaign.order("Germany", text)
    assert Submission.objects.count() == 1
    assert campaign.order("Germany", "PLACE 5 Poland").number == 2


@pytest.mark.both_databases
def test_order_page_answers_nul_with_a_sentence_and_keeps_the_text(client: Visitor) -> None:
    """Never a 500, and never “nothing was written” about text that a person wrote."""
    campaign = Campaign.begin(MONDAY.replace(year=2125))
    client.force_login(campaign.players["Germany"])
    address = f"/games/{campaign.game.pk}/orders/{campaign.seat('Germany').pk}/"
    for do in ("send", "check", "add:PASS"):
        answer = client.post(address, {"text": "PLACE 4 Poland\n# \0", "do": do})
        assert answer.status_code == 200
        assert "Line 2 contains a character we cannot store" in answer.content.decode()
        assert "PLACE 4 Poland" in answer.content.decode()
    assert client.post(f"{address}point/", {"text": "\0"}).status_code == 200
    assert not Submission.objects.exists()


@pytest.mark.parametrize("line", ["x", "PLACE 1 Polnad", "ATTAK", ""])
def test_thousands_of_lines_are_answered_with_one_sentence(line: str) -> None:
    """contract 3: 20,000 characters are accepted; 10,000 remarks would fill a megabyte."""
    campaign = Campaign.begin()
    text = (line + "\n") * (ledger.LONGEST_TEXT // (len(line) + 1))
    with pytest.raises(ledger.LedgerError, match="at most 500 are allowed"):
        campaign.order("Germany", text)
    as_many_as_may_be = "\n".join([line] * (ledger.MOST_LINES - 1) + ["PASS"])
    submission = campaign.order("Germany", as_many_as_may_be)
    # for each line a slip, why it is in doubt and what it may mean, or an effect
    assert len(submission.remarks) <= 3 * ledger.MOST_LINES
    assert sum(len(remark["message"]) for remark in submission.remarks) < 250_000


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_other_line_separators_do_not_count_as_lines(separator: str, client: Visitor) -> None:
    """contract 3: lines end with CR, LF or both; remarks count lines as the page does."""
    campaign = Campaign.begin()
    submission = campaign.order(
        "Germany", f"# one{separator}PLACE 9 Poland\nPLACE 4 Poland\n\nDANCE{separator}all night"
    )
    assert [number for number, _ in submission.understood] == [2]
    assert {remark["line"] for remark in submission.remarks if remark["severity"] == "error"} == {4}
    client.force_login(campaign.players["Germany"])
    page = client.get(submission.get_absolute_url())
    assert [line.number for line in page.context["lines"]] == [1, 2, 4]
    tasks.do_all_due(campaign.now)
    text = campaign.letters("receipt", "gustav")[-1].text
    assert not any(written.startswith("all night") for written in text.split("\n"))
    assert separator not in text or len(text.splitlines()) >= len(text.split("\n"))


@pytest.mark.both_databases
@pytest.mark.parametrize("sign", ["\0", "\x1b", "\x07", "\ud800"])
def test_control_characters_at_the_desk_are_refused_with_a_sentence(sign: str) -> None:
    """Title, reason and note reach every player: one sentence, nothing is stored."""
    with pytest.raises(desk.DeskError, match="The title contains a control character"):
        Campaign.open(title=f"The lights{sign}")
    campaign = Campaign.begin(market="newspaper")
    with pytest.raises(desk.DeskError, match="The reason contains a control character"):
        desk.extend(campaign.phase, MONDAY + 24 * HOUR, f"Ill{sign}", campaign.ada, MONDAY)
    phase = attack(campaign)
    assert phase.session_closes is not None
    with pytest.raises(desk.DeskError, match="The note contains a control character"):
        desk.enter_figure(phase, "GE", 100, campaign.ada, phase.session_closes, f"Times{sign}")
    with pytest.raises(desk.DeskError):
        desk.enter_figure(phase, f"G{sign}", 100, campaign.ada, phase.session_closes)


def test_title_name_and_reason_write_no_header_or_markup() -> None:
    """design 7 and 8: user text comes out on one line and escaped."""
    campaign = Campaign.begin(title="War\r\nBcc: all@example.org <script>alert(1)</script>")
    Person.objects.filter(email="felix@example.org").update(name="Felix\nFrom: the service <b>")
    reason = "Ill\r\n\r\n<img src=x onerror=alert(1)>"
    desk.extend(campaign.phase, MONDAY + 24 * HOUR, reason, campaign.ada, MONDAY)
    tasks.do_all_due(MONDAY)
    sent = Letter.objects.filter(game=campaign.game)
    assert {letter.status for letter in sent} == {"sent"}
    for letter in sent:
        assert "\n" not in letter.subject
        assert "\nBcc" not in letter.text
        assert "\nFrom: the service" not in letter.text
        assert not any(markup in letter.html for markup in ("<script", "<img src=x", "service <b>"))


# --- login ---


@pytest.mark.both_databases
def test_next_page_with_a_control_character_is_ignored(client: Visitor) -> None:
    """login: no 500 of PostgreSQL's, and no redirect to another site."""
    evil = ("//evil.example", "https://evil.example/", "\\\\evil.example")
    bad = ("/games/\0", *evil, "/\x1b", "javascript:alert(1)")
    for number, path in enumerate(bad):
        answer = client.post("/login/", {"email": f"gustav{number}@example.org", "next": path})
        assert answer.status_code == 302
        assert LoginKey.objects.get(person__email=f"gustav{number}@example.org").next_page == ""


def test_closed_account_gets_the_same_answer(client: Visitor) -> None:
    """login: the page does not reveal known or closed addresses; a closed one gets no letter."""
    Person.objects.at("closed@example.org", is_active=False)
    answers: dict[str, list[int]] = {}
    for name in ("closed", "open"):
        answers[name] = [
            client.post("/login/", {"email": f"{name}@example.org"}).status_code
            for _ in range(tokens.LOGINS_OPEN + 1)
        ]
    assert answers["closed"] == answers["open"]
    send_letters(clock.now())
    assert "closed@example.org" not in [to for message in django_mail.outbox for to in message.to]
    key = LoginKey.objects.filter(person__email="closed@example.org").order_by("-pk")[0]
    with pytest.raises(tokens.KeyRefused):
        tokens.find_login(tokens.login_token(key), clock.now())
    with pytest.raises(tokens.KeyRefused):
        tokens.use_code("closed@example.org", tokens.login_code(key), clock.now())


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_concurrent_use_of_one_login_lets_one_in() -> None:
    """keys: single-use."""
    key = tokens.new_login(person("gustav"), "", MONDAY)
    faults = side_by_side(*[lambda: tokens.use_login(key, MONDAY)] * 4)
    assert [type(fault) for fault in faults] == [tokens.KeyRefused] * 3


def test_login_starts_a_new_session(client: Visitor) -> None:
    """login: a session that an attacker has fixed before is worth nothing after it."""
    client.post("/login/", {"email": "gustav@example.org"})
    before = client.session.session_key
    key = LoginKey.objects.get()
    client.post(f"/login/{tokens.login_token(key)}/")
    assert client.session.session_key not in (None, before)
    assert client.post(f"/login/{tokens.login_token(key)}/").status_code == 410
