"""The service held after it has been put back from a copy, and going on
(games.operations.restore_hold; docs/operations.md)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from games import desk, tasks
from games.evidence import export
from games.letters import entries, rendering, sending
from games.models import Act, DeadlineChange, Game, Letter, Phase, Pulse, Restoration, service
from games.operations import restore_hold
from games.rules.verification import verify
from games.turns import outage_credit
from games.turns import queue as turns_queue
from gamesmaster import clock
from orders.inbound import handle
from tests.support.campaign import MONDAY, Campaign

pytestmark = pytest.mark.django_db

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
#: The copy is made 20 minutes after noon; it is put back at half past two, and let go on half an
# hour later.
TAKEN, BACK, ON = MONDAY + 20 * MINUTE, MONDAY + 150 * MINUTE, MONDAY + 3 * HOUR


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    yield
    service.forget()


def restored(campaign: Campaign) -> restore_hold.Released:
    """Put back and let go on."""
    restore_hold.begin(TAKEN, BACK)
    campaign.now = ON
    return restore_hold.release(None, ON)


def text(letter: Letter) -> str:
    return " ".join(rendering.render(letter).text.split())


def test_while_it_is_held_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by a tick nor by hand: deadlines that came since the copy wait, and so do letters."""
    campaign = Campaign.begin()
    waiting = sending.pending(BACK)
    restore_hold.begin(TAKEN, BACK)
    monkeypatch.setattr(clock, "now", lambda: ON)
    tasks.tick()
    assert tasks.all_due(ON) == 0
    assert campaign.phase.status == Phase.Status.OPEN
    assert sending.pending(BACK) == waiting > 0
    assert not Pulse.objects.exists()


def test_while_it_is_held_nothing_is_taken_in(client: Client) -> None:
    """Mail is kept by whoever hands it in; a form is answered with a page that says so."""
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


def test_workers_of_before_hold_nothing_any_more() -> None:
    campaign = Campaign.begin()
    turns_queue.claim(MONDAY + 2 * HOUR, 10)
    sending.claim(MONDAY, 50)
    restore_hold.begin(TAKEN, BACK)
    assert not Phase.objects.exclude(claim="").exists()
    assert not Letter.objects.exclude(claim="").exists()
    assert not Letter.objects.filter(status=Letter.Status.SENDING).exists()
    assert campaign.phase.claimed_until is None


# --- going on ---


def test_an_open_phase_gets_back_the_time_since_the_copy() -> None:
    """design 5: at most the phase's length. Orders that the copy has stand."""
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
    letter = text(campaign.letters("restored", "gustav")[0])
    assert "Germany: orders No. 1, received" in letter
    assert "If you sent anything later, send it again." in letter
    assert "France: no orders are in force. If you sent any, send them again." in text(
        campaign.letters("restored", "felix")[0]
    )
    assert "If players would rather keep a lost result" in text(
        campaign.letters("restored", "ada")[0]
    )
    assert "BEGIN:VCALENDAR" in str(entries.of_letter(campaign.letters("restored", "gustav")[0]))
    campaign.order("France", "PLACE 6 Poland", at=ON + MINUTE)
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_a_deadline_far_off_stays_and_everybody_is_told_all_the_same() -> None:
    """What was sent since the copy is lost, whenever it is due."""
    campaign = Campaign.begin(schedule={"every": "minutes", "minutes": 600})
    deadline = campaign.phase.deadline
    assert restored(campaign).moved == []
    assert campaign.phase.deadline == deadline
    assert "send them again" in text(campaign.letters("restored", "gustav")[0])


def test_the_news_goes_out_before_what_had_waited() -> None:
    """A report that comes a second time must not come before the letter that says why."""
    campaign = Campaign.begin()
    restored(campaign)
    _, first = sending.claim(ON, 100)
    assert {Letter.objects.get(pk=pk).kind for pk in first} == {"restored"}
    assert sending.claim(ON + MINUTE, 100) == ("", [])
    _, rest = sending.claim(ON + 2 * MINUTE, 100)
    assert {Letter.objects.get(pk=pk).kind for pk in rest} >= {"begins", "opened"}


