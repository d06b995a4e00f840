"""A gamesmaster works in the admin: finds the phase, overrides, revokes, publishes."""

from __future__ import annotations

import os
import re
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from games import positions
from games.models import Game, Letter, Phase, Ruling
from tests.desk import test_ruling_pages as ruled
from tests.support.browser import OpenPage
from tests.support.campaign import Campaign
from tests.web.conftest import Watch, watch

__all__ = ["watch"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SLIP = "It was a slip of the pen."


@pytest.fixture
def waiting(watch: Watch) -> Campaign:
    """Return a campaign whose turn 1 is judged and whose turn 2 placement waits for approval."""
    campaign = ruled.judge_turn_1()
    Game.objects.filter(pk=campaign.game.pk).update(approval_hours=12)
    campaign.order("Germany", "PLACE 1 Poland")
    campaign.wait_until(campaign.phase.deadline)
    assert campaign.phase.status == Phase.Status.APPROVAL
    watch.set(campaign.now)
    return campaign


def shot(page: Page, name: str) -> None:
    if folder := os.environ.get("SHOTS"):
        for width in (820, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_timeout(300)
            page.screenshot(path=f"{folder}/{name}-{width}.png", full_page=True)


def test_gamesmaster_overrides_revokes_and_publishes_in_the_admin(
    waiting: Campaign, watch: Watch, open_page: OpenPage, tmp_path: Path
) -> None:
    game = waiting.game
    attacks = game.phases.get(number=ruled.ATTACKS)
    assert not waiting.ada.is_staff
    assert not waiting.ada.is_superuser
    page = open_page(f"/games/{game.pk}/desk/", 1440, who="ada")
    page.get_by_role("link", name="In the admin").click()
    shot(page, "game")
    page.get_by_role("link", name="Phases").first.click()
    shot(page, "phases")
    page.get_by_role("link", name=attacks.title).first.click()
    expect(page).to_have_url(re.compile(f"/admin/games/phase/{attacks.pk}/change/"))
    shot(page, "worktable")

    page.get_by_role("link", name="Rule on this – the sales of GE").click()
    page.locator('[name="hundreds"]').fill("54120")
    page.locator('button[value="preview"]').click()
    shot(page, "preview")
    page.locator('[name="reason"]').fill(ruled.REASON)
    page.locator('button[value="rule"]').click()
    expect(page.locator(".messagelist")).to_contain_text("Ruling 1 is made")
    shot(page, "ruled")
    first = Ruling.objects.get()
    assert (first.kind, first.made_by, first.reason) == ("digit", waiting.ada, ruled.REASON)
    newest = positions.newest_resolution(attacks)
    assert newest is not None
    assert (newest.version, newest.ruling) == (2, first)
    ruled.told_by_letter(first, ruled.REASON)

    page.get_by_role("link", name="Revoke ruling 1").click()
    page.locator('[name="reason"]').fill(SLIP)
    page.get_by_role("button", name="Revoke ruling 1").click()
    expect(page.locator(".messagelist")).to_contain_text("Ruling 1 is revoked by ruling 2")
    second = Ruling.objects.get(number=2)
    newest = positions.newest_resolution(attacks)
    assert newest is not None
    assert (newest.version, newest.ruling) == (3, second)
    ruled.told_by_letter(second, SLIP)

    page.goto(f"/admin/games/phase/{waiting.phase.pk}/change/")
    shot(page, "waiting")
    page.get_by_role("link", name="Look at the result and publish it").click()
    shot(page, "approval")
    page.get_by_role("button", name="Publish now").click()
    expect(page.locator(".messagelist")).to_contain_text("The result is being published")
    published = waiting.phase
    expect(page).to_have_url(re.compile(f"/admin/games/phase/{published.pk}/change/"))
    watch.set(waiting.now + timedelta(seconds=1))
    waiting.wait_until(watch.now)
    published.refresh_from_db()
    assert published.status == Phase.Status.RESOLVED
    told = Letter.objects.filter(game=game, phase=published, kind="board")
    assert {letter.address for letter in told} >= ruled.PLAYERS

    page.goto("/admin/games/ruling/")
    shot(page, "rulings")
    page.goto("/admin/")
    shot(page, "index")
    page.goto(f"/games/{game.pk}/rulings/")
    for reason in (ruled.REASON, SLIP):
        expect(page.get_by_text(reason)).to_be_visible()
    expect(page.get_by_text("Revoked by ruling 2")).to_be_visible()
    expect(page.get_by_text("published", exact=False).first).to_be_visible()
    ruled.the_record_holds(game, tmp_path)


def test_worktable_shows_the_board_in_the_theme_of_the_page(
    waiting: Campaign, open_page: OpenPage
) -> None:
    """On a dark page the light map glared. The system chooses, or the reader by Django's button."""
    phase = waiting.game.phases.get(number=ruled.ATTACKS)
    page = open_page(f"/admin/games/phase/{phase.pk}/change/", 1280, who="ada")
    boards = {theme: page.locator(f".worktable-board.in-{theme}") for theme in ("light", "dark")}
    for system, chosen, shown in (
        ("light", "auto", "light"),
        ("dark", "auto", "dark"),
        ("dark", "light", "light"),
        ("light", "dark", "dark"),
    ):
        page.emulate_media(color_scheme="dark" if system == "dark" else "light")
        page.evaluate("theme => { document.documentElement.dataset.theme = theme }", chosen)
        for theme, board in boards.items():
            expect(board).to_be_visible(visible=theme == shown)
