"""Commands and orders of a message, in their order (issue 4, item 3)."""

from __future__ import annotations

from datetime import date

import pytest

from orders.inbound.parsing import dates
from orders.inbound.parsing.commands import Orders, PressItem
from orders.inbound.parsing.reading import read

from . import corpus

pytestmark = pytest.mark.quick

SIX = ("Germany", "Russia", "France", "Britain", "USA")


def orders(text: str) -> list[str]:
    return corpus.orders(read(text)).get("", [])


def others(text: str) -> list[str]:
    return [
        corpus.item_text(item)
        for item in read(text, today=corpus.TODAY).items
        if not isinstance(item, Orders)
    ]


def test_order_lines_of_a_nation_are_one_set_with_line_numbers() -> None:
    script = read("PLACE 4 Poland\n\nFINAL\nPASS")
    item = script.orders()
    assert item is not None
    assert [(line.number, line.text) for line in item.lines] == [(1, "PLACE 4 Poland"), (4, "PASS")]
    assert item.text == "PLACE 4 Poland\n\nPASS"  # they stand apart (contract 3a.3)


def test_line_below_one_that_is_too_long_does_not_continue_the_order_above_it() -> None:
    script = read(f"PLACE 4 Austria\nPLACE 3 {'a' * 5000}\n{'b' * 120}")
    assert orders(f"PLACE 4 Austria\n{'b' * 120}") == [f"PLACE 4 Austria {'b' * 120}"]
    assert corpus.orders(script)[""][0] == "PLACE 4 Austria"
    assert [refused.written[:8] for refused in script.refused] == ["PLACE 3 "]


@pytest.mark.parametrize(
    ("message", "item"),
    [
        ("final.", "FINAL"),
        ("Not  final", "NOT FINAL"),
        ("CANCEL", "Cancel".upper()),
        ("orders?", "ASK orders"),
        ("please board", "ASK board"),
        ("History of turn 2.", "ASK history 2"),
        ("HISTORY", "ASK history"),
        ("Status", "ASK status"),
        ("DEADLINE", "ASK deadline"),
        ("* help", "ASK help"),
        ("unsubscribe", "MUTE"),
        ("UNMUTE", "UNMUTE"),
        ("**final**", "FINAL"),
    ],
)
def test_commands_are_read_in_any_case_and_markup(message: str, item: str) -> None:
    assert others(message) == [item]
    assert orders(message) == []


@pytest.mark.parametrize(
    "message", ["FINAL?", "Cancel ?", "VOTE DRAW?", "ADOPT 12?", "ACCEPT 3?!", "YES?", "MUTE?"]
)
def test_command_with_a_question_mark_decides_nothing(message: str) -> None:
    script = read(message)
    assert not script.items
    (refused,) = script.refused
    assert refused.sentence.startswith(f"“{message}” asks and did nothing")


def test_request_with_a_question_mark_is_answered() -> None:
    assert others("HELP?") == ["ASK help"]


@pytest.mark.parametrize(
    "message",
    [
        "the board is nice",
        "I want no help from Russia",
        "cancel my subscription to Life",
        "final answer",
        "finally",
    ],
)
def test_command_words_within_a_sentence_are_not_commands(message: str) -> None:
    assert others(message) == []
    assert orders(message) == [message]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("- PLACE 4 Poland", "PLACE 4 Poland"),
        ("1) place 4 poland", "place 4 poland"),
        ("＊　ＰＬＡＣＥ　４　Poland", "PLACE 4 Poland"),
        (
            "ATTACK Alsace–Lorraine: Germany STOCK “GE”",
            'ATTACK Alsace-Lorraine: Germany STOCK "GE"',
        ),
        ("_PLACE 4 Poland_", "PLACE 4 Poland"),
        ("- four to Poland", "- four to Poland"),
        ("> PLACE 4 Poland", "> PLACE 4 Poland"),
        ("“PLACE 4 Poland”", '"PLACE 4 Poland"'),
    ],
)
def test_characters_are_normalized_and_bullets_removed_before_orders(
    written: str, text: str
) -> None:
    assert orders(written) == [text]


