"""Ordinary phrasings (contract 3a): those that have one plain meaning, and those that have not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from games.rules import Reading

from .reading import MULTIPLAYER, WW1, WW2, errors, lines, multiplayer, read, ww1, ww2

_RULES = {"origins-ww2": (WW2, ww2), "origins-ww1": (WW1, ww1)}


@dataclass(frozen=True)
class Phrasing:
    """A line of phrasings.txt. `orders`: what it is read as; none where it is refused."""

    game: str
    phase: str
    written: str
    orders: str = ""
    readings: tuple[str, ...] = ()

    def read(self, written: str = "") -> Reading:
        rules, situation = _RULES[self.game]
        return read(written or self.written, situation(self.phase), "Germany", rules)


def _phrasings() -> Iterator[Phrasing]:
    game = phase = ""
    text = (Path(__file__).parent / "phrasings.txt").read_text("utf-8")
    for line in text.split("\n"):
        if line.startswith("#"):
            continue
        if line.startswith("["):
            game, phase = line.strip("[]").split()
        elif " =/=>" in line:
            written, _, told = line.partition(" =/=>")
            readings = tuple(one.strip() for one in told.split("|") if one.strip())
            yield Phrasing(game, phase, written, readings=readings)
        elif " => " in line:
            written, _, orders = line.partition(" => ")
            yield Phrasing(game, phase, written, orders)


PHRASINGS = list(_phrasings())
PLAIN = [one for one in PHRASINGS if one.orders]
UNCLEAR = [one for one in PHRASINGS if not one.orders]


def test_as_many_phrasings_as_were_tried_when_69_of_75_were_refused() -> None:
    assert len(PLAIN) >= 75
    assert len(UNCLEAR) >= 15
    assert len({(one.game, one.written) for one in PHRASINGS}) == len(PHRASINGS)


@pytest.mark.parametrize("one", PLAIN, ids=lambda one: one.written)
def test_a_phrasing_with_one_plain_meaning_is_read_so(one: Phrasing) -> None:
    reading = one.read()
    assert "; ".join(words for _, words in reading.understood) == one.orders
    assert not errors(reading)
    assert {number for number, _ in reading.understood} == {1}


@pytest.mark.parametrize("one", UNCLEAR, ids=lambda one: one.written)
def test_a_phrasing_without_one_meaning_is_refused_with_its_readings(one: Phrasing) -> None:
    reading = one.read()
    assert not reading.understood
    (said,) = errors(reading)
    assert f"“{one.written}”" in said
    assert all(f"“{meant}”" in said for meant in one.readings)


@pytest.mark.parametrize("doubt", ["not", "maybe", "if Russia agrees", "or", "unless"])
@pytest.mark.parametrize("one", PLAIN, ids=lambda one: one.written)
def test_a_word_of_doubt_at_any_place_of_a_phrasing_makes_it_refused(
    one: Phrasing, doubt: str
) -> None:
    """Between two stocks “or” is how the list is written already (contract 3a)."""
    words = one.written.split(" ")
    for place in range(len(words) + 1):
        line = " ".join([*words[:place], doubt, *words[place:]])
        reading = one.read(line)
        as_before = "; ".join(words for _, words in reading.understood) == one.orders
        if not (doubt == "or" and "STOCK" in one.orders and as_before):
            assert not reading.understood, line
            assert errors(reading), line


UNCLEAR_ATTACKS = [
    ("attack Russia in Poland and Austria with GE", "which attack the stock is for"),
    ("attack Russia in Poland at 2-1", "part of a figure"),
    ("attack Russia in Poland, 2-1 or worse", "“or” does not say which you mean"),
    ("attack Russia in Poland or better", "“or” does not say which you mean"),
    ("attack Russia in Poland with Frnace", "a colon is missing"),
]


@pytest.mark.parametrize(("written", "why"), UNCLEAR_ATTACKS)
def test_attacks_that_leave_something_open_are_refused(written: str, why: str) -> None:
    reading = read(written)
    assert not reading.understood
    assert why in errors(reading)[0]


def test_one_nation_is_attacked_in_one_area_a_turn_in_world_war_one() -> None:
    assert not lines("attack Russia in Serbia and Italy", ww1(), "Germany", WW1)


def test_a_slip_in_a_company_is_told() -> None:
    told = [one.message for one in read("attack Russia in Poland with Bowing").remarks]
    assert any("“Bowing” is read as Boeing." in message for message in told)


def test_a_slip_of_the_keyboard_is_told() -> None:
    reading = read("attack Rusia in Polnad")
    told = [(one.line, one.severity) for one in reading.remarks if one.code == "corrected"]
    assert told == [(1, "note"), (1, "note")]
    assert lines("attack Rusia in Polnad") == ["ATTACK Poland: Russia"]


@pytest.mark.parametrize("typed", ["Plnd", "Itl", "Gremayn", "Xoland Y"])
def test_more_than_a_slip_is_refused(typed: str) -> None:
    assert not lines(f"5 to {typed}", ww2("placement"))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1) ALLY France", "ALLY France"),
        ("Please ally with the Germans", "ALLY Germany"),
        ("I declare war on the Germans.", "DECLARE WAR ON Germany"),
        ("“PEACE Germany”", "PEACE Germany"),
    ],
)
def test_multiplayer_forms_are_read_without_their_courtesies(written: str, meant: str) -> None:
    nation = "Britain" if "German" in written else "Germany"
    assert lines(written, multiplayer(), nation, MULTIPLAYER) == [meant]


@pytest.mark.parametrize("written", ["We do not ally with France", "maybe peace with France"])
def test_multiplayer_free_text_stays_free_text(written: str) -> None:
    reading: Any = read(written, multiplayer(), "Germany", MULTIPLAYER)
    assert all(order.verb == "FREE" for order in reading.orders)
