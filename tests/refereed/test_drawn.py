"""Boards of a refereed game in letters, pages and print: narrow, complete, alike (issue 9, 5)."""

from __future__ import annotations

import re
from html import unescape

import pytest

from games import permissions, positions, print
from games.boards.images import Drawing
from games.letters import board as boards
from games.letters import lands, rendering
from games.models import Letter
from games.print import letters, referee, setting
from games.print import sheet as printed_sheet
from games.rules import Board, cards
from games.rules.lands import Land
from games.rules.registry import ruleset
from games.web import pictures
from games.web.boards import grid
from games.web.scenarios.sheets import sheet as tables
from tests.boards.multiplayer import AREAS, CARD, GAME, NATIONS, RULES, begun, board, crowded, late
from tests.support.browsing import Visitor
from tests.support.campaign import person
from tests.support.stored import stored

from .campaign import MONDAY, Refereed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("letters_with_pictures")]

ORDERS = {
    "Italy": "INVADE Egypt\nATTACK Tobruk IN Egypt WITH Germany\nSEA 1 SP Naples TO Tripoli",
    "France": "MOVE 1 SP Paris TO Metz",
}
SHEET = """REST DONE
INVASION Germany Poland
CLEARED Poland Germany
SWEPT Poland Germany
FORCES Poland Germany 5 SUPPLIED 4
DESTROYED Poland BY Germany
END"""


def _sheeted() -> Refereed:
    """Orders are in, and Italy's Player-Turn, the first, waits for its sheet."""
    war = Refereed.begin(public=True)
    war.play_to("orders")
    for power, text in ORDERS.items():
        war.order(power, text)
    war.pass_deadline()
    return war


def _war() -> Refereed:
    """Poland has fallen to Germany; the sheet that told it is judged, and the next is due."""
    war = _sheeted()
    war.sheet(SHEET)
    war.carry_out()
    return war


@pytest.fixture
def war() -> Refereed:
    return stored("drawn: Poland has fallen", _war)


@pytest.fixture
def sheeted() -> Refereed:
    return stored("drawn: Italy's turn", _sheeted)


# --- in words ---


@pytest.mark.parametrize(
    "state", [begun(), late(), late(4), crowded()], ids=["begun", "late", "four", "crowded"]
)
def test_a_board_in_a_letter_is_narrow_and_names_every_country(state: object) -> None:
    """72 columns, as every letter; what stands in no row stands in a sentence."""
    shown = board(state)  # type: ignore[arg-type]
    text = boards.as_text(shown)
    assert max(len(line) for line in text.splitlines()) <= 72
    flat = " ".join(text.split())
    for area in AREAS:
        assert area in flat
    for area, cells in shown.cells.items():
        row = next((row for row in lands.rows(shown) if row.area == area), None)
        standing = [name for name in NATIONS if name in cells and cells[name].pf]
        assert [force.split(" ")[0] for force in row.forces] == standing if row else not standing


def test_rows_say_who_controls_what_stands_there_and_what_is_hostile_or_cut_off() -> None:
    found = {row.area: row.cells for row in lands.rows(board(late()))}
    assert found["Poland"] == ("Germany’s", "Germany 9!")
    assert found["Egypt"] == ("contested", "Italy 3-2!, Britain 4")
    assert found["France"] == ("contested", "France 11, Germany 8!")
    assert "Persia" not in found


def test_sentences_say_what_is_empty_who_moves_armies_and_who_is_at_odds() -> None:
    said = lands.sentences(board(late()))
    assert (
        "France controls, without forces there: French Morocco, Algeria, Tunisia, Lebanon and"
        " Syria." in said
    )
    assert any(sentence.startswith("Nobody’s and empty: Yugoslavia, Greece,") for sentence in said)
    assert any(
        "the gamesmaster moves that of Greece; that of Poland is destroyed." in sentence
        for sentence in said
    )
    assert "Allied: France and Britain; Italy and Germany." in said
    assert "Hostile to each other: France and Germany; Britain and Germany." in said
    hostile = "Hostile: Italy to Greece and Egypt; USSR to Finland; Germany to Poland and Belgium."
    assert any(sentence.startswith(hostile) for sentence in said)
    assert any("scores nothing (19.13): France." in sentence for sentence in said)
    assert "Same player: Italy and Germany; USA and Britain." in lands.sentences(board(late(4)))


