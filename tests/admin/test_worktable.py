"""The admin's page of a phase as a worktable: all that hangs on it, in words (design.md 8)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from games.models import Draw, Figure, Game, Phase, Sitting
from games.turns import rulings
from orders.intake import ledger
from tests.admin.test_admin import page
from tests.admin.test_ruling_from_admin import row_of
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import MONDAY, Campaign

pytestmark = pytest.mark.django_db


def worktable(browser: Visitor, phase: Phase) -> Any:
    return browser.get(page(Phase, "change", phase.pk)).context["worktable"]


def test_worktable_links_orders_figures_draws_and_results(ada: Visitor, campaign: Campaign) -> None:
    phase = row_of(campaign, Phase)
    shown = ada.read(page(Phase, "change", phase.pk))
    for row in (
        *phase.submissions.all(),
        *phase.figures.all(),
        *phase.draws_made.all(),
        *phase.resolutions.all(),
        *phase.rulings.all(),
    ):
        assert f'href="{page(type(row), "change", row.pk)}"' in shown, row
    assert reverse("board-svg", args=[campaign.game.pk, phase.number]) in shown
    assert f"{phase.figures.get(symbol='GE').volume:,}" in shown


def test_worktable_shows_the_figure_that_a_ruling_put_in_force(
    ada: Visitor, campaign: Campaign
) -> None:
    Game.objects.filter(pk=campaign.game.pk).update(last_ruling=9)
    phase = row_of(campaign, Phase)
    what = {"stock": "GE", "volume": 5_412_300}
    before = next(row for row in worktable(ada, phase).figures if row.figure.symbol == "GE")
    assert (before.volume, before.ruled) == (before.figure.volume, None)
    ruling = rulings.rule(phase, "digit", what, "The newspaper.", campaign.ada, campaign.now)
    after = next(row for row in worktable(ada, phase).figures if row.figure.symbol == "GE")
    assert (after.volume, after.digit, after.ruled) == (5_412_300, 3, ruling.number)


def test_worktable_shows_what_a_ruling_made_of_an_attack() -> None:
    """The table of draws had no result, and the digit drawn beside the ruled figure's."""
    campaign = Campaign.begin()
    campaign.attack_in_poland()
    phase, browser = campaign.pass_deadline(), log_in(campaign.ada)
    drawn = phase.draws_made.get().digit
    (before,) = worktable(browser, phase).draws
    assert (before.digit, before.result) == (drawn, campaign.resolution(phase).events[0]["result"])
    other = (drawn + 1) % 10
    volume = 5_412_000 + 100 * other
    what = {"stock": "GE", "volume": volume}
    rulings.rule(phase, "digit", what, "The newspaper.", campaign.ada, campaign.now)
    (after,) = worktable(browser, phase).draws
    assert after.digit == other
    assert f"{drawn} (drawn; {other} by ruling)" in browser.read(page(Phase, "change", phase.pk))
    void = {"nation": "Germany", "line": 1, "result": "void"}
    rulings.rule(phase, "result", void, "They agreed.", campaign.ada, campaign.now)
    assert worktable(browser, phase).draws[0].result == "void, ruled"


def test_page_of_a_game_leads_to_its_newest_closed_phase(ada: Visitor, campaign: Campaign) -> None:
    newest = campaign.resolution().phase
    shown = ada.read(page(Game, "change", campaign.game.pk))
    assert f'<a href="{page(Phase, "change", newest.pk)}">Phase to rule on</a>' in shown


def test_rule_beside_late_orders_lets_them_count(ada: Visitor, campaign: Campaign) -> None:
    phase = row_of(campaign, Phase)
    arrival = ledger.Arrival("web", campaign.players["France"], campaign.now, meant_for=phase)
    late = ledger.receive(campaign.seat("France"), "PASS", arrival)
    assert late.late
    rule = next(row.rule for row in worktable(ada, phase).orders if row.submission == late)
    form = ada.get(rule.url).context["form"]
    filled_in = [form[name].value() for name in ("nation", "how", "submission")]
    assert filled_in == ["France", "accepted", late.label]


def test_worktable_says_who_owes_orders(ada: Visitor, campaign: Campaign) -> None:
    owing = worktable(ada, campaign.phase).owing
    assert "Germany" not in owing
    assert "Russia" in owing
    assert "Orders are owed by" in ada.read(page(Phase, "change", campaign.phase.pk))


def test_worktable_withholds_orders_from_a_playing_gamesmaster(
    ada: Visitor, campaign: Campaign
) -> None:
    path = page(Phase, "change", campaign.phase.pk)
    left_out = "Orders that you may not read yet are left out."
    shown = ada.read(path)
    assert "PLACE 9 Rumania" in shown
    assert left_out not in shown
    Sitting.objects.create(seat=campaign.seat("USA"), person=campaign.ada, since=MONDAY)
    shown = ada.read(path)
    assert "Rumania" not in shown
    assert left_out in shown
    assert "Nothing has been sent." not in shown


def test_worktable_withholds_orders_from_an_operator(root: Visitor, campaign: Campaign) -> None:
    assert "Rumania" not in root.read(page(Phase, "change", campaign.phase.pk))


def test_worktable_shows_the_draws_of_a_result_that_waits() -> None:
    """They are stored when it is published."""
    campaign = Campaign.begin()
    campaign.attack_in_poland()
    Game.objects.filter(pk=campaign.game.pk).update(approval_hours=12)
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    for _ in range(20):
        if campaign.phase.status == Phase.Status.APPROVAL:
            break
        campaign.wait_until((campaign.phase.due_at or campaign.now) + timedelta(seconds=1))
    assert not Draw.objects.exists()
    browser = log_in(campaign.ada)
    table = worktable(browser, phase)
    assert [(row.draw.nation, row.draw.area) for row in table.draws] == [("Germany", "Poland")]
    figure = Figure.objects.get()
    assert figure.volume is not None
    assert table.draws[0].draw.digit == figure.volume // 100 % 10
    assert "Draws of the result that waits" in browser.read(page(Phase, "change", phase.pk))
    form = browser.read(table.draws[0].rule.url)
    assert '<option value="Germany/1" selected>' in form
