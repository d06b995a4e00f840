"""Boards of a refereed game in letters, pages and print: narrow, complete, consistent (issue 9,
5)."""

from __future__ import annotations

import re
from html import unescape

import pytest

from games import permissions, positions, print
from games.boards.images import Drawing
from games.letters import board_text, lands, rendering
from games.models import Letter
from games.pages import pictures
from games.pages.boards import grid
from games.print import letters, setting
from games.print import scenario as printed_scenario
from games.rules import Board, cards
from games.rules.lands import Land
from games.rules.registry import ruleset
from games.web.scenarios.tables import tables_of
from games.ww2_multiplayer import printing
from tests.support.browsing import Visitor, unmarked
from tests.support.campaign import person
from tests.support.stored import stored
from tests.ww2_multiplayer.maps import (
    AREAS,
    CARD,
    GAME,
    NATIONS,
    RULES,
    board,
    crowded,
    late,
    new_state,
)

from .campaign import MONDAY, Refereed

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("letters_with_pictures"),
    pytest.mark.letters,
    pytest.mark.guest,
]

ORDERS = {
    "Italy": "INVADE Egypt\nATTACK Tobruk IN Egypt WITH Germany\nSEA 1 SP Naples TO Tripoli",
    "France": "MOVE 1 SP Paris TO Metz",
}
REPORT = """REST DONE
INVASION Germany Poland
CLEARED Poland Germany
SWEPT Poland Germany
FORCES Poland Germany 5 SUPPLIED 4
DESTROYED Poland BY Germany
END"""


def _play_to_italys_report() -> Refereed:
    """Return a game in which orders are in, and Italy's Player-Turn, the first, needs a report."""
    war = Refereed.begin(public=True)
    war.play_to("orders")
    for power, text in ORDERS.items():
        war.order(power, text)
    war.pass_deadline()
    return war


def _war() -> Refereed:
    """Return a game in which Poland has fallen to Germany; that report is judged, and the next is
    due."""
    war = _play_to_italys_report()
    war.report(REPORT)
    war.carry_out()
    return war


@pytest.fixture
def war() -> Refereed:
    return stored("drawn: Poland has fallen", _war)


@pytest.fixture
def italys_report() -> Refereed:
    return stored("drawn: Italy's turn", _play_to_italys_report)


# --- in words ---


@pytest.mark.parametrize(
    "state", [new_state(), late(), late(4), crowded()], ids=["begun", "late", "four", "crowded"]
)
def test_board_in_a_letter_is_narrow_and_names_every_country(state: object) -> None:
    """72 columns, as in every letter; a sentence names the countries without a row."""
    shown = board(state)  # type: ignore[arg-type]
    text = board_text.as_text(shown)
    assert max(len(line) for line in text.splitlines()) <= 72
    flat = " ".join(text.split())
    for area in AREAS:
        assert area in flat
    for area, cells in shown.cells.items():
        row = next((row for row in lands.rows(shown) if row.area == area), None)
        standing = [name for name in NATIONS if name in cells and cells[name].pf]
        assert [force.split(" ")[0] for force in row.forces] == standing if row else not standing


def test_board_rows_show_control_forces_hostility_and_supply() -> None:
    cells_by_area = {row.area: row.cells for row in lands.rows(board(late()))}
    assert cells_by_area["Poland"] == ("Germany’s", "Germany 9!")
    assert cells_by_area["Egypt"] == ("contested", "Italy 3-2!, Britain 4")
    assert cells_by_area["France"] == ("contested", "France 11, Germany 8!")
    assert "Persia" not in cells_by_area


def test_board_sentences_name_empty_countries_operators_and_hostilities() -> None:
    sentences = lands.sentences(board(late()))
    assert (
        "France controls, without forces there: French Morocco, Algeria, Tunisia, Lebanon and"
        " Syria." in sentences
    )
    assert any(
        sentence_.startswith("Empty and controlled by nobody: Yugoslavia, Greece,")
        for sentence_ in sentences
    )
    assert any(
        "the gamesmaster moves that of Greece; that of Poland is destroyed." in sentence
        for sentence in sentences
    )
    assert "Allied: France and Britain; Italy and Germany." in sentences
    assert "Hostile to each other: France and Germany; Britain and Germany." in sentences
    hostile = "Hostile: Italy to Greece and Egypt; USSR to Finland; Germany to Poland and Belgium."
    assert any(sentence.startswith(hostile) for sentence in sentences)
    assert any("scores nothing (19.13): France." in sentence for sentence in sentences)
    assert "Same player: Italy and Germany; USA and Britain." in lands.sentences(board(late(4)))


