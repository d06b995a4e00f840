"""Origins of World War I on board, report, proof, standings, cards, paper, rules (issue 8, 3)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from games import positions, print
from games.desk import sheet_grid, sheets, telephone_script
from games.desk.sheet_toml import to_toml
from games.letters import account, rendering
from games.letters import board as boards
from games.models import Letter
from games.print import board as paper_board
from games.print import forms, letters, setting
from games.print import sheet as printed
from games.records import proof
from games.rules import Board, Cell, Standing, cards
from games.rules.registry import ruleset
from games.web import pictures
from games.web.boards import grid, in_words
from games.web.scenarios.sheets import sheet
from tests.support.browsing import log_in
from tests.support.campaign import MONDAY, person
from tests.support.origins_ww1 import GAME, NATIONS, Campaign
from tests.support.staging_ww1 import going_on

#: What this game has not, and no page or letter of it may speak of.
FOREIGN = re.compile(r"Understanding|CONTROL|immun|Poland")


@pytest.fixture(scope="module")
def stage(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Campaign]:
    """Played once for all tests here, which only look at it, and taken back after them."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield going_on(MONDAY)
        transaction.set_rollback(True)


@pytest.fixture
def campaign(stage: Campaign, db: None) -> Campaign:
    """In the third turn: two alliances, treaty rights, and attacks with digits that were no die."""
    return stage


def page(name: str, *args: object, who: str | None = None) -> str:
    client = Client()
    if who:
        client.force_login(person(who))
    answer = client.get(reverse(name, args=args))
    assert answer.status_code == 200, name
    return str(answer.content.decode())


def words(html: str) -> str:
    """A page as its reader has it: without tags, and blanks made one."""
    return re.sub(r" ([,;.:])", r"\1", " ".join(re.sub(r"<[^>]+>", " ", html).split()))


# --- the board ---

SERBIA = Board(
    ("Serbia",),
    NATIONS,
    {"Serbia": {"Russia": Cell(12, treaty=True), "Germany": Cell(9)}},
    (("Britain", "France"),),
)


def test_a_board_in_a_letter_marks_treaty_rights_and_says_who_is_allied() -> None:
    """“12T”, with a line that says what it means; who is allied stands below (rules A.2, A.4)."""
    text = boards.as_text(SERBIA)
    assert "12T" in text
    assert text.endswith(
        "T treaty rights (12T: 12 PFs that give them); . nothing. Allied: Britain and France."
    )
    assert all(len(line) <= boards.WIDTH for line in text.splitlines()[:-1])


def test_what_a_ruling_changed_of_alliances_is_told_with_the_board() -> None:
    before = Board(
        SERBIA.areas,
        NATIONS,
        {"Serbia": {"Russia": Cell(9), "Germany": Cell(9)}},
        (("Germany", "Austria-Hungary"),),
    )
    assert boards.changes(before, SERBIA) == [
        "Britain and France are allied",
        "Germany and Austria-Hungary are not allied",
        "Serbia, Russia: 12T, not 9",
    ]


def test_the_table_of_a_page_explains_what_this_game_has() -> None:
    card = cards.load(GAME, "standard")
    here = grid(SERBIA, None, card)
    assert (here.counters, here.treaty_at) == (False, 10)
    assert [(one.name, other.name) for one, other in here.alliances] == [("Britain", "France")]
    assert in_words(Cell(12, treaty=True)) == "12 PFs and treaty rights"
    # Red, blue, black, gold, green.
    assert [heading.css for heading in here.headings] == ["n2", "n1", "n4", "n3", "n0"]


def test_allies_points_are_added_up() -> None:
    standing = Standing(
        {"Britain": 4, "France": 8, "Germany": 6, "Russia": 0, "Austria-Hungary": 14},
        alliances=(("Britain", "France"),),
    )
    assert standing.sums() == ((("Britain", "France"), 12, 20),)
    assert Standing({}, alliances=(("Britain", "France"),)).sums() == ()


# --- the pages of a game ---


