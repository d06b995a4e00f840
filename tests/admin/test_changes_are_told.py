"""A person's change of a game in the admin is an act that is told, as at the desk (design.md 4)."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin
from django.db import models
from django.urls import reverse

from games.admin.rows import RowsOfGames
from games.models import Act, Game, Invitation, Letter, Mute, Sitting
from tests.admin.test_admin import OURS, invite, named, page
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db
#: Columns that an act changes with the row that it is about.
COUNTERS = {"last_submission", "record_hash"}
PAGES = [
    model_page
    for model, model_page in admin.site._registry.items()
    if model in OURS and isinstance(model_page, RowsOfGames) and model_page.game is not None
]


def seats() -> dict[str, Any]:
    return {"seats-TOTAL_FORMS": 0, "seats-INITIAL_FORMS": 0}


def change(browser: Visitor, game: Game, **values: Any) -> Any:
    path = page(Game, "change", game.pk)
    return browser.post(path, {"title": game.title, **seats(), **values}, follow=True)


def told(game: Game, kind: str) -> Act:
    """Return the act, after checking that the public list and everybody's letters have it."""
    act = Act.objects.get(game=game, kind=kind)
    assert not act.private
    letters = Letter.objects.filter(kind="change", about__act=act.pk)
    players = Sitting.objects.current().filter(seat__game=game, person__is_active=True)
    everybody = {*players.values_list("person", flat=True), act.done_by_id}
    everybody -= set(Mute.objects.filter(game=game, until=None).values_list("person", flat=True))
    assert set(letters.values_list("person", flat=True)) == everybody
    return act


def test_new_title_is_told_to_everybody(ada: Visitor, campaign: Campaign) -> None:
    change(ada, campaign.game, title="Dusk", public="on")
    assert Game.objects.get(pk=campaign.game.pk).title == "Dusk"
    act = told(campaign.game, "title")
    assert act.done_by == campaign.ada
    assert act.words in ada.read(reverse("rulings", args=[campaign.game.pk]))
    assert not Act.objects.filter(game=campaign.game, kind="public").exists()


@pytest.mark.parametrize("public", [True, False])
def test_new_visibility_is_told_to_everybody(
    ada: Visitor, campaign: Campaign, public: bool
) -> None:
    Game.objects.filter(pk=campaign.game.pk).update(public=not public)
    change(ada, campaign.game, **({"public": "on"} if public else {}))
    assert Game.objects.get(pk=campaign.game.pk).public is public
    assert told(campaign.game, "public").about == {"before": not public, "after": public}


def test_unchanged_form_tells_nothing(ada: Visitor, campaign: Campaign) -> None:
    before = Act.objects.count()
    change(ada, campaign.game, **({"public": "on"} if campaign.game.public else {}))
    assert Act.objects.count() == before


def test_refusal_of_the_desk_is_shown_and_changes_nothing(ada: Visitor, campaign: Campaign) -> None:
    Game.objects.filter(pk=campaign.game.pk).update(public=True, joining="open")
    refused = change(ada, campaign.game, title="Dusk")
    assert "Let anybody watch" in refused.content.decode()
    row = Game.objects.get(pk=campaign.game.pk)
    assert (row.title, row.public) == (campaign.game.title, True)
    assert not Act.objects.filter(game=campaign.game, kind="title").exists()


def values_of(row: models.Model) -> dict[str, Any]:
    fresh = type(row)._default_manager.get(pk=row.pk)
    return {field.attname: getattr(fresh, field.attname) for field in row._meta.fields}


def altered(field: Any, value: Any) -> Any:
    if isinstance(value, bool):
        return {} if value else {field: "on"}
    return {field: f"{value} 2"}


@pytest.mark.parametrize("model_page", PAGES, ids=lambda model_page: named(model_page.model))
def test_form_of_a_row_writes_only_with_an_act(
    root: Visitor, campaign: Campaign, model_page: RowsOfGames
) -> None:
    """Every form of the rows of games, with each of its fields altered in turn."""
    if model_page.model is Invitation:
        invite(campaign)
    row = model_page.model._default_manager.order_by("pk").first()
    assert row is not None
    if model_page.model._meta.model_name == "person":
        return  # accounts of the service, kept by its operator
    path = page(model_page.model, "change", row.pk)
    form = root.get(path).context["adminform"].form
    kept = {name: form.initial.get(name) for name in form.fields}
    for name in form.fields:
        before, acts = values_of(row), Act.objects.count()
        given = {other: value for other, value in kept.items() if value and other != name}
        root.post(path, {**seats(), **given, **altered(name, kept[name])})
        if {key: value for key, value in values_of(row).items() if key not in COUNTERS} != {
            key: value for key, value in before.items() if key not in COUNTERS
        }:
            assert Act.objects.count() == acts + 1, name
            kept[name] = values_of(row)[name]
    if not form.fields:
        before = values_of(row)
        assert root.post(path, dict.fromkeys(before, "9")).status_code == 403
        assert values_of(row) == before


def test_page_of_a_game_says_before_saving_that_everybody_is_told(
    ada: Visitor, campaign: Campaign
) -> None:
    shown = ada.read(page(Game, "change", campaign.game.pk))
    assert shown.count("everybody in the game gets a letter") == 1
    assert "A change is told in the same way." in shown
