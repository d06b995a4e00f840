"""Check orders in words, as a gamesmaster reads them back on the telephone (issue 5)."""

from __future__ import annotations

from typing import Any

import pytest

from games.market import bank
from games.rules import aloud
from games.rules.options import LIQUID_STOCKS
from games.rules.origins_ww2.ruleset import OriginsWW2
from games.rules.plain.words import COMPANIES as COMPANY_NAMES
from tests.rules.test_reading import state

RULES = OriginsWW2()
COMPANIES = {"GE": "General Electric", "F": "Ford", "IBM": "IBM"}
RHINELAND = "Rhineland: Germany 9, France 3, Britain 4; Poland: Germany 2, Russia 3"


def sentences(text: str, nation: str = "Germany", **given: Any) -> list[str]:
    """Return the spoken sentences for these orders."""
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
            "Every Understanding that your objectives allow, in this turn and in every later one.",
        ),
        ("PASS", "No orders, on purpose."),
    ],
)
def test_each_line_is_spoken_in_words(line: str, sentence: str) -> None:
    """K2, K3, K6, K7, with the odds on the present board."""
    assert sentences(line) == [sentence]


def test_placements_are_spoken_in_words() -> None:
    assert sentences(
        "PLACE 4 Poland\nFROM HOME 21 Rhineland\n# not a word\nWobble", phase="placement"
    ) == [
        "Four to Poland.",
        "Twenty-one from home to the Rhineland.",
    ]


def test_spoken_attack_names_an_immune_nation() -> None:
    """I1: an Understanding in the attacker's home."""
    assert sentences(
        "ATTACK Rhineland: France STOCK F", board=f"Germany: France U; {RHINELAND}"
    ) == ["Germany attacks France in the Rhineland, immune at present, Ford, F."]


def test_spoken_attack_mentions_no_stock_if_none_decides() -> None:
    """rng.source: the gamesmaster's own dice need no stocks."""
    assert sentences("ATTACK Rhineland: France", options={"rng.source": "gm_dice"}) == [
        "Germany attacks France in the Rhineland, three to one."
    ]


def test_ignored_conditionals_are_not_spoken() -> None:
    """ow2.conditionals = none: ELSE and MIN are ignored and not spoken."""
    [sentence] = sentences(
        "ATTACK Rhineland: France STOCK F ELSE Britain MIN 2-1",
        options={"ow2.conditionals": "none"},
    )
    assert sentence.endswith("three to one, Ford, F.")


def test_results_are_spoken_without_figures() -> None:
    """The events come from a resolved phase."""
    before = state(board="Rhineland: Germany 9, France 3; Poland: Germany 2, Russia 3")
    orders = {
        "Germany": (
            "ATTACK Rhineland: France STOCK GE\nATTACK Poland: Russia STOCK F\nUNDERSTANDING"
            " Austria"
        )
    }
    judged = RULES.resolve(before, orders, {"GE": 1_234_300}, ())
    spoken_events = [RULES.speech.event(event, COMPANIES) for event in judged.events]
    assert spoken_events[0].startswith(
        "Germany attacks France in the Rhineland, nine against three, three to one. General"
        " Electric, G E, gives three:"
    )
    assert spoken_events[0].endswith("France loses three.")
    assert (
        spoken_events[1]
        == "The attack of Germany on Russia in Poland is void: it is weaker than its"
        " targets."
    )
    assert not any(sign.isdigit() for sentence in spoken_events for sign in sentence)


def test_placement_results_are_spoken_without_figures() -> None:
    before = state(phase="placement", board="Germany: Germany 3")
    orders = {"Germany": "PLACE 4 Poland\nFROM HOME 2 Rhineland"}
    spoken_events = [
        RULES.speech.event(event, {}) for event in RULES.resolve(before, orders, {}, ()).events
    ]
    assert {
        "Germany places four in Poland.",
        "Germany moves two from home to the Rhineland.",
        "Nine of Germany go home.",
    } <= set(spoken_events)
    assert not any(sign.isdigit() for sentence in spoken_events for sign in sentence)


@pytest.mark.parametrize(
    ("whole", "words"),
    [(0, "none"), (1, "one"), (13, "thirteen"), (20, "twenty"), (99, "ninety-nine"), (100, "100")],
)
def test_numbers_are_spoken_in_words(whole: int, words: str) -> None:
    assert aloud.number(whole) == words


def test_every_listed_stock_has_a_company_name() -> None:
    symbols = {
        symbol for stocks in bank.suggested_lists().values() for symbol in stocks.symbols
    } | set(LIQUID_STOCKS)
    assert symbols - set(COMPANY_NAMES) == set()
