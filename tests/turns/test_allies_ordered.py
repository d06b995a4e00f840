"""Orders for nations without a player: who sends and reads them (Rules N3, N4, N7)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from games import permissions
from games.base import clock
from games.evidence import export
from games.letters import rendering
from games.models import Letter, Phase
from games.positions import in_force as orders_in_force
from games.rules.verification import verify
from orders.intake import ledger, telephone
from orders.models import Submission
from tests.inbound.writing import answers, send
from tests.seats.test_fewer_players import THREE, TWO, seats
from tests.support.campaign import PLAYERS, Campaign, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Begin a game with three players, in its first placement; draws gave USA and France away."""
    campaign = Campaign.begin(seats=seats(*THREE), may_lock_early=True)
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    campaign.pass_deadline()
    assert campaign.phase.kind == "placement"
    return campaign


def controller(campaign: Campaign, nation: str = "USA") -> tuple[str, str]:
    """Return the nation that controls `nation` now, and a played nation that does not."""
    by = campaign.phase.controllers[nation]
    return by, next(other for other in THREE if other != by)


def browser(nation: str) -> Client:
    client = Client()
    client.force_login(person(PLAYERS[nation]), backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_only_the_controller_orders_for_an_ally(
    campaign: Campaign,
) -> None:
    """N4. A submission stores the person who was entitled to send it at that moment."""
    by, other = controller(campaign)
    seat = campaign.seat("USA")
    nations = [
        seat_ordered.nation
        for seat_ordered in permissions.orderable_seats(
            person(PLAYERS[by]), campaign.game, campaign.phase
        )
    ]
    assert nations[0] == by
    assert "USA" in nations
    received = ledger.receive(
        seat, "PLACE 1 Poland", ledger.Arrival("web", person(PLAYERS[by]), campaign.now)
    )
    assert received.counts
    for name in (PLAYERS[other], "charlie", "ada"):
        with pytest.raises(ledger.LedgerError, match="may not send orders for USA"):
            ledger.receive(
                seat, "PLACE 2 Poland", ledger.Arrival("web", person(name), campaign.now)
            )
    assert orders_in_force.texts_in_force(campaign.phase)["USA"] == "PLACE 1 Poland"


def test_only_the_controller_sees_the_allys_order_page(campaign: Campaign) -> None:
    """N4, on the page: the ally's scenario and board, and a link back to one's own orders."""
    by, other = controller(campaign)
    page = f"/games/{campaign.game.pk}/orders/{campaign.seat('USA').pk}/"
    response = browser(by).get(page)
    assert response.status_code == 200
    assert f"/games/{campaign.game.pk}/orders/{campaign.seat(by).pk}/" in response.content.decode()
    assert browser(other).get(page).status_code == 403
    redirect = browser(by).post(
        page, {"text": "PLACE 1 Poland", "do": "send-anyway", "phase": campaign.phase.number}
    )
    assert redirect.status_code == 302
    assert campaign.letters("receipt", PLAYERS[by])
    receipt = Submission.objects.get().get_absolute_url()
    assert browser(by).get(receipt).status_code == 200
    assert browser(other).get(receipt).status_code == 404


def test_one_message_can_order_for_several_nations(campaign: Campaign) -> None:
    """Issue 7, point 2: lines after FOR USA are USA's; the answer has a part per nation."""
    by, other = controller(campaign)
    own_area = "Poland"
    send(campaign, by, f"PLACE 1 {own_area}\nFOR USA:\nPLACE 2 {own_area}\nFINAL\n")
    texts = orders_in_force.texts_in_force(campaign.phase)
    assert texts[by] == f"PLACE 1 {own_area}"
    assert texts["USA"] == f"PLACE 2 {own_area}"
    in_force = orders_in_force.in_force(campaign.phase)
    assert (in_force["USA"].final, in_force[by].final) == (True, False)
    answer = rendering.render(answers(PLAYERS[by])[-1]).text
    assert "FOR USA" in answer.upper()
    send(campaign, by, "FOR USA\nCANCEL\n")
    assert set(orders_in_force.texts_in_force(campaign.phase)) == {by}
    send(campaign, other, "FOR USA\nPLACE 1 Austria\n")
    assert "USA" not in orders_in_force.texts_in_force(campaign.phase)
    assert "You cannot order for" in rendering.render(answers(PLAYERS[other])[-1]).text


def test_mail_commands_answer_per_nation(campaign: Campaign) -> None:
    """Issue 7, point 2: ORDERS, HELP and STATUS per nation."""
    by, other = controller(campaign)
    send(campaign, by, "FOR USA\nPLACE 2 Poland\n")
    send(campaign, by, "ORDERS\nHELP\n")
    answer = rendering.render(answers(PLAYERS[by])[-1]).text
    assert "PLACE 2 Poland" in answer
    assert "FOR USA" in answer or "FOR FRANCE" in answer.upper()
    send(campaign, other, "ORDERS\nSTATUS\n")
    assert "PLACE 2 Poland" not in rendering.render(answers(PLAYERS[other])[-1]).text


def test_controllers_letter_has_the_allys_objectives_and_orders(
    campaign: Campaign,
) -> None:
    """N4: the ally has objectives of its own."""
    by, other = controller(campaign)
    letter = rendering.render(campaign.asking(PLAYERS[by])).text
    assert f"Nobody plays USA: as {by} you send its orders this turn" in letter
    assert "What USA gets and scores" in letter
    assert "Nobody plays USA" not in rendering.render(campaign.asking(PLAYERS[other])).text


def test_controller_is_reminded_of_a_silent_ally_and_no_seat_falls_vacant(
    campaign: Campaign,
) -> None:
    """N7: the NMR is the ally's; it has no player to replace."""
    by, _ = controller(campaign)
    for nation in THREE:
        campaign.order(nation, "PASS")
    phase = campaign.phase
    assert phase.remind_at is not None
    campaign.wait_until(phase.remind_at)
    assert campaign.letters("reminder", PLAYERS[by])
    assert "USA" in rendering.render(campaign.letters("reminder", PLAYERS[by])[-1]).text
    campaign.pass_deadline()
    phase.refresh_from_db()
    assert set(phase.missed) == {"USA", "France"}
    assert not Letter.objects.filter(kind="vacant").exists()
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_early_lock_waits_for_final_orders_of_allies(campaign: Campaign) -> None:
    """Every seat that may order must be final."""
    phase = campaign.phase
    for nation in THREE:
        campaign.order(nation, "PASS", final=True)
    phase.refresh_from_db()
    assert phase.due_at == phase.deadline
    for ally, by in phase.controllers.items():
        ledger.receive(
            campaign.seat(ally),
            "PASS",
            ledger.Arrival("web", person(PLAYERS[by]), campaign.now),
            final=True,
        )
    phase.refresh_from_db()
    assert phase.due_at == campaign.now


def test_controller_gives_an_allys_orders_by_telephone(campaign: Campaign) -> None:
    """N4, by telephone: the receipt goes to the controller."""
    by, _ = controller(campaign)
    desk = Client()
    desk.force_login(campaign.ada, backend="django.contrib.auth.backends.ModelBackend")
    sheet = desk.get(f"/games/{campaign.game.pk}/desk/telephone/").content.decode()
    assert f"Not played: {by} speaks for it this turn" in sheet
    page = desk.get(
        f"/games/{campaign.game.pk}/desk/telephone/{campaign.seat('USA').pk}/"
    ).content.decode()
    assert f"{by} sends its orders this turn" in page
    taken = telephone.take_down(
        campaign.seat("USA"),
        "PLACE 1 Poland",
        campaign.ada,
        campaign.now,
        caller=person(PLAYERS[by]),
        read_back=False,
    )
    assert taken.counts
    assert campaign.letters("receipt", PLAYERS[by])


def test_controller_reads_ally_orders_of_its_own_turns_only() -> None:
    """Issue 7, point 2: turns of two players as controllers of Russia."""
    campaign = Campaign.begin(seats=seats(*TWO))
    sent: list[tuple[Submission, str]] = []
    controlled: set[str] = set()
    for _ in range(24):
        if campaign.game.status == "finished" or controlled == set(TWO):
            break
        phase = campaign.phase
        by = phase.controllers.get("Russia", "")
        if by and phase.status == Phase.Status.OPEN and phase.kind != "allies":
            controlled.add(by)
            row = ledger.receive(
                campaign.seat("Russia"),
                "PASS",
                ledger.Arrival("web", person(PLAYERS[by]), campaign.now),
            )
            sent.append((row, by))
        campaign.pass_deadline()
    assert controlled == set(TWO), (
        "the draws of the made-up exchange gave Russia to one player only"
    )
    for row, by in sent:
        other = next(nation for nation in TWO if nation != by)
        assert permissions.reads_orders(person(PLAYERS[by]), row)
        assert not permissions.reads_orders(person(PLAYERS[other]), row)


def test_late_ally_orders_are_stored_for_their_own_phase(
    campaign: Campaign,
) -> None:
    """Rules 0.2: late orders do not count. The next controller is not told of them."""
    by, _ = controller(campaign)
    phase = campaign.phase
    campaign.pass_deadline()
    late = ledger.receive(
        campaign.seat("USA"),
        "PLACE 1 Poland",
        ledger.Arrival("web", person(PLAYERS[by]), campaign.now, meant_for=phase),
    )
    assert late.late
    assert not late.counts
    campaign.now += timedelta(minutes=1)
