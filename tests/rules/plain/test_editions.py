"""Orders keep the meaning that their sender was answered with, whatever edition reads them later.

`SNAPSHOTS=write pytest tests/rules/plain/test_editions.py` writes edition.txt.
"""

from __future__ import annotations

import os
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from games.rules import REFEREE_SEAT, Reading, doubts
from games.rules.plain import editions
from games.rules.plain.editions import canonical_text
from games.rules.verbs import Verbs
from games.rules.verification import record
from tests.inbound import corpus
from tests.rules.test_cases import CASES
from tests.ww2_multiplayer.rules.test_plain_orders import MULTIPLAYER, TAKEN_BACK, multiplayer

from . import test_beside
from .reading import PLAIN, WW1, WW2, read, ww1, ww2
from .test_doubts import ADDING, APART, CONTINUED, IN_TURN, TEXTS
from .test_language import BROKEN
from .test_phrasings import PHRASINGS

STORED = Path(__file__).with_name("edition.txt")
TO_DO = (
    "The plain reader reads some texts of the tests otherwise than tests/rules/plain/edition.txt"
    f" says, or there are new texts. If it reads otherwise, and a version has been released with"
    f" edition {editions.EDITION}, raise EDITION in games/rules/plain/editions.py. Then write the"
    " file again: SNAPSHOTS=write pytest tests/rules/plain/test_editions.py"
)


@cache
def situations() -> dict[str, tuple[Any, Any]]:
    """Return a ruleset and a state for each game and phase in which texts are read."""
    return {
        "origins-ww2 placement": (WW2, ww2("placement")),
        "origins-ww2 attacks": (WW2, ww2()),
        "origins-ww1 placement": (WW1, ww1("placement")),
        "origins-ww1 attacks": (WW1, ww1()),
        "ww2-multiplayer": (MULTIPLAYER, multiplayer()),
    }


@cache
def texts() -> tuple[str, ...]:
    """Return the texts of orders that the tests have: phrasings, letters, whole messages."""
    verbs: list[Verbs] = [WW2.verbs, WW1.verbs, MULTIPLAYER.verbs]
    plain_cases = [
        "\n".join(lines)
        for case in CASES
        if "orders.language=plain" in case.first("options")
        for lines in case.orders.values()
    ]
    return tuple(
        dict.fromkeys(
            [
                *(phrasing.written for phrasing in PHRASINGS),
                *(form for game in verbs for form in game.examples.values()),
                *(written for written, *_ in IN_TURN),
                *ADDING,
                *(text for text, _ in (*BROKEN, *CONTINUED)),
                *(f"PLACE 5 Poland\n\n{below}" for below in APART),
                *(test_beside.beside(line, where) for where, line in test_beside.CASES),
                *TEXTS,
                *TAKEN_BACK,
                *plain_cases,
                *(corpus.parsed(corpus.raw(name)).text for name in sorted(corpus.EXPECTED)),
            ]
        )
    )


@cache
def readings() -> tuple[tuple[str, str, Reading], ...]:
    """Return game and phase, text, and how the text is read there, for each of both."""
    return tuple(
        (situation, text, read(text, state, "Germany", rules))
        for text in texts()
        for situation, (rules, state) in situations().items()
    )


def test_a_text_that_is_read_otherwise_needs_another_edition() -> None:
    digest = sha256()
    for situation, text, reading in readings():
        row = [situation, text, reading.understood, doubts.as_json(reading.doubt)]
        digest.update(record.canonical(row))
    now = f"{editions.EDITION} {digest.hexdigest()}\n"
    if os.environ.get("SNAPSHOTS") == "write":
        STORED.write_text(now)
    assert STORED.read_text() == now, TO_DO