def test_the_legend_explains_no_sign_that_is_not_there() -> None:
    assert boards.legend(board(begun())) == ""
    alone = board(begun().put("Poland", forces=late().country("France").forces))
    assert boards.legend(alone) == "A number: Strength Points (SPs)."


def test_what_a_ruling_changes_is_told_country_by_country() -> None:
    told = boards.changes(board(begun()), board(late()))
    assert "Poland: Germany’s and not normalised, not nobody’s" in told
    assert "Poland: Germany 9!, not no forces" in told
    assert boards.changes(board(late()), board(late())) == []


def test_a_state_in_a_word_or_two() -> None:
    lands = (Land("Germany"), Land(hostile=("Italy",)), Land(home="France"), Land())
    said = [land.in_words() for land in lands]
    assert said == ["Germany’s", "contested", "home of France", "nobody’s"]
    # A home that somebody else controls is his.
    assert Land("Germany", home="France").in_words() == "Germany’s"


# --- in letters ---


def test_the_letter_after_a_sheet_has_the_board_as_picture_rows_and_sentences(
    war: Refereed,
) -> None:
    phase = war.game.phases.get(turn=1, kind="referee-italy")
    letter = Letter.objects.filter(kind="board", phase=phase, person=war.players["France"]).get()
    set_in = rendering.render(letter)
    assert "Poland  Germany’s  Germany 5-1!" in set_in.text
    assert "Homes of which no forces are told: France, Britain, Germany, USSR, USA" in set_in.text
    assert set_in.picture is not None
    assert re.search(r">Poland</th><td[^>]*>Germany’s</td><td[^>]*>Germany 5-1!</td>", set_in.html)
    assert (
        "Germany controls, without forces there: Hungary, Rumania, Bulgaria and Finland."
        in set_in.html
    )
    assert "PF" not in set_in.text.replace("POP", "")


def test_on_paper_the_letter_has_the_same_rows(war: Refereed) -> None:
    phase = war.game.phases.get(turn=1, kind="referee-italy")
    letter = Letter.objects.filter(kind="board", phase=phase, person=war.players["France"]).get()
    found = letters._table(letter)
    assert found is not None
    assert found[1]["kind"] == "stated"
    assert {"area": "Poland", "cells": ["Germany’s", "Germany 5-1!"]} in found[1]["rows"]
    assert letters.report_pdf is not None
    kinds = [block["kind"] for block in letters.blocks(rendering.render(letter).text, found)]
    assert kinds.count("stated") == 1


# --- on pages ---


def test_the_page_shows_map_and_table_to_anybody(war: Refereed) -> None:
    client = Visitor()
    html = unescape(client.read(f"/games/{war.game.pk}/board/"))
    assert "board.svg" in html
    assert html.count('<th scope="row">') == len(AREAS)
    poland = html[html.index('<th scope="row">Poland') :].partition("</tr>")[0]
    assert "Germany’s, not normalised" in poland
    assert 'title="hostile to Poland"' in poland
    assert "destroyed" in poland
    assert "political factors" not in html
    assert "Strength Points" in html