def test_letters_about_phases_that_may_have_been_told_before_say_so() -> None:
    """As many as can have been opened since the copy; later ones cannot have gone out."""
    campaign = Campaign.begin()
    restored(campaign)
    said = "this one holds"
    campaign.pass_deadline()
    assert said in text(campaign.letters("board", "gustav")[0])
    assert said in rendering.render(campaign.letters("board", "felix")[0]).html
    assert (
        campaign.game.retold_through == 1 + 3
    )  # deadlines at 13:20 and 14:20 have fallen out, and a phase was open
    while campaign.phase.number <= 4:
        campaign.pass_deadline()
    campaign.pass_deadline()
    assert said not in text(campaign.letters("board", "gustav")[-1])
    assert said not in text(campaign.letters("restored", "gustav")[0])


def test_a_seed_that_may_have_been_opened_is_chosen_anew() -> None:
    """design 1, promise 3: else everybody would know the digits of the phase that is open again."""
    campaign = Campaign.begin(market="demo", options={"rng.source": "commit_reveal"})
    campaign.pass_deadline()
    attacks = campaign.phase
    assert attacks.seed_hash
    restore_hold.begin(campaign.now, campaign.now + HOUR)
    campaign.now += 2 * HOUR
    restore_hold.release(None, campaign.now)
    campaign.order("Germany", "ATTACK Poland: France", at=campaign.now)
    assert campaign.phase.seed_hash != attacks.seed_hash
    assert campaign.phase.seed_hash in text(campaign.letters("restored", "gustav")[0])
    assert campaign.pass_deadline().status == Phase.Status.RESOLVED
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_a_paused_game_stays_paused_and_hears_of_it() -> None:
    campaign = Campaign.begin()
    desk.pause(campaign.game, "Summer.", campaign.ada, MONDAY + 10 * MINUTE)
    deadline = campaign.phase.deadline
    assert restored(campaign).games == 1
    assert (campaign.phase.deadline, Game.objects.get().status) == (deadline, Game.Status.PAUSED)
    assert len(campaign.letters("restored")) == 6


def test_a_game_that_forms_is_told_to_take_its_seats_again() -> None:
    campaign = Campaign.open()
    restored(campaign)
    assert "If you took or offered a seat since then, do so again." in text(
        campaign.letters("restored", "gustav")[0]
    )


def test_a_closed_phase_goes_on_with_the_orders_that_its_digest_names() -> None:
    """The same orders and the same sales: the same result comes again."""
    campaign = Campaign.begin()
    campaign.attack_in_poland()
    campaign.wait_until(campaign.phase.deadline)
    phase = campaign.phase
    assert phase.status == Phase.Status.DRAWING
    restore_hold.begin(campaign.now, campaign.now + HOUR)
    restore_hold.release(None, campaign.now + 2 * HOUR)
    campaign.now += 2 * HOUR
    assert "orders are closed" in text(campaign.letters("restored", "gustav")[0])
    campaign.wait_until(campaign.now + 24 * HOUR)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED


def test_it_goes_on_once() -> None:
    campaign = Campaign.begin()
    restored(campaign)
    assert restore_hold.release(None, ON + MINUTE).games == 0
    assert Restoration.objects.get().released_at == ON
    assert len(campaign.letters("restored")) == 6


def test_the_standstill_is_no_outage_besides(settings: Settings) -> None:
    """What it swallowed has been given back; the next tick gives nothing more."""
    settings.OUTAGE_MINUTES = 30
    campaign = Campaign.begin()
    Pulse.objects.create(name="tick", at=TAKEN)
    restored(campaign)
    assert outage_credit.credit_time(ON + MINUTE) == 0


def test_a_game_that_fails_keeps_no_other_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its phase is held, its gamesmaster told, no deadline nobody could keep enforced."""
    bad, good = Campaign.begin(), Campaign.begin(title="Another")
    real = outage_credit.new_deadline

    def failing(phase: Phase, *rest: object) -> object:
        if phase.game_id == bad.game.pk:
            raise ZeroDivisionError
        return real(phase, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(outage_credit, "new_deadline", failing)
    done = restored(good)
    assert done.failed == [bad.game.pk]
    assert bad.phase.status == Phase.Status.HELD
    assert len(bad.letters("held")) == 1
    assert good.phase.deadline == ON + HOUR