def test_legend_explains_only_signs_that_are_used() -> None:
    assert board_text.legend(board(new_state())) == ""
    alone = board(new_state().change_country("Poland", forces=late().country("France").forces))
    assert board_text.legend(alone) == "A number: Strength Points (SPs)."


def test_board_changes_are_listed_by_country() -> None:
    changes = board_text.changes(board(new_state()), board(late()))
    assert "Poland: Germany’s and not normalized, not nobody’s" in changes
    assert "Poland: Germany 9!, not no forces" in changes
    assert board_text.changes(board(late()), board(late())) == []


def test_state_of_a_country_is_described_in_a_few_words() -> None:
    lands = (Land("Germany"), Land(hostile=("Italy",)), Land(home="France"), Land())
    words = [land.describe() for land in lands]
    assert words == ["Germany’s", "contested", "home of France", "nobody’s"]
    # A home that another power controls belongs to it.
    assert Land("Germany", home="France").describe() == "Germany’s"


# --- in letters ---


def test_letter_after_a_report_has_the_board_as_picture_rows_and_sentences(war: Refereed) -> None:
    phase = war.game.phases.get(turn=1, kind="referee-italy")
    letter = Letter.objects.filter(kind="board", phase=phase, person=war.players["France"]).get()
    set_in = rendering.render(letter)
    assert "Poland  Germany’s  Germany 5-1!" in set_in.text
    assert "Home countries without reported forces: France, Britain, Germany" in set_in.text
    assert set_in.picture is not None
    assert re.search(
        r">Poland</th><td[^>]*>Germany’s</td><td[^>]*>Germany 5-1!</td>", unmarked(set_in.html)
    )
    assert (
        "Germany controls, without forces there: Hungary, Rumania, Bulgaria and Finland."
        in set_in.html
    )
    assert "PF" not in set_in.text.replace("POP", "")


def test_printed_letter_has_the_same_rows(war: Refereed) -> None:
    phase = war.game.phases.get(turn=1, kind="referee-italy")
    letter = Letter.objects.filter(kind="board", phase=phase, person=war.players["France"]).get()
    table = letters._table(letter)
    assert table is not None
    assert table[1]["kind"] == "stated"
    assert any("Germany controls, without forces there" in below for below in table[1]["sums"])
    assert {"area": "Poland", "cells": ["Germany’s", "Germany 5-1!"]} in table[1]["rows"]
    assert letters.report_pdf is not None
    kinds = [block["kind"] for block in letters.blocks(rendering.render(letter).text, table)]
    assert kinds.count("stated") == 1


# --- on pages ---


def test_public_page_shows_map_and_table(war: Refereed) -> None:
    client = Visitor()
    html = unescape(client.read(f"/games/{war.game.pk}/board/"))
    assert "board.svg" in html
    assert html.count('<th scope="row">') == len(AREAS)
    poland = html[html.index('<th scope="row">Poland') :].partition("</tr>")[0]
    assert "Germany’s, not normalized" in poland
    assert 'title="hostile to Poland"' in poland
    assert "destroyed" in poland
    assert "political factors" not in html
    assert "Strength Points" in html


def test_slider_shows_changes_of_states_and_forces(war: Refereed) -> None:
    phase = war.game.phases.get(turn=1, kind="referee-italy")
    html = unescape(Visitor().read(f"/games/{war.game.pk}/board/?at={phase.number}.1"))
    changes = " ".join(
        re.sub(r"<[^>]+>", "", html[html.index('id="changed"') : html.index("<details")]).split()
    )
    assert "Poland: Germany’s (was nobody’s)" in changes
    assert "Poland, Germany: control and 5 SPs, 1 out of supply (none before)" in changes


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_phase_picture_describes_the_board_table(war: Refereed, theme: str) -> None:
    phase = war.game.phases.get(turn=1, kind="referee-italy")
    where = f"/games/{war.game.pk}/phases/{phase.number}/board"
    drawn = unescape(Visitor().read(f"{where}.svg?theme={theme}"))
    assert "Poland: Germany controls it. It is not normalized" in drawn
    assert "Germany has 5 SPs, 1 of them out of supply. Changed: Germany." in drawn
    if theme == "light":
        assert Visitor().get(f"{where}.png").content.startswith(b"\x89PNG")


