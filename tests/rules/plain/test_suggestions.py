"""What a refusal of a plain line suggests: never the opposite of what was written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from .reading import WW1, WW2, errors, lines, read, ww1, ww2


def refusal(written: str, state: Any = None, nation: str = "Germany", rules: Any = WW2) -> str:
    """Return why a line is refused, in a phase of placement if there is no other state."""
    reading = read(written, state or ww2("placement"), nation, rules)
    assert not reading.understood
    (message,) = errors(reading)
    return message


NEGATED = [
    "Do not attack Russia in Poland, attack France in Poland",
    "Don't attack Russia in Poland",
    "We never attack Russia in Poland",
    "no control of Poland",
    "attack Russia in Poland or not",
    "Do not pass",
]


@pytest.mark.parametrize("written", NEGATED)
def test_negated_order_gets_no_reading(written: str) -> None:
    assert "Did you mean" not in refusal(written, ww2())


def test_negated_alliance_gets_no_reading() -> None:
    assert "Did you mean" not in refusal("no alliance with Russia", ww1(), rules=WW1)


@pytest.mark.parametrize(
    "written",
    [
        "CANCEL 3 Poland",
        "Please cancel my previous orders.",
        "Ignore my last mail",
        "disregard 5 Poland",
        "Please withdraw my orders",
        "Cancel that please",
    ],
)
def test_line_that_cancels_is_told_how(written: str) -> None:
    sentence = "to take back your orders, write CANCEL alone on a line."
    assert refusal(written) == f"“{written}”: {sentence}"


@pytest.mark.parametrize(
    "written",
    [
        "5 PF en Pologne",
        "entferne 5 in Poland",
        "remove 5 in Poland",
        "5 in Poland entfernen",
        "Russia: 5 in Poland",
        "1/2 in Poland",
        "Not sure yet",
    ],
)
def test_line_with_other_words_gets_no_reading(written: str) -> None:
    assert "Did you mean" not in refusal(written)


def test_fraction_is_named_whole() -> None:
    assert refusal("1/2 in Poland").endswith(": “1/2” is not a whole number, so write one.")


@pytest.mark.parametrize(
    ("written", "suggested"),
    [
        ("Yes, 5 in Alsace today", "PLACE 5 Alsace-Lorraine"),
        ("No attacks", "PASS"),
        ("We place nothing", "PASS"),
        ("5 in Poland and Austria", "PLACE 5 Poland; PLACE 5 Austria"),
        ("maybe 5 in Poland", "PLACE 5 Poland"),
    ],
)
def test_line_with_harmless_words_gets_its_reading(written: str, suggested: str) -> None:
    assert f"Did you mean “{suggested}”?" in refusal(written)


def warnings(written: str, state: Any, rules: Any = WW2) -> list[str]:
    reading = read(written, state, "Germany", rules)
    return [remark.message for remark in reading.remarks if remark.severity == "warning"]


def test_warning_about_one_of_two_attacks_quotes_that_attack() -> None:
    messages = warnings("Attack France in Poland then Russia in Poland", ww2())
    assert "“ATTACK Poland: Russia” is void: “ATTACK Poland: France” comes first." in messages
    assert all(message.startswith("“ATTACK Poland: ") for message in messages)


def test_warning_about_a_second_attack_quotes_both_in_world_war_one() -> None:
    messages = warnings("attack Russia in Serbia (GE); attack France in Africa (F)", ww1(), WW1)
    first = "ATTACK Russia IN Serbia STOCK GE"
    assert any(
        message.startswith("“ATTACK France IN Africa STOCK F” is void:")
        and message.endswith(f"“{first}” comes first.")
        for message in messages
    )


def test_refusal_of_one_of_two_orders_quotes_that_order() -> None:
    (message,) = errors(read("attack Russia in Poland; attack Germany in Austria"))
    assert message.startswith("“ATTACK Austria: Germany” does nothing:")
    (warned,) = warnings("attack Russia in Poland; attack Germany in Austria", ww2())
    assert warned.startswith("“ATTACK Poland: Russia” ")


def test_warning_about_a_single_order_quotes_the_line_as_written() -> None:
    (message,) = warnings("20 to Poland", ww2("placement"))
    assert message.startswith("“20 to Poland” ")


def test_warning_about_one_of_two_placements_quotes_that_placement() -> None:
    (message,) = warnings("5 to Poland, 20 to Austria", ww2("placement"))
    assert message.startswith("“PLACE 20 Austria” asks for 20 PFs")


@pytest.mark.parametrize("written", ["5 in Poland?", "Is my order ok?", "Is it 5 in Poland?"])
def test_question_is_told_how_to_ask(written: str) -> None:
    assert refusal(written) == (
        f"“{written}”: this is not an order. To ask the gamesmaster, write QUESTION, your words,"
        " END."
    )


WITHOUT = ww2(**{"ow2.conditionals": "none"})


@pytest.mark.parametrize("ending", ["at least 2:1", "else France", "min 2-1, otherwise France"])
def test_condition_in_plain_words_is_not_dropped_where_attacks_have_none(ending: str) -> None:
    """Contract 3a: the attack was made at any odds, which nobody ordered. What is written in
    canonical words keeps its meaning: there the option ignores ELSE and MIN."""
    message = refusal(f"attack Russia in Poland with GE {ending}", WITHOUT)
    assert "this game has no ELSE and no MIN, so leave them out" in message
    assert message.endswith("Did you mean “ATTACK Poland: Russia STOCK GE”?")
    written = "ATTACK Poland: Russia STOCK GE MIN 2-1"
    assert lines(written, WITHOUT) == [written]


@pytest.mark.parametrize("written", ["GE: attack Russia in Poland", "Russia by GE in Poland"])
def test_reason_does_not_ask_for_what_the_line_says(written: str) -> None:
    assert "whom you attack" in refusal("attack Poland", ww2())
    assert "an attack is written differently. Example:" in refusal(written, ww2())


def test_pfs_and_blanks_in_a_line_get_the_reason() -> None:
    """“2 blanks in Italy and 2 in Austria” may mean four blanks."""
    state = ww2("placement", **{"ow2.hidden": "face_down"})
    for written in ("4 in Austria, 2 blanks in Italy", "2 blanks in Italy and 2 in Austria"):
        assert "it has PFs and blanks" in refusal(written, state)
    assert lines("4 in Austria as 3+1\n2 blanks in Italy", state) == [
        *("PLACE 4 Austria AS 3+1", "BLANKS 2 Italy")
    ]


def test_condition_names_min_and_else_only_where_attacks_have_them() -> None:
    assert "only MIN and ELSE" in refusal("attack Russia in Poland if it is weak", ww2())
    assert "MIN" not in refusal("place 5 in Poland if Russia does")
    assert "MIN" not in refusal("attack Russia in Serbia if it is weak", ww1(), rules=WW1)
    assert "MIN" not in refusal("attack Russia in Poland if it is weak", WITHOUT)


@pytest.mark.parametrize("written", ["0 in Poland", "0 in Poland, 10 in Austria", "Poland: 0"])
def test_zero_is_to_be_left_out(written: str) -> None:
    assert refusal(written) == f"“{written}”: “0” places nothing, so leave it out."


@pytest.mark.parametrize("written", ["0.5 in Poland", "0,5 in Poland"])
def test_part_of_a_figure_is_not_taken_for_zero(written: str) -> None:
    assert "so write a whole number" in refusal(written)


@pytest.mark.parametrize("written", ["Attack Stalin in Poland", "ATTACK the Stalin IN Poland"])
def test_attack_on_nobody_says_that_there_is_no_such_nation(written: str) -> None:
    assert "there is no nation “Stalin”" in refusal(written, ww2())


@pytest.mark.parametrize("nation", ["Germany", "Russia", "France"])
@pytest.mark.parametrize("written", ["Attack Stalin in Poland", "Poland", "attack Poland"])
def test_example_attacks_another_nation(written: str, nation: str) -> None:
    _, found, example = refusal(written, ww2(), nation).partition("Example: ")
    assert found
    assert nation not in example


def test_example_fits_the_open_phase() -> None:
    assert "Example: “PLACE " in refusal("Attack Stalin in Poland")
    assert "Example: “ATTACK " in refusal("PLACE Poland", ww2())


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("attack Britain in Poland with GE; attack France in Italy, T", "T"),
        ("Control in Austria, Poland and the Rhineland, and Alsace too", "too"),
    ],
)
def test_refusal_names_the_word_that_is_not_read(written: str, word: str) -> None:
    """Not all that stands between it and the first word of the line, as no area."""
    assert f"”: “{word}” is not a word that orders use." in refusal(written, ww2())


def test_refusal_names_an_area_that_is_none() -> None:
    assert "there is no area “Atlantis Sea”" in refusal("PLACE 4 Atlantis Sea")


@pytest.mark.parametrize("written", ["Please place 5 as Poland", "Take Poland", "Please"])
def test_refusal_does_not_deny_a_first_word_that_orders_have(written: str) -> None:
    """Plain orders begin with “please” and “take”, though no canonical one does."""
    assert "no order begins with" not in refusal(written)


def test_refusal_names_a_first_word_that_no_order_has() -> None:
    assert "no order begins with “Plaxe”" in refusal("Plaxe Poland")


@pytest.mark.parametrize("written", ["5 in Poland for France", "5 PFs of France in Poland"])
def test_only_areas_that_are_joined_are_offered_the_same_number(written: str) -> None:
    assert "Did you mean" not in refusal(written)
    assert "PLACE 5 Poland; PLACE 5 France" in refusal("5 in Poland and France")


@pytest.mark.parametrize(
    ("written", "example"),
    [
        ("We propose an alliance with Russia", "ALLY France"),
        ("End the alliance with Russia", "LEAVE ALLIANCE"),  # Germany is in none
        ("Send diplomats to Serbia", "PLACE 4 Serbia"),
    ],
)
def test_example_is_of_the_order_that_the_line_is_about(written: str, example: str) -> None:
    assert refusal(written, ww1("placement"), rules=WW1).endswith(f"Example: “{example}”.")


def test_refusal_suggests_something_else_than_what_was_written() -> None:
    """The colon was taken for a part of the name, and the same line suggested."""
    canonical = ww1("placement", **{"orders.language": "canonical"})
    message = refusal("ALLY: Russia", canonical, rules=WW1)
    assert message.endswith("there is no nation “: Russia”. Example: “ALLY France”.")


def test_leaving_an_alliance_may_name_the_ally_and_nobody_else() -> None:
    """Contract 3a.2: what cannot be taken back is read only where each word fits."""
    state = replace(
        ww1("placement", **{"wwi.alliance_withdrawal": "allowed"}),
        alliances=(("Germany", "Austria-Hungary"),),
    )
    assert lines("We end our alliance with the Austrians", state, "Germany", WW1) == [
        "LEAVE ALLIANCE"
    ]
    assert lines("End the alliance with Russia", state, "Germany", WW1) == []


def test_alternative_in_a_line_of_world_war_1_is_refused_for_its_own_reason() -> None:
    message = refusal("Attack Russia in Serbia, else France in Greece", ww1(), rules=WW1)
    assert "in this game an attack has no ELSE, so write one attack in a line" in message