def test_the_pages_of_a_game_speak_of_treaties_and_alliances_and_of_nothing_else(
    campaign: Campaign,
) -> None:
    game = campaign.game
    front = page("game", game.pk)
    assert 'title="Treaty rights of Austria-Hungary"' in front
    said = words(front)
    assert re.search(r"Allied: BR Britain and FR France; GE Germany and AU Austria-Hungary", said)
    assert re.search(r"Germany and Austria-Hungary, allied: \d+ together, all others \d+\.", said)
    seat = campaign.seat("Germany")
    shown = [front, page("orders", game.pk, seat.pk, who="gustav")]
    shown += [page(name, game.pk) for name in ("board", "standing", "game-sheet", "game-honesty")]
    shown += [page(name, game.pk, 4) for name in ("phase", "proof")]
    shown += [page(name, game.pk, who="ada") for name in ("desk", "desk-telephone-script")]
    shown.append(page("nation", game.pk, "germany"))
    for html in shown:
        assert not FOREIGN.search(words(html)), FOREIGN.search(words(html))
        assert not re.search(r"\blt1\b|\b(?:rng|wwi)\.[a-z]", words(html))


def test_a_discarded_digit_is_told_with_the_throw_that_counted(campaign: Campaign) -> None:
    """rng.d6 = reject: 7, 8, 9 and 0 are no die, and the next stock is read."""
    phase = campaign.game.phases.get(number=4)
    made = proof.workings(phase, campaign.resolution(phase))
    thrown = next(one for one in made if any("is no die" in why for _, why in one.passed))
    assert thrown.row == thrown.digit
    assert thrown.row in range(1, 7)
    stock, why = next((stock, why) for stock, why in thrown.passed if "is no die" in why)
    assert re.fullmatch(r"its digit, [7890], is no die", why)
    html = page("proof", campaign.game.pk, 4)
    said = words(html)
    assert f"{stock}: {why}" in said
    assert "Die below 1-1 1-1 2-1 3-1 4-1" in said
    assert html.count("<mark>") == len(made)
    assert "The rows of the printed table are dice" in said
    told = words(page("phase", campaign.game.pk, 4))
    assert f"Row {thrown.row} of the table" in told


def test_a_nations_card_has_its_treaties_its_bonus_and_its_ally(campaign: Campaign) -> None:
    said = words(page("nation", campaign.game.pk, "britain"))
    assert "Allied with France." in said
    assert "20 at most" in said  # rules A.1: ceilings
    assert "Far East treaty rights that nobody else has 4 ✓ yes 10 PFs and treaty rights" in said
    assert re.search(r"Bonus No other nation has more than 12 points 10", said)


def test_what_pays_adds_up_to_the_score(campaign: Campaign) -> None:
    position = positions.position(campaign.game)
    paid = account.account_of(campaign.game, position)
    standing = campaign.game.rules.standing(campaign.game.load(position))
    assert {nation: sum(points for _, points in lines) for nation, lines in paid.items()} == dict(
        standing.scores
    )


def test_the_standings_tell_what_allies_have_together(campaign: Campaign) -> None:
    said = words(page("standing", campaign.game.pk))
    assert re.search(r"Britain and FR France, allied: \d+ together, all others \d+\.", said)


def test_the_script_for_the_telephone_says_treaties_and_alliances(campaign: Campaign) -> None:
    parts = telephone_script.make_script(campaign.game, {}).parts
    told = " ".join(sentence for part in parts for sentence in part.sentences)
    assert "Far East: Britain 10 and treaty rights." in told
    assert "Britain and France are allied." in told
    assert re.search(r"Britain and France, allied: \d+ together", told)


def test_the_picture_of_a_ruling_that_is_only_foreseen_has_seals_and_alliances(
    campaign: Campaign,
) -> None:
    shown = pictures.of_board(campaign.game, SERBIA, SERBIA, "As it would be")
    assert shown is not None
    client = log_in(campaign.ada)
    answer = client.get(shown.light)
    assert answer.status_code == 200
    drawn = answer.content.decode()
    assert "12 PFs and treaty rights" in drawn
    assert "Britain and France are allied." in drawn


# --- letters ---


