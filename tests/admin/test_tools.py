"""Each row of the admin leads to the page of the desk on which it is changed."""

from __future__ import annotations

import pytest
from django.db import models
from django.urls import reverse

from games.models import Act, Draw, Invitation, Phase, Seat, Sitting
from games.rules.digits import DICE
from games.turns import ruling_plan
from orders.models import Submission
from tests.admin.test_admin import invite, page
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db


def leads(browser: Visitor, row: models.Model, words: str) -> str:
    """Return where the link with these words beside the heading of a row leads; "" without one."""
    tools = browser.get(page(type(row), "change", row.pk)).context["desk_tools"]
    return next((tool.url for tool in tools if tool.words == words), "")


def test_open_phase_leads_to_its_deadline_and_to_the_telephone(
    ada: Visitor, campaign: Campaign
) -> None:
    game = [campaign.game.pk]
    assert leads(ada, campaign.phase, "Change the deadline") == reverse("desk-times", args=game)
    assert leads(ada, campaign.phase, "Take down orders") == reverse("desk-telephone", args=game)
    judged = campaign.game.phases.get(number=1)
    assert leads(ada, judged, "Change the deadline") == ""


def test_phase_without_figures_leads_to_where_they_are_entered(
    ada: Visitor, campaign: Campaign
) -> None:
    Phase.objects.filter(pk=campaign.phase.pk).update(status=Phase.Status.DRAWING)
    to = leads(ada, campaign.phase, "Enter what is missing")
    assert to == f"{reverse('desk', args=[campaign.game.pk])}#figures"
    assert "Waiting for its digits." in ada.read(page(Phase, "change", campaign.phase.pk))


def test_orders_of_an_open_phase_are_replaced_on_the_telephone_page(
    ada: Visitor, campaign: Campaign
) -> None:
    sent = Submission.objects.filter(phase=campaign.phase).latest("pk")
    to = leads(ada, sent, "Take down new orders")
    assert to == reverse("desk-telephone-seat", args=[campaign.game.pk, sent.seat_id])
    assert sent.text in ada.get(to).content.decode()
    judged = Submission.objects.filter(phase__number=1).latest("pk")
    assert leads(ada, judged, "Take down new orders") == ""


def test_die_is_ruled_on_by_the_figure_of_its_stock(ada: Visitor, campaign: Campaign) -> None:
    """A die is no attack, whose result could be set: the form offered none that fits."""
    draw = Draw.objects.latest("pk")
    die = Draw(
        phase=draw.phase,
        nation="Russia",
        line=DICE + 1,
        area="",
        figure=draw.figure,
        digit=draw.digit,
        drawn_at=draw.drawn_at,
    )
    die.save()
    assert ruling_plan.may_be_ruled_on(die.phase)
    assert leads(ada, die, "Rule on this").endswith(f"/digit/?stock={draw.figure.symbol}")
    assert "/result/?attack=" in leads(ada, draw, "Rule on this")
    shown = ada.read(page(Phase, "change", draw.phase_id))
    assert "Russia, a die" in shown
    assert str(DICE + 1) not in shown


def test_rows_about_players_lead_to_the_page_of_people(ada: Visitor, campaign: Campaign) -> None:
    seat, sitting = campaign.seat("Germany"), Sitting.objects.latest("pk")
    people = reverse("desk-people", args=[campaign.game.pk])
    rows: list[Seat | Sitting | Invitation] = [seat, sitting, invite(campaign)]
    assert [leads(ada, row, "People") for row in rows] == [people] * 3


def test_act_leads_to_the_desk_of_its_game(ada: Visitor, campaign: Campaign) -> None:
    act = Act.objects.latest("pk")
    assert leads(ada, act, "Desk") == reverse("desk", args=[campaign.game.pk])
