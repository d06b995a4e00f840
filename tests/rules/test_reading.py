"""Check which orders are read or refused and what is remarked (contract 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from games.rules import Reading, cards
from games.rules.options import validate
from games.rules.origins_ww2.card import card_of
from games.rules.origins_ww2.ruleset import OriginsWW2
from games.rules.origins_ww2.state import State
from tests.support.board_text import pieces_from_text

RULES = OriginsWW2()


def state(
    phase: str = "attacks",
    board: str = "",
    options: Mapping[str, Any] | None = None,
    card: Mapping[str, Any] | None = None,
) -> State:
    """Return a state of turn 3."""
    tree = {**cards.load("origins-ww2", "historical"), **(card or {})}
    chosen = validate(options or {})
    return State(card_of(tree), chosen, 3, phase, pieces_from_text(board), tuple(tree["order"]))


def read(text: str, nation: str = "Germany", **given: Any) -> Reading:
    """Read orders in such a state."""
    return RULES.read(text, nation, state(**given))


def codes(reading: Reading) -> list[tuple[int, str, str]]:
    """Return line, severity and code of each remark."""
    return [(remark.line, remark.severity, remark.code) for remark in reading.remarks]


BOTH = "Poland: Germany 8, Russia 3, France 2"


@pytest.mark.parametrize(
    ("written", "understood"),
    [
        (
            "attack pol : germany , FRANCE stock ge / ibm/F",
            "ATTACK Poland: Germany, France STOCK GE/IBM/F",
        ),
        ("ATTACK Poland:Germany,France,Germany", "ATTACK Poland: Germany, France"),
        (
            "Attack Poland: Ger MIN 2-1 ELSE Fr STOCK brk.b...",
            "ATTACK Poland: Germany STOCK BRK.B ELSE France MIN 2-1",
        ),
        ("ATTACK Poland: Germany STOCK MIN MIN 5-1", "ATTACK Poland: Germany STOCK MIN MIN 5-1"),
        (
            "ATTACK Poland: Germany STOCK ELSE/STOCK ELSE France",
            "ATTACK Poland: Germany STOCK ELSE/STOCK ELSE France",
        ),
        (
            "ATTACK Baltics: Great   Britain, soviet-union # why not",
            "ATTACK Baltic States: Britain, Russia",
        ),
        ("share alsace with france", "SHARE Alsace-Lorraine WITH France"),
        ("standing understanding all.", "STANDING UNDERSTANDING ALL"),
        ("UNDERSTANDING Rou", "UNDERSTANDING Rumania"),
        ("control Czech . .", "CONTROL Czechoslovakia"),
        ("pass", "PASS"),
    ],
)
def test_order_is_read_in_any_case_and_spacing(written: str, understood: str) -> None:
    """Contract 3: case, extra blanks, closing full stops and synonyms do not matter."""
    reading = read(written, nation="USA")
    assert reading.understood == ((1, understood),)
    assert not [remark for remark in reading.remarks if remark.severity == "error"]


@pytest.mark.parametrize(
    ("written", "pf"),
    [("PLACE 4 Poland", 4), ("place 004 pol", 4), (f"PLACE {'9' * 6000} Poland", 10**4000)],
)
def test_number_of_pfs_may_have_any_length(written: str, pf: int) -> None:
    """Contract 3: n is a whole number of 1 or more, even with thousands of digits."""
    assert read(written, phase="placement").understood == ((1, f"PLACE {pf} Poland"),)


@pytest.mark.parametrize(
    "written",
    [
        "PLACE4 Poland",
        "PLACE 0 Poland",
        "PLACE -1 Poland",
        "PLACE +1 Poland",
        "PLACE 1.5 Poland",
        "PLACE ٣ Poland",
        "PLACE four Poland",
        "PLACE Poland 4",
        "PLACE 4",
        "PLACE",
        "FROM 3 Austria",
        "FROM-HOME 3 Austria",
        "FROM HOME Austria",
        "ATTACK",
        "ATTACK Poland",
        "ATTACK Poland Germany",
        "ATTACK : Germany",
        "ATTACK Poland:",
        "ATTACK Poland: Germany,",
        "ATTACK Poland: , Germany",
        "ATTACK Poland: Germany Russia",
        "ATTACK Poland: Germany; Russia",
        "ATTACK Poland: Germany STOCK",
        "ATTACK Poland: Germany STOCK GE/",
        "ATTACK Poland: Germany STOCK A/B/C/D",
        "ATTACK Poland: Germany STOCK 1GE",
        "ATTACK Poland: Germany STOCK ABCDEFGHI",
        "ATTACK Poland: Germany STOCK GE STOCK F",
        "ATTACK Poland: Germany STOCK GE F",
        "ATTACK Poland: Germany MIN 6-1",
        "ATTACK Poland: Germany MIN 0-1",
        "ATTACK Poland: Germany MIN 2",
        "ATTACK Poland: Germany MIN 2 - 1",
        "ATTACK Poland: Germany MIN",
        "ATTACK Poland: Germany MIN 2-1 MIN 2-1",
        "ATTACK Poland: Germany ELSE",
        "ATTACK Poland: Italy",
        "ATTACK Atlantis: Germany",
        "UNDERSTANDING",
        "UNDERSTANDING ALL",
        "CONTROL Ru",
        "SHARE Poland",
        "SHARE Poland WITH",
        "SHARE WITH Russia",
        "STANDING UNDERSTANDING",
        "STANDING",
        "PASS 1",
        "Dear gamesmaster,",
        "<b>PLACE</b>",
        ":",
        "/",
        "ATTACK Poland/Austria: Germany",
        "x" * 50_000,
    ],
)
def test_unreadable_line_is_refused_in_one_sentence(written: str) -> None:
    """Contract 3: one sentence quotes the line; nothing is guessed."""
    reading = read(written, nation="USA")
    assert codes(reading) == [(1, "error", "unreadable")]
    assert reading.orders == ()
    assert reading.sent
    message = reading.remarks[0].message
    assert message.startswith(f"“{written[:40]}")
    assert message.endswith((".", "”", "?"))
    assert "unreadable" not in message
    assert len(message) < 500


@pytest.mark.parametrize(
    ("written", "offered"),
    [
        ("ATTACK Polnd: Russia", "ATTACK Poland: Russia"),
        ("PLACE4 Poland", "PLACE 4 Poland"),
        ("ATACK Poland: Russia", "ATTACK Poland: Russia"),
        ("ATTACK Poland: Rusia STOCK GE", "ATTACK Poland: Russia STOCK GE"),
        ("CONTROL Rumnia", "CONTROL Rumania"),
    ],
)
def test_unreadable_line_offers_the_nearest_reading(written: str, offered: str) -> None:
    """Contract 3."""
    assert f"Did you mean “{offered}”?" in read(written).remarks[0].message


def test_ambiguous_name_lists_its_readings() -> None:
    """Contract 3: the code stays `unreadable`; the sentence lists the names."""
    reading = read("CONTROL Ru")
    assert codes(reading) == [(1, "error", "unreadable")]
    assert "ambiguous" in reading.remarks[0].message
    assert "Russia or Rumania" in reading.remarks[0].message


def test_line_numbers_start_at_one_and_count_blanks_and_comments() -> None:
    """Contract 3."""
    text = "\r\n# a comment\rCONTROL Poland\n\nPASS # on purpose\nnonsense"
    reading = read(text, board="Poland: Germany 5")
    assert reading.understood == ((3, "CONTROL Poland"), (5, "PASS"))
    assert codes(reading) == [(6, "error", "unreadable")]


@pytest.mark.parametrize("text", ["", "  \n\t\n", "# nothing\n   # at all", "\u00a0\n"])
def test_blanks_and_comments_are_not_orders(text: str) -> None:
    """Contract 4: a text of blanks and comments counts as nothing sent."""
    reading = read(text)
    assert not reading.sent
    assert reading.remarks == ()


@pytest.mark.parametrize(
    ("written", "code", "given"),
    [
        ("PLACE 4 Poland", "wrong_phase", {}),
        ("CONTROL Poland", "wrong_phase", {"phase": "placement"}),
        ("ATTACK Poland: Russia", "wrong_phase", {"phase": "placement"}),
        ("ATTACK Poland: Russia, Germany", "own_nation", {}),
        ("ATTACK Poland: Russia ELSE Germany", "own_nation", {}),
        ("SHARE Poland WITH Germany", "own_nation", {}),
        ("PLACE 4 Poland", "closed", {"phase": "placement", "board": "Poland: Germany C"}),
        ("FROM HOME 4 Germany", "no_home", {"phase": "placement"}),
        ("FROM HOME 4 Poland", "no_home", {"phase": "placement", "card": {"home": {}}}),
        (
            "PLACE 14 Poland",
            "too_many",
            {"phase": "placement", "options": {"ow2.overplaced": "reject_all"}},
        ),
        (
            "FROM HOME 4 Poland",
            "too_many",
            {
                "phase": "placement",
                "options": {"ow2.overplaced": "reject_all"},
                "board": "Germany: Germany 3",
            },
        ),
        (
            "PLACE 4 Poland",
            "wrong_phase",
            {"phase": "placement-usa", "options": {"ow2.placement": "ordered"}},
        ),
    ],
)
def test_illegal_line_is_refused_with_its_reason(
    written: str, code: str, given: dict[str, Any]
) -> None:
    """Contract 3: a closed list of reasons; each sentence quotes the line."""
    reading = read(written, **given)
    assert [found for found in codes(reading) if found[1] == "error"] == [(1, "error", code)]
    assert reading.orders == ()
    assert f"“{written}” does nothing" in reading.remarks[0].message


def test_reasons_are_checked_in_contract_order() -> None:
    """Contract 3: a line of another phase is `wrong_phase`, a closed home `closed`."""
    assert codes(read("SHARE Poland WITH Germany", phase="placement"))[0] == (
        1,
        "error",
        "wrong_phase",
    )
    closed_home = read("FROM HOME 1 Germany", phase="placement", board="Germany: Germany C")
    assert codes(closed_home)[0] == (1, "error", "closed")


def test_only_lines_into_open_areas_count_toward_too_many() -> None:
    """Contract 4.1, reject_all: a line into a closed area asks for nothing."""
    reading = read(
        "PLACE 13 Austria\nPLACE 5 Poland",
        phase="placement",
        options={"ow2.overplaced": "reject_all"},
        board="Poland: Russia C",
    )
    assert codes(reading) == [(2, "error", "closed")]
    assert reading.understood == ((1, "PLACE 13 Austria"),)


@pytest.mark.parametrize(
    ("written", "code", "given"),
    [
        ("PLACE 20 Poland", "more_than_left", {"phase": "placement"}),
        (
            "FROM HOME 2 Poland\nPLACE 13 Italy",
            "more_than_left",
            {"phase": "placement", "board": "Germany: Germany 1"},
        ),
        ("ATTACK Poland: Russia", "attacker_absent", {}),
        ("ATTACK Poland: Britain, Russia", "absent", {"board": BOTH}),
        ("ATTACK Poland: Russia", "immune", {"board": f"{BOTH}; Germany: Russia U"}),
        ("ATTACK Poland: Russia", "below_1_1", {"board": "Poland: Germany 2, Russia 3"}),
        ("ATTACK Poland: Russia MIN 3-1", "below_min", {"board": BOTH}),
        (
            "ATTACK Poland: Russia MIN 1-1",
            "conditionals",
            {"board": BOTH, "options": {"ow2.conditionals": "none"}},
        ),
        ("CONTROL Italy", "not_on_card", {}),
        ("UNDERSTANDING Poland", "not_on_card", {}),
        ("SHARE Poland WITH France", "not_on_card", {}),
        ("UNDERSTANDING Italy", "too_few", {"board": "Italy: Germany 4"}),
        ("UNDERSTANDING Italy", "already_there", {"board": "Italy: Germany 9+U"}),
        ("UNDERSTANDING Italy", "closed", {"board": "Italy: Germany 9, Britain C"}),
        ("CONTROL Austria", "too_few", {"board": "Austria: Germany 4"}),
        ("CONTROL Poland", "others_present", {"board": BOTH}),
        ("CONTROL Poland", "already_there", {"board": "Poland: Germany C"}),
        ("SHARE Poland WITH Russia", "too_few", {"board": "Poland: Germany 8"}),
        ("SHARE Poland WITH Russia", "too_few", {"board": "Poland: Russia 8"}),
        (
            "SHARE Poland WITH Russia",
            "others_present",
            {"board": "Poland: Germany 8, Russia 8, France 1"},
        ),
    ],
)
def test_doubtful_line_is_accepted_with_a_warning(
    written: str, code: str, given: dict[str, Any]
) -> None:
    """Rules 0.2, K3, I4, T12: the sender is warned privately that it may do nothing."""
    reading = read(written, **given)
    assert (1, "warning", code) in codes(reading)
    assert len(reading.orders) == len(written.splitlines())


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ("Poland: Germany 5, Russia 9, France 3", "5 against 9; its ELSE, France, is attacked "
         "unless that changes."),
        ("Poland: Germany 5, France 3", "cannot be made: Russia has nothing in Poland; "
         "its ELSE, France, is attacked unless that changes."),
        ("Poland: Germany 5, Russia 9, France 7", "5 against 9; it is void unless that changes."),
    ],
)  # fmt: skip
def test_warning_says_whether_else_is_attacked(board: str, message: str) -> None:
    """mail.md B3: the attack is not void if ELSE can be attacked."""
    (remark,) = read("ATTACK Poland: Russia ELSE France", board=board).remarks
    assert message in remark.message


def test_repeated_stock_and_repeated_area_are_warned_about() -> None:
    """D1 and K15."""
    reading = read(
        "ATTACK Poland: Russia STOCK GE\nATTACK Poland: France STOCK F\nATTACK Austria: France"
        " STOCK GE",
        board=BOTH,
    )
    assert (2, "warning", "second_attack") in codes(reading)
    assert (3, "warning", "same_stock") in codes(reading)


def test_refused_attack_names_no_stock() -> None:
    """Contract 3: a refused line does nothing and uses nothing."""
    reading = read("ATTACK Austria: Germany STOCK GE\nATTACK Poland: Russia STOCK GE", board=BOTH)
    assert codes(reading) == [(1, "error", "own_nation")]


def test_unplaced_pfs_are_noted() -> None:
    """P5."""
    reading = read("PLACE 10 Poland", phase="placement")
    assert codes(reading) == [(1, "note", "unplaced")]
    assert "3 PFs are not placed: they go to Germany" in reading.remarks[0].message


@pytest.mark.parametrize(
    ("text", "wasted"),
    [
        ("ATTACK Poland: Russia", ["below_1_1"]),
        ("ATTACK Poland: Italy, France", []),
        ("ATTACK Poland: Britain", ["immune"]),
        ("ATTACK Poland: Britain\nATTACK Germany: Britain", []),
        ("ATTACK Poland: Britain, France", []),
        ("ATTACK Poland: France\nATTACK Poland: Russia", ["second_attack"]),
        ("CONTROL Austria", ["too_few"]),
        ("PASS", []),
    ],
)
def test_orders_that_come_to_nothing_are_marked(text: str, wasted: list[str]) -> None:
    """Issue 44, 1: a page asks about these, and only these, before it sends them."""
    board = "Poland: Germany 5, Russia 9, France 2, Britain 2; Germany: Germany 12, Britain 5+U"
    reading = read(text, board=board)
    assert [remark.code for remark in reading.remarks if remark.wasted] == wasted


@pytest.mark.parametrize(
    ("others", "left"),
    [
        ("Russia 9", "Russia is in Poland, and Germany does not attack it"),
        (
            "Russia 9, Britain 2",
            "Britain and Russia are in Poland, and Germany does not attack them",
        ),
    ],
)
def test_control_beside_an_attack_that_leaves_others_names_them(others: str, left: str) -> None:
    """T2: who stays prevents CONTROL; one nation is no “them”."""
    reading = read(
        "ATTACK Poland: France STOCK GE\nCONTROL Poland",
        board=f"Poland: Germany 6, France 2, {others}; Germany: Germany 12",
    )
    assert left in " ".join(remark.message for remark in reading.remarks)


@pytest.mark.parametrize(
    ("attack", "why"),
    [
        ("ATTACK Poland: Russia", "Germany's attack there would be void"),
        ("ATTACK Poland: Britain", "Germany's attack there would be void"),
        ("ATTACK Poland: Britain, France", "Germany does not attack them"),
        ("ATTACK Italy: France", "Germany does not attack there"),
    ],
)
def test_control_beside_a_void_attack_warns(attack: str, why: str) -> None:
    """Issue 44, 1; review of a player, B2: the target is immune, or the odds are below 1-1."""
    board = "Poland: Germany 6, Russia 9, France 2, Britain 2; Germany: Germany 12, Britain 5+U"
    reading = read(f"{attack}\nCONTROL Poland", board=board)
    (remark,) = [remark for remark in reading.remarks if remark.line == 2]
    assert remark.code == "others_present"
    assert why in remark.message


def test_remarks_have_no_exclamation_marks() -> None:
    """House style."""
    reading = read(
        "ATTACK Poland: Russia, Italy\nnonsense\nCONTROL Italy\nPLACE 3 Poland\nSHARE Poland WITH"
        " Germany\nATTACK Poland: Russia"
    )
    assert len(reading.remarks) == 6
    assert not [remark.message for remark in reading.remarks if "!" in remark.message]
