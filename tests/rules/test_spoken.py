"""Orders said aloud: what a gamesmaster reads back on the telephone (issue 5)."""

from __future__ import annotations

from typing import Any

import pytest

from games.market import bank
from games.rules import aloud
from games.rules.options import LIQUID_STOCKS
from games.rules.origins_ww2.ruleset import OriginsWW2
from tests.rules.test_reading import state

RULES = OriginsWW2()
COMPANIES = {"GE": "General Electric", "F": "Ford", "IBM": "IBM"}
RHINELAND = "Rhineland: Germany 9, France 3, Britain 4; Poland: Germany 2, Russia 3"


def said(text: str, nation: str = "Germany", **given: Any) -> list[str]:
    given.setdefault("board", RHINELAND)
    return [
        sentence for _, sentence in RULES.speech.orders(state(**given), nation, text, COMPANIES)
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "attack rhineland: france stock ge",
            "Germany attacks France in the Rhineland, three to one, General Electric, G E.",
        ),
        (
            "ATTACK Rhineland: France, Britain STOCK GE/F",
            (
                "Germany attacks France and Britain in the Rhineland, one to one, General Electric,"
                " G E; or then Ford, F."
            ),
        ),
        (
            "ATTACK Poland: Russia STOCK BRK.B",
            "Germany attacks Russia in Poland, below one to one at present, B R K point B.",
        ),
        (
            "ATTACK Rhineland: Russia STOCK IBM",
            "Germany attacks Russia in the Rhineland, nobody there to attack at present, I B M.",
        ),
        (
            "ATTACK Austria: France STOCK IBM",
            "Germany attacks France in Austria, with nothing there at present, I B M.",
        ),
        (
            "ATTACK Rhineland: France, Russia STOCK F",
            (
                "Germany attacks France and Russia in the Rhineland, three to one without Russia,"
                " Ford, F."
            ),
        ),
        (
            "ATTACK Rhineland: France STOCK F ELSE Britain MIN 2-1",
            (
                "Germany attacks France in the Rhineland, three to one, Ford, F; failing that"
                " Britain, two to one; only at two to one or better."
            ),
        ),
        (
            "ATTACK Rhineland: France",
            "Germany attacks France in the Rhineland, three to one, no stock named.",
        ),
        ("UNDERSTANDING Baltics", "An Understanding in the Baltic States."),
        ("CONTROL Poland", "CONTROL in Poland."),
        ("SHARE Poland WITH US", "CONTROL in Poland, shared with the USA."),
        (
            "STANDING UNDERSTANDING ALL",
            "Every Understanding that the sheet allows, in this turn and in every later one.",
        ),
        ("PASS", "No orders, on purpose."),
    ],
)
def test_each_line_is_said_in_words(line: str, sentence: str) -> None:
    """K2, K3, K6, K7, and odds on the present board."""
    assert said(line) == [sentence]


def test_placements_are_numbers_in_words() -> None:
    assert said(
        "PLACE 4 Poland\nFROM HOME 21 Rhineland\n# not a word\nWobble", phase="placement"
    ) == [
        "Four to Poland.",
        "Twenty-one from home to the Rhineland.",
    ]


def test_whoever_is_immune_is_said_to_be() -> None:
    """I1: an Understanding in the attacker's home."""
    assert said("ATTACK Rhineland: France STOCK F", board=f"Germany: France U; {RHINELAND}") == [
        "Germany attacks France in the Rhineland, immune at present, Ford, F."
    ]


def test_no_stock_is_asked_for_where_none_decides() -> None:
    """rng.source: with the gamesmaster's own dice nobody names stocks."""
    assert said("ATTACK Rhineland: France", options={"rng.source": "gm_dice"}) == [
        "Germany attacks France in the Rhineland, three to one."
    ]


def test_what_a_game_does_not_have_is_not_read_back() -> None:
    """ow2.conditionals = none: ELSE and MIN are ignored, and not said."""
    [sentence] = said(
        "ATTACK Rhineland: France STOCK F ELSE Britain MIN 2-1",
        options={"ow2.conditionals": "none"},
    )
    assert sentence.endswith("three to one, Ford, F.")


def test_a_result_is_read_out_without_figures() -> None:
    """Every kind of event, played for real."""
    before = state(board="Rhineland: Germany 9, France 3; Poland: Germany 2, Russia 3")
    orders = {
        "Germany": (
            "ATTACK Rhineland: France STOCK GE\nATTACK Poland: Russia STOCK F\nUNDERSTANDING"
            " Austria"
        )
    }
    judged = RULES.resolve(before, orders, {"GE": 1_234_300}, ())
    told = [RULES.speech.event(event, COMPANIES) for event in judged.events]
    assert told[0].startswith(
        "Germany attacks France in the Rhineland, nine against three, three to one. General"
        " Electric, G E, gives three:"
    )
    assert told[0].endswith("France loses three.")
    assert (
        told[1] == "The attack of Germany on Russia in Poland is void: it is weaker than its"
        " targets."
    )
    assert not any(sign.isdigit() for sentence in told for sign in sentence)


def test_a_placement_is_read_out_without_figures() -> None:
    before = state(phase="placement", board="Germany: Germany 3")
    orders = {"Germany": "PLACE 4 Poland\nFROM HOME 2 Rhineland"}
    told = [RULES.speech.event(event, {}) for event in RULES.resolve(before, orders, {}, ()).events]
    assert {
        "Germany places four in Poland.",
        "Germany moves two from home to the Rhineland.",
        "Nine of Germany go home.",
    } <= set(told)
    assert not any(sign.isdigit() for sentence in told for sign in sentence)


@pytest.mark.parametrize(
    ("whole", "words"),
    [(0, "none"), (1, "one"), (13, "thirteen"), (20, "twenty"), (99, "ninety-nine"), (100, "100")],
)
def test_numbers(whole: int, words: str) -> None:
    assert aloud.number(whole) == words


def test_every_stock_of_our_lists_has_a_name() -> None:
    listed = {symbol for one in bank.suggested_lists().values() for symbol in one.symbols} | set(
        LIQUID_STOCKS
    )
    assert listed - set(bank.companies()) == set()