def test_the_slider_says_how_states_and_forces_changed(war: Refereed) -> None:
    phase = war.game.phases.get(turn=1, kind="referee-italy")
    html = unescape(Visitor().read(f"/games/{war.game.pk}/board/?at={phase.number}.1"))
    told = " ".join(
        re.sub(r"<[^>]+>", "", html[html.index('id="changed"') : html.index("<details")]).split()
    )
    assert "Poland: Germany’s (was nobody’s)" in told
    assert "Poland, Germany: control and 5 SPs, 1 out of supply (none before)" in told


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_the_picture_of_a_phase_says_what_the_table_says(war: Refereed, theme: str) -> None:
    phase = war.game.phases.get(turn=1, kind="referee-italy")
    where = f"/games/{war.game.pk}/phases/{phase.number}/board"
    drawn = unescape(Visitor().read(f"{where}.svg?theme={theme}"))
    assert "Poland: Germany controls it. It is not normalised" in drawn
    assert "Germany has 5 SPs, 1 of them out of supply. Changed: Germany." in drawn
    if theme == "light":
        assert Visitor().get(f"{where}.png").content.startswith(b"\x89PNG")


def test_a_picture_gives_away_no_order_before_its_phase_is_judged() -> None:
    """docs/design.md 8: two games that differ in an order that waits have the same picture."""
    first, second = (
        Refereed.begin(title="One", public=True),
        Refereed.begin(title="One", public=True),
    )
    for war in (first, second):
        war.play_to("orders")
    first.order("Germany", "INVADE Poland")
    for reader in (None, "ida"):
        seen = []
        for war in (first, second):
            client = Visitor()
            if reader:
                client.force_login(person(reader))
            seen.append(
                client.get(f"/games/{war.game.pk}/phases/{war.phase.number}/board.svg").content
            )
        assert seen[0] == seen[1]


def test_a_board_in_an_address_comes_back_as_it_was(war: Refereed) -> None:
    """The preview of a ruling: everything that is drawn is under our seal."""
    drawing = Drawing(GAME, CARD, board(late(4)), (("Poland", "Germany"),), "A title")
    back = pictures._unsealed(war.game, pictures._sealed(war.game, drawing))
    assert (back.board, back.changed, back.title) == (drawing.board, drawing.changed, drawing.title)


def test_the_table_of_a_page_marks_what_is_new_gone_and_otherwise() -> None:
    shown = grid(board(late()), board(begun()), CARD)
    rows = {row.area: row for row in shown.lands}
    assert (rows["Poland"].was, [force.was for force in rows["Poland"].forces]) == (
        "nobody’s",
        ["new"],
    )
    assert rows["Hungary"].was is None
    assert shown.changes
    back = {row.area: row for row in grid(board(begun()), board(late()), CARD).lands}
    assert [(force.heading.name, force.cell.pf, force.was) for force in back["Poland"].forces] == [
        ("Germany", 0, "was 9")
    ]
    assert grid(Board(("A",), NATIONS, {}), None, {"game": GAME, "areas": ["A"]}).lands == ()


# --- on paper ---


def test_the_board_on_paper_is_the_map_and_the_rows(war: Refereed) -> None:
    told = print.board.content(war.game, war.seat("Germany"), war.now)
    assert told["stated"]["rows"][0] == {"area": "Poland", "cells": ["Germany’s", "Germany 5-1!"]}
    assert "Poland: Germany controls it." in unescape(told["map"])
    made = print.board_pdf(war.game, war.seat("Germany"), war.now)
    assert made.startswith(b"%PDF")
    assert made == print.board_pdf(war.game, war.seat("Germany"), war.now)


def test_the_gamesmasters_form_has_every_line_to_tick_and_every_country_to_count(
    sheeted: Refereed,
) -> None:
    """issue 9, 2: lines done, changed or void; events from lists; forces by country."""
    told = referee.content(sheeted.phase)
    (italy,) = told["powers"]
    assert [(line["line"], line["text"]) for line in italy["lines"]] == list(
        enumerate(ORDERS["Italy"].splitlines(), start=1)
    )
    assert any("may not attack together" in said for said in italy["lines"][1]["facts"])
    assert [line["points"] for line in italy["lines"]] == [False, False, True]
    verbs = [form["blanks"][0][1] for group in told["forms"] for form in group["forms"]]
    table = RULES.referee.table(sheeted.state())
    assert table is not None
    assert sorted(verbs) == sorted(form.verb for form in table.forms)
    assert [row["name"] for row in told["countries"]] == list(AREAS)
    assert {heading for heading, _ in told["ledger"]} >= {"American entry", "Sea transport"}
    pages = setting.picture("referee", told, sheeted.now)
    assert 2 <= len(pages) <= 4


