"""Notebooks: private to their writers, published at the end if they wish (issues 24.7, 25.7)."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from games.evidence import export
from games.models import Game, Notebook
from games.operations.personal import erasure
from games.operations.personal import export as personal
from tests.support.browser import OpenPage
from tests.support.campaign import Campaign, person

from .conftest import Browser

pytestmark = pytest.mark.django_db
NOTES = "Russia lies. <b>qzx</b>"


@pytest.mark.both_databases
def test_notes_are_private_until_the_end_and_published_only_if_wished(
    as_: Browser, campaign: Campaign
) -> None:
    at, game = reverse("notebook", args=[campaign.game.pk]), campaign.game
    for name in ("gustav", "rosa", "ada"):
        form = {"text": f"{NOTES} {name}", **({} if name == "rosa" else {"opens": "on"})}
        assert as_(name).post(at, form).status_code == 302
    assert as_("charlie").get(at).status_code == 403
    everywhere = [at, game.get_absolute_url()]
    for name in ("gustav", "rosa", "ada", "charlie", ""):
        pages = "".join(as_(name).read(path) for path in everywhere)
        authors = {
            writer for writer in ("gustav", "rosa", "ada") if f"qzx&lt;/b&gt; {writer}" in pages
        }
        assert authors == ({name} if name in ("gustav", "rosa", "ada") else set()), name
    Game.objects.filter(pk=game.pk).update(status="finished", finished_at=campaign.now)
    shown = as_().read(game.get_absolute_url())
    assert [f"qzx&lt;/b&gt; {writer}" in shown for writer in ("gustav", "rosa", "ada")] == [1, 0, 1]


def test_notes_are_exported_for_their_writer_and_erased_with_them(
    as_: Browser, campaign: Campaign
) -> None:
    gustav = person("gustav")
    as_("gustav").post(reverse("notebook", args=[campaign.game.pk]), {"text": NOTES})
    assert "qzx" not in json.dumps(export.record(campaign.game, private=True), default=str)
    assert "qzx" in json.dumps(personal.all_data(gustav, campaign.now))
    assert "qzx" not in json.dumps(personal.all_data(person("rosa"), campaign.now))
    erasure.erase(gustav, campaign.now, by=None, press=False)
    assert not Notebook.objects.exists()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_notes_saved_in_another_tab_are_not_overwritten_unseen(open_page: OpenPage) -> None:
    campaign = Campaign.begin()
    page = open_page(reverse("notebook", args=[campaign.game.pk]), 390, who="gustav", script=False)
    Notebook.objects.create(
        game=campaign.game, person=person("gustav"), text="Before", saved_at=campaign.now
    )
    for phrase in ("elsewhere", "Saved"):
        page.locator("textarea").fill("After")
        page.get_by_role("button", name="Save").click()
        assert phrase in page.locator("main").inner_text()
    assert Notebook.objects.get().text == "After"
