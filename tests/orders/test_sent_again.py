"""Orders sent again from a page: a double click is received once, and no order is lost by that."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games.desk import times
from games.positions import in_force
from orders.intake import from_page, ledger, proposals
from orders.models import Submission
from tests.support import teams
from tests.support.campaign import Campaign, person

pytestmark = pytest.mark.django_db

TEXT = "PLACE 3 Poland"


def send(campaign: Campaign, name: str, text: str = TEXT) -> Submission:
    """Send orders of France from its page, a minute after what was sent before."""
    campaign.now += timedelta(minutes=1)
    page = from_page.SentPage(seen=None, whole=False)
    arrival = ledger.Arrival("web", person(name), campaign.now, page=page)
    return ledger.receive(campaign.seat("France"), text, arrival)


def text_of(campaign: Campaign) -> str:
    return in_force.texts_in_force(campaign.phase).get("France", "")


@pytest.mark.parametrize("rule", ["spokesman", "majority", "last_received"])
def test_double_click_of_a_team_member_is_received_once(rule: str) -> None:
    campaign = teams.begin(rule)
    for name in ("felix", "flora"):
        first = send(campaign, name)
        with pytest.raises(from_page.DuplicateOrders) as refused:
            send(campaign, name)
        assert refused.value.submission == first


def test_member_puts_their_orders_in_force_again_after_those_of_another() -> None:
    """Promise 1; F1: the last orders that any of the team sends count (`last_received`)."""
    campaign = teams.begin("last_received")
    send(campaign, "felix")
    send(campaign, "flora", "PLACE 3 Italy")
    send(campaign, "felix")
    assert text_of(campaign) == TEXT


def test_proposal_sent_again_by_the_new_spokesman_counts() -> None:
    """Promise 1; F1: their orders count from now on."""
    campaign = teams.begin("spokesman")
    assert send(campaign, "flora").proposal
    seat = campaign.seat("France")
    seat.sittings.filter(person=person("flora")).update(spokesman=True)
    assert send(campaign, "flora").counts
    assert text_of(campaign) == TEXT


def test_proposal_sent_again_after_the_spokesman_has_changed_their_mind_is_new() -> None:
    """F1: one that was adopted before can be adopted again only if it is proposed again."""
    campaign = teams.begin("spokesman")
    first = send(campaign, "flora")
    proposals.adopt(first, ledger.Arrival("web", person("felix"), campaign.now))
    send(campaign, "felix", "PLACE 3 Italy")
    again = send(campaign, "flora")
    seat, phase = campaign.seat("France"), campaign.phase
    proposed = proposals.phase_proposals(seat, phase)
    assert proposals.adoptable_proposals(proposed, seat, phase) == [again]


def test_late_orders_sent_again_after_the_deadline_has_moved_count() -> None:
    """Promise 1: a phase may wait past its deadline, and get time back."""
    campaign = Campaign.begin()
    deadline = campaign.phase.deadline
    campaign.now = deadline
    assert send(campaign, "felix").late
    hour = timedelta(hours=1)
    times.extend(campaign.phase, deadline + hour, "An outage", campaign.ada, campaign.now)
    assert send(campaign, "felix").counts
    assert text_of(campaign) == TEXT
