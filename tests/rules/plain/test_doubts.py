"""What means two things beside other words or lines goes back (contract 3a)."""

from __future__ import annotations

import pytest

from games.rules import Doubt

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
    assert reading.doubt == Doubt(("PLACE 3 Austria", "PLACE 2 Italy"), may_count=True)


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


#: Contract 3a.3: texts, and the lines that an answer may send: none if they are contradictory.
SPEAKING = [
    ("10 Poland\n\nSorry, I meant 5 Poland and 5 Austria", []),
    ("PLACE 10 Poland\nCorrection: 5 Poland, 5 Austria", []),
    ("10 Poland\nNo wait, 5 Poland and 5 Austria", []),
    ("10 Poland\nCorrection:\n5 Poland\n5 Austria", []),
    ("10 Poland\nActually, make that 8", []),
    ("10 Poland\nScratch that.\n5 Poland", []),
    ("10 Poland\nor\n5 Poland\n5 Austria", []),
    ("10 Poland\n6 instead", []),
    ("10 Poland\nin fact Poland 6", []),
    ("10 Poland\nEDIT: Poland 6", []),
    ("10 Poland\nUpdate: 7 there", []),
    ("10 Poland\nForget the Austria one.", []),
    ("10 Poland\nPlease ignore that.", ["PLACE 10 Poland"]),
    ("10 Poland\nSwap them", ["PLACE 10 Poland"]),
    ("10 Poland\nother way round", ["PLACE 10 Poland"]),
    ("10 Poland\n\nWithdrawn", ["PLACE 10 Poland"]),
    ("10 Poland\nJust kidding", ["PLACE 10 Poland"]),
    ("10 Poland\nnot sure yet", ["PLACE 10 Poland"]),
    ("10 Poland\nNEW: Poland 6", ["PLACE 10 Poland"]),
    ("Next turn:\n10 Poland", ["PLACE 10 Poland"]),
    ("Last turn:\n10 Poland", ["PLACE 10 Poland"]),
    ("If attacked:\n\n10 Poland", ["PLACE 10 Poland"]),
    ("Draft:\n10 Poland", ["PLACE 10 Poland"]),
    ("Plan A\n10 Poland", ["PLACE 10 Poland"]),
    ("Russia's orders:\n10 Poland", ["PLACE 10 Poland"]),
    ("Proposal for Russia:\n10 Poland", ["PLACE 10 Poland"]),
    ("To Russia\n10 Poland", ["PLACE 10 Poland"]),
    ("Dear ally France\n10 Poland", ["PLACE 10 Poland"]),
    ("Turn 4: 10 Poland", ["PLACE 10 Poland"]),
    ("My placements for turn 2:\n10 Poland", ["PLACE 10 Poland"]),
    ("10 Poland\nTotal 12", ["PLACE 10 Poland"]),
    ("10 Poland\n\nDo not use these orders yet.", ["PLACE 10 Poland"]),
    ("10 Poland\n\nDon't count this.", ["PLACE 10 Poland"]),
    ("10 Poland\n\nAll this only if Russia agrees.", []),
    ("10 Poland\n\nTake back the 5.", ["PLACE 10 Poland"]),
    ("10 Poland\n\nMake Poland 6.", ["PLACE 10 Poland"]),
    ("10 Poland\n\nAdd 2 there.", ["PLACE 10 Poland"]),
    ("10 Poland\n\nThanks, but ignore the above.", ["PLACE 10 Poland"]),
    ("Hi, this is only a draft.\n10 Poland", ["PLACE 10 Poland"]),
    ("Best not do this yet.\n10 Poland", ["PLACE 10 Poland"]),
    ("Old orders\n10 Poland", ["PLACE 10 Poland"]),
    ("Orders for turn 4:\n10 Poland", ["PLACE 10 Poland"]),
    ("10 Poland\n\nNo!", ["PLACE 10 Poland"]),
    ("10 Poland\n\nNope.", ["PLACE 10 Poland"]),
    ("10 Poland\n\nStop!", ["PLACE 10 Poland"]),
    ("10 Poland\n\nDon't do it.", ["PLACE 10 Poland"]),
    ("10 Poland\n\nPlease don't.", ["PLACE 10 Poland"]),
    ("10 Poland\n\nHm, let me think about it.", ["PLACE 10 Poland"]),
    ("10 Poland\n\nOK?", ["PLACE 10 Poland"]),
    ("10 Poland\n\nDoes that work?", ["PLACE 10 Poland"]),
    ("10 Poland\n\nIs this right?", ["PLACE 10 Poland"]),
    ("What would happen with this?\n\n10 Poland", ["PLACE 10 Poland"]),
    ("10 Poland\nPoland 6", []),
    ("10 Poland\nNow Poland 6", []),
    ("10 Poland\nno orders", []),
    ("I pass\n10 Poland", []),
]