def test_greetings_and_names_are_skipped() -> None:
    script = read("Dear Ada,\n\nhere are my orders:\nPASS\n\nViele Grüße\nGustav von Maier")
    assert corpus.orders(script) == {"": ["PASS"]}
    assert len(script.passed_over) == 4


@pytest.mark.parametrize(
    "message", ["Dear Ada, PLACE 4 Poland", "Thanks, pass", "Plase", "Hi, attack Poland"]
)
def test_possible_order_is_never_skipped(message: str) -> None:
    assert orders(f"PASS\n\n{message}") == ["PASS", message]


def test_nation_at_the_end_is_not_skipped_as_a_name() -> None:
    assert corpus.orders(read("PASS\n\nGermany", nations=SIX)) == {"": ["PASS", "Germany"]}


def test_nation_name_switches_the_seat() -> None:
    script = read(
        "AS Germany\nPASS\nfor russia\nPLACE 4 Poland\nOrders for France:\nFINAL\nBritain:\nPASS",
        nations=SIX,
    )
    assert corpus.orders(script) == {
        "Germany": ["PASS"],
        "russia": ["PLACE 4 Poland"],
        "Britain": ["PASS"],
    }
    assert [corpus.item_text(item) for item in script.items if not isinstance(item, Orders)] == [
        "FINAL (France)"
    ]


def test_misspelled_seat_keeps_its_own_orders() -> None:
    assert corpus.orders(read("AS Germany\nPASS\nas Rusia\nPLACE 4 Poland", nations=SIX)) == {
        "Germany": ["PASS"],
        "Rusia": ["PLACE 4 Poland"],
    }


@pytest.mark.parametrize("message", ["for now", "as promised", "for turn"])
def test_ordinary_phrase_does_not_switch_the_seat(message: str) -> None:
    assert corpus.orders(read(f"{message}\nPASS", nations=SIX)) == {"": [message, "PASS"]}


def test_wrapped_order_is_joined() -> None:
    assert orders("ATTACK Poland:\nGermany,\nRussia STOCK\nGE\nELSE Germany\nPASS") == [
        "ATTACK Poland: Germany, Russia STOCK GE ELSE Germany",
        "PASS",
    ]


def test_separate_lines_are_not_joined() -> None:
    assert orders("ATTACK Poland: Germany\n\nELSE Russia") == [
        "ATTACK Poland: Germany",
        "ELSE Russia",
    ]
    assert orders("PLACE 4 Poland\nand that is all") == ["PLACE 4 Poland", "and that is all"]


def test_press_text_is_kept_and_not_read_as_commands() -> None:
    assert others("press to France and the USA:\n Hello “all”,\n\nFINAL\nend.\nBOARD") == [
        "PRESS to France, USA:  Hello “all”,\n\nFINAL",
        "ASK board",
    ]