def test_what_was_understood_is_read_alike_in_every_game_and_line() -> None:
    """Orders of one line keep their numbers, which draws and rulings name, unless an order before
    them in that line was refused."""
    seen = several = 0
    for situation, text, reading in readings():
        rules, state = situations()[situation]
        again = read(canonical_text(reading.understood), state, "Germany", rules)
        assert (again.understood, again.doubt) == (reading.understood, None), (situation, text)
        seen += bool(reading.understood)
        if situation != "ww2-multiplayer":  # there a plain line has the reason why it is free text
            several += len(reading.orders) > len({number for number, _ in reading.understood})
            refused = {remark.line for remark in reading.remarks if remark.severity == "error"}
            if refused.isdisjoint(number for number, _ in reading.understood):
                assert again.orders == reading.orders, (situation, text)
    assert seen > 300
    assert several > 30


def test_a_next_edition_does_not_doubt_what_an_earlier_one_understood() -> None:
    """“PLACE 3 Poland; PLACE 2 Italy” below “PLACE 5 Poland” is asked about in plain words."""
    understood = [[1, "PLACE 5 Poland"], [3, "PLACE 3 Poland"], [3, "PLACE 2 Italy"]]
    reading = read(canonical_text(understood), ww2("placement"))
    assert [list(row) for row in reading.understood] == understood
    assert [order.line for order in reading.orders] == [1, 3, 1_000_003]


def test_a_stock_that_was_understood_stays_two_stocks() -> None:
    """As plain words “BF/B” would be one stock."""
    understood = [[1, "ATTACK Poland: Russia STOCK BF/B"]]
    assert read(canonical_text(understood)).understood == ((1, "ATTACK Poland: Russia STOCK BF/B"),)


@pytest.mark.parametrize(
    ("options", "nation", "edition", "kept"),
    [
        (PLAIN, "Germany", editions.EDITION, False),
        (PLAIN, "Germany", editions.EDITION - 1, True),
        (PLAIN, "Germany", editions.EDITION + 1, True),
        ({"orders.language": "canonical"}, "Germany", editions.EDITION - 1, False),
        (PLAIN, REFEREE_SEAT, editions.EDITION - 1, False),
    ],
)
def test_only_plain_orders_of_another_edition_are_kept(
    options: dict[str, str], nation: str, edition: int, kept: bool
) -> None:
    understood = [[1, "PLACE 5 Poland"]]
    found = editions.understood_before(options, nation, edition, understood)
    assert found == (understood if kept else None)


MERGED = [
    ("five in Poland, 3 in Austria\nPLACE 2 italy # mine", "2 to Poland"),
    ("5 in Poland\nThanks!", "I pass."),
    ("PLACE 5 Poland\n3 in Austria", "PLACE 1 Poland\nAlso 2 in Italy"),
]


@pytest.mark.parametrize(("earlier", "later"), MERGED)
def test_texts_are_merged_as_the_edition_that_read_them_merged_them(
    earlier: str, later: str
) -> None:
    """The digest covers the merged text, so every edition must find it, even one that reads no
    plain words."""
    options = {"orders.amend": "merge_lines"}
    plain = ww2("placement", **options)
    other = ww2("placement", **options, **{"orders.language": "canonical"})
    before = {text: read(text, plain).understood for text in (earlier, later)}
    merged = WW2.merge(earlier, later, "Germany", plain)
    assert WW2.merge(earlier, later, "Germany", other, before) == merged
    assert WW2.merge(earlier, later, "Germany", other) != merged


@pytest.mark.guest
def test_multiplayer_merges_what_another_edition_understood() -> None:
    earlier, later = "Please ally with the French\nHold Metz", "end our alliance with France\nHold"
    plain, other = multiplayer(), multiplayer(**{"orders.language": "canonical"})
    before = {
        text: read(text, plain, "Germany", MULTIPLAYER).understood for text in (earlier, later)
    }
    merged = MULTIPLAYER.merge(earlier, later, "Germany", plain)
    assert MULTIPLAYER.merge(earlier, later, "Germany", other, before) == merged
