"""From the link that `make play` prints to the first orders and their result (issue 24, Show)."""

from __future__ import annotations

import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from playwright.sync_api import expect

from games import desk, tasks
from games.desk import demonstration
from games.management.commands import play
from games.models import Game, Invitation, Person
from tests.support.browser import OpenPage
from tests.support.campaign import person

from .conftest import Watch

MOST_CLICKS = 4
COUNT_CLICKS = """
document.addEventListener("click", (event) => {
  if (event.isTrusted) sessionStorage.clicks = Number(sessionStorage.clicks || 0) + 1;
}, true);
"""


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("width", [390, 1440])
def test_four_clicks_lead_from_the_printed_link_to_orders_and_their_result(
    open_page: OpenPage, watch: Watch, settings: Any, width: int
) -> None:
    settings.DEMONSTRATION = settings.MAIL_IN = True
    out = StringIO()
    play.Command(stdout=out).before_serving({"minutes": 4})
    link = re.search(r"Play Germany:  \S+?(/invitation/\S+)", out.getvalue())
    assert link is not None
    page = open_page("/rules/", width)
    page.add_init_script(COUNT_CLICKS)
    page.goto(link[1])
    page.get_by_role("button", name="Play Germany").click()
    expect(page.locator("h1")).to_have_text("Orders of Germany")
    page.locator("#areas").get_by_text("Austria").click()
    page.locator("#at-austria").get_by_role("button", name="The rest").click()
    expect(page.locator("#id_text")).to_have_value(re.compile("Austria"))
    page.get_by_role("button", name=re.compile("^Send")).click()
    expect(page.locator("h1")).to_contain_text("Receipt")
    assert int(page.evaluate("sessionStorage.clicks")) <= MOST_CLICKS
    for _ in range(3):
        tasks.do_all_due(watch.pass_by(seconds=2))
    expect(page.locator("h1")).to_have_text("Turn 1, placement")
    expect(page.locator("main")).to_contain_text("10 in Austria")
    assert int(page.evaluate("sessionStorage.clicks")) <= MOST_CLICKS
    assert Game.objects.get(title=demonstration.TO_PLAY).phases.current().number == 2  # type: ignore[union-attr]


@pytest.mark.django_db
def test_first_phase_of_a_demonstration_lasts_ten_minutes(watch: Watch, settings: Any) -> None:
    """Issue 44, 6: who reads the rules first had lost the first phase."""
    settings.DEMONSTRATION = True
    house = Person.objects.at("house@example.org", is_staff=True)
    people = {"Germany": "gustav@example.org"}
    game = demonstration.going_on_or_new(demonstration.TO_PLAY, house, people, 4, watch.now)
    desk.accept(Invitation.objects.get(), person("gustav"), watch.now)
    first = game.phases.get()
    assert timedelta(minutes=10) <= first.deadline - watch.now <= timedelta(minutes=11)
    while game.phases.current() == first:
        tasks.do_all_due(watch.pass_by(minutes=1))
    second = game.phases.current()
    assert second is not None
    assert second.deadline - watch.now <= timedelta(minutes=5)


@pytest.mark.django_db
def test_new_campaign_to_watch_begins_when_the_old_one_is_over(watch: Watch, settings: Any) -> None:
    """Review of a player, N13."""
    settings.DEMONSTRATION = True
    house = Person.objects.at("house@example.org", is_staff=True)
    watched = demonstration.going_on_or_new(demonstration.TO_WATCH, house, {}, 1, watch.now)
    assert demonstration.begin_another_to_watch(watch.now) == 0
    Game.objects.filter(pk=watched.pk).update(status=Game.Status.FINISHED)
    settings.DEMONSTRATION = False
    assert demonstration.begin_another_to_watch(watch.now) == 0, "an imported game, say"
    settings.DEMONSTRATION = True
    assert demonstration.begin_another_to_watch(watch.now) == 1
    another = Game.objects.get(title=demonstration.TO_WATCH, status=Game.Status.RUNNING)
    assert another.schedule == watched.schedule
    assert demonstration.begin_another_to_watch(watch.now) == 0