@pytest.mark.parametrize(
    ("message", "item"),
    [
        ("PRESS TO ALL UNSIGNED\nx\nEND", "PRESS to all unsigned: x"),
        ("grey press to everybody\nx\nEND", "PRESS to all unsigned: x"),
        ("PRESS TO Gamesmaster\nx\nEND", "PRESS to the gamesmaster: x"),
        ("PRESS TO Germany: x\ny\nEND", "PRESS to Germany: x\ny"),
        ("BROADCAST\nx\nEND PRESS", "PRESS to all: x"),
        ("QUESTION:\nx\nEND", "PRESS to the gamesmaster: x"),
        ("REPLY\nx\nEND", "REPLY to : x"),
        ("ANSWER 12\nx\nEND", "ANSWER 12 to : x"),
    ],
)
def test_every_kind_of_press_is_read(message: str, item: str) -> None:
    assert others(message) == [item]


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (
            "PRESS TO\nx\nEND",
            (
                "“PRESS TO” does not say to whom: nothing was sent; write it as in “PRESS TO"
                " Germany, France”."
            ),
        ),
        ("BROADCAST\nEND", "“BROADCAST” is an empty letter: nothing was sent."),
        (
            "PRESS TO France\nPASS",
            (
                "“PRESS TO France” has no END: nothing of it was sent, and nothing below it was"
                " read; write END on a line of its own below it."
            ),
        ),
        (
            "BROADCAST\nx\nPRESS TO France\ny\nEND",
            (
                "“BROADCAST” has no END before the next letter begins: nothing of either was sent;"
                " write END after each of them."
            ),
        ),
        (
            "ABSENT",
            (
                "“ABSENT” cannot be read: it names no days; write it as in “ABSENT 2026-12-24 to"
                " 2027-01-03”."
            ),
        ),
    ],
)
def test_invalid_command_is_refused_with_one_sentence(message: str, sentence: str) -> None:
    script = read(message, today=corpus.TODAY)
    assert [refused.sentence for refused in script.refused] == [sentence]
    assert script.items == ()


@pytest.mark.parametrize(
    ("message", "first", "last"),
    [
        ("ABSENT 2026-12-24 2027-01-03", "2026-12-24", "2027-01-03"),
        ("absent from 24 Dec to 3 Jan", "2026-12-24", "2027-01-03"),
        ("ABSENT 24.12. - 3.1.", "2026-12-24", "2027-01-03"),
        ("ABSENT 24.12.2026 until 03.01.2027", "2026-12-24", "2027-01-03"),
        ("ABSENT December 24th, 2026 to January 3rd", "2026-12-24", "2027-01-03"),
        ("ABSENT 24-28 December", "2026-12-24", "2026-12-28"),
        ("ABSENT December 24 to 28", "2026-12-24", "2026-12-28"),
        ("ABSENT 24.-28.12.", "2026-12-24", "2026-12-28"),
        ("ABSENT 25/12/2026 to 12/31/2026", "2026-12-25", "2026-12-31"),
        ("ABSENT 5/5", "2027-05-05", "2027-05-05"),
        ("ABSENT until 10 November", "2026-11-03", "2026-11-10"),
        ("ABSENT on Monday, 9 November", "2026-11-09", "2026-11-09"),
        ("ABSENT 1 Nov to 9 Nov", "2026-11-01", "2026-11-09"),
        ("ABSENT vom 24. Dezember bis 3. Januar", "2026-12-24", "2027-01-03"),
    ],
)
def test_days_are_read_in_many_forms(message: str, first: str, last: str) -> None:
    assert dates.days(message, corpus.TODAY) == (
        date.fromisoformat(first),
        date.fromisoformat(last),
    )


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("ABSENT 3/4 to 5/4", "“3/4” may be two different days"),
        ("ABSENT 31 November", "there is no day 31 in month 11 of 2026"),
        (
            "ABSENT 2026-12-24 to 2026-12-20",
            "the last day, 2026-12-20, is before the first, 2026-12-24",
        ),
        ("ABSENT 24 Dec or 3 Jan", "“or” is no day"),
        ("ABSENT 1 Dec 2 Dec 3 Dec", "it names more than two days"),
        ("ABSENT tomorrow", "it names no days"),
    ],
)
def test_ambiguous_days_are_refused(message: str, why: str) -> None:
    with pytest.raises(dates.UnclearDates) as fault:
        dates.days(message, corpus.TODAY)
    assert str(fault.value) == f"{why}; {dates.FORM}"


def test_year_is_required_if_today_is_unknown() -> None:
    with pytest.raises(dates.UnclearDates, match="the year is missing"):
        dates.days("ABSENT 24 Dec", None)


