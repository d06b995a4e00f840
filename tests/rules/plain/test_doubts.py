"""What means two things beside other words or lines goes back (contract 3a)."""

from __future__ import annotations

import pytest

from .reading import WW1, errors, lines, read, ww1, ww2

IN_TURN = [
    ("Attack France, then Russia in Poland", "France, Russia", "France ELSE Russia"),
    ("attack France and then Russia in Poland", "France, Russia", "France ELSE Russia"),
    ("In Poland attack France followed by Russia", "France, Russia", "France ELSE Russia"),
    (
        "Poland: attack France, Britain, then Russia (GE)",
        "France, Britain, Russia STOCK GE",
        "France, Britain STOCK GE ELSE Russia",
    ),
]


@pytest.mark.parametrize(("written", "together", "instead"), IN_TURN)
def test_nations_joined_by_then_go_back_with_both_readings(
    written: str, together: str, instead: str
) -> None:
    reading = read(written, ww2())
    assert not reading.understood
    question = f"Did you mean “ATTACK Poland: {together}” or “ATTACK Poland: {instead}”?"
    assert question in errors(reading)[0]


def test_attack_with_two_thens_offers_no_list_after_else() -> None:
    (message,) = errors(read("Attack France, then Russia, then Britain in Poland", ww2()))
    assert "ELSE Russia" not in message


@pytest.mark.parametrize(
    ("written", "orders"),
    [
        (
            "Attack France in Poland, then Russia in Austria",
            ["ATTACK Poland: France", "ATTACK Austria: Russia"],
        ),
        ("5 to Poland, then 3 to Austria", ["PLACE 5 Poland", "PLACE 3 Austria"]),
    ],
)
def test_then_between_whole_orders_is_read(written: str, orders: list[str]) -> None:
    assert lines(written, ww2("placement") if "5" in written else ww2()) == orders


def test_then_between_nations_is_refused_in_world_war_one() -> None:
    assert errors(read("Attack France, then Russia in Serbia", ww1(), "Germany", WW1))


ADDING = [
    "Also 3 in Austria",
    "Add 3 in Austria",
    "Plus 3 in Austria",
    "And 3 in Austria",
    "Hi Ada,\nAlso 3 in Austria",
    "Also:\n3 in Austria",
    "In addition to my earlier orders:\nPLACE 3 Austria",
]


@pytest.mark.parametrize("text", ADDING)
def test_first_line_that_adds_goes_back_with_both_readings(text: str) -> None:
    reading = read(text, ww2("placement"))
    assert not reading.understood
    assert any(
        "orders that you send replace all earlier ones. Write all your orders again, or only"
        " “PLACE 3 Austria” if you want nothing else." in message
        for message in errors(reading)
    )


def test_lines_after_one_that_adds_do_not_replace_earlier_orders() -> None:
    reading = read("Also 3 in Austria\nPLACE 2 Italy", ww2("placement"))
    assert not reading.understood
    assert len(errors(reading)) == 2


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("5 in Poland\nAlso 3 in Austria", ["PLACE 5 Poland", "PLACE 3 Austria"]),
        ("5 in Poland. Also 3 in Austria", ["PLACE 5 Poland", "PLACE 3 Austria"]),
        ("Also, thanks for the map!\n5 in Poland", ["PLACE 5 Poland"]),
        ("+ 5 Poland\n+ 3 Austria", ["PLACE 5 Poland", "PLACE 3 Austria"]),
    ],
)
def test_line_that_adds_to_lines_above_it_is_read(text: str, orders: list[str]) -> None:
    assert lines(text, ww2("placement")) == orders


def test_line_that_adds_is_read_where_lines_are_merged() -> None:
    state = ww2("placement", **{"orders.amend": "merge_lines"})
    assert lines("Also 3 in Austria", state) == ["PLACE 3 Austria"]


CORRECTED = [
    "10 Poland\n\nSorry, I meant 5 Poland and 5 Austria",
    "PLACE 10 Poland\nCorrection: 5 Poland, 5 Austria",
    "10 Poland\nNo wait, 5 Poland and 5 Austria",
    "10 Poland\nCorrection:\n5 Poland\n5 Austria",
    "10 Poland\nSorry, I meant:\n5 Poland\n5 Austria",
    "10 Poland\nActually, make that 8",
    "2 Italy\n10 Poland\nInstead 5 in Austria",
    "10 Poland\nPlease ignore that.",
    "10 Poland\nScratch that.\n5 Poland",
]


@pytest.mark.parametrize("text", CORRECTED)
def test_correction_takes_back_the_lines_that_it_may_correct(text: str) -> None:
    reading = read(text, ww2("placement"))
    assert not reading.understood
    assert all("send again all orders that you mean" in message for message in errors(reading))
    assert len(errors(reading)) == len([line for line in text.split("\n") if line])


@pytest.mark.parametrize(
    "text",
    [
        "PLACE 5 Poland\nSorry for the delay, France is slow!",
        "5 in Poland\nSorry!",
        "5 in Poland\nActually I like this game.",
        "Sorry, this is late.\n5 in Poland",
        "5 in Poland\nPlease ignore my last mail.",
    ],
)
def test_line_that_corrects_no_order_leaves_others_as_they_are(text: str) -> None:
    assert lines(text, ww2("placement")) == ["PLACE 5 Poland"]


OPTIONS = [
    "Option A:\n10 Poland\n\nOption B:\n5 Poland\n5 Austria",
    "Plan A: 10 Poland\nPlan B: 5 Poland, 5 Austria",
    "Plan A\n10 Poland",
    "Either:\n10 Poland\nor:\n5 Poland\n5 Austria",
    "10 Poland\nor\n5 Poland\n5 Austria",
    "10 Poland\nAlternatively, 5 Poland and 5 Austria",
    "OPTION 1 -\nPLACE 10 Poland\nOPTION 2 -\nPLACE 5 Austria",
]


@pytest.mark.parametrize("text", OPTIONS)
def test_orders_given_as_options_do_not_count(text: str) -> None:
    reading = read(text, ww2("placement"))
    assert not reading.understood
    assert any("write only the orders that you choose" in item for item in errors(reading))


def test_text_with_options_counts_in_no_part() -> None:
    """Orders that stay in force would else be replaced by a part of the text (contract 3a.4)."""
    reading = read("2 Italy\nOption A:\n10 Poland\nOption B:\n5 Austria", ww2("placement"))
    assert not reading.understood
    assert reading.doubt is not None
