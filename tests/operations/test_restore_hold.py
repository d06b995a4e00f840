"""The hold after a restore from a backup, and its end (games.operations.restore_hold;
docs/operations.md)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from games import desk, tasks
from games.base import clock
from games.evidence import export
from games.letters import entries, rendering, sending
from games.models import Act, DeadlineChange, Game, Letter, Phase, Pulse, Restoration, service
from games.operations import doctor, metrics, restore_hold
from games.rules.verification import verify
from games.turns import deadlines, outage_credit
from games.turns import queue as turns_queue
from orders.inbound import handle
from orders.inbound.transports import lmtp
from tests.support.campaign import MONDAY, Campaign
from tests.support.letters import letter_text

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
#: The backup is taken 20 minutes after the start, restored at 2 hours and 30 minutes, and resumed
#: half an hour later.
TAKEN, BACK, ON = MONDAY + 20 * MINUTE, MONDAY + 150 * MINUTE, MONDAY + 3 * HOUR


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    yield
    service.forget()


def restored(campaign: Campaign) -> restore_hold.ReleaseEffects:
    """Restore and resume."""
    restore_hold.begin(TAKEN, BACK)
    campaign.now = ON
    return restore_hold.release(None, ON)


def test_nothing_falls_due_during_the_restore_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by a tick nor by hand: deadlines since the backup wait, and so do letters."""
    campaign = Campaign.begin()
    waiting = sending.pending(BACK)
    restore_hold.begin(TAKEN, BACK)
    monkeypatch.setattr(clock, "now", lambda: ON)
    tasks.tick()
    assert tasks.do_all_due(ON) == 0
    assert campaign.phase.status == Phase.Status.OPEN
    assert sending.pending(BACK) == waiting > 0
    assert not Pulse.objects.exists()


def test_manual_tick_says_that_the_service_is_held() -> None:
    Campaign.begin()
    restore_hold.begin(TAKEN, BACK)
    with pytest.raises(CommandError, match=f"restore of {BACK:%Y-%m-%d %H:%M} UTC") as refused:
        call_command("tick")
    assert "`manage.py resume --yes`" in str(refused.value)
    assert refused.value.returncode == 1


def test_doctor_says_that_the_service_is_held() -> None:
    restore_hold.begin(TAKEN, BACK)
    (finding,) = [found for found in doctor.near() if found.obj == "restore"]
    assert finding.is_serious()
    assert f"held since the restore of {BACK:%Y-%m-%d %H:%M} UTC" in finding.msg
    assert "manage.py resume --yes" in (finding.hint or "")
    told_to_start = [found for found in doctor.near() if "Start the service" in (found.hint or "")]
    assert not told_to_start, "it runs, and does not tick while it is held"
    restore_hold.release(None, ON)
    assert not [found for found in doctor.near() if found.obj == "restore"]


@pytest.mark.django_db(transaction=True)
def test_lmtp_refuses_mail_in_one_log_line_while_held(caplog: pytest.LogCaptureFixture) -> None:
    Campaign.begin()
    restore_hold.begin(TAKEN, BACK)
    assert lmtp.deliver(b"Subject: x\n\nx\n", "a@b.org", "orders@games.test", ON) == lmtp.LATER
    (record,) = [entry for entry in caplog.records if entry.name == lmtp.__name__]
    assert (record.levelname, record.exc_info) == ("WARNING", None)
    assert "manage.py resume --yes" in record.getMessage()


