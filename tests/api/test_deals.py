"""Deals made by programs (issue 27.5): what pages and mail do, with a token."""

from __future__ import annotations

from typing import Any

import pytest

from games.models import Proposal
from tests.support.campaign import Campaign
from tests.support.programs import Program

pytestmark = pytest.mark.django_db


def post(program: Program, campaign: Campaign, body: dict[str, Any], number: int = 0) -> Any:
    path = f"/api/v1/games/{campaign.game.pk}/deals" + (f"/{number}" if number else "")
    return program.post(path, body, content_type="application/json")


def test_a_program_proposes_and_another_accepts(campaign: Campaign) -> None:
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
    assert [(one["nation"], one["result"]) for one in deal["outcomes"]] == [
        ("France", "open"),
        ("Germany", "open"),
    ]
    rosa = Program("rosa", campaign.now)
    assert rosa.read(f"games/{campaign.game.pk}/deals") == []


def test_a_counter_proposal_needs_no_name(campaign: Campaign) -> None:
    felix = Program("felix", campaign.now, sends_orders=True)
    gustav = Program("gustav", campaign.now, sends_orders=True)
    post(felix, campaign, {"nation": "France", "to": "Germany", "text": "PEACE"})
    other = {"nation": "Germany", "text": "PEACE Poland", "counters": 1}
    assert post(gustav, campaign, other).json()["counters"] == 1
    assert Proposal.objects.get(pk=Proposal.objects.latest("pk").pk).to.nation == "France"


def test_refusals_say_what_is_wrong(campaign: Campaign) -> None:
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
