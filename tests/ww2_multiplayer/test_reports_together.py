"""One referee report for several Player-Turns (source 004, lines 39-61)."""

from __future__ import annotations

import json

import pytest

from games.base.markers import REPORT_BEGINS, REPORT_ENDS
from games.evidence import export
from games.letters import rendering
from games.rules.verification import verify
from tests.support.browsing import log_in

from .campaign import Refereed

pytestmark = [pytest.mark.django_db, pytest.mark.letters, pytest.mark.guest]

ORDERS = {"France": "INVADE Belgium", "USSR": "INVADE Finland", "Germany": "INVADE Poland"}
REPORT = """NEXT
REST DONE
NEXT
REST DONE
NEXT
NEXT
NOTE Fog over the Channel
NEXT
REST DONE
RESOURCES 4
END"""


def at_the_report(orders: dict[str, str] | None = None, ahead: int = 0) -> Refereed:
    """Return a game of six players in which the first report of the Game-Turn is due."""
    war = Refereed.begin(
        players=6, options={"spi.us_entry": "base_schedule", "spi.dice_ahead": ahead}
    )
    war.play_to("orders")
    for power, text in (orders or {}).items():
        war.order(power, text)
    war.pass_deadline()
    if ahead:
        war.carry_out()
    assert war.report_owed
    return war


def test_game_turn_of_six_players_needs_one_report() -> None:
    """4.1: six Player-Turns, one report, one letter; the record verifies."""
    war = at_the_report(ORDERS)
    before = war.game.phases.count()
    war.report(REPORT, final=True)
    phase = war.carry_out()
    assert phase.kind == "referee-italy"
    assert (war.phase.turn, war.phase.kind) == (2, "diplomacy")
    assert war.game.phases.count() == before + 1, "no phase for each Player-Turn"
    kinds = [event["kind"] for event in war.resolution(phase).events]
    assert kinds.count("line") == 3
    assert kinds.count("next") == 5
    state = war.state()
    assert [state.country(country).is_invaded_by(by) for by, country in (
        ("France", "Belgium"), ("USSR", "Finland"), ("Germany", "Poland"),
    )] == [True] * 3  # fmt: skip
    tree = json.loads(export.text(export.record(war.game, private=True)))
    assert verify.check(tree) == []


def test_letter_and_page_about_a_whole_game_turn_say_so() -> None:
    """Issue 43, 11: not “Player-Turn of Italy”, which is only the first of the six."""
    war = at_the_report(ORDERS)
    war.report(REPORT, final=True)
    judged = war.carry_out()
    letter = rendering.render(war.letters("board", "felix")[-1])
    assert "Turn 2 (1/40) diplomacy: your orders by" in letter.subject, "he has something to do"
    for part in (letter.text, letter.html):
        assert "Turn 1 (4/39), the whole Game-Turn: " in part
        assert "Player-Turn of Italy: " not in part
    for name in ("ada",):
        subject = rendering.render(war.letters("board", name)[-1]).subject
        assert subject == "[The map on the table] Turn 1 (4/39), the whole Game-Turn: the result"
    page = log_in("felix").read(f"/games/{war.game.pk}/phases/{judged.number}/")
    assert "<h1>Turn 1 (4/39), the whole Game-Turn</h1>" in page


@pytest.mark.parametrize("dice", [False, True])
def test_lists_and_links_name_a_result_by_all_that_it_tells(dice: bool) -> None:
    """Issue 44: they named it by its first Player-Turn, also where dice of it are thrown yet."""
    war = at_the_report(ORDERS)
    report = "DICE 1 OF Italy FOR the attack on Tobruk\n" if dice else ""
    war.report(f"{report}REST DONE\nNEXT\nREST DONE\nEND", final=True)
    judged, game = war.phase, war.game
    assert judged.due_at is not None
    war.wait_until(judged.due_at)
    assert war.phase.kind == ("dice-1" if dice else "referee-ussr")
    title = "Turn 1 (4/39), Player-Turns of Italy and France"
    assert war.resolution(judged).title == title
    browser = log_in("ada")
    for path in (
        f"/games/{game.pk}/",
        f"/games/{game.pk}/board/?at={judged.number}.1",
        f"/games/{game.pk}/phases/{judged.number + 1}/",
        f"/games/{game.pk}/nations/france/",
        f"/games/{game.pk}/feed.xml",
    ):
        page = browser.read(path)
        assert title in page, path
        assert "Turn 1 (4/39), Player-Turn of Italy" not in page, path


@pytest.mark.parametrize(
    ("report", "title"),
    [
        ("REST DONE\nNEXT\nREST DONE\nEND", "Turn 1 (4/39), Player-Turns of Italy and France"),
        ("REST DONE\nEND", "Turn 1 (4/39), Player-Turn of Italy"),
        (
            "\n".join(["REST DONE\nNEXT"] * 5),
            "Turn 1 (4/39), Player-Turns of Italy, France, the USSR, the USA, Britain and Germany",
        ),
    ],
)
def test_result_is_named_after_the_player_turns_that_it_tells(report: str, title: str) -> None:
    """The last of them is not over yet: Germany's Player-Turn goes on without END."""
    war = at_the_report(ORDERS)
    war.report(report, final=True)
    assert war.resolution(war.carry_out()).title == title


