"""The service with JavaScript switched off, in a real browser: somebody takes his seat, checks his
orders and sends them.

The slider without JavaScript is in tests/web/test_slider.py, ordering by pointing in
tests/web/test_ordering_in_a_browser.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from games.accounts import tokens
from games.models import Invitation, Sitting
from gamesmaster import clock
from orders import in_force
from orders.models import Submission
from tests.support.browser import Browser, BrowserMissing, browser, executable
from tests.support.cast import MONDAY, Campaign, person
from tests.support.pictures import log_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    try:
        executable()
    except BrowserMissing as missing:
        pytest.skip(f"NOT CHECKED: {missing}")
    with browser() as page:
        yield page


@pytest.fixture(autouse=True)
def _monday(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: MONDAY + timedelta(minutes=1))


def press(page: Browser, button: str) -> None:
    """Presses a button as a finger does: the browser sends the form that it stands in, with its
    name."""
    page.leave(f"document.querySelector({json.dumps(button)}).click()")


def write(page: Browser, field: str, words: str) -> None:
    page.run(f"document.querySelector({json.dumps(field)}).value = {json.dumps(words)}")


def words(page: Browser) -> str:
    return str(page.run("document.querySelector('main').innerText"))


def plainly(page: Browser, who: str | None, base: str) -> None:
    """A browser without JavaScript, at a telephone's width."""
    log_in(page, base, who)
    page.look(390, script=False)


def test_a_seat_is_taken_without_javascript(chromium: Browser, live_server: Any) -> None:
    campaign = Campaign.begin()
    seat = campaign.seat("USA")
    Sitting.objects.filter(seat=seat).update(until=MONDAY)
    invitation = tokens.new_invitation(seat, "nora@example.org", person("ada"), MONDAY)
    plainly(chromium, None, live_server.url)
    chromium.open(f"{live_server.url}/invitation/{tokens.invitation_token(invitation)}/")
    write(chromium, "input[name=name]", "Nora")
    press(chromium, "main form.narrow button")
    assert Invitation.objects.get(pk=invitation.pk).accepted_at is not None
    assert Sitting.objects.get(seat=seat, until=None).person.email == "nora@example.org"
    assert "Page not found" not in words(chromium)


def test_orders_are_checked_corrected_and_sent_without_javascript(
    chromium: Browser, live_server: Any
) -> None:
    campaign = Campaign.begin()
    germany = campaign.seat("Germany")
    plainly(chromium, "gustav", live_server.url)
    chromium.open(live_server.url + reverse("orders", args=[campaign.game.pk, germany.pk]))
    write(chromium, "textarea[name=text]", "PLACE 4 Poland\nPLACE 2 Austra")
    press(chromium, "p.send button[value=check]")
    assert "Austra" in words(chromium)
    assert "not taken" in words(chromium)
    assert not Submission.objects.exists(), "a check sends nothing"
    write(chromium, "textarea[name=text]", "PLACE 4 Poland\nPLACE 2 Austria")
    press(chromium, "p.send button[value=send]")
    submission = in_force.in_force(campaign.phase)["Germany"]
    assert submission.text.split("\n")[0].strip() == "PLACE 4 Poland"
    assert "Austria" in words(chromium)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/login/",
        "/games/{game}/",
        "/games/{game}/phases/1/",
        "/games/{game}/press/",
        "/me/",
        "/games/{game}/away/",
    ],
)
def test_a_page_says_everything_without_javascript(
    path: str, chromium: Browser, live_server: Any
) -> None:
    """Nothing is put into a page by a script, and nothing stays hidden for want of one: every
    heading and every button can be seen."""
    campaign = Campaign.begin()
    campaign.pass_deadline()
    log_in(chromium, live_server.url, None if path == "/login/" else "gustav")
    seen = []
    for script in (True, False):
        chromium.look(1000, script=script)
        chromium.open(live_server.url + path.format(game=campaign.game.pk))
        seen.append(
            chromium.run(
                "[...document.querySelectorAll('main h1, main h2')].map(one =>"
                " one.innerText.trim()).join('|')"
            )
        )
    assert seen[0] == seen[1] != ""
