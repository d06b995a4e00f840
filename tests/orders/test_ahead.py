"""Orders ahead: stored for a later phase, submitted when it opens (issue 23, 4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from games import permissions
from games.evidence import export
from games.letters import rendering
from games.models import Sitting
from games.operations.personal import erasure
from games.operations.personal import export as personal
from games.rules import PhaseId
from games.rules.verification import verify
from orders.intake import ahead, chain
from orders.models import OrdersAhead, Submission
from tests.inbound.writing import send
from tests.support.campaign import PLAYERS, Campaign, person
from tests.support.letters import letter_text

pytestmark = pytest.mark.django_db

ATTACKS = PhaseId(1, "attacks")


def keep(
    campaign: Campaign, text: str, wanted: PhaseId = ATTACKS, nation: str = "Germany"
) -> ahead.KeptSet:
    seat, writer = campaign.seat(nation), campaign.players[nation]
    return ahead.keep(seat, campaign.phase, writer, wanted, text, campaign.now)


def of_germany(campaign: Campaign) -> list[Submission]:
    return list(campaign.phase.submissions.filter(seat=campaign.seat("Germany")).order_by("pk"))


@pytest.mark.both_databases
def test_orders_ahead_are_submitted_when_their_phase_opens() -> None:
    campaign = Campaign.begin()
    keep(campaign, "ATTACK Poland: France STOCK GE\nCONTROL Austria")
    campaign.place_in_poland()
    (sent,) = of_germany(campaign)
    assert campaign.phase.kind == "attacks"
    assert (sent.channel, sent.counts, sent.late) == ("ahead", True, False)
    assert sent.person == campaign.players["Germany"]
    assert sent.way == "from orders kept ahead"
    assert not OrdersAhead.objects.exists()
    receipt = rendering.render(campaign.letters("receipt", "gustav")[-1]).text
    assert "from the orders that you sent ahead" in " ".join(receipt.split())
    assert "Germany needs 5 PFs in Austria and has none" in " ".join(receipt.split())
    campaign.pass_deadline()
    assert any(event["kind"] == "attack" for event in campaign.resolution().events)


def test_a_record_with_orders_ahead_verifies() -> None:
    campaign = Campaign.begin()
    keep(campaign, "ATTACK Poland: France STOCK GE")
    keep(campaign, "PLACE 3 Poland", PhaseId(2, "placement"))
    campaign.place_in_poland()
    campaign.pass_deadline()
    campaign.pass_deadline()
    record = export.record(campaign.game, private=True)
    sent = [row for phase in record["phases"] for row in phase["submissions"]]
    assert [row["channel"] for row in sent].count("ahead") == 2
    assert verify.check(record) == []


def test_orders_ahead_are_in_time_even_if_submitted_after_the_deadline() -> None:
    """design 1: nothing is lost; the orders were stored before the phase opened."""
    campaign = Campaign.begin()
    campaign.place_in_poland()
    phase, seat = campaign.phase, campaign.seat("Germany")
    OrdersAhead.objects.create(
        seat=seat,
        person=campaign.players["Germany"],
        turn=phase.turn,
        kind=phase.kind,
        text="PASS",
        kept_at=phase.opened_at,
    )
    campaign.wait_until(phase.deadline + timedelta(seconds=1))
    (sent,) = Submission.objects.filter(phase=phase, seat=seat)
    assert (sent.counts, sent.late) == (True, False)


def test_orders_sent_in_the_open_phase_prevail_over_orders_ahead() -> None:
    campaign = Campaign.begin()
    campaign.place_in_poland()
    phase, seat = campaign.phase, campaign.seat("Germany")
    campaign.order("Germany", "PASS")
    OrdersAhead.objects.create(
        seat=seat,
        person=campaign.players["Germany"],
        turn=phase.turn,
        kind=phase.kind,
        text="CONTROL Poland",
        kept_at=campaign.now,
    )
    assert ahead.enter(campaign.now) == 1
    assert [submission.text for submission in of_germany(campaign)] == ["PASS"]
    assert not OrdersAhead.objects.exists()


@pytest.mark.both_databases
def test_set_saved_while_its_phase_opens_replaces_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A page from before the phase opened says that it is saved: between the tick's reading and
    its lock, and after the tick."""
    campaign = Campaign.begin()
    keep(campaign, "ATTACK Poland: France STOCK GE")
    seat, before, take = campaign.seat("Germany"), campaign.phase, chain.take

    def save(text: str) -> None:
        ahead.keep(seat, before, campaign.players["Germany"], ATTACKS, text, campaign.now)

    def save_and_take(*given: Any, **more: Any) -> chain.LockedGame:
        monkeypatch.setattr(chain, "take", take)
        save("ATTACK Poland: France STOCK IBM")
        return take(*given, **more)

    monkeypatch.setattr(chain, "take", save_and_take)
    campaign.place_in_poland()
    ahead.enter(campaign.now)
    assert [row.text for row in of_germany(campaign)] == ["ATTACK Poland: France STOCK IBM"]
    save("PASS")
    ahead.enter(campaign.now)
    assert [row.text for row in of_germany(campaign)][1:] == ["PASS"]
    assert not OrdersAhead.objects.exists()