def test_letters_speak_of_this_game_alone(campaign: Campaign) -> None:
    """Every kind that a game writes while it goes on; the first one has the primer."""
    seen = set()
    for letter in Letter.objects.filter(game=campaign.game).order_by("-pk"):
        if letter.kind in seen:
            continue
        seen.add(letter.kind)
        set_in = rendering.render(letter)
        for said in (set_in.text, words(set_in.html)):
            assert not FOREIGN.search(said), (letter.kind, FOREIGN.search(said))
            assert "lt1" not in said
    assert {"begins", "opened", "locked", "board"} <= seen


def test_a_report_has_the_die_the_board_and_the_alliances(campaign: Campaign) -> None:
    phase = campaign.game.phases.get(number=4)
    text = rendering.render(campaign.letters("board", "gustav")[-1]).text
    assert phase.short_title in text
    flat = " ".join(text.split())
    assert re.search(r"digit [7890] \(not a die\); .* digit [1-6], ", flat)
    assert "10T" in text
    assert "Allied: Britain and France; Germany and Austria-Hungary." in flat
    assert re.search(r"Britain and France, allied: \d+ together, all others \d+\.", flat)
    assert re.search(r"\bAustria-Hungary \d+\b", text.split("SCORES")[1])


def test_the_last_report_says_which_bonus_was_paid(campaign: Campaign) -> None:
    """Rules A.3: as long as nobody has placed anything all three bonuses are paid."""
    paid = account.account_of(campaign.game, positions.start_position(campaign.game))
    assert paid["Britain"] == [("bonus “No other nation has more than 12 points”", 10)]
    assert [sum(points for _, points in paid[nation]) for nation in NATIONS] == [10, 10, 5, 0, 0]


# --- paper ---


def test_the_printed_sheet_has_all_that_a_table_needs() -> None:
    """Board of embassies, tables, objectives, turn counter, order form (issue 8, 3)."""
    card = cards.load(GAME, "standard")
    told = printed.content(card, sheet(card))
    gets = [one["gets"] for one in told["nations"]]
    assert gets == [f"{number} a turn" for number in (14, 12, 16, 10, 10)]
    by_area = {row["area"]: [cell["wishes"] for cell in row["cells"]] for row in told["rows"]}
    assert by_area["Serbia"] == [[], [], [], ["T 5"], ["(T) 10"]]
    assert told["most"] == [20, 21, 16, 18, 18]
    assert [name for name, _, points in told["bonuses"]] == ["Britain", "France", "Germany"]
    assert (told["turns"], told["thrown"], told["pairs"]) == (10, "die", True)
    assert len(told["results"]) == 6
    assert any(form.startswith("ALLY") for form, _ in told["language"])


@pytest.mark.parametrize("game", ["origins-ww1", "origins-ww2"])
@pytest.mark.parametrize("size", ["", "?paper=letter"])
def test_anybody_may_print_a_sheet(db: None, game: str, size: str) -> None:
    name = cards.names(game)[0]
    answer = Client().get(reverse("card-pdf", args=[game, name]) + size)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    assert answer.content.startswith(b"%PDF")
    assert Client().get(reverse("card-pdf", args=[game, "no-such-sheet"])).status_code == 404
    assert Client().post(reverse("card-pdf", args=[game, name])).status_code == 405


@pytest.mark.parametrize("game", ["origins-ww1", "origins-ww2"])
@pytest.mark.parametrize("size", [print.A4, print.LETTER])
def test_a_printed_sheet_is_board_map_and_order_forms(game: str, size: str) -> None:
    """Review of a player, B13: the last lines of the form stood alone on a fourth page."""
    for name in cards.names(game):
        card = cards.load(game, name)
        told = printed.content(card, sheet(card))
        assert len(setting.picture("sheet", told, datetime(2026, 11, 24, tzinfo=UTC), size)) == 3


def test_the_sheet_of_a_private_game_is_for_its_people(db: None) -> None:
    campaign = Campaign.begin(public=False)
    address = reverse("game-sheet-pdf", args=[campaign.game.pk])
    assert Client().get(address).status_code in (302, 404)
    charlie = log_in("charlie")
    assert charlie.get(address).status_code in (403, 404)
    gustav = log_in("gustav")
    assert gustav.get(address).content.startswith(b"%PDF")