@pytest.mark.parametrize(("text", "offered"), SPEAKING)
def test_line_that_speaks_of_orders_leaves_all_of_them_in_doubt(
    text: str, offered: list[str]
) -> None:
    reading = read(text, ww2("placement"))
    assert not reading.understood
    assert reading.doubt == Doubt(tuple(offered), may_count=False)
    assert any("are not sent before you say so." in message for message in errors(reading))


BESIDE = [
    "PLACE 5 Poland\nSorry for the delay, all!",
    "5 in Poland\nActing on advice.",
    "5 in Poland\nHans",
    "5 in Poland\nPLACE 3 Atlantis",
    "5 in Poland\n3 in Italy or Austria",
    "My thoughts:\n5 in Poland",
    "[Felix:]\n5 in Poland",
    "*Felix:*\n\n5 in Poland",
    "hope you're well! Here are my thoughts:\n5 in Poland",
]


@pytest.mark.parametrize("text", BESIDE)
def test_line_beside_an_order_that_is_not_understood_leaves_it_in_doubt(text: str) -> None:
    """Right below, or above and ending in a colon (contract 3a.3)."""
    reading = read(text, ww2("placement"))
    assert not reading.understood
    assert reading.doubt is not None
    assert reading.doubt.lines == ("PLACE 5 Poland",)


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("I place 5 in Poland. I hope that's fine.", ["PLACE 5 Poland"]),
        (
            "5 in Poland. The weather is fine here. 3 to Austria!",
            ["PLACE 5 Poland", "PLACE 3 Austria"],
        ),
        ("Nice map! 5 in Poland", ["PLACE 5 Poland"]),
        ("5 in Poland. Ignore that.", []),
        ("5 in Poland. Not before Russia agrees.", []),
    ],
)
def test_sentence_that_is_no_order_leaves_others_of_its_line_in_doubt(
    text: str, offered: list[str]
) -> None:
    """Contract 3a.4: the answer is ready, and not “write it again”."""
    reading = read(text, ww2("placement"))
    assert not reading.understood
    assert reading.doubt == Doubt(tuple(offered), may_count=False)


def test_sentence_that_goes_on_in_the_next_line_is_read_with_it() -> None:
    text = "I place 5 in Poland. I would like to place 3 in\nAustria."
    assert lines(text, ww2("placement")) == ["PLACE 5 Poland", "PLACE 3 Austria"]


def test_order_beside_an_idle_line_may_count_at_the_deadline() -> None:
    """Contract 3a.4: it has exactly one reading. CONTROL cannot be taken back."""
    assert read("5 in Poland\nHans", ww2("placement")).doubt == Doubt(("PLACE 5 Poland",), True)
    assert read("CONTROL Poland\nHans").doubt == Doubt(("CONTROL Poland",), False)


@pytest.mark.parametrize(
    "below", ["Austria one less", "6 rather than that", "Not final.", "Halve that.", "No.", "But 6"]
)
def test_order_beside_a_line_that_may_change_it_never_counts(below: str) -> None:
    """A number, a name, a denial or “that” would give the order another reading."""
    doubt = read(f"5 in Poland\n{below}", ww2("placement")).doubt
    assert doubt is not None
    assert not doubt.may_count


@pytest.mark.parametrize("below", ["MIN 7-1", "ELSE Austria", "STOCK IBM", "reserve Russia"])
def test_attack_never_counts_without_the_end_that_cannot_be_read(below: str) -> None:
    doubt = read(f"ATTACK Poland: Russia STOCK GE\n{below}").doubt
    assert doubt == Doubt(("ATTACK Poland: Russia STOCK GE",), may_count=False)


