"""Ordinary phrasings (contract 3a): those that have one plain meaning, and those that have not."""

from __future__ import annotations

from typing import Any

import pytest

from .reading import MULTIPLAYER, WW1, errors, lines, multiplayer, read, ww1, ww2

BOTH = "ATTACK Poland: Russia; ATTACK Austria: Russia"
MORE_ATTACKS = [
    ("attack Russia in Poland and Austria", BOTH),
    ("attack the Russians in Poland and in Austria", BOTH),
    ("attack Russia in Poland with Bowing", "ATTACK Poland: Russia STOCK BA"),
    (
        "attack Russia in Poland with Microsft/General Elctric",
        "ATTACK Poland: Russia STOCK MSFT/GE",
    ),
    ("attack Russia in Poland at 2-1 or better", "ATTACK Poland: Russia MIN 2-1"),
    ("attack Russia in Poland, 1-1 or better", "ATTACK Poland: Russia MIN 1-1"),
    (
        "attack Russia in Poland (GE), but only at 3 to 1 or more",
        "ATTACK Poland: Russia STOCK GE MIN 3-1",
    ),
]
UNCLEAR_ATTACKS = [
    ("attack Russia in Poland and Austria with GE", "which attack the stock is for"),
    ("attack Russia in Poland at 2-1", "part of a figure"),
    ("attack Russia in Poland, 2-1 or worse", "“or” does not say which you mean"),
    ("attack Russia in Poland or better", "“or” does not say which you mean"),
    ("attack Russia in Poland with Frnace", "a colon is missing"),
]


@pytest.mark.parametrize(("written", "meant"), MORE_ATTACKS)
def test_attacks_in_several_areas_odds_or_better_and_slips_in_companies(
    written: str, meant: str
) -> None:
    assert "; ".join(lines(written)) == meant


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


