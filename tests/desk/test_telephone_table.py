"""The table sheet: the orders of all seats that owe some, on one page (issue 43, 6)."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from games import desk
from games.models import Game, Phase, Seat
from orders.models import Submission
from tests.desk.conftest import Browser, Watch
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign, person

BUDGET = 24  # queries of a page
ORDERS = {"Germany": "PLACE 4 Poland", "France": "PLACE 6 Poland"}


class Table:
    """Ada's table sheet, without a script."""

    def __init__(self, client: Visitor, campaign: Campaign) -> None:
        self.client, self.campaign = client, campaign

    def at(self, name: str = "desk-telephone-table") -> str:
        return reverse(name, args=[self.campaign.game.pk])

    def typed(self, texts: dict[str, str], **more: Any) -> dict[str, Any]:
        seats = {nation: self.campaign.seat(nation).pk for nation in texts}
        fields = {f"{seats[nation]}-text": text for nation, text in texts.items()}
        return {"phase": self.campaign.phase.number, **fields, **more}

    def page(self) -> str:
        return self.client.read(self.at())

    def read(self, texts: dict[str, str], **more: Any) -> str:
        return self.client.submit(self.at("desk-telephone-table-read"), self.typed(texts, **more))

    def save(self, texts: dict[str, str], do: str = "down", **more: Any) -> str:
        return self.client.submit(self.at(), self.typed(texts, do=do, **more), follow=True)

    def owing(self, page: str) -> list[str]:
        """Return the nations that have a field."""
        numbers = re.findall(r'<textarea id="(\d+)-text"', page)
        return [Seat.objects.get(pk=number).nation for number in numbers]


@pytest.fixture
def table(as_: Browser, campaign: Campaign, watch: Watch) -> Table:
    watch.set(campaign.now)
    return Table(as_("ada"), campaign)


def texts_saved() -> dict[str, str]:
    return dict(Submission.objects.order_by("number").values_list("seat__nation", "text"))


def hidden(page: str, ending: str) -> dict[str, str]:
    """Return the fields of a page whose names have this ending, with their values."""
    pairs = re.findall(rf'name="(\d+-{ending})" value="([^"]*)"', page)
    return {name: html.unescape(value) for name, value in pairs}


def test_each_seat_that_owes_has_a_field(table: Table) -> None:
    table.campaign.order("USA", "PASS", final=True)
    page = table.page()
    assert table.owing(page) == ["France", "Britain", "Russia", "Germany"]
    assert "Germany has 10 new PFs to place." in page
    assert re.search(r">USA</a>[^,]", page)  # final would end nothing in this game


def test_sheet_of_a_paused_game_leads_to_where_it_is_resumed(table: Table) -> None:
    """It promised the next phase by itself, which a paused game never opens."""
    ada, now = table.campaign.ada, table.campaign.now
    desk.pause(table.campaign.game, "Dinner.", ada, now)
    resume = f"{reverse('desk-times', args=[table.campaign.game.pk])}#resume"
    for page in (table.page(), table.client.read(table.at("desk-telephone"))):
        assert "The game is paused: orders are due once you resume it." in page
        assert resume in page
    page = table.save({}, others_pass="on")
    assert "The next phase appears here by itself." not in page
    assert resume in page
    desk.resume(table.campaign.game, "Dinner is over.", ada, now)
    assert "The game is paused" not in table.page()


def test_sheets_of_a_game_paused_while_it_is_judged_promise_no_orders(table: Table) -> None:
    """One said that orders are due once the game goes on, the other that it is being judged."""
    campaign = table.campaign
    Phase.objects.filter(pk=campaign.phase.pk).update(status=Phase.Status.DRAWING)
    desk.pause(campaign.game, "Dinner.", campaign.ada, campaign.now)
    for page in (table.page(), table.client.read(table.at("desk-telephone"))):
        assert "The game is paused." in page
        assert f"{reverse('desk-times', args=[campaign.game.pk])}#resume" in page
        assert "once you resume it" not in page
        assert "being judged" not in page


def test_one_save_stores_the_orders_of_all_with_their_codes(table: Table) -> None:
    """One script reads all seats back; each set has channel, writer and code as by telephone."""
    script = table.read(ORDERS)
    assert "Four to Poland." in script
    assert "Six to Poland." in script
    codes = hidden(script, "heard")
    page = table.save(ORDERS, "heard", final="on", **codes)
    assert texts_saved() == {"France": "PLACE 6 Poland", "Germany": "PLACE 4 Poland"}
    for submission in Submission.objects.select_related("seat", "person"):
        assert (submission.channel, submission.final) == ("telephone", True)
        assert submission.entered_by == person("ada")
        assert submission.person == table.campaign.players[submission.seat.nation]
        assert submission.read_back == codes[f"{submission.seat_id}-heard"] != ""
        assert f"{submission.seat.nation} ({submission.read_back})" in page
    assert {letter.person for letter in table.campaign.letters("receipt")} == {
        person("gustav"),
        person("felix"),
    }
    assert table.owing(page) == ["USA", "Britain", "Russia"]


def test_line_that_cannot_be_read_stops_only_its_own_seat(table: Table) -> None:
    """The others are saved; what was typed stays, and one sentence says which seat and why."""
    typed = {**ORDERS, "France": "PLACE 6 Poland\n\nPLACE 1 Mars"}
    page = table.save(typed)
    assert texts_saved() == {"Germany": "PLACE 4 Poland"}
    assert "The orders of France are not saved yet: line 3 does not count as written." in page
    assert page.count('role="alert"') == 1
    assert "PLACE 6 Poland\n\nPLACE 1 Mars</textarea>" in page
    assert table.owing(page) == ["USA", "France", "Britain", "Russia"]
    ticked = hidden(page, "leave_out")
    assert "In force: France" in table.save({"France": typed["France"]}, **ticked)
    assert texts_saved()["France"] == typed["France"]