def test_reserve_above_an_attack_is_asked_about() -> None:
    assert read("reserve IBM\nAttack Russia in Poland with GE").doubt is not None


@pytest.mark.parametrize(
    "text",
    [
        "2 in Poland\nanother 3 in Poland",
        "2 in Poland\nPlace 3 more in Poland",
        "2 in Poland\nalso 3 in Poland",
        "PLACE 2 Poland\nPLACE 3 Poland",
    ],
)
def test_second_placement_in_an_area_that_adds_is_read(text: str) -> None:
    assert lines(text, ww2("placement")) == ["PLACE 2 Poland", "PLACE 3 Poland"]


@pytest.mark.parametrize("text", ["3 more in Austria", "Place another 3 in Austria"])
def test_order_that_adds_by_its_number_goes_back(text: str) -> None:
    doubt = read(text, ww2("placement")).doubt
    assert doubt == Doubt(("PLACE 3 Austria",), may_count=True)


@pytest.mark.parametrize(
    "text",
    [
        "The weather is fine here.\n5 in Poland",
        "PLACE 3 Atlantis\n5 in Poland",
        "pla 1 pol\n5 in Poland",
        "5 in Poland\n\nPLACE 3 Atlantis",
        "Hi Ada,\n5 in Poland\nBest regards,\nHans Maier",
        "Dear Ada:\n5 in Poland\nThanks!\nHans",
        "---\n5 in Poland\n***",
        "hope you're well! Here are my orders for this turn:\n\n5 in Poland",
        "My placements for turn 3:\n\n5 in Poland\nTotal 5",
        "final orders\n5 in Poland",
        "The orders are:\n5 in Poland",
        "5 in Poland\n\nThanks for the update!",
        "5 in Poland\n\nPLACE 3 Poland or Austria",
        "Thank you for the plan!\n5 in Poland",
        "5 in Poland\n\nWhen is the next deadline?",
        "5 in Poland\nplease",
    ],
)
def test_line_apart_from_orders_leaves_them_as_they_are(text: str) -> None:
    assert lines(text, ww2("placement")) == ["PLACE 5 Poland"]


CONTINUED = [
    ("ATTACK Poland: Russia STOCK GE\nMIN 4-1", "ATTACK Poland: Russia STOCK GE MIN 4-1"),
    ("ATTACK Poland: Russia\nELSE France", "ATTACK Poland: Russia ELSE France"),
    ("ATTACK Poland: Russia\nSTOCK IBM", "ATTACK Poland: Russia STOCK IBM"),
    ("Attack Russia in Poland\nusing IBM", "ATTACK Poland: Russia STOCK IBM"),
    ("Attack Russia in Poland with GE\nreserve IBM", "ATTACK Poland: Russia STOCK GE/IBM"),
    ("Attack Russia in Poland\nIBM", "ATTACK Poland: Russia STOCK IBM"),
    (
        "Attack Russia in Poland\nwith the stock of General Electric",
        "ATTACK Poland: Russia STOCK GE",
    ),
    ("Attack Russia in\nPoland with GE", "ATTACK Poland: Russia STOCK GE"),
    (
        "Attack Russia in Poland\n- stock GE\n- reserve: IBM\n- min. 2:1",
        "ATTACK Poland: Russia STOCK GE/IBM MIN 2-1",
    ),
    ("Attack Russia in Poland\n- minimum odds two to one", "ATTACK Poland: Russia MIN 2-1"),
    ("Understanding in the Baltic\nStates", "UNDERSTANDING Baltic States"),
    ("Understanding in Italy\nand Austria", "UNDERSTANDING Italy; UNDERSTANDING Austria"),
]


@pytest.mark.parametrize(("text", "orders"), CONTINUED)
def test_line_that_continues_the_one_above_is_read_with_it(text: str, orders: str) -> None:
    """Contract 3a.3; mail programs break lines at column 72."""
    reading = read(text)
    assert "; ".join(words for _, words in reading.understood) == orders
    assert any(remark.code == "joined" for remark in reading.remarks)


@pytest.mark.parametrize(
    "text",
    [
        "ATTACK Poland: Russia STOCK GE\nIBM",
        "ATTACK Poland: Russia\nMIN 9-1",
        "ATTACK Poland: Russia\nELSE",
        "ATTACK Poland: Russia\nFrance",
    ],
)
def test_line_that_cannot_continue_an_attack_leaves_it_in_doubt(text: str) -> None:
    reading = read(text)
    assert not reading.understood
    assert reading.doubt is not None


