"""Deals made by programs with a token (issue 27.5), as by page and mail."""

from __future__ import annotations

from typing import Any

import pytest

from games.models import Proposal
from tests.support.campaign import Campaign
from tests.support.programs import Program

pytestmark = pytest.mark.django_db


def post(
    program: Program, campaign: Campaign, body: dict[str, Any], number: int = 0, key: str = ""
) -> Any:
    path = f"/api/v1/games/{campaign.game.pk}/deals" + (f"/{number}" if number else "")
    headers = {"Idempotency-Key": key} if key else {}
    return program.post(path, body, content_type="application/json", headers=headers)


def test_program_proposes_a_deal_and_another_accepts(campaign: Campaign) -> None:
    felix = Program("felix", campaign.now, sends_orders=True)
    gustav = Program("gustav", campaign.now, sends_orders=True)
    terms = {"nation": "France", "to": "Germany", "text": "peace in Poland until turn 4"}
    made = post(felix, campaign, terms)
    assert made.status_code == 201
    assert made.json()["text"] == "PEACE Poland UNTIL TURN 4"
    taken = post(gustav, campaign, {"nation": "Germany", "answer": "accepted"}, 1)
    assert taken.status_code == 200
    (deal,) = felix.read(f"games/{campaign.game.pk}/deals")
    assert (deal["status"], deal["number"]) == ("accepted", 1)
    assert [(outcome["nation"], outcome["result"]) for outcome in deal["outcomes"]] == [
        ("France", "open"),
        ("Germany", "open"),
    ]
    rosa = Program("rosa", campaign.now)
    assert rosa.read(f"games/{campaign.game.pk}/deals") == []


def test_counter_proposal_needs_no_name(campaign: Campaign) -> None:
    felix = Program("felix", campaign.now, sends_orders=True)
    gustav = Program("gustav", campaign.now, sends_orders=True)
    post(felix, campaign, {"nation": "France", "to": "Germany", "text": "PEACE"})
    other = {"nation": "Germany", "text": "PEACE Poland", "counters": 1}
    assert post(gustav, campaign, other).json()["counters"] == 1
    assert Proposal.objects.get(pk=Proposal.objects.latest("pk").pk).to.nation == "France"


def test_own_proposal_cannot_be_countered(campaign: Campaign) -> None:
    """It became a deal of a nation with itself."""
    felix = Program("felix", campaign.now, sends_orders=True)
    post(felix, campaign, {"nation": "France", "to": "Germany", "text": "PEACE"})
    own = {"nation": "France", "text": "PEACE Poland", "counters": 1}
    refused = post(felix, campaign, own)
    assert refused.status_code == 409
    assert refused.json()["detail"] == (
        "You proposed No. 1 yourself. Withdraw it and propose another."
    )
    assert [deal.to.nation for deal in Proposal.objects.all()] == ["Germany"]
    (deal,) = felix.read(f"games/{campaign.game.pk}/deals")
    assert deal["status"] == "open"


def test_repeated_request_proposes_only_once(campaign: Campaign) -> None:
    """Issue 26, 5: the first answer was lost, and the proposal has been declined meanwhile."""
    felix = Program("felix", campaign.now, sends_orders=True)
    gustav = Program("gustav", campaign.now, sends_orders=True)
    terms = {"nation": "France", "to": "Germany", "text": "peace in Poland"}
    made = post(felix, campaign, terms, key="k1")
    for _ in range(2):
        declined = post(gustav, campaign, {"nation": "Germany", "answer": "declined"}, 1)
        assert (declined.status_code, declined.json()["status"]) == (200, "declined")
    campaign.pass_deadline()
    campaign.pass_deadline()
    again = post(felix, campaign, terms, key="k1")
    assert (made.status_code, again.status_code) == (201, 200)
    assert again.json()["number"] == made.json()["number"]
    assert Proposal.objects.count() == 1
    for other in ({**terms, "text": "peace"}, {**terms, "to": "USA"}, {**terms, "text": "?"}):
        refused = post(felix, campaign, other, key="k1")
        assert refused.status_code == 422
        assert "another deal under this Idempotency-Key" in refused.content.decode()
    assert post(felix, campaign, terms, key="k2").status_code == 201
    accepted = post(gustav, campaign, {"nation": "Germany", "answer": "accepted"}, 1)
    assert accepted.status_code == 409


def test_api_refusals_name_the_error(campaign: Campaign) -> None:
    felix = Program("felix", campaign.now, sends_orders=True)
    reader = Program("gustav", campaign.now)
    terms = {"nation": "France", "to": "Germany", "text": "PEACE Polnad"}
    refused = post(felix, campaign, terms)
    assert refused.status_code == 409
    assert "Did you mean Poland?" in refused.content.decode()
    assert post(felix, campaign, {**terms, "nation": "Germany"}).status_code == 403
    assert post(reader, campaign, {"nation": "Germany", "answer": "accepted"}, 1).status_code == 403
    assert post(felix, campaign, {"nation": "France", "answer": "accepted"}, 9).status_code == 409
    assert not Proposal.objects.exists()