def test_picture_reveals_no_order_before_its_phase_is_judged() -> None:
    """docs/design.md 8: two games that differ in a pending order have equal pictures."""
    first, second = (
        Refereed.begin(title="One", public=True),
        Refereed.begin(title="One", public=True),
    )
    for war in (first, second):
        war.play_to("orders")
    first.order("Germany", "INVADE Poland")
    for reader in (None, "ida"):
        drawings = []
        for war in (first, second):
            client = Visitor()
            if reader:
                client.force_login(person(reader))
            drawings.append(
                client.get(f"/games/{war.game.pk}/phases/{war.phase.number}/board.svg").content
            )
        assert drawings[0] == drawings[1]


def test_board_in_an_address_survives_signing(war: Refereed) -> None:
    """The preview of a ruling: everything that is drawn is signed."""
    drawing = Drawing(GAME, CARD, board(late(4)), (("Poland", "Germany"),), "A title")
    back = pictures._read_signed_board(war.game, pictures._sign_board(war.game, drawing))
    assert (back.board, back.changed, back.title) == (drawing.board, drawing.changed, drawing.title)


def test_board_table_marks_changes() -> None:
    shown = grid(board(late()), board(new_state()), CARD)
    rows = {row.area: row for row in shown.lands}
    assert (rows["Poland"].was, [force.was for force in rows["Poland"].forces]) == (
        "nobody’s",
        ["new"],
    )
    assert rows["Hungary"].was is None
    assert shown.changes
    back = {row.area: row for row in grid(board(new_state()), board(late()), CARD).lands}
    assert [(force.heading.name, force.cell.pf, force.was) for force in back["Poland"].forces] == [
        ("Germany", 0, "was 9")
    ]
    assert grid(Board(("A",), NATIONS, {}), None, {"game": GAME, "areas": ["A"]}).lands == ()


# --- in print ---


def test_printed_board_has_the_map_and_the_rows(war: Refereed) -> None:
    content = print.board.content(war.game, war.seat("Germany"), war.now)
    assert content["stated"]["rows"][0] == {
        "area": "Poland",
        "cells": ["Germany’s", "Germany 5-1!"],
    }
    assert "Poland: Germany controls it." in unescape(content["map"])
    made = print.board_pdf(war.game, war.seat("Germany"), war.now)
    assert made.startswith(b"%PDF")
    assert made == print.board_pdf(war.game, war.seat("Germany"), war.now)


def test_printed_board_names_no_deadline_while_the_report_is_awaited(
    italys_report: Refereed,
) -> None:
    phase = italys_report.phase
    content = print.board.content(italys_report.game, None, italys_report.now)
    assert content["due"] == phase.awaited != ""


def test_gamesmasters_form_has_every_line_and_every_country(italys_report: Refereed) -> None:
    """issue 9, 2: lines done, changed or void; events from lists; forces by country."""
    content = printing.content(italys_report.phase)
    (italy,) = content["powers"]
    assert [(line["line"], line["text"]) for line in italy["lines"]] == list(
        enumerate(ORDERS["Italy"].splitlines(), start=1)
    )
    assert any("may not attack together" in fact for fact in italy["lines"][1]["facts"])
    assert [line["points"] for line in italy["lines"]] == [False, False, True]
    verbs = [form["blanks"][0][1] for group in content["forms"] for form in group["forms"]]
    table = RULES.referee.table(italys_report.state())
    assert table is not None
    assert sorted(verbs) == sorted(form.verb for form in table.forms)
    assert [row["name"] for row in content["countries"]] == list(AREAS)
    assert {heading for heading, _ in content["ledger"]} >= {"American entry", "Sea transport"}
    pages = setting.picture(printing.TEMPLATE, content, italys_report.now)
    assert 2 <= len(pages) <= 4