def test_board_and_order_form_of_a_running_game_print(campaign: Campaign) -> None:
    seat = campaign.seat("Germany")
    told = forms.content(campaign.phase, seat)
    assert told["choices"][0][0] == "PLACE"
    assert "Germany (1 to 16)" in told["choices"][0][1]
    assert "Serbia (1 to 5)" in told["choices"][0][1]
    assert not FOREIGN.search(str(told))
    on_board = paper_board.content(campaign.game, seat, campaign.now)
    assert on_board["counters"] is False
    assert any(cell["treaty"] for row in on_board["rows"] for cell in row["cells"])
    assert len(on_board["sums"]) == 2
    for size in (print.A4, print.LETTER):
        assert print.order_form_pdf(campaign.phase, seat, size).startswith(b"%PDF")
        assert print.board_pdf(campaign.game, seat, campaign.now, size).startswith(b"%PDF")
    resolution = campaign.resolution()
    assert print.report_pdf(resolution, seat, campaign.now + timedelta(minutes=1)).startswith(
        b"%PDF"
    )


# --- the rules explained ---


def test_the_rules_are_explained_with_the_engines_own_examples(db: None) -> None:
    html = page("rules-of", GAME)
    said = words(html)
    for example in ruleset(GAME).guide.examples():
        assert example.told[0].split(";")[0] in said.replace("&#x27;", "'"), example.name
    assert "23 against 8 are 2-1" in said
    assert "below 1-1 3 3 0" in said  # AE, EX, DE of six throws
    assert "No other nation has more than 12 points" in said
    assert not FOREIGN.search(said)
    assert "Origins of World War I" in words(page("rules"))
    assert "Origins of World War II" in words(page("rules"))


def test_a_secret_alliance_is_seen_by_the_two_alone(db: None) -> None:
    """Rules A8: wwi.alliance_secrecy = until_end."""
    campaign = Campaign.begin(options={"wwi.alliance_secrecy": "until_end"})
    campaign.order("Britain", "ALLY France")
    campaign.order("France", "ALLY Britain")
    campaign.pass_deadline()
    game = campaign.game
    assert "Allied" not in words(page("game", game.pk))
    assert "Allied" not in words(page("game", game.pk, who="gustav"))
    assert "Allied: BR Britain and FR France" in words(page("game", game.pk, who="bea"))
    assert "Allied with" not in words(page("nation", game.pk, "france", who="gustav"))
    assert "Allied with Britain." in words(page("nation", game.pk, "france", who="felix"))
    assert "Allied" not in rendering.render(campaign.letters("board", "gustav")[-1]).text
    assert "Allied: Britain and France." in " ".join(
        rendering.render(campaign.letters("board", "felix")[-1]).text.split()
    )


# --- sheets of one's own ---


def test_a_sheet_typed_in_keeps_what_the_grid_does_not_show() -> None:
    """The cap of five, treaty rights from ten and the bonuses stay, in grid and file."""
    card = cards.load(GAME, "standard")
    grid_of_it = sheet_grid.grid_of(card)
    assert sheet_grid.card_in(grid_of_it, GAME, card) == card
    assert sheet_grid.kinds(GAME) == ("exclusive_treaty", "treaty")
    assert tomllib.loads(to_toml(card)) == card
    grid_of_it.nations[0].points[6] = {"treaty": "4"}
    changed = sheet_grid.card_in(grid_of_it, GAME, card)
    assert changed["objectives"]["Britain"]["Serbia"] == {"treaty": 4}
    assert changed["bonus"] == card["bonus"]
    assert not sheets.fault_of(changed, GAME)
    begun = sheets.empty(GAME)
    assert (begun["area_cap"], begun["treaty_at"]) == (5, 10)
    assert "bonus" not in begun
    assert "Understanding" not in sheets.fault_of(begun, GAME)


def test_a_number_at_the_beginning_of_a_wrapped_line_is_no_new_item_on_paper() -> None:
    """Found in a report: a wrapped line began with “5. DEMO figure …”."""
    text = (
        "1. Britain attacks Germany; Britain loses 5, Germany loses\n5. DEMO figure of GE.\n2."
        " France attacks."
    )
    (block,) = letters.blocks(text)
    assert block["items"] == [
        "Britain attacks Germany; Britain loses 5, Germany loses 5. DEMO figure of GE.",
        "France attacks.",
    ]
