"""The referee's page: a report made with its forms equals a typed one (refereed.md, B.8)."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from orders.models import Draft, Submission
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign, person
from tests.support.stored import stored
from tests.web.conftest import Watch
from tests.ww2_multiplayer.campaign import Refereed

pytestmark = [pytest.mark.django_db, pytest.mark.guest]

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
    """Return a game of six players in which Italy's Player-Turn, the first, needs a report."""
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
    """Return a campaign of one Game-Turn in which the count is due."""
    war = Refereed.begin(players=4, options={"spi.last_turn": 1})
    war.play_to(
        "count",
        lambda phase: {"Germany": "BLEND Poland Germany"} if phase.kind == "diplomacy" else {},
    )
    return war


def at(watch: Watch, war: Refereed) -> Refereed:
    """Return the campaign after setting the clock of the pages to its time."""
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
    """Return the values of the form's fields by name, as a browser would send them."""
    form = html[html.index('class="referee orders"') :]
    form = form[: form.index("</form>")]
    values: dict[str, str] = {}
    for tag in re.findall(r"<input [^>]*>", form):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name is None or (re.search(r'type="(radio|checkbox)"', tag) and " checked" not in tag):
            continue
        values[unescape(name[1])] = unescape(value[1]) if value else ""
    for name, inside in re.findall(
        r'<select [^>]*name="([^"]*)"[^>]*>(.*?)</select>', form, re.DOTALL
    ):
        chosen = re.search(r"<option[^>]* selected[^>]*>([^<]*)", inside)
        values[unescape(name)] = unescape(chosen[1]) if chosen else ""
    for name, inside in re.findall(
        r'<textarea [^>]*?name="([^"]*)"[^>]*>\n?(.*?)</textarea>', form, re.DOTALL
    ):
        values[unescape(name)] = unescape(inside)
    return values


# --- the report ---


def test_referee_page_shows_which_countries_are_normalized(italy: Refereed) -> None:
    """19.12: a country without ruler and hostile forces is normalized."""
    html = unescape(Table(italy).html)
    countries = html[html.index('<h2 id="countries">') :]
    persia = countries[countries.index('<th scope="row">Persia') :].partition("</tr>")[0]
    assert "<strong>nobody’s, normalized</strong>" in persia
    assert "contested" not in persia


def test_report_made_with_forms_equals_a_typed_one(war: Refereed) -> None:
    """Rules B.8: events from lists; each line done, changed or void with a reason."""
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
    report = Submission.objects.get(seat=war.referee, phase=war.phase)
    assert report.counts
    assert not Draft.objects.exists()
    war.carry_out()
    assert war.state().country("Belgium").forces["Germany"].supplied == 4


def test_typed_and_chosen_lines_of_a_report_are_combined(war: Refereed) -> None:
    """Text typed meanwhile is kept, and chosen lines are added to it."""
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


def test_incomplete_choice_is_explained_and_kept(war: Refereed) -> None:
    table = Table(war).press("check", **{"ruling:France:2": "void"})
    assert "Line 2 of France is void: enter a reason." in table.html
    assert table.fields["ruling:France:2"] == "void"
    assert table.text == ""
    table.press("check", **{"reason:France:2": "the rail line is cut"})
    assert table.text == "LINE France 2 VOID: the rail line is cut\n"
    table.press("add:COMBAT", **{"COMBAT:a": "Germany"})
    assert "“Units of two countries have fought”: choose the other." in table.html
    assert table.fields["COMBAT:a"] == "Germany"
    table.press("check", **{"forces:Poland:Germany": "many"})
    assert "“many” for Germany in Poland is not a number" in table.html
    assert table.fields["forces:Poland:Germany"] == "many"


def test_referee_page_previews_the_result_of_a_report(italy: Refereed) -> None:
    """What would be accepted, why the rest would not, which dice would be thrown, and what
    follows."""
    text = "COMBAT Italy Britain\nDICE 2 OF Italy FOR the gale\nLINE France 2 DONE\nRUBBISH\n"
    table = Table(italy).fill(text=f"{text}REST DONE\nEND").press("check")
    assert "Units of Italy have attacked units of Britain." in table.html
    assert "The gale, 2 dice" in table.html
    assert "France does not move in this Player-Turn." in table.html
    assert "no line of a report begins with “RUBBISH”" in unescape(table.html)
    assert "Then comes Turn 1 (4/39), dice." in table.html
    assert italy.phase.submissions.filter(seat=italy.referee).count() == 0


