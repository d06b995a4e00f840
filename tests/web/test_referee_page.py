"""A sheet made with the table's forms equals one that a gamesmaster types (refereed.md, B.8)."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from orders.models import Draft, Submission
from tests.refereed.campaign import Refereed
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign, person
from tests.support.stored import stored
from tests.web.conftest import Watch

pytestmark = pytest.mark.django_db

ORDERS = {
    "France": (
        "ALLY Britain\nMOVE 3 SP Paris TO Metz\nIF Germany INVADES Belgium THEN MOVE 2 SP Lille TO"
        " Brussels\nhold the Maginot line"
    ),
    "Britain": "ALLY France\nSEA 2 SP London TO Cherbourg\nGRANT SUPPLY TO USA IN Britain",
    "Germany": "INVADE Poland\nATTACK Warsaw IN Poland\nBUILD 2 SP Berlin",
    "Italy": "SEA 1 SP Naples TO Tripoli VIA MED",
}


def _italys_turn() -> Refereed:
    """Six players; the orders of the first Game-Turn are in, Italy's Player-Turn is next."""
    war = Refereed.begin(players=6)
    war.play_to("orders")
    for power, text in ORDERS.items():
        war.order(power, text)
    war.pass_deadline()
    return war


def _frances_turn() -> Refereed:
    war = _italys_turn()
    war.play_to("referee-france")
    return war


def _count() -> Refereed:
    """A campaign of one Game-Turn whose count is due."""
    war = Refereed.begin(players=4, options={"spi.last_turn": 1})
    war.play_to(
        "count",
        lambda phase: {"Germany": "BLEND Poland Germany"} if phase.kind == "diplomacy" else {},
    )
    return war


def at(watch: Watch, war: Refereed) -> Refereed:
    """The campaign, with the clock of the pages as far as it is."""
    watch.set(war.now)
    return war


@pytest.fixture
def italy(db: None, watch: Watch) -> Refereed:
    return at(watch, stored("referee page: Italy", _italys_turn))


@pytest.fixture
def war(db: None, watch: Watch) -> Refereed:
    return at(watch, stored("referee page: France", _frances_turn))


@pytest.fixture
def counting(db: None, watch: Watch) -> Refereed:
    return at(watch, stored("referee page: count", _count))


class Table:
    """The page without scripts: every field is sent back with the pressed button."""

    def __init__(self, war: Refereed, who: Any = None) -> None:
        self.war, self.client = war, Visitor()
        self.client.force_login(who or war.ada)
        self.address = f"/games/{war.game.pk}/referee/"
        self.html = ""
        self.fields: dict[str, str] = {}
        self.open()

    def open(self) -> Table:
        return self._read(self.client.get(self.address))

    def press(self, do: str, **fields: str) -> Table:
        sent = {**self.fields, **fields, "do": do}
        return self._read(self.client.post(self.address, sent, follow=True))

    def fill(self, **fields: str) -> Table:
        self.fields |= fields
        return self

    def _read(self, response: Any) -> Table:
        assert response.status_code == 200, response.status_code
        self.html = response.content.decode()
        self.fields = fields_of(self.html) if 'class="referee orders"' in self.html else {}
        return self

    @property
    def text(self) -> str:
        return self.fields["text"]


def fields_of(html: str) -> dict[str, str]:
    """Name to value of every field of the page's form, as a browser would send it."""
    form = html[html.index('class="referee orders"') :]
    form = form[: form.index("</form>")]
    found: dict[str, str] = {}
    for tag in re.findall(r"<input [^>]*>", form):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name is None or (re.search(r'type="(radio|checkbox)"', tag) and " checked" not in tag):
            continue
        found[unescape(name[1])] = unescape(value[1]) if value else ""
    for name, inside in re.findall(
        r'<select [^>]*name="([^"]*)"[^>]*>(.*?)</select>', form, re.DOTALL
    ):
        chosen = re.search(r"<option[^>]* selected[^>]*>([^<]*)", inside)
        found[unescape(name)] = unescape(chosen[1]) if chosen else ""
    for name, inside in re.findall(
        r'<textarea [^>]*?name="([^"]*)"[^>]*>\n?(.*?)</textarea>', form, re.DOTALL
    ):
        found[unescape(name)] = unescape(inside)
    return found


# --- the sheet ---


