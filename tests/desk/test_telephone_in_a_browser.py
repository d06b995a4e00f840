"""Orders are typed on a slow line, and an evening is played on the table sheet (issue 43, 5 and 6).

Each request takes two seconds where `slow` says so, and keys come 20 a second.
"""

from __future__ import annotations

from collections import Counter

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from games import tasks
from games.models import Game, Phase
from orders.models import Submission
from tests.desk.conftest import Browser, Watch
from tests.desk.test_telephone_campaign import Telephone, opened, spoken_orders
from tests.records.played import short_card
from tests.support.browser import OpenPage
from tests.support.campaign import Campaign

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

KEY = 50  # milliseconds
LINES = "PLACE 4 Poland\nPLACE 2 Austria\nPLACE 1 Italy\n"


def slow(page: Page) -> None:
    """Let each answer come two seconds late, as on a slow line."""
    line = {"offline": False, "latency": 2000, "downloadThroughput": -1, "uploadThroughput": -1}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", line)


def seat_page(campaign: Campaign, nation: str = "Germany") -> str:
    return reverse("desk-telephone-seat", args=[campaign.game.pk, campaign.seat(nation).pk])


def table_sheet(game: Game) -> str:
    return reverse("desk-telephone-table", args=[game.pk])


def test_keys_typed_while_answers_take_two_seconds_all_arrive(
    open_page: OpenPage, watch: Watch
) -> None:
    """Sentence 5; gamesmaster.md 1: "third line" Enter, "fourth line" left "ne"."""
    page = open_page(seat_page(Campaign.begin()), who="ada")
    box = page.get_by_label("Orders, one on each line")
    expect(box).to_be_focused()
    slow(page)
    page.keyboard.type("PLACE 4 Poland\n", delay=KEY)
    with page.expect_request("**/read/"):  # the reading of the first line is on its way
        pass
    page.keyboard.type("PLACE 2 Austria\nPLACE 1 Italy\n", delay=KEY)
    expect(page.locator("#back")).to_contain_text("One to Italy.")
    expect(box).to_have_value(LINES)
    expect(box).to_be_focused()
    page.get_by_role("button", name="Save as read back").click()
    expect(page.locator(".notices")).to_contain_text("are in force under the code")
    assert Submission.objects.get().text == LINES


def test_orders_are_read_back_and_saved_on_a_slow_line_without_javascript(
    open_page: OpenPage, watch: Watch
) -> None:
    """Sentence 5: without JavaScript one text box and one button."""
    page = open_page(seat_page(Campaign.begin()), 390, who="ada", script=False)
    slow(page)
    assert page.locator(".typing button").all_inner_texts() == ["Read it back"]
    box = page.locator(".typing textarea")
    box.focus()
    page.keyboard.type(LINES, delay=KEY)
    page.get_by_role("button", name="Read it back").click()
    expect(page.locator("#back")).to_contain_text("One to Italy.")
    expect(box).to_have_value(LINES)
    page.get_by_role("button", name="Save as read back").click()
    expect(page.locator(".notices")).to_contain_text("are in force under the code")
    assert Submission.objects.get().text == LINES


def test_orders_typed_while_others_are_being_saved_stay(open_page: OpenPage, watch: Watch) -> None:
    """Sentences 5 and 6: the answer to a save takes away what was saved, and nothing else."""
    campaign = Campaign.begin()
    page = open_page(table_sheet(campaign.game), who="ada")
    germany, usa = (page.get_by_label(f"Orders of {nation}") for nation in ("Germany", "USA"))
    slow(page)
    germany.fill("PLACE 4 Poland")
    expect(page.locator("#back")).to_contain_text("Four to Poland.")
    page.get_by_role("button", name="Save as read back").click()
    usa.focus()
    page.keyboard.type("PLACE 2 Britain\n", delay=KEY)
    expect(page.locator("#told")).to_contain_text("In force: Germany (")
    page.keyboard.type("PLACE 1 France\n", delay=KEY)
    expect(germany).to_have_count(0)
    expect(usa).to_have_value("PLACE 2 Britain\nPLACE 1 France\n")
    expect(usa).to_be_focused()
    expect(page.locator("#saving")).to_have_text("What you typed since then is not saved yet.")
    page.get_by_role("button", name="Save without reading back").click()
    expect(page.locator("#told")).to_contain_text("In force: USA. You did not read them back.")
    texts = Submission.objects.order_by("number").values_list("seat__nation", "text")
    assert list(texts) == [
        ("Germany", "PLACE 4 Poland"),
        ("USA", "PLACE 2 Britain\nPLACE 1 France\n"),
    ]