def test_gamesmasters_form_is_private(italys_report: Refereed, war: Refereed) -> None:
    """Players and strangers are refused."""
    where = f"/games/{italys_report.game.pk}/desk/paper/referee.pdf"
    ada, gustav = Visitor(), Visitor()
    ada.force_login(italys_report.ada)
    gustav.force_login(italys_report.players["Germany"])
    assert ada.get(where).content.startswith(b"%PDF")
    assert gustav.get(where).status_code == 403
    assert Visitor().get(where).status_code in (302, 403)
    assert ada.post(where).status_code == 405
    assert "referee.pdf" in ada.read(f"/games/{italys_report.game.pk}/desk/paper/")


def test_phase_without_a_report_has_no_gamesmasters_form() -> None:
    war, ada = Refereed.begin(), Visitor()
    ada.force_login(war.ada)
    assert ada.get(f"/games/{war.game.pk}/desk/paper/referee.pdf").status_code == 404
    with pytest.raises(ValueError, match="needs no report"):
        printing.content(war.phase)


def test_order_form_has_lines_and_explains_how_to_write_them() -> None:
    war = Refereed.begin()
    war.play_to("orders")
    content = print.forms.content(war.phase, war.seat("Germany"))
    forms = [form for form, _ in content["language"]]
    assert "MOVE 3 SP Paris TO Lyons" in forms
    assert "ALLY France" in forms
    assert not any(form.startswith("BLEND") for form in forms)  # 19.2: only before turn 1
    assert content["apart"]
    assert content["how"]
    for paper in (setting.A4, setting.LETTER):
        for how in (content["how"], content["how"] * 3):  # date and name stay below the lines
            pages = setting.picture("form", {**content, "how": how}, war.now, paper)
            assert len(pages) == 2


def test_every_line_of_the_printed_forms_is_accepted() -> None:
    """A printed form must not show a line that would be refused."""
    asking = RULES.load(CARD, {}, {**RULES.dump(new_state()), "step": "orders"})
    for form, _, _ in RULES.verbs.help():
        state, power = (
            (new_state(4), "Germany")
            if form.startswith(("BLEND", "COLUMN"))
            else (asking, "Italy" if form.startswith("MED") else "Britain")
        )
        reading = RULES.read(form, power, state)
        assert [remark.message for remark in reading.remarks if remark.severity == "error"] == [], (
            form
        )
        assert reading.understood, form


def test_printed_scenario_has_columns_of_25_and_23_turns_with_their_seasons() -> None:
    """Rules B.1 and B.2, as in issue 9."""
    content = printed_scenario.content(CARD, tables_of(CARD))
    assert content["most"] == [25] * 6
    assert len(content["rows"]) == 31
    charts = {chart["title"]: chart for chart in content["charts"]}
    turns_of = charts["Game-Turns"]["rows"]
    assert len(turns_of) == 23
    assert (turns_of[0], turns_of[14], turns_of[22]) == (
        ["1", "4/39", "autumn", "winter"],
        ["15", "2/43", "spring", "summer"],
        ["23", "2/45", "spring", "summer"],
    )
    entry = charts["American intervention (18.1)"]["rows"]
    assert ["1/40", "1", "1", "3/41"] in entry
    assert ["Germany invades France", "1 to 2", "1 to 2", "5 turns later"] in entry
    assert len(entry) == 16
    operators = {row[0]: row[1:] for row in charts["Who moves a minor country’s army (20)"]["rows"]}
    assert operators["Sweden"] == ["Germany, then USA", "Germany, then Britain"]
    assert len(operators) == 14
    assert all(
        len(row) == len(chart["columns"]) for chart in content["charts"] for row in chart["rows"]
    )
    assert len(setting.picture("scenario", content, MONDAY)) == 5


@pytest.mark.parametrize("game", ["origins-ww1", "origins-ww2"])
def test_other_games_have_no_further_charts_or_states(game: str) -> None:
    rules = ruleset(game)
    card = cards.load(game, cards.names(game)[0])
    assert rules.guide.further_charts(card) == ()
    shown = rules.board(rules.setup(card, {}, card["order"]))
    assert (shown.lands, shown.at_odds, shown.hands, shown.unit.plural) == ({}, (), (), "PFs")


def test_board_is_equal_in_every_view(war: Refereed) -> None:
    """docs/design.md 8: the public and the powers see one board; nothing on it is secret."""
    position = positions.position(war.game)
    views = [permissions.view(war.game, position, reader) for reader in (None, *NATIONS)]
    assert len({repr(war.game.rules.board(view)) for view in views}) == 1