def test_a_sheet_made_with_forms_alone_is_the_one_that_would_have_been_typed(war: Refereed) -> None:
    """Rules B.8: events entered from lists; each line ruled done, changed or void with a reason."""
    table = Table(war)
    ruled = {"ruling:France:2": "done", "ruling:France:4": "void"}
    table.press("check", **ruled, **{"reason:France:4": "the line is lost"})
    table.press("add:INVASION", **{"INVASION:power": "Germany", "INVASION:country": "Belgium"})
    table.press("check", **{"forces:Belgium:Germany": "5/4", "forces:France:France": "9"})
    table.press("rest").press("end")
    assert table.text.splitlines() == [
        "LINE France 2 DONE",
        "LINE France 4 VOID: the line is lost",
        "INVASION Germany Belgium",
        "FORCES Belgium Germany 5 SUPPLIED 4",
        "FORCES France France 9",
        "REST DONE",
        "END",
    ]
    assert "If Germany INVADES Belgium:</strong> is met" in table.html
    table.press("send")
    sheet = Submission.objects.get(seat=war.referee, phase=war.phase)
    assert sheet.counts
    assert not Draft.objects.exists()
    war.carry_out()
    assert war.state().country("Belgium").forces["Germany"].supplied == 4


def test_a_sheet_may_be_typed_and_chosen_in_turn_and_neither_undoes_the_other(
    war: Refereed,
) -> None:
    """What was typed meanwhile is kept, and what is chosen is written into it."""
    table = Table(war).press("check", **{"ruling:France:2": "done"})
    table.fill(text="# by hand\nLINE France 2 VOID: typed over it\nCOMBAT Germany France\n")
    table.press("check", **{"ruling:France:4": "done"})
    assert table.text.splitlines() == [
        "# by hand",
        "LINE France 2 VOID: typed over it",
        "COMBAT Germany France",
        "LINE France 4 DONE",
    ]
    table.press("check", **{"ruling:France:2": ""})
    assert "LINE France 2" not in table.text
    table.press("check", **{"ruling:France:4": "changed", "reason:France:4": "half of it"})
    assert "LINE France 4 CHANGED: half of it" in table.text
    assert "LINE France 4 DONE" not in table.text


def test_what_makes_no_line_is_said_in_a_sentence_and_nothing_is_lost(war: Refereed) -> None:
    table = Table(war).press("check", **{"ruling:France:2": "void"})
    assert "Line 2 of France is void: say why." in table.html
    assert table.fields["ruling:France:2"] == "void"
    assert table.text == ""
    table.press("check", **{"reason:France:2": "the rail line is cut"})
    assert table.text == "LINE France 2 VOID: the rail line is cut\n"
    table.press("add:COMBAT", **{"COMBAT:a": "Germany"})
    assert "“Units of two countries have fought”: choose the other." in table.html
    assert table.fields["COMBAT:a"] == "Germany"
    table.press("check", **{"forces:Poland:Germany": "many"})
    assert "“many” for Germany in Poland is no number" in table.html
    assert table.fields["forces:Poland:Germany"] == "many"


def test_before_it_is_sent_the_page_shows_what_would_come_of_it(italy: Refereed) -> None:
    """What would be taken, why the rest would not, which dice would be thrown, and what follows."""
    text = "COMBAT Italy Britain\nDICE 2 OF Italy FOR the gale\nLINE France 2 DONE\nRUBBISH\n"
    table = Table(italy).fill(text=f"{text}REST DONE\nEND").press("check")
    assert "Units of Italy have attacked units of Britain." in table.html
    assert "The gale, 2 dice" in table.html
    assert "France does not move in this Player-Turn." in table.html
    assert "no line of a report begins with “RUBBISH”" in unescape(table.html)
    assert "Then comes Turn 1 (4/39), dice." in table.html
    assert italy.phase.submissions.filter(seat=italy.referee).count() == 0


def test_a_line_of_the_sheet_may_be_taken_out(italy: Refereed) -> None:
    table = Table(italy).fill(text="AFRICA ON\nCOMBAT Italy Britain\n").press("drop:1:AFRICA ON")
    assert table.text == "COMBAT Italy Britain\n"
    table.press("drop:1:AFRICA ON")
    assert "That line has changed meanwhile" in table.html