#: Lines apart from an attack that can only be about it.
APART = [
    *("STOCK IBM", "Use IBM.", "Please use IBM as the stock.", "Odds at least 3-1!"),
    *("Only at 3-1.", "ELSE France", "Do not attack", "No attacks", "Leave Russia alone."),
    *("3-1", "2:1, please", "2 to 1"),
]


@pytest.mark.parametrize("below", APART)
def test_end_of_an_attack_apart_from_it_continues_nothing_and_is_asked_about(below: str) -> None:
    """The attack may mean another stock or other odds, or be called off (contract 3a.3)."""
    reading = read(f"ATTACK Poland: Russia\n\n{below}")
    assert not reading.understood
    assert reading.doubt == Doubt(("ATTACK Poland: Russia",), may_count=False)


@pytest.mark.parametrize("below", ["No attacks", "Don't attack."])
def test_denial_of_attacks_says_nothing_of_other_orders(below: str) -> None:
    assert lines(f"UNDERSTANDING Italy\n\n{below}") == ["UNDERSTANDING Italy"]


def test_list_with_a_box_that_is_not_ticked_is_asked_about_without_it() -> None:
    doubt = read("- [x] 5 in Poland\n- [ ] 3 in Austria", ww2("placement")).doubt
    assert doubt == Doubt(("PLACE 5 Poland",), may_count=False)


def test_text_with_options_counts_in_no_part() -> None:
    """Orders that stay in force would else be replaced by a part of the text (contract 3a.4)."""
    reading = read("2 Italy\nOption A:\n10 Poland\nOption B:\n5 Austria", ww2("placement"))
    assert not reading.understood
    assert reading.doubt == Doubt((), may_count=False)


@pytest.mark.parametrize(
    "text", ["ATTACK Poland: Russia\n\nAdd France", "5 Poland <- this is his wish\n5 Austria"]
)
def test_line_that_begins_like_an_order_and_speaks_of_another_is_asked_about(text: str) -> None:
    """“PLACE 3 Atlantis” is refused alone; these are of the other line (contract 3a.3)."""
    assert not read(text, ww2("placement" if "5" in text else "attacks")).understood


TEXTS = [
    *(text for text, _ in SPEAKING),
    *BESIDE,
    "Hi Ada,\n5 in Poland\n\nNice weather.\nTotal 5\nThanks!\nHans",
    "| Area | PFs |\n|---|---|\n| Poland | 5 |\n| Atlantis | 3 |",
    "My orders for turn 3:\n- five (5) to\n  Poland\nCONTROL Austria\n✅",
]


@pytest.mark.parametrize("text", TEXTS)
def test_every_word_of_a_text_is_obeyed_asked_or_named(text: str) -> None:
    """Each word stands in a line that is an order, or that a remark is about."""
    reading = read(text, ww2("placement"))
    told = {number for number, _ in reading.understood} | {one.line for one in reading.remarks}
    told |= {one.line + 1 for one in reading.remarks if one.code == "joined"}
    left = [
        word
        for number, line in enumerate(text.split("\n"), start=1)
        for word in line.split()
        if number not in told and any(map(str.isalnum, word))
    ]
    assert left == []
    assert not (reading.understood and reading.doubt)


@pytest.mark.parametrize("said", ["Bye!", "See you!", "Good luck.", "That's all.", "Cheers"])
def test_mere_courtesy_behind_an_order_leaves_it_alone(said: str) -> None:
    """3a.3: as on a line of its own. “5 Poland. Bye!” was asked about."""
    reading = read(f"5 Poland. {said}", ww2("placement"))
    assert reading.doubt is None
    assert [words for _, words in reading.understood] == ["PLACE 5 Poland"]


@pytest.mark.parametrize(
    "said",
    [
        "Bye, if Felix agrees.",
        "Good?",
        "Good luck with these.",
        "Great, Felix decides.",
        "No thanks.",
    ],
)
def test_courtesy_with_other_words_behind_an_order_is_asked_about(said: str) -> None:
    assert read(f"5 Poland. {said}", ww2("placement")).doubt is not None