def test_nothing_is_received_during_the_restore_hold(client: Client) -> None:
    """The sender's server keeps mail; a form is answered with a page that says so."""
    Campaign.begin()
    restore_hold.begin(TAKEN, BACK)
    with pytest.raises(service.ServiceHeld, match="try again later"):
        handle.take_in(
            b"Subject: x\n\ny\n",
            way="lmtp",
            envelope_from="gustav@example.org",
            envelope_to=["orders@games.test"],
            now=ON,
        )
    answer = client.post(reverse("login"), {"email": "gustav@example.org"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "600")
    assert "What you just sent was not stored" in answer.content.decode()
    assert "STANDSTILL" in client.get(reverse("home")).content.decode()
    restore_hold.release(None, ON)
    assert "STANDSTILL" not in client.get(reverse("home")).content.decode()


@pytest.mark.both_databases
def test_restore_releases_the_leases_of_earlier_workers() -> None:
    campaign = Campaign.begin()
    turns_queue.claim(MONDAY + 2 * HOUR, 10)
    sending.claim(MONDAY, 50)
    restore_hold.begin(TAKEN, BACK)
    assert not Phase.objects.exclude(claim="").exists()
    assert not Letter.objects.exclude(claim="").exists()
    assert not Letter.objects.filter(status=Letter.Status.SENDING).exists()
    assert campaign.phase.claimed_until is None


# --- resuming ---


def test_open_phase_gets_back_the_time_since_the_backup() -> None:
    """design 5: at most the phase's length. Orders in the backup still count."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 10 Poland", at=MONDAY + 10 * MINUTE)
    done = restored(campaign)
    assert (done.games, len(done.moved), done.failed) == (1, 1, [])
    assert campaign.phase.deadline == ON + HOUR
    change = DeadlineChange.objects.get()
    assert (change.changed_by, change.reason) == (
        None,
        (
            "The service was restored from a backup of 2026-11-16 17:20 UTC; the time since then"
            " is given back."
        ),
    )
    assert Act.objects.filter(kind="moved").exists()
    letter = letter_text(campaign.letters("restored", "gustav")[0])
    assert "Germany: orders No. 1, received" in letter
    assert "If you sent anything later, send it again." in letter
    assert "France: no orders are in force. If you sent any, send them again." in letter_text(
        campaign.letters("restored", "felix")[0]
    )
    assert "If players would rather keep a lost result" in letter_text(
        campaign.letters("restored", "ada")[0]
    )
    assert "BEGIN:VCALENDAR" in str(
        entries.letter_calendar(campaign.letters("restored", "gustav")[0])
    )
    campaign.order("France", "PLACE 6 Poland", at=ON + MINUTE)
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_distant_deadline_stays_and_everybody_is_notified() -> None:
    """Orders sent since the backup are lost, whenever they are due."""
    campaign = Campaign.begin(schedule={"every": "minutes", "minutes": 600})
    deadline = campaign.phase.deadline
    assert restored(campaign).moved == []
    assert campaign.phase.deadline == deadline
    assert "send them again" in letter_text(campaign.letters("restored", "gustav")[0])


def test_restore_news_goes_out_before_waiting_letters() -> None:
    """A repeated report must not come before the letter that says why."""
    campaign = Campaign.begin()
    restored(campaign)
    _, first = sending.claim(ON, 100)
    assert {Letter.objects.get(pk=pk).kind for pk in first} == {"restored"}
    assert sending.claim(ON + MINUTE, 100) == ("", [])
    _, rest = sending.claim(ON + 2 * MINUTE, 100)
    assert {Letter.objects.get(pk=pk).kind for pk in rest} >= {"begins", "opened"}


def test_letters_about_phases_that_may_be_repeated_say_so() -> None:
    """As many as can have been opened since the backup; later ones cannot have gone out."""
    campaign = Campaign.begin()
    restored(campaign)
    notice = "this one holds"
    campaign.pass_deadline()
    assert notice in letter_text(campaign.letters("board", "gustav")[0])
    assert notice in rendering.render(campaign.letters("board", "felix")[0]).html
    # deadlines at 13:20 and 14:20 were lost, and a phase was open
    assert campaign.game.retold_through == 1 + 3
    while campaign.phase.number <= 4:
        campaign.pass_deadline()
    campaign.pass_deadline()
    assert notice not in letter_text(campaign.letters("board", "gustav")[-1])
    assert notice not in letter_text(campaign.letters("restored", "gustav")[0])


@pytest.mark.both_databases
def test_seed_that_may_have_been_published_is_replaced() -> None:
    """design 1, promise 3: otherwise everybody would know the digits of the reopened phase."""
    campaign = Campaign.begin(market="demo", options={"rng.source": "commit_reveal"})
    campaign.pass_deadline()
    attacks = campaign.phase
    assert attacks.seed_hash
    restore_hold.begin(campaign.now, campaign.now + HOUR)
    campaign.now += 2 * HOUR
    restore_hold.release(None, campaign.now)
    campaign.order("Germany", "ATTACK Poland: France", at=campaign.now)
    assert campaign.phase.seed_hash != attacks.seed_hash
    assert campaign.phase.seed_hash in letter_text(campaign.letters("restored", "gustav")[0])
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_paused_game_stays_paused_and_is_notified() -> None:
    campaign = Campaign.begin()
    desk.pause(campaign.game, "Summer.", campaign.ada, MONDAY + 10 * MINUTE)
    deadline = campaign.phase.deadline
    assert restored(campaign).games == 1
    assert (campaign.phase.deadline, Game.objects.get().status) == (deadline, Game.Status.PAUSED)
    assert len(campaign.letters("restored")) == 6


def test_forming_game_is_told_to_take_its_seats_again() -> None:
    campaign = Campaign.open()
    restored(campaign)
    assert "If you took or offered a seat since then, do so again." in letter_text(
        campaign.letters("restored", "gustav")[0]
    )


def test_locked_phase_continues_with_the_orders_of_its_digest() -> None:
    """Equal orders and equal sales give an equal result."""
    campaign = Campaign.begin()
    campaign.attack_in_poland()
    campaign.wait_until(campaign.phase.deadline)
    phase = campaign.phase
    assert phase.status == Phase.Status.DRAWING
    restore_hold.begin(campaign.now, campaign.now + HOUR)
    restore_hold.release(None, campaign.now + 2 * HOUR)
    campaign.now += 2 * HOUR
    assert "orders are closed" in letter_text(campaign.letters("restored", "gustav")[0])
    campaign.wait_until(campaign.now + 24 * HOUR)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED


def test_service_resumes_only_once() -> None:
    campaign = Campaign.begin()
    restored(campaign)
    assert restore_hold.release(None, ON + MINUTE).games == 0
    assert Restoration.objects.get().released_at == ON
    assert len(campaign.letters("restored")) == 6


def test_restore_hold_is_not_credited_as_an_outage_again(settings: Settings) -> None:
    """Its time has been given back; the next tick gives nothing more."""
    settings.GIVE_TIME_BACK = True
    campaign = Campaign.begin()
    Pulse.objects.create(name="tick", at=TAKEN)
    restored(campaign)
    assert outage_credit.credit_time(ON + MINUTE) == 0


def test_resuming_is_no_backup() -> None:
    """The doctor and the alert BackupOld believed for two days that one had just been made."""
    Pulse.objects.create(name=metrics.BACKUP, at=TAKEN)
    restored(Campaign.begin())
    assert Pulse.objects.age(metrics.BACKUP, ON) == (ON - TAKEN).total_seconds()


@pytest.mark.both_databases
def test_failing_game_does_not_block_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its phase is held and its gamesmaster notified; a deadline that nobody could meet is not
    enforced."""
    bad, good = Campaign.begin(), Campaign.begin(title="Another")
    real = deadlines.move

    def failing(phase: Phase, *rest: object, **more: object) -> object:
        if phase.game_id == bad.game.pk:
            raise ZeroDivisionError
        return real(phase, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(deadlines, "move", failing)
    done = restored(good)
    assert done.failed == [bad.game.pk]
    assert bad.phase.status == Phase.Status.HELD
    assert len(bad.letters("held")) == 1
    assert good.phase.deadline == ON + HOUR