def test_line_of_a_report_can_be_removed(italy: Refereed) -> None:
    table = Table(italy).fill(text="AFRICA ON\nCOMBAT Italy Britain\n").press("drop:1:AFRICA ON")
    assert table.text == "COMBAT Italy Britain\n"
    table.press("drop:1:AFRICA ON")
    assert "That line has changed in the meantime" in table.html


def test_rest_and_end_stay_last(italy: Refereed) -> None:
    table = Table(italy).press("end").press("rest").press("add:AFRICA", **{"AFRICA:on": "ON"})
    assert table.text.splitlines() == ["AFRICA ON", "REST DONE", "END"]
    table.press("rest").press("end")
    assert table.text.splitlines() == ["AFRICA ON"]


def test_referee_draft_is_kept_until_sent_or_discarded(italy: Refereed) -> None:
    Table(italy).fill(text="AFRICA ON").press("keep")
    table = Table(italy)
    assert table.text == "AFRICA ON"
    assert "Draft saved" in table.html
    table.press("discard")
    assert Table(italy).text == ""


def test_report_in_force_is_shown_and_can_be_replaced(italy: Refereed) -> None:
    Table(italy).fill(text="REST DONE\nEND").press("send")
    table = Table(italy)
    assert "takes effect" in table.html
    assert table.text == "REST DONE\nEND"
    table.fill(text="AFRICA ON\nREST DONE\nEND").press("send")
    assert "Report No. " in table.html
    italy.carry_out()
    assert italy.state().flags.africa


def test_report_can_be_carried_out_at_once(italy: Refereed) -> None:
    Table(italy).fill(text="REST DONE\nEND", final="on").press("send")
    assert italy.phase.due_at == italy.now


def test_all_proposals_of_the_count_can_be_accepted_at_once(counting: Refereed) -> None:
    """B.8: for each of 31 rows the gamesmaster confirms or overrides the controller."""
    table = Table(counting).press("accept:all")
    assert len(table.text.splitlines()) == 31
    assert "CONTROLLER Hungary Germany: as proposed" in table.text
    table.press("end")
    assert "The game is over: the last report reveals the secret columns" in table.html
    assert "BLEND" not in table.html
    # even the gamesmaster reads no secret column before the end (19.2)
    assert "sealed before turn 1" not in table.html


def test_referee_page_keeps_the_draft_after_the_phase_is_over(italy: Refereed) -> None:
    table = Table(italy)
    italy.report(final=True)
    italy.carry_out()
    table.fill(text="AFRICA ON").press("send")
    assert "This phase has closed in the meantime" in table.html
    assert "AFRICA ON" in table.html
    assert italy.phase.submissions.filter(seat=italy.referee).count() == 0


def test_judged_reports_of_the_turn_are_listed(war: Refereed) -> None:
    assert "Player-Turn of Italy" in Table(war).html


# --- permissions and queries ---


def test_only_gamesmasters_open_the_referee_page(war: Refereed, client: Visitor) -> None:
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
    assert client.get(f"/games/{other.game.pk}/referee/lines/").status_code == 404
    assert client.get("/games/999999/referee/").status_code == 404


def test_referee_page_names_the_next_step_while_no_report_is_due(
    db: None, watch: Watch, client: Visitor
) -> None:
    war = at(watch, Refereed.begin())
    client.force_login(war.ada)
    page = client.read(f"/games/{war.game.pk}/referee/")
    assert "No report is due now" in page
    assert "Turn 1 (4/39), diplomacy goes on until" in page


def test_order_page_of_the_gamesmasters_seat_redirects_to_the_referee_page(
    war: Refereed, client: Visitor
) -> None:
    client.force_login(war.ada)
    answer = client.get(f"/games/{war.game.pk}/orders/{war.referee.pk}/")
    assert answer.headers["Location"] == f"/games/{war.game.pk}/referee/"


def test_referee_page_makes_few_queries_however_long_the_game(  # type: ignore[no-untyped-def]
    war: Refereed, django_assert_max_num_queries
) -> None:
    table = Table(war)
    with django_assert_max_num_queries(22):
        table.open()
    war.play_to("referee-germany")
    with django_assert_max_num_queries(22):
        table.open()