PLACEMENTS = [
    ("PLACE 5 PFs in Poland", "PLACE 5 Poland"),
    ("5 to Poland", "PLACE 5 Poland"),
    ("5 Poland", "PLACE 5 Poland"),
    ("Poland 5", "PLACE 5 Poland"),
    ("Poland: 5", "PLACE 5 Poland"),
    ("Poland - 5 PFs", "PLACE 5 Poland"),
    ("Poland, 5", "PLACE 5 Poland"),
    ("I place 5 political factors in Poland, please", "PLACE 5 Poland"),
    ("Please put five PFs into Poland.", "PLACE 5 Poland"),
    ("We would like to place 5 factors in Poland", "PLACE 5 Poland"),
    ("Germany places 5 in Poland", "PLACE 5 Poland"),
    ("Germany: 5 to Poland", "PLACE 5 Poland"),
    ("Send 5 to Poland", "PLACE 5 Poland"),
    ("PLACE5 Poland", "PLACE 5 Poland"),
    ("5PFs Poland", "PLACE 5 Poland"),
    ("PLACE 5 Polnad", "PLACE 5 Poland"),
    ("place 5 in the Baltic Staets", "PLACE 5 Baltic States"),
    ("PLACE 5 in Alsace Loraine", "PLACE 5 Alsace-Lorraine"),
    ("1) Place 5 in Poland", "PLACE 5 Poland"),
    ("2. 5 to Poland", "PLACE 5 Poland"),
    ("(a) Poland 5", "PLACE 5 Poland"),
    ("* Austria - 3 PFs", "PLACE 3 Austria"),
    ("• Austria: 3", "PLACE 3 Austria"),
    ("– 3 to Austria", "PLACE 3 Austria"),
    ("“5 to *Poland*”", "PLACE 5 Poland"),
    ("5\u00a0PFs\u2009in\u202fPoland", "PLACE 5 Poland"),
    ("５ to Ｐｏｌａｎｄ", "PLACE 5 Poland"),
    ("Poland – 5", "PLACE 5 Poland"),
    ("Twelve to Poland", "PLACE 12 Poland"),
    ("twenty-one PFs in Poland", "PLACE 21 Poland"),
    ("5 to the U.S.", "PLACE 5 USA"),
    ("3 PFs to Great Britain", "PLACE 3 Britain"),
    ("Poland 5, Austria 3, Italy 4", "PLACE 5 Poland; PLACE 3 Austria; PLACE 4 Italy"),
    ("Poland 5, Austria 3 and Italy 4", "PLACE 5 Poland; PLACE 3 Austria; PLACE 4 Italy"),
    ("PLACE 4 Poland, 3 Italy", "PLACE 4 Poland; PLACE 3 Italy"),
    ("PLACE 4 Poland; PLACE 3 Italy", "PLACE 4 Poland; PLACE 3 Italy"),
    ("Place 4 in Poland and 3 in Italy", "PLACE 4 Poland; PLACE 3 Italy"),
    ("4 Poland + 3 Italy", "PLACE 4 Poland; PLACE 3 Italy"),
    ("4 Poland. 3 Italy.", "PLACE 4 Poland; PLACE 3 Italy"),
    ("5 each in Poland and Austria", "PLACE 5 Poland; PLACE 5 Austria"),
    ("PLACE the rest in Austria", "PLACE 13 Austria"),
    ("all to Austria", "PLACE 13 Austria"),
    ("5 to Poland, the rest to Austria", "PLACE 5 Poland; PLACE 8 Austria"),
    ("5 PFs at home", "PLACE 5 Germany"),
    ("Move 3 from home to Austria", "FROM HOME 3 Austria"),
    ("3 from home to Austria", "FROM HOME 3 Austria"),
    ("from home 3 to Austria", "FROM HOME 3 Austria"),
    ("3 from Germany to Austria", "FROM HOME 3 Austria"),
    ("place 5 in Poland and move 3 from home to Austria", "PLACE 5 Poland; FROM HOME 3 Austria"),
    ("I pass.", "PASS"),
]
ATTACKS = [
    ("ATTACK Russia IN Poland STOCK GE", "ATTACK Poland: Russia STOCK GE"),
    ("Attack Russia in Poland (GE)", "ATTACK Poland: Russia STOCK GE"),
    ("Poland: attack Russia (GE)", "ATTACK Poland: Russia STOCK GE"),
    ("Poland - attack Russia with GE", "ATTACK Poland: Russia STOCK GE"),
    ("In Poland attack Russia with GE", "ATTACK Poland: Russia STOCK GE"),
    ("Germany attacks Russia in Poland, GE", "ATTACK Poland: Russia STOCK GE"),
    ("Poland: Russia (GE)", "ATTACK Poland: Russia STOCK GE"),
    (
        "attack the French and the Russians in Poland with IBM",
        "ATTACK Poland: France, Russia STOCK IBM",
    ),
    ("attack Russia Poland", "ATTACK Poland: Russia"),
    ("attack Russia's PFs in Poland", "ATTACK Poland: Russia"),
    ("Attack the Soviets in Rumnia", "ATTACK Rumania: Russia"),
    ("ATTACK Poland: Russia STOCK General Electric", "ATTACK Poland: Russia STOCK GE"),
    ("ATTACK Poland: Russia STOCK GE, IBM", "ATTACK Poland: Russia STOCK GE/IBM"),
    ("attack Russia in Poland with GE, IBM or F", "ATTACK Poland: Russia STOCK GE/IBM/F"),
    ("ATTACK Poland: Russia STOCK Ford", "ATTACK Poland: Russia STOCK F"),
    ("ATTACK Poland: Russia STOCK FORD", "ATTACK Poland: Russia STOCK FORD"),
    ("ATTACK Poland: Russia STOCK BOEING", "ATTACK Poland: Russia STOCK BA"),
    ("attack Russia in Poland using NYSE:GE", "ATTACK Poland: Russia STOCK GE"),
    ("attack Russia in Poland $GE", "ATTACK Poland: Russia STOCK GE"),
    ("attack Russia in Poland with AT&T", "ATTACK Poland: Russia STOCK T"),
    ("attack Russia in Poland with McDonald’s", "ATTACK Poland: Russia STOCK MCD"),
    ("attack Russia in Poland with Ford Motor Company", "ATTACK Poland: Russia STOCK F"),
    ("attack Russia in Poland at least 2:1", "ATTACK Poland: Russia MIN 2-1"),
    ("attack Russia in Poland, at least 2 to 1", "ATTACK Poland: Russia MIN 2-1"),
    ("attack Russia in Poland, otherwise France", "ATTACK Poland: Russia ELSE France"),
    (
        "attack Russia in Poland with Ford, at least 2-1, otherwise the French",
        "ATTACK Poland: Russia STOCK F ELSE France MIN 2-1",
    ),
    (
        "attack Russia in Poland (GE), France in Austria (IBM)",
        "ATTACK Poland: Russia STOCK GE; ATTACK Austria: France STOCK IBM",
    ),
    ("Take control of Austria", "CONTROL Austria"),
    ("place an Understanding in Italy", "UNDERSTANDING Italy"),
    ("Austria: control", "CONTROL Austria"),
    ("Understandings in Italy and Austria", "UNDERSTANDING Italy; UNDERSTANDING Austria"),
    ("Share control of Alsace with the French", "SHARE Alsace-Lorraine WITH France"),
    ("take control of Poland together with Russia", "SHARE Poland WITH Russia"),
    ("Standing Understandings everywhere", "STANDING UNDERSTANDING ALL"),
    (
        "attack Russia in Poland with GE and take control of Austria",
        "ATTACK Poland: Russia STOCK GE; CONTROL Austria",
    ),
]
OF_WW1 = [
    ("attacks", "attack Serbia: Russia (GE)", "ATTACK Russia IN Serbia STOCK GE"),
    ("attacks", "Serbia: attack the Russians with Ford", "ATTACK Russia IN Serbia STOCK F"),
    ("attacks", "ATTACK Russia in Serbai", "ATTACK Russia IN Serbia"),
    ("placement", "5 to Serbia, the rest to Germany", "PLACE 5 Serbia; PLACE 11 Germany"),
    ("placement", "Serbia 5, Far East 3", "PLACE 5 Serbia; PLACE 3 Far East"),
    ("placement", "make an alliance with the Austrians", "ALLY Austria-Hungary"),
    ("placement", "I ally with Britain", "ALLY Britain"),
]
DOUBTFUL = [
    "5 or 6 in Poland",
    "5 in Poland or Austria",
    "5 in Poland and Austria",
    "don't place 5 in Poland",
    "Place 5 in Poland, not in Austria",
    "place 5 in Poland if Russia does",
    "place 5 in Poland unless it is closed",
    "maybe 5 in Poland",
    "5 in Poland?",
    "try to place 5 in Poland",
    "about 5 in Poland",
    "Move 3 to Austria",
    "FROM HOME 3 Austria, 2 Poland",
    "Poland 5, Austria 3 from home",
    "Poland, 5 Austria, 3",
    "4.5 to Poland",
    "Poland -5",
    "3 from Poland to Austria",
    "all but 3 to Poland",
    "5 Poland Austria 3 Italy",
    "the rest to Poland, 2 to Austria",
    "5 to Poland, 3 to nowhere",
]
DOUBTFUL_ATTACKS = [
    "attack France Russia",
    "attack Russia or France in Poland",
    "attack Russia in Poland or Austria",
    "attack Russia",
    "attack Poland",
    "attack Russia in Poland with Germany",
    "attack Russia in Poland with haste",
    "ATTACK RUSSIA IN POLAND WITH HASTE",
    "attack Russia in Poland, France",
    "attack Russia in Poland and France in Austria with GE",
    "Russia attacks France in Poland",
    "attack Russia in Poland 2-1",
    "attack Russia in Poland with GE, IBM, F and T",
    "attack Russia in Poland with General",
    "Poland: Russia",
    "Poland",
    "control Poland or Austria",
    "do not take control of Poland",
    "share Poland with Russia and France",
    "an Understanding",
]