def test_orders_that_were_not_read_back_are_not_saved_as_such(table: Table) -> None:
    heard = hidden(table.read({"Germany": "PLACE 4 Poland"}), "heard")
    page = table.save(ORDERS, "heard", **heard)
    assert texts_saved() == {"Germany": "PLACE 4 Poland"}
    assert "The orders of France have not been read back yet." in page
    assert "PLACE 6 Poland</textarea>" in page


def test_others_pass_where_nothing_is_typed(table: Table) -> None:
    script = table.read(ORDERS, others_pass="on")
    assert script.count("No orders, on purpose.") == 3
    page = table.save(ORDERS, others_pass="on")
    assert texts_saved() == {**ORDERS, "USA": "PASS", "Britain": "PASS", "Russia": "PASS"}
    assert "Nobody owes orders." in page
    assert 'name="others_pass" checked' not in page


def test_others_pass_replaces_no_orders_that_came_meanwhile(table: Table) -> None:
    """The sheet showed an empty field for Russia; its player sends orders before Ada saves."""
    assert "Russia" in table.owing(table.page())
    table.campaign.order("Russia", "PLACE 3 Poland")
    table.save({"Germany": "PLACE 4 Poland", "Russia": ""}, others_pass="on")
    assert texts_saved()["Russia"] == "PLACE 3 Poland"


def test_nobody_passes_in_a_phase_that_the_sheet_did_not_show(table: Table, watch: Watch) -> None:
    shown = table.typed({}, others_pass="on", do="down")
    old = table.campaign.pass_deadline()
    watch.set(table.campaign.now)
    page = table.client.submit(table.at(), shown, follow=True)
    assert f"Nothing was saved: {old.title} is closed" in page
    assert not Submission.objects.exists()


def test_nothing_typed_is_said(table: Table) -> None:
    assert "Nothing was saved: no orders are typed" in table.save({"Germany": " \n"})
    assert not Submission.objects.exists()


def test_final_stays_ticked_for_an_evening(table: Table, watch: Watch) -> None:
    ticked = 'name="final" checked'
    assert ticked not in table.page()
    assert ticked in table.save({"Germany": "PLACE 4 Poland"}, final="on")
    assert ticked in table.page()
    watch.set(watch.now + timedelta(hours=13))
    assert ticked not in table.page()
    table.save({"France": "PLACE 6 Poland"}, final="on")
    assert ticked not in table.save({"Russia": "PLACE 3 Poland"})
    assert ticked not in table.page()


def test_who_gave_a_teams_orders_is_chosen_at_its_field(table: Table) -> None:
    seat = table.campaign.seat("Germany")
    Seat.objects.filter(pk=seat.pk).update(team=True)
    seat.sittings.create(person=person("charlie"), since=table.campaign.now)
    page = table.save(ORDERS)
    assert texts_saved() == {"France": "PLACE 6 Poland"}
    assert "Several people play Germany. Choose who sent these orders for Germany." in page
    assert f'<select id="{seat.pk}-caller"' in page
    table.save({"Germany": "PLACE 4 Poland"}, **{f"{seat.pk}-caller": str(person("charlie").pk)})
    assert Submission.objects.get(seat=seat).person == person("charlie")


def test_teams_pass_with_the_others(table: Table) -> None:
    """A class: nobody is on the line of a team for which nothing is typed."""
    seat = table.campaign.seat("Germany")
    Seat.objects.filter(pk=seat.pk).update(team=True)
    seat.sittings.create(person=person("charlie"), since=table.campaign.now)
    page = table.save({"France": "PLACE 6 Poland", "Germany": ""}, others_pass="on")
    assert "Nobody owes orders." in page
    assert Submission.objects.get(seat=seat).person == person("gustav")


def test_typed_text_is_escaped(table: Table) -> None:
    evil = "</textarea><script>alert(1)</script>"
    for page in (table.read({"USA": evil}), table.save({"USA": evil})):
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page


def test_gamesmaster_who_plays_types_without_learning_secrets(table: Table) -> None:
    """They may take orders down, on the record, but the sheet shows nothing that was sent."""
    table.campaign.order("Germany", "PLACE 7 Poland")
    table.campaign.seat("France").sittings.create(
        person=table.campaign.ada, since=table.campaign.now
    )
    assert "PLACE 7" not in table.page()


def test_table_sheet_is_closed_before_and_after_the_game(as_: Browser, db: None) -> None:
    forming = Campaign.open()
    there = Table(as_("ada"), forming).at()
    assert "The game has not begun" in as_("ada").read(there, follow=True)
    Game.objects.filter(pk=forming.game.pk).update(status=Game.Status.ABANDONED)
    assert "The game is over" in as_("ada").read(there, follow=True)


def test_table_sheet_asks_no_more_for_five_seats_than_for_two(table: Table) -> None:
    """Pages have a budget of queries, and no query for each seat."""

    def asked() -> tuple[int, int]:
        with CaptureQueriesContext(connection) as of_page:
            page = table.page()
        typed = table.typed(dict.fromkeys(table.owing(page), "PLACE 2 Poland"))
        with CaptureQueriesContext(connection) as of_reading:
            script = table.client.submit(table.at("desk-telephone-table-read"), typed)
        assert script.count("Two to Poland.") == len(typed) - 1
        return len(of_page), len(of_reading)

    table.page()
    five = asked()
    for nation in ("USA", "Britain", "Russia"):
        table.campaign.order(nation, "PASS")
    two = asked()
    assert five == two
    assert max(five) <= BUDGET
