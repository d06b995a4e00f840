"""The mark Final speaks for who made it, and not for who takes the seat over (early end)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from games import desk
from games.evidence import export
from games.models import Phase
from games.positions import in_force
from games.rules.verification import verify
from orders.intake import bots, from_page, ledger, proposals
from orders.models import Submission
from orders.web import team_panel
from tests.support import teams
from tests.support.campaign import NATIONS, Campaign, person

pytestmark = pytest.mark.django_db


def begin() -> Campaign:
    """Begin a game that may end early, in which France and all but Germany are final."""
    campaign = Campaign.begin(may_lock_early=True)
    campaign.order("France", "PLACE 6 Poland", final=True)
    for nation in NATIONS:
        if nation not in ("France", "Germany"):
            campaign.order(nation, "PASS", final=True)
    return campaign


def vacate(campaign: Campaign) -> None:
    felix = campaign.players["France"]
    desk.vacate(campaign.seat("France"), felix, "Away.", campaign.ada, campaign.now)


def newcomer_takes_france(campaign: Campaign) -> Client:
    """Seat Dana a minute later; return her browser."""
    campaign.wait_until(campaign.now + timedelta(minutes=1))
    dana = person("dana")
    offer = desk.invite(campaign.seat("France"), dana.email, campaign.ada, campaign.now)
    desk.accept(offer, dana, campaign.now)
    campaign.players["France"] = dana
    browser = Client()
    browser.force_login(dana)
    return browser


def closes_early(campaign: Campaign) -> bool:
    phase = Phase.objects.get(pk=campaign.phase.pk)
    campaign.wait_until(campaign.now)
    return phase.due_at == campaign.now


@pytest.mark.both_databases
def test_mark_of_a_predecessor_lapses_and_the_orders_stay_in_force() -> None:
    """The phase waits for the newcomer; their own mark ends it, and the record is sound."""
    campaign = begin()
    vacate(campaign)
    newcomer_takes_france(campaign)
    first = campaign.phase
    assert in_force.texts_in_force(first)["France"] == "PLACE 6 Poland"
    campaign.order("Germany", "PASS", final=True)
    assert not closes_early(campaign)
    assert campaign.phase == first
    campaign.order("France", "PLACE 6 Poland", final=True)
    assert closes_early(campaign)
    assert Phase.objects.get(pk=first.pk).status == "resolved"
    assert campaign.board()["Poland"]["France"].pf == 6
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_every_page_and_answer_agrees_that_a_mark_has_lapsed() -> None:
    campaign = begin()
    order_page = reverse("orders", args=[campaign.game.pk, campaign.seat("France").pk])
    game_page, desk_page = (
        campaign.game.get_absolute_url(),
        reverse("desk", args=[campaign.game.pk]),
    )
    receipt = Submission.objects.get(seat__nation="France").get_absolute_url()
    pages = (game_page, order_page, receipt)
    gamesmaster, felix = Client(), Client()
    gamesmaster.force_login(campaign.ada)
    felix.force_login(campaign.players["France"])
    before = [felix.get(page).content.decode() for page in pages]
    assert "In force, and final." in before[0]
    assert ", final. " in before[1]
    assert "These orders are in force, and final" in before[2]
    assert gamesmaster.get(desk_page).content.decode().count("in, and final") == len(NATIONS) - 1
    vacate(campaign)
    dana = newcomer_takes_france(campaign)
    after = [dana.get(page).content.decode() for page in pages]
    assert "In force. You can replace them" in after[0]
    assert ", final. " not in after[1]
    assert 'name="final" id="id_final" checked' not in after[1]
    assert "These orders are in force.</strong>" in after[2]
    assert gamesmaster.get(desk_page).content.decode().count("in, and final") == len(NATIONS) - 2


@pytest.mark.both_databases
def test_mark_of_a_bot_lapses_for_the_person_who_takes_the_seat_over() -> None:
    campaign = Campaign.begin(may_lock_early=True)
    vacate(campaign)
    desk.let_the_service_play(campaign.seat("France"), campaign.now, campaign.ada)
    bots.play(campaign.now)
    assert in_force.in_force(campaign.phase)["France"].final
    desk.stop_service(campaign.seat("France"), campaign.ada, campaign.now)
    newcomer_takes_france(campaign)
    assert not in_force.in_force(campaign.phase)["France"].final


def test_mark_of_a_bot_lapses_for_the_player_who_gets_the_seat_back() -> None:
    """The sitting goes on as if it had not ended, and yet its player has not seen these orders."""
    campaign = Campaign.begin(may_lock_early=True)
    vacate(campaign)
    desk.let_the_service_play(campaign.seat("France"), campaign.now, campaign.ada)
    bots.play(campaign.now)
    desk.stop_service(campaign.seat("France"), campaign.ada, campaign.now)
    desk.take_back(campaign.seat("France"), "A mistake.", campaign.ada, campaign.now)
    assert not in_force.in_force(campaign.phase)["France"].final


def test_player_who_gets_the_seat_back_keeps_their_own_mark() -> None:
    campaign = begin()
    vacate(campaign)
    desk.take_back(campaign.seat("France"), "A mistake.", campaign.ada, campaign.now)
    campaign.order("Germany", "PASS", final=True)
    assert closes_early(campaign)


def test_bot_and_empty_seat_leave_a_mark_in_force() -> None:
    """Neither needs time."""
    campaign = begin()
    vacate(campaign)
    assert in_force.in_force(campaign.phase)["France"].final
    desk.let_the_service_play(campaign.seat("France"), campaign.now, campaign.ada)
    campaign.order("Germany", "PASS", final=True)
    assert closes_early(campaign)


def test_who_sits_down_again_may_call_the_same_orders_final_by_page() -> None:
    """The same text is no duplicate: the mark is new."""
    campaign = Campaign.begin(may_lock_early=True)
    felix = campaign.players["France"]

    def send() -> None:
        page = from_page.SentPage(None, whole=True)
        arrival = ledger.Arrival(Submission.Channel.WEB, felix, campaign.now, page=page)
        ledger.receive(campaign.seat("France"), "PLACE 6 Poland", arrival, final=True)

    send()
    with pytest.raises(from_page.DuplicateOrders):
        send()
    assert Submission.objects.filter(seat__nation="France").count() == 1
    vacate(campaign)
    campaign.wait_until(campaign.now + timedelta(minutes=1))
    offer = desk.invite(campaign.seat("France"), felix.email, campaign.ada, campaign.now)
    desk.accept(offer, felix, campaign.now)
    send()
    assert in_force.in_force(campaign.phase)["France"].final


@pytest.mark.both_databases
@pytest.mark.parametrize("rule", ["spokesman", "last_received", "majority"])
def test_mark_of_any_member_holds_while_the_team_goes_on(rule: str) -> None:
    """It lapses once nobody who sat there then sits there now."""
    campaign = teams.begin(rule, may_lock_early=True)
    for name in ("felix", "flora", "fred"):
        teams.order(campaign, name, "France", "PASS", final=True)
    seat = campaign.seat("France")
    sitters = list(seat.people.order_by("sittings__pk"))

    def leave(*names: str) -> None:
        for member in sitters:
            if member.name.split()[0].casefold() in names:
                desk.vacate(campaign.seat("France"), member, "Away.", campaign.ada, campaign.now)

    leave("felix")
    assert in_force.in_force(campaign.phase)["France"].final
    leave("flora", "fred")
    newcomer_takes_france(campaign)
    standing = in_force.in_force(campaign.phase).get("France")
    assert standing is None or not standing.final


def test_votes_of_members_who_left_are_not_counted_out_loud() -> None:
    """“3 of the 2 in your team have sent orders” was said once one of three had left."""
    campaign = teams.begin("majority")
    for name in ("felix", "flora", "fred"):
        teams.order(campaign, name, "France", "PASS")
    felix = next(p for p in campaign.seat("France").people.all() if p.email.startswith("felix"))
    desk.vacate(campaign.seat("France"), felix, "Away.", campaign.ada, campaign.now)
    said = team_panel.company_of(person("flora"), campaign.seat("France"), campaign.phase)
    assert said is not None
    assert said.standing.startswith("2 of the 2 in your team have sent orders.")


def test_adopted_proposal_is_not_final_before_the_spokesman_says_so() -> None:
    """The member's mark says that the member needs no more time, and nothing of the spokesman."""
    campaign = teams.begin("spokesman", may_lock_early=True)
    proposed = teams.order(campaign, "flora", "France", "PLACE 1 Austria", final=True)
    arrival = ledger.Arrival(Submission.Channel.WEB, person("felix"), campaign.now)
    proposals.adopt(proposed, arrival)
    standing = in_force.in_force(campaign.phase)["France"]
    assert (standing.text, standing.final) == ("PLACE 1 Austria", False)


def test_receipt_waits_for_no_empty_seat() -> None:
    """It named one as “not final yet”, for which no phase waits."""
    campaign = Campaign.begin(may_lock_early=True)
    vacate(campaign)
    sent = campaign.order("Germany", "PASS", final=True)
    gustav = Client()
    gustav.force_login(campaign.players["Germany"])
    page = gustav.get(sent.get_absolute_url()).content.decode()
    assert "Not final yet: USA, Britain and Russia." in page