@pytest.mark.parametrize(
    "written", ["+44 20 7946 0018", "Tel. +49 (30) 23125-000", "mobile: 0049 170 1234567"]
)
def test_telephone_number_in_a_signature_is_not_an_order(written: str) -> None:
    """reviews/mail.md, hostile mail: it was rejected as an order unless “-- ” stood above it."""
    script = read(f"PLACE 4 Poland\n\nBest regards\nGustav\n{written}\n")
    assert corpus.orders(script) == {"": ["PLACE 4 Poland"]}
    assert script.refused == ()


def test_number_of_pfs_is_not_a_telephone_number() -> None:
    assert orders("5 to Poland\n10 in Austria") == ["5 to Poland", "10 in Austria"]


HEADINGS = [
    *("PRES TO FRANCE", "PRESSTO FRANCE", "Press: France", "Message to France:"),
    *("LETTER TO FRANCE", "REPLY TO FRANCE", "QUESTION TO GM", "BROADCST", "PRES FRANCE, ALL"),
]


@pytest.mark.parametrize("heading", HEADINGS)
def test_letter_with_a_wrong_first_line_is_not_read_as_orders(heading: str) -> None:
    text = f"5 in Italy\n\n{heading}\nI put 5 in Poland\nFINAL\nEND\n3 in Austria"
    script = read(text, nations=SIX)
    assert corpus.orders(script) == {"": ["5 in Italy", "3 in Austria"]}
    assert len(script.items) == 1
    assert [(refused.line, refused.sentence) for refused in script.refused] == [
        (
            6,
            f"END ends a letter, but no line begins one, so nothing from “{heading}” to END was"
            f" read. Write PRESS TO {'France' if 'FRANCE' in heading.upper() else 'Germany'} above"
            " the letter and send it again.",
        )
    ]


def test_end_without_a_first_line_leaves_nothing_above_it_read() -> None:
    script = read("To France\nI put 5 in Poland\nAnswer me soon\nEND\nPASS", nations=SIX)
    assert corpus.orders(script) == {"": ["PASS"]}
    assert [refused.sentence for refused in script.refused] == [
        "END ends a letter, but no line begins one, so nothing above it was read. Write PRESS TO"
        " France above the letter and send it again."
    ]


def test_end_after_a_letter_leaves_only_lines_between_unread() -> None:
    script = read("PRESS TO Russia\nHi\nEND\nPLACE 5 Poland\nEND\nPASS", nations=SIX)
    assert corpus.orders(script) == {"": ["PASS"]}
    assert len(script.items) == 2
    assert "between the previous END and this one" in script.refused[0].sentence


def test_end_is_an_order_where_the_game_has_it() -> None:
    script = read("MOVE France A to B\nEND", verbs=["MOVE", "END"], nations=SIX)
    assert script.refused == ()


@pytest.mark.parametrize("heading", ["PRESS FRANCE", "Press France:", "press France and Russia"])
def test_press_without_to_opens_a_letter_to_nations_of_the_card(heading: str) -> None:
    script = read(f"{heading}\nI put 5 in Poland\nEND\nPASS", nations=SIX)
    letter = script.items[0]
    assert isinstance(letter, PressItem)
    assert letter.to[0].casefold() == "france"
    assert corpus.orders(script) == {"": ["PASS"]}


def test_press_without_to_never_opens_a_letter_to_an_unknown_name() -> None:
    script = read("PRESS FRNCE\nI put 5 in Poland\nEND", nations=SIX)
    assert script.items == ()
    assert len(script.refused) == 1


def test_letter_within_a_letter_is_refused_without_to_as_well() -> None:
    script = read("PRESS TO Russia\nHi\nPRESS FRANCE\nSecret\nEND", nations=SIX)
    assert script.items == ()
    script = read("PRESS TO Russia\nLet us\npress France\nhard\nEND", nations=SIX)
    assert len(script.items) == 1
