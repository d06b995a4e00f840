"""What lines beside orders, apart from them by a blank line, do to them (contract 3a.3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.rules import Doubt

from .reading import errors, lines, read, ww2


def _table() -> dict[str, list[str]]:
    """Return the lines of beside.txt by their heading."""
    table: dict[str, list[str]] = {}
    heading = ""
    for line in Path(__file__).with_name("beside.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            heading = line.strip("[]")
        elif line and not line.startswith("#"):
            table.setdefault(heading, []).append(line)
    return table


TABLE = _table()
ORDER = "PLACE 5 Poland"
BESIDE = {
    "below": [*TABLE["below, asked about"], *TABLE["below, left alone"]],
    "above": [*TABLE["above, asked about"], *TABLE["above, left alone"]],
}


def beside(line: str, where: str) -> str:
    return f"{ORDER}\n\n{line}" if where == "below" else f"{line}\n\n{ORDER}"


CASES = [(where, line) for where, lines in BESIDE.items() for line in lines]


@pytest.mark.parametrize(("where", "line"), CASES)
def test_line_apart_from_an_order(where: str, line: str) -> None:
    reading = read(beside(line, where), ww2("placement"))
    if line in TABLE[f"{where}, asked about"]:
        assert not reading.understood
        assert reading.doubt is not None
        assert reading.doubt.lines in ((ORDER,), ())
        assert any("are not sent before you say so." in message for message in errors(reading))
    else:
        assert [words for _, words in reading.understood] == [ORDER]


def test_order_right_above_a_line_that_may_mean_nothing_counts_if_nothing_else_is_ordered() -> None:
    """Contract 3a.4: the question costs a word, and silence costs no order."""
    reading = read(f"{ORDER}\nOnward!", ww2("placement"))
    assert reading.doubt == Doubt((ORDER,), may_count=True)


@pytest.mark.parametrize(
    ("below", "asked"),
    [
        ("Maria has\nseen the map.", False),
        ("Yesterday we saw the\nmap with Maria, and went\nhome with Felix.", False),
        ("The map is fine.\nAbort.", True),
        ("Hans Maier\nAttorney at law", False),
        ("Thanks!\nHans", False),
        ("Thanks!\nHang on.", True),
    ],
)
def test_lines_of_one_sentence_say_what_it_is_about(below: str, asked: bool) -> None:
    """Mail programs break sentences; a line below a name or courtesy belongs to it."""
    assert (not lines(f"{ORDER}\n\n{below}", ww2("placement"))) is asked


@pytest.mark.parametrize(
    "heading",
    [
        "The general staff ordered yesterday",
        "Here is what my computer recommends for the Germans",
        "We wrote to them from the seaside",
    ],
)
def test_sentence_that_goes_on_in_orders_heads_them(heading: str) -> None:
    assert not read(f"{heading}\n{ORDER}", ww2("placement")).understood
    assert lines(f"{heading}.\n{ORDER}", ww2("placement")) == [ORDER]


@pytest.mark.parametrize("line", ["No attack after all.", "Not the attack, though.", "No attacks."])
def test_denial_of_attacks_is_about_orders_that_attack(line: str) -> None:
    attack = "ATTACK Poland: Russia STOCK GE"
    assert not read(f"{attack}\nUNDERSTANDING Italy\n\n{line}").understood
    assert lines(f"UNDERSTANDING Italy\n\n{line}") == ["UNDERSTANDING Italy"]


@pytest.mark.parametrize("typed", ["Prussia", "Bustria", "oPland"])
def test_first_letter_of_a_name_is_no_slip(typed: str) -> None:
    """Another first letter makes another name."""
    assert not lines(f"5 in {typed}", ww2("placement"))


def test_first_line_with_a_comma_greets_and_does_not_head_orders_unless_it_goes_on() -> None:
    """“Tomorrow,” right above orders says when."""
    assert lines(f"Merhaba,\n\n{ORDER}", ww2("placement")) == [ORDER]
    assert lines(f"你好，\n{ORDER}", ww2("placement")) == [ORDER]
    assert not lines(f"Tomorrow,\n{ORDER}", ww2("placement"))
    assert not lines(f"PLACE 2 Italy\n\nTomorrow,\n\n{ORDER}", ww2("placement"))


@pytest.mark.parametrize(
    "line", ["PLACE three Atlantis", "Put 3 Atlantis", "We place 2 Atlantis", "Attack Atlantis"]
)
def test_order_for_an_unknown_place_is_refused_and_taken_for_no_name(line: str) -> None:
    """No order is lost silently: a noun behind the verb of an order is a place (contract 3a.3)."""
    (refusal,) = errors(read(beside(line, "below"), ww2("placement")))
    assert f"“{line}”: “Atlantis” is not a word that orders use." in refusal


@pytest.mark.parametrize("line", ["Una Place", "Erik ten Hag", "Gustav von Maier"])
def test_name_with_a_word_of_orders_signs_the_orders_above(line: str) -> None:
    assert errors(read(beside(line, "below"), ww2("placement"))) == []