def test_what_is_typed_stays_when_the_phase_closes_meanwhile(
    open_page: OpenPage, watch: Watch
) -> None:
    """Sentence 5: nor does the next phase take away what was typed for the last one."""
    campaign = Campaign.begin()
    page = open_page(table_sheet(campaign.game), who="ada")
    page.clock.install()
    page.reload()
    usa = page.get_by_label("Orders of USA")
    usa.fill("PLACE 2 Britain")
    old = campaign.pass_deadline()
    watch.set(campaign.now)
    page.clock.run_for(25_000)
    expect(page.locator("#saving")).to_contain_text("This phase has closed.")
    expect(usa).to_have_value("PLACE 2 Britain")
    page.get_by_role("button", name="Save without reading back").click()
    expect(page.locator("#told")).to_contain_text("but late")
    submission = Submission.objects.get()
    assert (submission.phase, submission.late, submission.text) == (old, True, "PLACE 2 Britain")
    expect(page.locator("#phase")).to_have_text(campaign.phase.title)


def test_table_sheet_works_without_javascript(open_page: OpenPage, watch: Watch) -> None:
    campaign = Campaign.begin()
    page = open_page(table_sheet(campaign.game), 390, who="ada", script=False)
    germany = page.get_by_label("Orders of Germany")
    germany.fill("PLACE 4 Poland")
    page.get_by_label("Orders are final").check()
    page.get_by_role("button", name="Read them back").click()
    expect(page.locator("#back")).to_contain_text("Four to Poland.")
    expect(germany).to_have_value("PLACE 4 Poland")
    page.get_by_role("button", name="Save as read back").click()
    expect(page.locator(".notices")).to_contain_text("In force: Germany (")
    expect(page.get_by_label("Orders are final")).to_be_checked()
    page.get_by_label("The others pass").check()
    page.get_by_role("button", name="Save without reading back").click()
    expect(page.locator("main")).to_contain_text("Nobody owes orders.")
    expect(page.get_by_role("link", name="Look for the next phase")).to_be_visible()
    assert sorted(Submission.objects.filter(final=True).values_list("text", flat=True)) == [
        *["PASS"] * 4,
        "PLACE 4 Poland",
    ]


def test_save_that_does_not_arrive_keeps_what_was_typed(open_page: OpenPage, watch: Watch) -> None:
    campaign = Campaign.begin()
    page = open_page(table_sheet(campaign.game), who="ada")
    page.clock.install()
    page.reload()
    page.route("**/table/", lambda route: route.abort())
    usa = page.get_by_label("Orders of USA")
    usa.fill("PLACE 2 Britain")
    page.get_by_role("button", name="Save without reading back").click()
    expect(page.locator("#saving")).to_contain_text("The service could not be reached.")
    page.unroute("**/table/")
    page.clock.run_for(25_000)
    expect(page.locator("#saving")).to_contain_text("The service could not be reached.")
    expect(usa).to_have_value("PLACE 2 Britain")
    page.get_by_role("button", name="Save without reading back").click()
    expect(page.locator("#told")).to_contain_text("In force: USA.")
    assert Submission.objects.get().text == "PLACE 2 Britain"


# --- an evening ---

COUNT = """
for (const kind of ["click", "keydown"]) addEventListener(kind, (event) => {
  if (event.isTrusted && event.detail !== 0 || kind === "keydown") {
    sessionStorage.setItem(kind, Number(sessionStorage.getItem(kind)) + 1);
  }
}, true);
sessionStorage.setItem("load", Number(sessionStorage.getItem("load")) + 1);
"""


def counts(page: Page) -> Counter[str]:
    """Return the clicks, keys and page loads of a page since it was opened."""
    return Counter(
        {
            kind: int(page.evaluate("kind => sessionStorage.getItem(kind) || 0", kind))
            for kind in ("click", "keydown", "load")
        }
    )


def evening(as_: Browser, watch: Watch, monkeypatch: pytest.MonkeyPatch, turns: int) -> Telephone:
    """Begin an evening of sequential attacks whose phases end early (Source 000, lines 88-96)."""
    short_card(monkeypatch, turns)
    options = {"rng.source": "commit_reveal", "ow2.attacks": "sequential"}
    schedule = {"every": "minutes", "minutes": 5}
    return opened(as_("ada"), watch, options=options, schedule=schedule, may_lock_early=True)


