"""Without JavaScript, in a browser: take a seat, check orders, send them, read the result.

What if, the slider and the notebook are tested without it in their own files (issue 24, Show).
"""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from games import tasks
from games.accounts import tokens
from games.models import Absence, Act, Invitation, Press, ProposalAnswer, Sitting
from games.positions import in_force
from orders.models import Submission
from tests.records.played import short_card
from tests.support.browser import OpenPage
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.staging import played

from .conftest import Watch
from .test_story import fought

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _monday(watch: Watch) -> None:
    watch.pass_by(minutes=1)


def test_seat_is_taken_without_javascript(open_page: OpenPage) -> None:
    campaign = Campaign.begin()
    seat = campaign.seat("USA")
    Sitting.objects.filter(seat=seat).update(until=MONDAY)
    invitation = tokens.new_invitation(seat, "nora@example.org", person("ada"), MONDAY)
    address = f"/invitation/{tokens.invitation_token(invitation)}/"
    page = open_page(address, 390, script=False)
    page.locator("input[name=name]").fill("Nora")
    with page.expect_navigation():
        page.get_by_role("button", name="Play USA").click()
    assert Invitation.objects.get(pk=invitation.pk).accepted_at is not None
    assert Sitting.objects.get(seat=seat, until=None).person.email == "nora@example.org"
    expect(page.locator("main")).not_to_contain_text("Page not found")


def test_orders_are_checked_corrected_and_sent_without_javascript(open_page: OpenPage) -> None:
    campaign = Campaign.begin()
    germany = campaign.seat("Germany")
    address = reverse("orders", args=[campaign.game.pk, germany.pk])
    page = open_page(address, 390, who="gustav", script=False)
    page.locator("textarea[name=text]").fill("PLACE 4 Poland\n\nPLACE 2 Atlantis")
    page.locator("p.send button[value=check]").click()
    expect(page.locator("main")).to_contain_text("rejected")
    expect(page.locator("main")).to_contain_text("Atlantis")
    assert not Submission.objects.exists(), "a check sends nothing"
    page.locator("p.send button[value=send]").click()
    expect(page.locator(".asked")).to_contain_text("Not sent yet: 1 of 2 lines would be refused.")
    expect(page.locator(".asked button[value=send-anyway]")).to_be_visible()
    assert not Submission.objects.exists()
    page.locator("textarea[name=text]").fill("PLACE 4 Poland\nPLACE 6 Austria")
    page.locator("p.send button[value=send]").click()
    expect(page).to_have_title(re.compile(r"Receipt No\."))
    expect(page.locator("main")).to_contain_text("Austria")
    submission = in_force.in_force(campaign.phase)["Germany"]
    assert submission.text.split("\n")[0].strip() == "PLACE 4 Poland"


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
def test_page_has_the_same_headings_without_javascript(path: str, open_page: OpenPage) -> None:
    """Scripts insert no headings, and nothing stays hidden without them."""
    campaign = Campaign.begin()
    campaign.pass_deadline()
    path, who = path.format(game=campaign.game.pk), None if path == "/login/" else "gustav"
    with_script, without = (
        open_page(path, 1000, who=who, script=script).locator("main h1, main h2").all_inner_texts()
        for script in (True, False)
    )
    assert with_script == without != []


def test_visitor_plays_to_the_first_report_without_javascript(
    open_page: OpenPage, watch: Watch
) -> None:
    """Issue 24, 1 to 3: the waiting page reloads itself; the test reloads it at once."""
    page = open_page("/", 390, script=False)
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_role("link", name="Open seats")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play now").click()
    expect(page.locator("h1")).to_have_text("Orders of Germany")
    for _ in range(3):
        tasks.do_all_due(watch.pass_by(seconds=2))
    page.locator('.hits a[data-area="Poland"]').click()
    page.locator("#at-poland").get_by_role("button", name="The rest").click()
    page.locator("#id_final").check()
    page.locator('p.send button[value="send"]').click()
    expect(page.locator("h1")).to_contain_text("Receipt")
    expect(page.locator('meta[http-equiv="refresh"]')).to_have_count(1)
    tasks.do_all_due(watch.pass_by(seconds=2))
    page.reload()
    page.get_by_role("link", name="See what happened").click()
    expect(page.locator("h1")).to_have_text("Turn 1, placement")
    expect(page.locator("main")).to_contain_text("10 in Poland")