@pytest.mark.parametrize(("written", "meant"), PLACEMENTS)
def test_placement_with_one_plain_meaning_is_read_so(written: str, meant: str) -> None:
    reading = read(written, ww2("placement"))
    assert "; ".join(words for _, words in reading.understood) == meant
    assert not errors(reading)
    assert {number for number, _ in reading.understood} == {1}


@pytest.mark.parametrize(("written", "meant"), ATTACKS)
def test_attack_or_counter_with_one_plain_meaning_is_read_so(written: str, meant: str) -> None:
    reading = read(written)
    assert "; ".join(words for _, words in reading.understood) == meant
    assert not errors(reading)


@pytest.mark.parametrize(("phase", "written", "meant"), OF_WW1)
def test_the_first_war_reads_the_same_forms(phase: str, written: str, meant: str) -> None:
    assert "; ".join(lines(written, ww1(phase), "Germany", WW1)) == meant


@pytest.mark.parametrize(
    ("phase", "written"),
    [*(("placement", one) for one in DOUBTFUL), *(("attacks", one) for one in DOUBTFUL_ATTACKS)],
)
def test_what_has_no_one_meaning_is_refused(phase: str, written: str) -> None:
    reading = read(written, ww2(phase))
    assert not reading.understood
    (said,) = errors(reading)
    assert f"“{written}”" in said


@pytest.mark.parametrize(
    ("phase", "written", "readings"),
    [
        ("placement", "5 in Poland or Austria", ["PLACE 5 Poland", "PLACE 5 Austria"]),
        ("placement", "5 or 6 in Poland", ["PLACE 5 Poland", "PLACE 6 Poland"]),
        ("placement", "Move 3 to Austria", ["FROM HOME 3 Austria", "PLACE 3 Austria"]),
        ("placement", "maybe 5 in Poland", ["PLACE 5 Poland"]),
        ("attacks", "attack France Russia", ["ATTACK France: Russia", "ATTACK Russia: France"]),
    ],
)
def test_a_refusal_offers_the_readings(phase: str, written: str, readings: list[str]) -> None:
    (said,) = errors(read(written, ww2(phase)))
    assert all(f"“{one}”" in said for one in readings)


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