def test_each_game_turn_takes_only_one_report() -> None:
    """4.1, 5.7: one report for each Player-Turn would be 138 in a war of 23 Game-Turns."""
    war = at_the_report()
    reports = 0
    for _ in range(3):
        war.report("\n".join(["NEXT"] * 5 + ["RESOURCES 0", "END"]), final=True)
        war.carry_out()
        reports += 1
        if war.phase.turn > 3:
            break
        war.play_to("referee")
    assert (reports, war.phase.turn) == (3, 4)


def test_letter_prepares_one_report_for_the_whole_game_turn() -> None:
    """4.1: every pending line, NEXT between Player-Turns; sent unchanged, it ends the turn."""
    war = at_the_report({**ORDERS, "Italy": "IF the French look weak THEN ATTACK Nice IN France"})
    text = rendering.render(war.letters("report_due", "ada")[-1]).text
    prepared = text.partition(REPORT_BEGINS)[2].partition(REPORT_ENDS)[0].split("\n")
    lines = [line.strip() for line in prepared if line.strip()]
    assert lines == [
        *("# LINE Italy 1 DONE", "NEXT", "LINE France 1 DONE", "NEXT", "LINE USSR 1 DONE", "NEXT"),
        *("NEXT", "NEXT", "LINE Germany 1 DONE", "END"),
    ]
    assert "THE ORDERS OF GERMANY, IN PRINTED SEQUENCE\n\n1. INVADE Poland" in text
    war.report("\n".join(lines).removeprefix("# "), final=True)
    war.carry_out()
    assert (war.phase.turn, war.phase.kind) == (2, "diplomacy")


def test_one_click_ends_player_turns_without_orders() -> None:
    """Each Player-Turn comes in printed order, with or without orders (gamesmaster.md U8: 138
    reports a war, most of them empty)."""
    war = at_the_report({"USA": "MOVE London"})
    browser = log_in("ada")
    page = browser.read(f"/games/{war.game.pk}/referee/")
    assert "Send, and end the Player-Turns of Italy, France, USSR" in page
    browser.post(
        f"/games/{war.game.pk}/referee/",
        {"phase": war.phase.number, "do": "idle", "text": "", "was": ""},
    )
    war.carry_out()
    assert war.phase.kind == "referee-usa"
    page = log_in("ada").read(f"/games/{war.game.pk}/referee/")
    assert "Send, and end" not in page, "a line of the USA waits"


def test_next_button_shows_the_lines_of_the_next_player_turn() -> None:
    war = at_the_report({"France": "MOVE Paris"})
    browser = log_in("ada")
    answer = browser.post(
        f"/games/{war.game.pk}/referee/",
        {
            "phase": war.phase.number,
            "do": "next",
            "text": "NOTE Rain\nEND",
            "was": "NOTE Rain\nEND",
        },
    )
    page = answer.content.decode()
    assert "NOTE Rain\nNEXT\n" in page
    assert "MOVE Paris" in page
    assert "Go on with USSR" in page


def test_report_uses_dice_drawn_ahead_in_their_published_order() -> None:
    """0.1, 6.53, 7.14: no report waits for a session; nobody can choose among published dice."""
    war = at_the_report(ORDERS, 12)
    dice = war.state().ahead.dice
    assert len(dice) == 12
    assert war.state("France").ahead.dice == dice, "everybody knows them, and orders are closed"
    drawn = war.game.phases.get(turn=1, kind="dice-1")
    assert (
        f"in this order: {', '.join(map(str, dice))}."
        in war.resolution(drawn).events[-1]["message"]
    )
    page = log_in("ada").read(f"/games/{war.game.pk}/referee/")
    assert f"0 of 12 used. Next, in this order: {', '.join(map(str, dice))}." in page

    thrown = "DICE 2 OF France FOR the attack on Brussels"
    later = "DICE 1 OF Germany FOR the attack on Warsaw"
    text = REPORT.replace("REST DONE\nNEXT", f"REST DONE\n{thrown}\nNEXT", 1)
    war.report(text.replace("RESOURCES 4", f"{later}\nRESOURCES 4"), final=True)
    phase = war.carry_out()
    assert (war.phase.turn, war.phase.kind) == (2, "diplomacy")
    came = [event["dice"] for event in war.resolution(phase).events if event["kind"] == "thrown"]
    assert came == [list(dice[:2]), [dice[2]]]
    assert war.state().ahead.dice == (), "no order of the next Game-Turn knows a die"
    tree = json.loads(export.text(export.record(war.game, private=True)))
    assert verify.check(tree) == []
    changed = json.loads(json.dumps(tree).replace(f"Brussels: {dice[0]} and", "Brussels: 7 and"))
    assert verify.check(changed), "another die than the published one does not follow"


def test_further_dice_are_thrown_after_the_report() -> None:
    war = at_the_report(ahead=2)
    dice = war.state().ahead.dice
    war.report("DICE 3 OF Italy FOR the attack on Tobruk", final=True)
    phase = war.carry_out()
    kinds = [event["kind"] for event in war.resolution(phase).events]
    assert kinds == ["asked", "die", "die"]
    thrown = war.resolution(war.game.phases.get(turn=1, kind="dice-2")).events[-1]
    assert thrown["dice"][:2] == list(dice)
    assert len(thrown["dice"]) == 3
    assert war.phase.kind == "referee-italy-2"
