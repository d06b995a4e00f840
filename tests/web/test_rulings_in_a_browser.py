"""Each kind of ruling, started from the admin in a browser (issue 25, Show)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from games import positions
from games.models import Letter, Person, Phase, Ruling, Sitting
from tests.desk import test_ruling_pages as ruled
from tests.seats.test_fewer_players import THREE, seats
from tests.support import origins_ww1
from tests.support.browser import OpenPage
from tests.support.browsing import log_in
from tests.support.campaign import Campaign
from tests.support.letters import letter_text
from tests.web.conftest import Watch, watch

__all__ = ["watch"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def enter(field: Locator, value: str) -> None:
    """Type or choose a value in a field, unless it is there already."""
    kind = field.first.get_attribute("type")
    if kind == "radio":
        field.and_(field.page.locator(f'[value="{value}"]')).check()
        return
    field = field.first
    if kind == "hidden":
        if field.input_value() != value:
            field.page.get_by_role("navigation", name="Nation").get_by_text(value).click()
        return
    if kind == "checkbox":
        field.set_checked(True)
    elif field.evaluate("field => field.tagName") == "SELECT":
        field.select_option(value)
    elif field.input_value() != value:
        field.fill(value)


def make_ruling(page: Page, kind: str, data: dict[str, str]) -> None:
    """Make a ruling from the admin's page of the phase, by links and buttons."""
    page.get_by_role("link", name="Rule on this", exact=True).click()
    page.locator(f'.kinds a[href$="/{kind}/"]').click()
    for name, value in data.items():
        enter(page.locator(f'[name="{name}"]'), value)
    page.locator('button[value="preview"]').click()
    page.locator('[name="reason"]').fill(ruled.REASON)
    page.locator('button[value="rule"]').click()


def open_in_admin(open_page: OpenPage, row: Phase | Ruling) -> Page:
    """Open the admin's page of a row as Ada, the gamesmaster."""
    path = f"/admin/games/{row._meta.model_name}/{row.pk}/change/"
    return open_page(path, 1440, who="ada")


def check_ruling(page: Page, phase: Phase, kind: str) -> Ruling:
    """Check that the ruling is made, is the newest version, and is in the public list."""
    expect(page.get_by_text(ruled.REASON).first).to_be_visible()
    ruling = Ruling.objects.get()
    assert (ruling.kind, ruling.reason) == (kind, ruled.REASON)
    assert ruling.made_by == Person.objects.get(email="ada@example.org")
    if kind != "rollback":
        newest = positions.newest_resolution(phase)
        assert newest is not None
        assert (newest.version, newest.ruling) == (2, ruling)
    page.goto(f"/games/{phase.game_id}/rulings/")
    expect(page.get_by_text(ruled.REASON)).to_be_visible()
    return ruling


@pytest.mark.parametrize("kind", ruled.FORMS)
def test_ruling_from_the_admin_is_published_and_verifies(
    kind: str, open_page: OpenPage, watch: Watch, tmp_path: Path
) -> None:
    campaign = ruled.judge_turn_1()
    watch.set(campaign.now)
    phase = campaign.game.phases.get(number=ruled.ATTACKS)
    data = ruled.form_of(kind, log_in(campaign.ada), campaign)
    page = open_in_admin(open_page, phase)
    make_ruling(page, kind, data)
    ruling = check_ruling(page, phase, kind)
    ruled.told_by_letter(ruling, ruled.REASON)
    ruled.the_record_holds(campaign.game, tmp_path)


def judge_alliance() -> tuple[Phase, dict[str, str]]:
    campaign = origins_ww1.Campaign.begin()
    campaign.pass_deadline()
    campaign.pass_deadline()
    typed = {"first": "Russia", "second": "Germany", "allied": "yes"}
    return campaign.game.phases.get(number=2), typed


def draw_ally() -> tuple[Phase, dict[str, str]]:
    """Return the draw of a game of three players, in which a controller of the USA is drawn, and a
    ruling on it."""
    campaign = Campaign.begin(seats=seats(*THREE))
    campaign.pass_deadline()
    has = campaign.phase.controllers["USA"]
    new = next(nation for nation in THREE if nation != has)
    return campaign.game.phases.get(number=1), {"nation": "USA", "controller": new}


@pytest.mark.parametrize(
    ("kind", "prepare"), [("alliance", judge_alliance), ("controller", draw_ally)]
)
def test_rulings_of_other_forms_of_play_are_made_from_the_admin(
    kind: str,
    prepare: Callable[[], tuple[Phase, dict[str, str]]],
    open_page: OpenPage,
    watch: Watch,
    tmp_path: Path,
) -> None:
    phase, data = prepare()
    watch.set(phase.game.phases.latest("number").opened_at + timedelta(minutes=1))
    page = open_in_admin(open_page, phase)
    make_ruling(page, kind, data)
    ruling = check_ruling(page, phase, kind)
    letters = Letter.objects.filter(kind="ruled", about__ruling=ruling.pk)
    players = Sitting.objects.filter(seat__game=phase.game).values("person").distinct()
    assert letters.count() == players.count() + 1
    assert ruled.REASON in letter_text(letters[0])
    ruled.the_record_holds(phase.game, tmp_path)


def test_ruling_is_revoked_from_the_admin(
    open_page: OpenPage, watch: Watch, tmp_path: Path
) -> None:
    campaign = ruled.judge_turn_1()
    watch.set(campaign.now)
    client = log_in(campaign.ada)
    points = ruled.form_of("points", client, campaign)
    ruled.rule(client, ruled.where(campaign.game, "points"), points)
    phase = campaign.game.phases.get(number=ruled.ATTACKS)
    page = open_in_admin(open_page, Ruling.objects.get())
    page.get_by_role("link", name="Revoke").click()
    page.locator('[name="reason"]').fill("It was a misprint.")
    page.locator("main form button").first.click()
    expect(page.get_by_text("It was a misprint.").first).to_be_visible()
    revocation = Ruling.objects.get(number=2)
    newest = positions.newest_resolution(phase)
    assert newest is not None
    assert (newest.version, newest.ruling) == (3, revocation)
    ruled.told_by_letter(revocation, "It was a misprint.")
    page.goto(f"/games/{campaign.game.pk}/rulings/")
    expect(page.get_by_text("Revoked by ruling 2")).to_be_visible()
    ruled.the_record_holds(campaign.game, tmp_path)