def test_the_gamesmasters_form_is_his_alone_and_of_his_phases(
    sheeted: Refereed, war: Refereed
) -> None:
    """The wrong person, the wrong phase: neither learns anything."""
    where = f"/games/{sheeted.game.pk}/desk/paper/referee.pdf"
    ada, gustav = Visitor(), Visitor()
    ada.force_login(sheeted.ada)
    gustav.force_login(sheeted.players["Germany"])
    assert ada.get(where).content.startswith(b"%PDF")
    assert gustav.get(where).status_code == 403
    assert Visitor().get(where).status_code in (302, 403)
    assert ada.post(where).status_code == 405
    assert "referee.pdf" in ada.read(f"/games/{sheeted.game.pk}/desk/paper/")


def test_there_is_no_form_for_a_phase_without_a_sheet() -> None:
    war, ada = Refereed.begin(), Visitor()
    ada.force_login(war.ada)
    assert ada.get(f"/games/{war.game.pk}/desk/paper/referee.pdf").status_code == 404
    with pytest.raises(ValueError, match="waits for no sheet"):
        referee.content(war.phase)


def test_an_order_form_has_a_sheet_of_lines_and_says_how_they_are_written() -> None:
    war = Refereed.begin()
    war.play_to("orders")
    told = print.forms.content(war.phase, war.seat("Germany"))
    forms = [form for form, _ in told["language"]]
    assert "MOVE 3 SP Paris TO Lyons" in forms
    assert "ALLY France" in forms
    assert not any(form.startswith("BLEND") for form in forms)  # 19.2: before turn 1 alone
    assert told["apart"]
    assert told["how"]
    assert len(setting.picture("form", told, war.now)) == 2


def test_every_line_that_the_forms_show_is_one_that_is_taken() -> None:
    """A form that showed what is refused would be worse than none."""
    asked = RULES.load(CARD, {}, {**RULES.dump(begun()), "step": "orders"})
    for form, _ in print.forms.all_lines(GAME):
        if "…" in form:
            continue
        state, power = (
            (begun(4), "Germany")
            if form.startswith("BLEND")
            else (asked, "Italy" if form.startswith("MED") else "Britain")
        )
        reading = RULES.read(form, power, state)
        assert [remark.message for remark in reading.remarks if remark.severity == "error"] == [], (
            form
        )
        assert reading.understood, form


def test_the_printed_card_has_columns_of_25_and_23_turns_with_their_seasons() -> None:
    """Rules B.1 and B.2, as issue 9 asks: the checksum stands on the sheet."""
    told = printed_sheet.content(CARD, tables(CARD))
    assert told["most"] == [25] * 6
    assert len(told["rows"]) == 31
    charts = {chart["title"]: chart for chart in told["charts"]}
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
        len(row) == len(chart["columns"]) for chart in told["charts"] for row in chart["rows"]
    )
    assert len(setting.picture("sheet", told, MONDAY)) == 5


@pytest.mark.parametrize("game", ["origins-ww1", "origins-ww2"])
def test_other_games_have_no_further_charts_and_no_states(game: str) -> None:
    rules = ruleset(game)
    card = cards.load(game, cards.names(game)[0])
    assert rules.guide.further_charts(card) == ()
    shown = rules.board(rules.setup(card, {}, card["order"]))
    assert (shown.lands, shown.at_odds, shown.hands, shown.unit.many) == ({}, (), (), "PFs")


def test_what_is_shown_comes_from_the_view(war: Refereed) -> None:
    """docs/design.md 8: public and powers see one board; nothing of it is secret."""
    position = positions.position(war.game)
    views = [permissions.view(war.game, position, reader) for reader in (None, *NATIONS)]
    assert len({repr(war.game.rules.board(view)) for view in views}) == 1