def test_former_player_of_a_seat_gets_no_notice() -> None:
    campaign = Campaign.begin()
    keep(campaign, "PASS")
    sitting = Sitting.objects.current().filter(seat=campaign.seat("Germany"))
    sitting.update(until=campaign.now)
    campaign.pass_deadline()
    assert of_germany(campaign) == []


@pytest.mark.both_databases
def test_orders_ahead_are_replaced_and_canceled() -> None:
    campaign = Campaign.begin()
    keep(campaign, "PASS")
    keep(campaign, "ATTACK Poland: France")
    seat, writer = campaign.seat("Germany"), campaign.players["Germany"]
    (orders,) = ahead.own_sets(seat, campaign.phase, writer)
    assert orders.row.text == "ATTACK Poland: France"
    assert ahead.cancel(seat, campaign.phase, writer, ATTACKS) == "Turn 1, attacks"
    assert ahead.own_sets(seat, campaign.phase, writer) == []
    with pytest.raises(ahead.OrdersAheadError, match="nothing was taken back"):
        ahead.cancel(seat, campaign.phase, writer, ATTACKS)


@pytest.mark.parametrize(
    ("text", "wanted", "why"),
    [
        ("PASS", PhaseId(1, "placement"), "Turn 1, attacks; Turn 2, placement"),
        ("PASS", PhaseId(5, "attacks"), "Nothing was saved"),
        ("", ATTACKS, "Nothing was written"),
        ("# nothing", ATTACKS, "Nothing was written"),
        ("PLACE 5 Poland", ATTACKS, "send placements later"),
        ("wobble", ATTACKS, "wobble"),
        ("CONTROL Poland\n" * 400, ATTACKS, "more than 5,000 characters"),
        ("PASS\0", ATTACKS, "Line 1"),
    ],
)
def test_invalid_orders_ahead_are_refused_with_the_reason(
    text: str, wanted: PhaseId, why: str
) -> None:
    """At most six phases, 5,000 characters, and at least one line that can be read."""
    campaign = Campaign.begin()
    with pytest.raises(ahead.OrdersAheadError, match=why):
        keep(campaign, text, wanted)
    assert not OrdersAhead.objects.exists()


def test_orders_ahead_of_another_seats_player_are_refused() -> None:
    campaign = Campaign.begin()
    with pytest.raises(ahead.OrdersAheadError, match="You do not play Germany"):
        ahead.keep(
            campaign.seat("Germany"),
            campaign.phase,
            campaign.players["France"],
            ATTACKS,
            "PASS",
            campaign.now,
        )


@pytest.mark.both_databases
def test_enter_with_nothing_due_takes_one_query() -> None:
    campaign = Campaign.begin()
    keep(campaign, "PASS")
    with CaptureQueriesContext(connection) as asked:
        assert ahead.enter(campaign.now) == 0
    assert len(asked) == 1


# --- by mail ---


