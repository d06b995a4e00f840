"""Check which nations could order something, in the games whose orders are all offered (0.2).

A nation that could order nothing owes nothing; where the answer would tell a secret, it is asked.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from games.rules import Json, cards
from games.rules.options import validate
from games.rules.origins_ww1.ruleset import OriginsWW1
from games.rules.origins_ww2.ruleset import OriginsWW2
from games.rules.registry import add_scenarios

WW1, WW2 = OriginsWW1(), OriginsWW2()
SECRET = "5" * 64


def card_without_pf(game: str, name: str, nation: str) -> Json:
    """Return a shipped card on which a nation gets no PFs and has no objectives."""
    card = copy.deepcopy(cards.load(game, name))
    card["allocation"][nation] = [0] * card["turns"]
    card["objectives"].pop(nation, None)
    return card


def could_order(rules: Any, card: Json, phase: str, nation: str, **given: Any) -> bool:
    """Return the answer for a position with this board, by area and nation: PFs or pieces."""
    board, more = given.pop("board", {}), given.pop("position", {})
    options = validate(given)
    card = add_scenarios(rules, card, options)
    state = rules.setup(card, options, card["order"], SECRET if rules.needs_secret(options) else "")
    position = {**rules.dump(state), "step": phase, **more}
    position["board"] = {
        area: {
            who: {"pf": pf, "understanding": False, "control": False} for who, pf in here.items()
        }
        if rules is WW2
        else {who: {"pf": pf} for who, pf in here.items()}
        for area, here in board.items()
    }
    return bool(rules.could_order(rules.load(card, options, position), nation))


USA = card_without_pf("origins-ww2", "historical", "USA")


@pytest.mark.parametrize(
    ("phase", "board", "options", "expected"),
    [
        ("placement", {}, {}, False),  # no new PFs, and none at home
        ("placement", {"Poland": {"USA": 3}}, {}, False),  # PFs abroad stay where they are (P4)
        ("placement", {"USA": {"USA": 1}}, {}, True),  # one at home may leave (P4)
        ("placement", {}, {"ow2.hidden": "until_placed"}, True),  # blanks may be laid (F9)
        ("attacks", {}, {}, False),
        ("attacks", {"Poland": {"USA": 3}}, {}, False),  # nobody to attack
        ("attacks", {"Poland": {"USA": 3, "France": 1}}, {}, True),
        ("attacks", {"Poland": {"Germany": 3, "France": 1}}, {}, False),
        ("attacks", {}, {"ow2.blind": "yes"}, True),  # its counters are its secret (F4)
    ],
)
def test_nation_without_pf_could_order_what_the_rules_leave_it(
    phase: str, board: Json, options: dict[str, str], expected: bool
) -> None:
    assert could_order(WW2, USA, phase, "USA", board=board, **options) is expected


def test_standing_wish_is_something_to_order() -> None:
    """T13: a nation without anything on the board may send it, if its card has Understandings."""
    assert could_order(WW2, cards.load("origins-ww2", "historical"), "attacks", "France")
    without = card_without_pf("origins-ww2", "historical", "France")
    assert not could_order(WW2, without, "attacks", "France")


FRANCE = card_without_pf("origins-ww1", "standard", "France")
PAIRS = {"wwi.premade": "Britain+Russia, Germany+Austria-Hungary"}
LAST = {"turn": 10}


@pytest.mark.parametrize(
    ("phase", "position", "options", "expected"),
    [
        ("placement", {}, {}, True),  # it may name an ally in any phase (A.4)
        ("attacks", {}, {}, True),
        ("placement", {}, PAIRS, False),  # every other nation has an ally
        ("attacks", {}, PAIRS, False),
        ("attacks", LAST, {"wwi.alliance_deadline": "turn9"}, False),
        ("attacks", LAST, {}, True),
        (  # an ally may leave, and only the allies know who is one (A8, A10)
            "attacks",
            LAST,
            {
                "wwi.alliance_deadline": "turn9",
                "wwi.alliance_secrecy": "until_end",
                "wwi.alliance_withdrawal": "allowed",
            },
            True,
        ),
        (
            "attacks",
            LAST,
            {"wwi.alliance_deadline": "turn9", "wwi.alliance_withdrawal": "allowed"},
            False,
        ),
    ],
)
def test_alliance_is_something_to_order(
    phase: str, position: Json, options: dict[str, str], expected: bool
) -> None:
    assert could_order(WW1, FRANCE, phase, "France", position=position, **options) is expected


def test_attack_is_something_to_order() -> None:
    """A.2: where another nation has PFs too."""
    alone, beside = {"Italy": {"France": 3}}, {"Italy": {"France": 3, "Germany": 1}}
    assert not could_order(WW1, FRANCE, "attacks", "France", board=alone, **PAIRS)
    assert could_order(WW1, FRANCE, "attacks", "France", board=beside, **PAIRS)
    assert not could_order(WW1, FRANCE, "placement", "France", board=beside, **PAIRS)
