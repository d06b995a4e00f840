"""Ordinary phrasings (contract 3a): those with one plain meaning, and those without."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from games.rules import Reading
from tests.support.examples import sample

from .reading import WW1, WW2, errors, lines, read, ww1, ww2

_RULES = {"origins-ww2": (WW2, ww2), "origins-ww1": (WW1, ww1)}


@dataclass(frozen=True)
class Phrasing:
    """A line of phrasings.txt. `orders`: its canonical orders, or empty if it is refused."""

    game: str
    phase: str
    written: str
    orders: str = ""
    readings: tuple[str, ...] = ()

    def read(self, written: str = "", **options: str) -> Reading:
        rules, situation = _RULES[self.game]
        return read(written or self.written, situation(self.phase, **options), "Germany", rules)


def _phrasings() -> Iterator[Phrasing]:
    game = phase = ""
    text = (Path(__file__).parent / "phrasings.txt").read_text("utf-8")
    for line in text.split("\n"):
        if line.startswith("#"):
            continue
        if line.startswith("["):
            game, phase = line.strip("[]").split()
        elif " =/=>" in line:
            written, _, readings_text = line.partition(" =/=>")
            readings = tuple(
                reading.strip() for reading in readings_text.split("|") if reading.strip()
            )
            yield Phrasing(game, phase, written, readings=readings)
        elif " => " in line:
            written, _, orders = line.rpartition(" => ")
            yield Phrasing(game, phase, written, orders)


PHRASINGS = list(_phrasings())
PLAIN = [phrasing for phrasing in PHRASINGS if phrasing.orders]
UNCLEAR = [phrasing for phrasing in PHRASINGS if not phrasing.orders]


def test_there_are_enough_distinct_phrasings() -> None:
    assert len(PLAIN) >= 75
    assert len(UNCLEAR) >= 15
    assert len({(phrasing.game, phrasing.written) for phrasing in PHRASINGS}) == len(PHRASINGS)


@pytest.mark.parametrize("phrasing", PLAIN, ids=lambda phrasing: phrasing.written)
def test_phrasing_with_one_meaning_is_read(phrasing: Phrasing) -> None:
    reading = phrasing.read()
    assert "; ".join(words for _, words in reading.understood) == phrasing.orders
    assert not errors(reading)
    assert {number for number, _ in reading.understood} == {1}


@pytest.mark.parametrize("phrasing", UNCLEAR, ids=lambda phrasing: phrasing.written)
def test_ambiguous_phrasing_is_refused_with_its_readings(phrasing: Phrasing) -> None:
    reading = phrasing.read()
    assert not reading.understood
    (message,) = errors(reading)
    assert f"“{phrasing.written}”" in message
    assert all(f"“{meant}”" in message for meant in phrasing.readings)


@pytest.mark.parametrize("phrasing", PLAIN, ids=lambda phrasing: phrasing.written)
def test_phrasing_with_a_word_of_doubt_is_refused(phrasing: Phrasing) -> None:
    """Between two stocks, “or” is already how a list is written (contract 3a).

    A day tries ten words and places of each phrasing, a soak every word everywhere.
    """
    words = phrasing.written.split(" ")
    doubts = ("not", "maybe", "if Russia agrees", "or", "unless")
    for doubt, place in sample(list(itertools.product(doubts, range(len(words) + 1))), 10):
        line = " ".join([*words[:place], doubt, *words[place:]])
        reading = phrasing.read(line)
        as_before = "; ".join(words for _, words in reading.understood) == phrasing.orders
        if not (doubt == "or" and "STOCK" in phrasing.orders and as_before):
            assert not reading.understood, line
            assert errors(reading), line


UNCLEAR_ATTACKS = [
    ("attack Russia in Poland and Austria with GE", "which attack the stock is for"),
    ("attack Russia in Poland at 2-1", "part of a figure"),
    ("attack Russia in Poland, 2-1 or worse", "“or” does not say which you mean"),
    ("attack Russia in Poland or better", "“or” does not say which you mean"),
    ("attack Russia in Poland with Frnace", "an attack is written differently"),
]


@pytest.mark.parametrize(("written", "why"), UNCLEAR_ATTACKS)
def test_ambiguous_attack_is_refused(written: str, why: str) -> None:
    reading = read(written)
    assert not reading.understood
    assert why in errors(reading)[0]


#: Advice in a refusal: a reading, an example, or words like these.
_ADVICE = re.compile(
    r"Did you mean “|Example: “|so (?:leave|write|name|choose)|[:;,] (?:write|send|use|name|leave) "
    r"|write only what you do|only MIN and ELSE|may be \w+|write a (?:number|whole number)"
    r"|before you say so"
)
CANONICAL_FAULTS = [
    ("origins-ww2", "placement", "PLACE Poland"),
    ("origins-ww2", "placement", "PLACE 4 Nowhere"),
    ("origins-ww2", "placement", "PLACE 4 Poland AS 3+1"),
    ("origins-ww2", "placement", "PLACE 4 R"),
    ("origins-ww2", "placement", "FROM HOME 4"),
    ("origins-ww2", "placement", "FROM HOME 4 Germany"),
    ("origins-ww2", "placement", "BLANKS 2 Poland"),
    ("origins-ww2", "placement", "ATTACK Poland: Russia"),
    ("origins-ww2", "attacks", "ATTACK Poland"),
    ("origins-ww2", "attacks", "ATTACK Poland: Germany"),
    ("origins-ww2", "attacks", "ATTACK Poland: Russia STOCK"),
    ("origins-ww2", "attacks", "ATTACK Poland: Russia STOCK GE STOCK IBM"),
    ("origins-ww2", "attacks", "ATTACK Poland: Russia STOCK GE/IBM/F/T"),
    ("origins-ww2", "attacks", "ATTACK Poland: Russia MIN 9-1"),
    ("origins-ww2", "attacks", "ATTACK Poland: Russia FOO"),
    ("origins-ww2", "attacks", "SHARE Poland"),
    ("origins-ww2", "attacks", "SHARE Poland WITH Germany"),
    ("origins-ww2", "attacks", "STANDING"),
    ("origins-ww2", "attacks", "PLACE 5 Poland"),
    ("origins-ww1", "attacks", "ATTACK Russia Serbia MIN 2-1"),
    ("origins-ww1", "attacks", "ATTACK Germany IN Serbia"),
    ("origins-ww1", "attacks", "ATTACK Russia IN Serbia MIN 2-1"),
    ("origins-ww1", "placement", "ALLY Germany"),
]


@pytest.mark.parametrize(
    "phrasing",
    [*UNCLEAR, *(Phrasing(*fault) for fault in CANONICAL_FAULTS)],
    ids=lambda phrasing: phrasing.written,
)
def test_refusal_quotes_the_line_and_gives_advice(phrasing: Phrasing) -> None:
    """voice.md, rule 3."""
    for message in errors(phrasing.read()):
        assert message.startswith(f"“{phrasing.written}”"), message
        assert _ADVICE.search(message), message


def test_attack_in_two_areas_is_refused_in_world_war_one() -> None:
    assert not lines("attack Russia in Serbia and Italy", ww1(), "Germany", WW1)


def test_misspelled_company_gets_a_note() -> None:
    messages = [remark.message for remark in read("attack Russia in Poland with Bowing").remarks]
    assert any("“Bowing” is read as Boeing." in message for message in messages)


def test_typing_slip_gets_a_note() -> None:
    reading = read("attack Rusia in Polnad")
    corrections = [
        (remark.line, remark.severity) for remark in reading.remarks if remark.code == "corrected"
    ]
    assert corrections == [(1, "note"), (1, "note")]
    assert lines("attack Rusia in Polnad") == ["ATTACK Poland: Russia"]


@pytest.mark.parametrize("typed", ["Plnd", "Itl", "Gremayn", "Xoland Y"])
def test_more_than_a_typing_slip_is_refused(typed: str) -> None:
    assert not lines(f"5 to {typed}", ww2("placement"))