def test_phase_heading_in_mail_assigns_lines_to_that_phase() -> None:
    campaign = Campaign.begin()
    answer = send(
        campaign,
        "Germany",
        "PLACE 10 Poland\n\nTURN 1 ATTACKS\nattack France in Poland (GE)\nTurn 2, placement:\n"
        "PLACE 2 Italy\n\nPLACE 3 Atlantis\n",
    )
    letter = letter_text(campaign.letters("answer", "gustav")[-1])
    assert "Kept for Turn 1, attacks." in letter
    assert "ATTACK Poland: France STOCK GE" in letter
    assert "Kept for Turn 2, placement." in letter
    assert "“PLACE 3 Atlantis”" in letter
    assert answer.status == "done"
    assert [row.text for row in of_germany(campaign)] == ["PLACE 10 Poland"]
    assert OrdersAhead.objects.count() == 2
    send(campaign, "Germany", "TURN 1 ATTACKS\nCANCEL\n")
    assert [row.turn_and_kind for row in OrdersAhead.objects.all()] == [(2, "placement")]
    assert [row.text for row in of_germany(campaign)] == ["PLACE 10 Poland"], "CANCEL was for it"


def test_heading_of_the_open_phase_in_mail_submits_orders() -> None:
    campaign = Campaign.begin()
    send(campaign, "Germany", "TURN 1 PLACEMENT\nPLACE 10 Poland\n")
    assert [submission.text for submission in of_germany(campaign)] == ["PLACE 10 Poland"]
    assert not OrdersAhead.objects.exists()


def test_heading_of_an_unknown_phase_in_mail_is_refused() -> None:
    campaign = Campaign.begin()
    send(campaign, "Germany", "TURN 9 ATTACKS\nCONTROL Poland\n")
    letter = letter_text(campaign.letters("answer", "gustav")[-1])
    assert "NOT DONE - “TURN 9 ATTACKS” changed nothing." in letter
    assert "Turn 1, attacks" in letter
    assert not of_germany(campaign)


# --- by page ---


def browser(name: str) -> Client:
    client = Client()
    client.force_login(person(name), backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_page_stores_shows_and_cancels_orders_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    campaign = Campaign.begin()
    monkeypatch.setattr("games.base.clock.now", lambda: campaign.now)
    address = reverse("orders-ahead", args=[campaign.game.pk, campaign.seat("Germany").pk])
    client = browser("gustav")
    form = {"for": "1-attacks", "do": "keep-ahead", "text": "ATTACK Poland: France"}
    assert client.post(address, form).status_code == 302
    page = client.get(f"{address}?for=1-attacks").content.decode()
    assert "ATTACK Poland: France" in page
    assert "Kept for Turn 1, attacks since" in page
    orders = reverse("orders", args=[campaign.game.pk, campaign.seat("Germany").pk])
    assert "You keep orders for Turn 1, attacks." in client.get(orders).content.decode()
    wrong = client.post(address, {**form, "text": "PLACE 5 Poland"}).content.decode()
    assert "send placements later" in wrong
    client.post(address, {**form, "do": "cancel-ahead"})
    assert not OrdersAhead.objects.exists()
    assert browser("felix").get(address).status_code in (302, 403, 404)


# --- secrets ---


def test_orders_ahead_are_exported_to_their_writer_and_erased_with_them() -> None:
    campaign = Campaign.begin()
    keep(campaign, "PASS # mine")
    writer = campaign.players["Germany"]
    assert "PASS # mine" in str(personal.all_data(writer, campaign.now))
    assert "PASS # mine" not in str(personal.all_data(campaign.players["France"], campaign.now))
    erasure.erase(writer, campaign.now, by=None, press=False)
    assert not OrdersAhead.objects.exists()


def test_orders_ahead_are_readable_only_to_their_writer() -> None:
    campaign = Campaign.begin()
    row = keep(campaign, "PASS").row
    readers = [name for name in (*PLAYERS.values(), "ada") if _reads(name, row)]
    assert readers == ["gustav"]


def _reads(name: str, row: OrdersAhead) -> bool:
    return permissions.reads_orders_ahead(person(name), row)


@pytest.mark.both_databases
def test_set_that_fails_does_not_delay_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest row stays first; it must not use up the sets of each tick."""
    campaign = Campaign.begin()
    keep(campaign, "PASS", nation="France")
    keep(campaign, "PASS")
    monkeypatch.setattr(ahead, "MOST_A_TICK", 1)
    send_set = ahead._enter

    def broken(row: OrdersAhead) -> bool:
        if row.seat.nation == "France":
            raise RuntimeError("This set cannot be sent.")
        return send_set(row)

    monkeypatch.setattr(ahead, "_enter", broken)
    campaign.pass_deadline()
    assert [submission.seat.nation for submission in campaign.phase.submissions.all()] == [
        "Germany"
    ]
