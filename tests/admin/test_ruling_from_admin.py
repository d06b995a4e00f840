"""Rulings started from the admin: links to the desk's forms, for gamesmasters of the game (issue of
the gamesmaster 1, gamesmaster.md U2)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import models
from django.urls import reverse

from games.models import Draw, Figure, Game, Phase, Resolution, Ruling
from orders.models import Submission
from tests.admin.test_admin import page
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db

RULED = [Phase, Resolution, Submission, Figure, Draw]


def row_of(campaign: Campaign, model: type[models.Model]) -> Any:
    phases = {"game": campaign.game, "status": Phase.Status.RESOLVED}
    judged = Phase.objects.filter(**phases, kind="attacks").latest("number")
    return judged if model is Phase else model._default_manager.filter(phase=judged).latest("pk")


def link(shown: str, words: str) -> str:
    match = re.search(rf'<li><a href="([^"]+)">{words}</a></li>', shown)
    assert match, f"there is no “{words}” on the page"
    return match[1].replace("&amp;", "&")


@pytest.mark.parametrize("model", RULED, ids=lambda model: model.__name__)
def test_row_of_a_closed_phase_links_to_ruling_forms(
    ada: Visitor,
    campaign: Campaign,
    model: type[models.Model],
) -> None:
    shown = ada.read(page(model, "change", row_of(campaign, model).pk))
    assert link(shown, "Desk") == reverse("desk", args=[campaign.game.pk])
    form = ada.read(link(shown, "Rule on this"))
    assert "Show the effect" in form or "What do you rule on?" in form


def test_ruling_form_is_prefilled_from_a_figure_and_a_draw(
    ada: Visitor, campaign: Campaign
) -> None:
    figure, draw = row_of(campaign, Figure), row_of(campaign, Draw)
    of_figure = ada.read(link(ada.read(page(Figure, "change", figure.pk)), "Rule on this"))
    assert f'value="{figure.symbol}"' in of_figure
    of_draw = ada.read(link(ada.read(page(Draw, "change", draw.pk)), "Rule on this"))
    assert f'<option value="{draw.nation}/{draw.line}" selected>' in of_draw


def test_open_phase_has_no_ruling_links(ada: Visitor, campaign: Campaign) -> None:
    shown = ada.read(page(Phase, "change", campaign.phase.pk))
    assert campaign.phase.status == Phase.Status.OPEN
    assert "Rule on this" not in shown


def test_ruling_links_to_its_revocation(ada: Visitor, campaign: Campaign) -> None:
    ruling = Ruling.objects.filter(revoked_by=None, revokes=None).latest("pk")
    revoke = reverse("admin-ruling-revoke", args=[ruling.game_id, ruling.number])
    shown = ada.read(page(Ruling, "change", ruling.pk))
    assert link(shown, "Revoke") == revoke
    assert "historylink" not in shown, "nobody changes it here: its history is always empty"
    chosen: dict[str, Any] = {"action": "revoke", "_selected_action": [ruling.pk]}
    assert ada.post(page(Ruling, "changelist"), chosen).headers["Location"] == revoke
    assert "Revoke ruling" in ada.read(revoke)
    Game.objects.filter(pk=ruling.game_id).update(status=Game.Status.ABANDONED)
    assert ">Revoke<" not in ada.read(page(Ruling, "change", ruling.pk)), "as at the desk"


def test_add_ruling_lists_phases_of_own_games(
    ada: Visitor,
    charlie: Visitor,
    campaign: Campaign,
) -> None:
    judged = row_of(campaign, Phase)
    form = reverse("admin-ruling-phase", args=[campaign.game.pk, judged.number])
    shown = ada.read(page(Ruling, "add"))
    assert form in shown
    assert page(Phase, "change", judged.pk) in shown  # where each row can be overridden
    assert campaign.game.title not in charlie.read(page(Ruling, "add"))


def test_staff_of_another_game_see_no_desk_links(charlie: Visitor, campaign: Campaign) -> None:
    assert charlie.get(page(Game, "change", campaign.game.pk)).status_code == 302
    form = reverse("admin-ruling-phase", args=[campaign.game.pk, row_of(campaign, Phase).number])
    assert charlie.get(form).status_code == 403


def test_admin_index_groups_models_by_subject(root: Visitor) -> None:
    shown = root.read("/admin/")
    places = [shown.index(f">{title}</a>") for title in ("Games", "Evidence", "People", "System")]
    assert places == sorted(places)
    system = shown[places[-1] :]
    for model in ("Motions", "Blocks", "Notebooks", "Report files"):
        assert f">{model}</a>" in shown[: places[-1]]
        assert f">{model}</a>" not in system