def said(telephone: Telephone) -> dict[str, str]:
    """Return by nation what the players say in this phase, each order on a line."""
    return {seat.nation: "\n".join(spoken_orders(telephone, seat)) for seat in telephone.owing()}


def judge(telephone: Telephone, watch: Watch) -> None:
    phase = telephone.phase
    for _ in range(10):
        watch.set(max(watch.pass_by(seconds=1), phase.due_at or watch.now))
        tasks.do_all_due(watch.now)
        phase.refresh_from_db()
        if phase.status == Phase.Status.RESOLVED:
            break
    assert phase.status == Phase.Status.RESOLVED
    telephone.game.refresh_from_db()


def by_seats(page: Page, telephone: Telephone) -> int:
    """Take down the orders of a phase seat by seat, from the call sheet; return how many."""
    orders = said(telephone)
    for nation, text in orders.items():
        page.locator(".call-row", has_text=nation).get_by_role(
            "link", name="Take down orders"
        ).click()
        expect(page.get_by_label("Orders, one on each line")).to_be_focused()
        page.keyboard.type(text)
        page.get_by_label("Orders are final").check()
        page.get_by_role("button", name="Save without reading back").click()
        expect(page.locator(".notices")).to_contain_text("are in force")
    return len(orders)


def on_the_sheet(page: Page, telephone: Telephone) -> int:
    """Take them down on the table sheet, Tab from field to field; return how many."""
    orders = said(telephone)
    if not orders:  # a nation without an attack: its phase passes by itself
        return 0
    expect(page.locator("#phase")).to_have_text(telephone.phase.title)
    expect(page.locator(".dictated textarea").first).to_be_focused()
    if not page.get_by_label("Orders are final").is_checked():
        page.get_by_label("Orders are final").check()
        page.locator(".dictated textarea").first.focus()
    for place, (nation, text) in enumerate(orders.items()):
        if place:
            page.keyboard.press("Tab")
        expect(page.get_by_label(f"Orders of {nation}")).to_be_focused()
        page.keyboard.type(text)
    page.get_by_role("button", name="Save without reading back").click()
    expect(page.locator("#told")).to_contain_text("In force and final: ")
    return len(orders)


def play(page: Page, telephone: Telephone, watch: Watch, until: int) -> int:
    """Play on the table sheet to the end of a turn; return in how many phases it took orders."""
    sets = phases = 0
    while telephone.game.status == Game.Status.RUNNING and telephone.phase.turn <= until:
        taken = on_the_sheet(page, telephone)
        sets, phases = sets + taken, phases + bool(taken)
        judge(telephone, watch)
        page.clock.run_for(25_000)  # until the page asks for what is new
    saved = Submission.objects.filter(game=telephone.game, final=True, counts=True)
    assert saved.count() == sets
    return phases


def test_turn_on_the_table_sheet_costs_a_click_a_phase(
    as_: Browser, open_page: OpenPage, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sentence 6, with one turn: seat by seat each set costs three clicks. On the sheet a phase of
    five sets costs one, and the first another, to call them final."""
    seats = evening(as_, watch, monkeypatch, 2)
    page = open_page(reverse("desk-telephone", args=[seats.game.pk]), who="ada")
    page.context.add_init_script(COUNT)
    page.reload()
    sets = by_seats(page, seats)
    assert counts(page)["click"] == 3 * sets
    telephone = evening(as_, watch, monkeypatch, 2)
    page = open_page(table_sheet(telephone.game), who="ada")
    page.context.add_init_script(COUNT)
    page.clock.install()
    page.reload()
    phases, result = play(page, telephone, watch, until=1), counts(page)
    assert result["click"] == phases + 1
    assert result["load"] == 1


@pytest.mark.soak
def test_evening_on_the_table_sheet_costs_a_click_a_phase(
    as_: Browser, open_page: OpenPage, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sentence 6: six turns with sequential attacks, each answer two seconds late."""
    telephone = evening(as_, watch, monkeypatch, 6)
    page = open_page(table_sheet(telephone.game), who="ada")
    page.context.add_init_script(COUNT)
    page.clock.install()
    page.reload()
    slow(page)
    phases, result = play(page, telephone, watch, until=6), counts(page)
    assert telephone.game.status != Game.Status.RUNNING
    assert result["click"] == phases + 1
    assert result["load"] == 1