def test_absence_letter_deal_and_vote_are_made_without_javascript(
    open_page: OpenPage, watch: Watch
) -> None:
    """Each refusal has the focus, so that a screen reader begins with it (WCAG 3.3.1)."""
    watch.set(MONDAY)
    campaign = Campaign.begin()
    page = open_page(f"/games/{campaign.game.pk}/away/", 390, who="gustav", script=False)
    expect(page.locator("#away-first_helptext")).to_have_text("In New York time.")
    for last, focus in (("2026-11-19", "away-first"), ("", "away-last"), ("2026-11-21", "")):
        page.locator("#away-first").fill("2026-11-20")
        page.locator("#away-last").fill(last)
        page.get_by_role("button", name="Save").click()
        if focus:
            expect(page.locator(f"#{focus}")).to_be_focused()
            expect(page.locator(f"#{focus}_error")).to_be_visible()
    assert Absence.objects.get().person == campaign.players["Germany"]

    page.goto(f"/games/{campaign.game.pk}/press/write/")
    page.locator("#id_text").fill("Peace in Poland?")
    page.get_by_role("button", name="Send the letter").click()
    expect(page.get_by_role("alert")).to_be_focused()
    page.get_by_label("France", exact=True).check()
    page.get_by_role("button", name="Send the letter").click()
    assert Press.objects.get().to == ["France"]

    page.goto(f"/games/{campaign.game.pk}/deals/")
    page.locator("#id_to").select_option("France")
    page.locator("#id_verb_0").select_option("peace")
    page.locator("#id_area_0").select_option("Poland")
    page.get_by_role("button", name="Propose it").click()
    felix = open_page(f"/games/{campaign.game.pk}/deals/", 390, who="felix", script=False)
    felix.get_by_role("button", name="Accept No. 1").click()
    assert ProposalAnswer.objects.get().kind == "accepted"

    for window, button in ((page, "Start the vote"), (felix, "Vote for it")):
        window.goto(f"/games/{campaign.game.pk}/votes/")
        if window is page:
            window.locator('input[name=what][value="draw:"]').check()
        window.get_by_role("button", name=button).click()
    assert Act.objects.filter(kind="vote").count() == 2


def test_report_is_read_attack_by_attack_without_javascript(open_page: OpenPage) -> None:
    """Issue 24, 4: everything that a replay shows is on the page, and there is no button without a
    function."""
    campaign = Campaign.begin()
    phase = fought(campaign)
    event = next(event for event in campaign.resolution(phase).events if event["kind"] == "attack")
    page = open_page(reverse("phase", args=[campaign.game.pk, phase.number]), 390, script=False)
    fight = page.locator(".fight").first
    expect(fight).to_contain_text("8 to 2")
    fight.locator("summary").click()
    expect(fight.locator(".digit")).to_have_text(str(event["digit"]))
    expect(fight.locator(".one-row mark")).to_be_visible()
    expect(fight.get_by_role("img")).to_be_visible()
    expect(page.get_by_role("button", name="Play the report")).to_have_count(0)
    page.get_by_role("link", name="The board through time").click()
    page.get_by_role("link", name="← Turn 1, placement").click()
    expect(page.locator("#here")).to_have_text("Turn 1, placement")
    page.locator("summary", has_text="Share or embed").click()
    expect(page.get_by_role("link", name="The game as a moving picture")).to_be_visible()


def test_end_of_a_game_is_read_without_javascript(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 24, 5: winner, own rank, chart, luck, throws, a picture, playing again."""
    short_card(monkeypatch, turns=3)
    campaign = Campaign.begin()
    while campaign.game.status == "running":
        played(campaign)
    page = open_page(campaign.game.get_absolute_url(), 390, who="gustav", script=False)
    expect(page.locator("#result")).to_contain_text("win")
    expect(page.locator(".place")).to_contain_text("Germany came ")
    expect(page.get_by_role("link", name="Play again with the same people")).to_be_visible()
    page.get_by_role("link", name="The game in review").click()
    expect(page.locator(".chart svg").first).to_be_visible()
    expect(page.locator(".mine-of-it")).to_contain_text("Your luck: ")
    expect(page.locator(".extremes dt")).to_have_text(
        ["The luckiest throw", "The unluckiest throw"]
    )
    picture = page.get_by_alt_text("as a picture to share")
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("complete", True)
