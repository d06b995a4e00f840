"""Each kind of ruling, started from the admin in a browser (issue 25, Show)."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from games import positions
from games.models import Person, Ruling
from tests.desk import test_ruling_pages as ruled
from tests.support.browser import OpenPage
from tests.support.browsing import log_in
from tests.web.conftest import Watch, watch

__all__ = ["watch"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def enter(field: Locator, value: str) -> None:
    """Type or choose what is not there yet."""
    kind = field.first.get_attribute("type")
    if kind == "radio":
        field.and_(field.page.locator(f'[value="{value}"]')).check()
        return
    field = field.first
    if kind == "checkbox":
        field.set_checked(True)
    elif field.evaluate("field => field.tagName") == "SELECT":
        field.select_option(value)
    elif field.input_value() != value:
        field.fill(value)


def make_ruling(page: Page, kind: str, data: dict[str, str]) -> None:
    """From the admin's page of the phase to the ruling made, by links and buttons alone."""
    page.get_by_role("link", name="Rule on this").click()
    page.locator(f'.kinds a[href$="/{kind}/"]').click()
    for name, value in data.items():
        enter(page.locator(f'[name="{name}"]'), value)
    page.locator('button[value="preview"]').click()
    page.locator('[name="reason"]').fill(ruled.REASON)
    page.locator('button[value="rule"]').click()


@pytest.mark.parametrize("kind", ruled.FORMS)
def test_a_ruling_made_from_the_admin_has_letters_version_public_list_and_a_record_that_holds(
    kind: str, open_page: OpenPage, watch: Watch, tmp_path: Path
) -> None:
    campaign = ruled.judge_turn_1()
    watch.set(campaign.now)
    game, ada = campaign.game, campaign.ada
    Person.objects.filter(pk=ada.pk).update(is_staff=True)
    data = ruled.typed(kind, log_in(ada), campaign)
    phase = game.phases.get(number=ruled.ATTACKS)
    page = open_page(f"/admin/games/phase/{phase.pk}/change/", 1440, who="ada")
    make_ruling(page, kind, data)
    expect(page.get_by_text(ruled.REASON).first).to_be_visible()
    ruling = Ruling.objects.get()
    assert (ruling.kind, ruling.made_by, ruling.reason) == (kind, ada, ruled.REASON)
    if kind != "rollback":
        newest = positions.newest_resolution(phase)
        assert newest is not None
        assert (newest.version, newest.ruling) == (2, ruling)
    ruled.told_by_letter(ruling, ruled.REASON)
    page.goto(f"/games/{game.pk}/rulings/")
    expect(page.get_by_text(ruled.REASON)).to_be_visible()
    ruled.the_record_holds(game, tmp_path)