def test_the_rest_and_the_end_come_last_whatever_is_added_after_them(italy: Refereed) -> None:
    table = Table(italy).press("end").press("rest").press("add:AFRICA", **{"AFRICA:on": "ON"})
    assert table.text.splitlines() == ["AFRICA ON", "REST DONE", "END"]
    table.press("rest").press("end")
    assert table.text.splitlines() == ["AFRICA ON"]


def test_what_is_written_is_kept_until_it_is_sent_or_thrown_away(italy: Refereed) -> None:
    Table(italy).fill(text="AFRICA ON").press("keep")
    table = Table(italy)
    assert table.text == "AFRICA ON"
    assert "Draft saved" in table.html
    table.press("discard")
    assert Table(italy).text == ""


def test_a_sheet_that_stands_is_shown_and_may_be_replaced_in_its_hour(italy: Refereed) -> None:
    Table(italy).fill(text="REST DONE\nEND").press("send")
    table = Table(italy)
    assert "takes effect" in table.html
    assert table.text == "REST DONE\nEND"
    table.fill(text="AFRICA ON\nREST DONE\nEND").press("send")
    assert "Report No. " in table.html
    italy.carry_out()
    assert italy.state().flags.africa


def test_a_sheet_may_be_carried_out_at_once(italy: Refereed) -> None:
    Table(italy).fill(text="REST DONE\nEND", final="on").press("send")
    assert italy.phase.due_at == italy.now


def test_at_the_count_every_proposal_may_be_accepted_with_one_press(counting: Refereed) -> None:
    """B.8: for each of 31 rows the gamesmaster confirms or overrides the controller."""
    table = Table(counting).press("accept:all")
    assert len(table.text.splitlines()) == 31
    assert "CONTROLLER Hungary Germany: as proposed" in table.text
    table.press("end")
    assert "The game is over: the last report opens sealed columns" in table.html
    assert "BLEND" not in table.html
    assert (
        "sealed before turn 1" not in table.html
    )  # not even the gamesmaster reads a column before the end (19.2)


def test_the_page_of_a_phase_that_is_over_says_so_and_keeps_what_was_written(
    italy: Refereed,
) -> None:
    table = Table(italy)
    italy.sheet(final=True)
    italy.carry_out()
    table.fill(text="AFRICA ON").press("send")
    assert "This phase has been closed meanwhile" in table.html
    assert "AFRICA ON" in table.html
    assert italy.phase.submissions.filter(seat=italy.referee).count() == 0


def test_sheets_of_the_turn_that_are_judged_stand_below(war: Refereed) -> None:
    assert "the gamesmaster&#x27;s report for Italy" in Table(war).html


# --- who may open it, and how much it asks ---


def test_nobody_but_who_runs_the_game_may_open_the_table(war: Refereed, client: Visitor) -> None:
    address = f"/games/{war.game.pk}/referee/"
    assert client.get(address).status_code == 302
    for who, status in (("felix", 403), ("charlie", 403)):
        client.force_login(person(who))
        assert client.get(address).status_code == status, who
        data = {"do": "send", "text": "END", "phase": war.phase.number}
        assert client.post(address, data).status_code == status, who
    other = Campaign.begin(war.now, title="Another game")
    client.force_login(war.ada)
    assert client.get(f"/games/{other.game.pk}/referee/").status_code in (403, 404)
    assert client.get("/games/999999/referee/").status_code == 404


def test_while_no_sheet_is_wanted_the_page_says_what_is_waited_for(
    db: None, watch: Watch, client: Visitor
) -> None:
    war = at(watch, Refereed.begin())
    client.force_login(war.ada)
    page = client.read(f"/games/{war.game.pk}/referee/")
    assert "No report is due now" in page
    assert "Turn 1 (4/39), diplomacy goes on until" in page


def test_the_order_page_of_the_gamesmasters_seat_is_the_table(
    war: Refereed, client: Visitor
) -> None:
    client.force_login(war.ada)
    found = client.get(f"/games/{war.game.pk}/orders/{war.referee.pk}/")
    assert found.headers["Location"] == f"/games/{war.game.pk}/referee/"


def test_the_table_asks_few_questions_however_long_the_game(  # type: ignore[no-untyped-def]
    war: Refereed, django_assert_max_num_queries
) -> None:
    table = Table(war)
    with django_assert_max_num_queries(22):
        table.open()
    war.play_to("referee-germany")
    with django_assert_max_num_queries(22):
        table.open()
