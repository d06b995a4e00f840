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
from games.desk import scenario_grid, scenarios, telephone_script
from games.desk.scenario_toml import to_toml
from games.letters import account, board_text, rendering
from games.models import Letter
from games.pages import pictures
from games.pages.boards import describe_cell, grid
from games.print import board as paper_board
from games.print import forms, letters, setting
from games.print import scenario as printed
from games.records import proof
from games.rules import Board, Cell, Standing, cards
from games.rules.registry import ruleset
from games.web.scenarios.tables import tables_of
from tests.support.browsing import log_in, unmarked
from tests.support.campaign import MONDAY, person
from tests.support.origins_ww1 import GAME, NATIONS, Campaign
from tests.support.staging_ww1 import going_on

#: Words of other games, which no page or letter of this one may contain.
FOREIGN = re.compile(r"Understanding|CONTROL|immun|Poland")


@pytest.fixture(scope="module")
def stage(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Campaign]:
    """Play the campaign once for all tests of this file, which only read it; roll it back after
    them."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield going_on(MONDAY)
        transaction.set_rollback(True)


@pytest.fixture
def campaign(stage: Campaign, db: None) -> Campaign:
    """Return the campaign in turn 3, with two alliances, treaty rights, and attacks with digits
    that were no die."""
    return stage


def page(name: str, *args: object, who: str | None = None) -> str:
    client = Client()
    if who:
        client.force_login(person(who))
    answer = client.get(reverse(name, args=args))
    assert answer.status_code == 200, name
    return str(answer.content.decode())


def words(html: str) -> str:
    """Return a page as its reader sees it: without tags, with single spaces."""
    return re.sub(r" ([,;.:])", r"\1", " ".join(re.sub(r"<[^>]+>", " ", unmarked(html)).split()))


# --- the board ---

SERBIA = Board(
    ("Serbia",),
    NATIONS,
    {"Serbia": {"Russia": Cell(12, treaty=True), "Germany": Cell(9)}},
    (("Britain", "France"),),
)


def test_board_in_a_letter_marks_treaty_rights_and_alliances() -> None:
    """“12T” with a legend; alliances are listed below (rules A.2, A.4)."""
    text = board_text.as_text(SERBIA)
    assert "12T" in text
    assert text.endswith(
        "T: treaty rights (12T: 12 PFs that give them); a dot: nothing. Allied: Britain and France."
    )
    assert all(len(line) <= board_text.WIDTH for line in text.splitlines()[:-1])


def test_changed_alliances_are_listed_with_the_board() -> None:
    before = Board(
        SERBIA.areas,
        NATIONS,
        {"Serbia": {"Russia": Cell(9), "Germany": Cell(9)}},
        (("Germany", "Austria-Hungary"),),
    )
    assert board_text.changes(before, SERBIA) == [
        "Britain and France are allied",
        "Germany and Austria-Hungary are not allied",
        "Serbia, Russia: 12T, not 9",
    ]


def test_board_table_explains_the_counters_of_this_game() -> None:
    card = cards.load(GAME, "standard")
    here = grid(SERBIA, None, card)
    assert (here.counters, here.treaty_at) == (False, 10)
    [(relation, [(nation, other)])] = here.relations
    assert (relation, nation.name, other.name) == ("Allied", "Britain", "France")
    assert describe_cell(Cell(12, treaty=True)) == "12 PFs and treaty rights"
    # red, blue, black, gold, green
    assert [heading.css for heading in here.headings] == ["n2", "n1", "n4", "n3", "n0"]


def test_standings_add_up_points_of_allies() -> None:
    standing = Standing(
        {"Britain": 4, "France": 8, "Germany": 6, "Russia": 0, "Austria-Hungary": 14},
        alliances=(("Britain", "France"),),
    )
    assert standing.sums() == ((("Britain", "France"), 12, 20),)
    assert Standing({}, alliances=(("Britain", "France"),)).sums() == ()


# --- the pages of a game ---


def test_pages_mention_treaties_and_alliances_and_nothing_of_other_games(
    campaign: Campaign,
) -> None:
    game = campaign.game
    front = page("game", game.pk)
    assert 'title="Treaty rights of Austria-Hungary"' in front
    text = words(front)
    assert re.search(r"Allied: BR Britain and FR France; GE Germany and AU Austria-Hungary", text)
    assert re.search(r"Germany and Austria-Hungary, allied: \d+ together, all others \d+\.", text)
    seat = campaign.seat("Germany")
    shown = [front, page("orders", game.pk, seat.pk, who="gustav")]
    shown += [
        page(name, game.pk) for name in ("board", "standing", "game-scenario", "game-honesty")
    ]
    shown += [page(name, game.pk, 4) for name in ("phase", "proof")]
    shown += [page(name, game.pk, who="ada") for name in ("desk", "desk-telephone-script")]
    shown.append(page("nation", game.pk, "germany"))
    for html in shown:
        assert not FOREIGN.search(words(html)), FOREIGN.search(words(html))
        assert not re.search(r"\blt1\b|\b(?:rng|wwi)\.[a-z]", words(html))


def test_discarded_digit_is_shown_with_the_throw_that_counted(campaign: Campaign) -> None:
    """rng.d6 = reject: 7, 8, 9 and 0 are no die, and the next stock is used."""
    phase = campaign.game.phases.get(number=4)
    made = proof.workings(phase, campaign.resolution(phase))
    thrown = next(
        working for working in made if any("is no die" in why for _, why in working.passed)
    )
    assert thrown.row == thrown.digit
    assert thrown.row in range(1, 7)
    stock, why = next((stock, why) for stock, why in thrown.passed if "is no die" in why)
    assert re.fullmatch(r"its digit, [7890], is no die", why)
    html = page("proof", campaign.game.pk, 4)
    text = words(html)
    assert f"{stock}: {why}" in text
    assert "Die below 1-1 1-1 2-1 3-1 4-1" in text
    assert html.count("<mark>") == len(made)
    assert "The rows of the printed table are dice" in text
    phase_text = words(page("phase", campaign.game.pk, 4))
    assert f"Row {thrown.row} of the table" in phase_text


def test_nation_page_shows_treaties_bonus_and_ally(campaign: Campaign) -> None:
    text = words(page("nation", campaign.game.pk, "britain"))
    assert "Allied with France." in text
    assert "20 at most" in text  # rules A.1: ceilings
    assert "Far East treaty rights that nobody else has 4 ✓ yes 10 PFs and treaty rights" in text
    assert re.search(r"Bonus No other nation has more than 12 points 10", text)


def test_account_of_points_adds_up_to_the_score(campaign: Campaign) -> None:
    position = positions.position(campaign.game)
    paid = account.account_of(campaign.game, position)
    standing = campaign.game.rules.standing(campaign.game.load(position))
    assert {nation: sum(points for _, points in lines) for nation, lines in paid.items()} == dict(
        standing.scores
    )


def test_standings_page_adds_up_points_of_allies(campaign: Campaign) -> None:
    text = words(page("standing", campaign.game.pk))
    assert re.search(r"Britain and FR France, allied: \d+ together, all others \d+\.", text)


def test_telephone_script_mentions_treaties_and_alliances(campaign: Campaign) -> None:
    parts = telephone_script.make_script(campaign.game, {}).parts
    sentences = " ".join(sentence for part in parts for sentence in part.sentences)
    assert "Far East: Britain 10 and treaty rights." in sentences
    assert "Britain and France are allied." in sentences
    assert re.search(r"Britain and France, allied: \d+ together", sentences)


def test_preview_picture_of_a_ruling_shows_treaties_and_alliances(campaign: Campaign) -> None:
    shown = pictures.picture_of_board(campaign.game, SERBIA, SERBIA, "As it would be")
    assert shown is not None
    client = log_in(campaign.ada)
    answer = client.get(shown.light)
    assert answer.status_code == 200
    drawn = answer.content.decode()
    assert "12 PFs and treaty rights" in drawn
    assert "Britain and France are allied." in drawn


# --- letters ---


def test_letters_mention_nothing_of_other_games(campaign: Campaign) -> None:
    """Every kind that a running game writes; the first one has the primer."""
    kinds = set()
    for letter in Letter.objects.filter(game=campaign.game).order_by("-pk"):
        if letter.kind in kinds:
            continue
        kinds.add(letter.kind)
        set_in = rendering.render(letter)
        for part in (set_in.text, words(set_in.html)):
            assert not FOREIGN.search(part), (letter.kind, FOREIGN.search(part))
            assert "lt1" not in part
    assert {"begins", "opened", "locked", "board"} <= kinds


def test_report_has_the_die_the_board_and_the_alliances(campaign: Campaign) -> None:
    phase = campaign.game.phases.get(number=4)
    text = rendering.render(campaign.letters("board", "gustav")[-1]).text
    assert phase.short_title in text
    flat = " ".join(text.split())
    assert re.search(r"digit [7890] \(not a die\); .* digit [1-6], ", flat)
    assert "10T" in text
    assert "Allied: Britain and France; Germany and Austria-Hungary." in flat
    assert re.search(r"Britain and France, allied: \d+ together, all others \d+\.", flat)
    assert re.search(r"\bAustria-Hungary \d+\b", text.split("SCORES")[1])


def test_account_names_the_paid_bonuses(campaign: Campaign) -> None:
    """Rules A.3: as long as nobody has placed anything all three bonuses are paid."""
    paid = account.account_of(campaign.game, positions.start_position(campaign.game))
    assert paid["Britain"] == [("bonus “No other nation has more than 12 points”", 10)]
    assert [sum(points for _, points in paid[nation]) for nation in NATIONS] == [10, 10, 5, 0, 0]


# --- paper ---


def test_printed_scenario_has_everything_for_a_table() -> None:
    """Board of embassies, tables, objectives, turn counter, order form (issue 8, 3)."""
    card = cards.load(GAME, "standard")
    content = printed.content(card, tables_of(card))
    gets = [nation["gets"] for nation in content["nations"]]
    assert gets == [f"{number} a turn" for number in (14, 12, 16, 10, 10)]
    by_area = {row["area"]: [cell["wishes"] for cell in row["cells"]] for row in content["rows"]}
    assert by_area["Serbia"] == [[], [], [], ["T 5"], ["(T) 10"]]
    assert content["most"] == [20, 21, 16, 18, 18]
    assert [name for name, _, points in content["bonuses"]] == ["Britain", "France", "Germany"]
    assert (content["turns"], content["thrown"], content["pairs"]) == (10, "die", True)
    assert len(content["results"]) == 6
    assert any(form.startswith("ALLY") for form, _ in content["language"])


@pytest.mark.parametrize("game", ["origins-ww1", "origins-ww2"])
@pytest.mark.parametrize("size", ["", "?paper=letter"])
def test_anybody_may_print_a_scenario(db: None, game: str, size: str) -> None:
    name = cards.names(game)[0]
    answer = Client().get(reverse("card-pdf", args=[game, name]) + size)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    assert answer.content.startswith(b"%PDF")
    assert Client().get(reverse("card-pdf", args=[game, "no-such-sheet"])).status_code == 404
    assert Client().post(reverse("card-pdf", args=[game, name])).status_code == 405


@pytest.mark.parametrize("game", ["origins-ww1", "origins-ww2"])
@pytest.mark.parametrize("size", [print.A4, print.LETTER])
def test_printed_scenario_has_three_pages(game: str, size: str) -> None:
    """Review of a player, B13: the last lines of the form stood alone on a fourth page."""
    for name in cards.names(game):
        card = cards.load(game, name)
        content = printed.content(card, tables_of(card))
        assert (
            len(setting.picture("scenario", content, datetime(2026, 11, 24, tzinfo=UTC), size)) == 3
        )


def test_printed_scenario_of_a_private_game_needs_permission(db: None) -> None:
    campaign = Campaign.begin(public=False)
    address = reverse("game-scenario-pdf", args=[campaign.game.pk])
    assert Client().get(address).status_code in (302, 404)
    charlie = log_in("charlie")
    assert charlie.get(address).status_code in (403, 404)
    gustav = log_in("gustav")
    assert gustav.get(address).content.startswith(b"%PDF")


def test_board_and_order_form_of_a_running_game_are_printed(campaign: Campaign) -> None:
    seat = campaign.seat("Germany")
    content = forms.content(campaign.phase, seat)
    assert content["choices"][0][0] == "PLACE"
    assert "Germany (1 to 16)" in content["choices"][0][1]
    assert "Serbia (1 to 5)" in content["choices"][0][1]
    assert not FOREIGN.search(str(content))
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


def test_rules_page_uses_the_engines_own_examples(db: None) -> None:
    html = page("rules-of", GAME)
    text = words(html)
    for example in ruleset(GAME).guide.examples():
        assert example.told[0].split(";")[0] in text.replace("&#x27;", "'"), example.name
    assert "23 against 8 are 2-1" in text
    assert "below 1-1 3 3 0" in text  # AE, EX, DE of six throws
    assert "No other nation has more than 12 points" in text
    assert not FOREIGN.search(text)
    assert "Origins of World War I" in words(page("rules"))
    assert "Origins of World War II" in words(page("rules"))


def test_secret_alliance_is_shown_to_the_two_allies_only(db: None) -> None:
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


# --- own scenarios ---


def test_scenario_editor_keeps_keys_outside_the_grid() -> None:
    """The cap of five, treaty rights from ten and the bonuses stay, in grid and file."""
    card = cards.load(GAME, "standard")
    grid_of_it = scenario_grid.grid_of(card)
    assert scenario_grid.make_card(grid_of_it, GAME, card) == card
    assert scenario_grid.kinds(GAME) == ("exclusive_treaty", "treaty")
    assert tomllib.loads(to_toml(card)) == card
    grid_of_it.nations[0].points[6] = {"treaty": "4"}
    changed = scenario_grid.make_card(grid_of_it, GAME, card)
    assert changed["objectives"]["Britain"]["Serbia"] == {"treaty": 4}
    assert changed["bonus"] == card["bonus"]
    assert not scenarios.fault_of(changed, GAME)
    begun = scenarios.empty_card(GAME)
    assert (begun["area_cap"], begun["treaty_at"]) == (5, 10)
    assert "bonus" not in begun
    assert "Understanding" not in scenarios.fault_of(begun, GAME)


def test_wrapped_number_starts_no_new_list_item_on_paper() -> None:
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
