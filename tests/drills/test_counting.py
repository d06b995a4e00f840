"""What counts as lost or doubled: one excuse too many would hide what the drills have to show."""

from __future__ import annotations

from tests.drills.breaking.counting import A_MOMENT, Witness, some
from tests.drills.breaking.post import Copy

SINCE, UNTIL = 100.0, 101.0
PORT, PROCESS, THREAD = 2525, 7, 70


def witness(*kept: float) -> Witness:
    """Of a leap of the clock, and of letters of one sender that were kept at these instants."""
    return Witness(
        {PORT: [(0.0, (PROCESS, THREAD))]}, {}, {}, [], [(SINCE, UNTIL)], {PORT: list(kept)}
    )


def explained(*kept: float) -> list[bool]:
    told = witness(*kept)
    told.killed[PROCESS] = 0.0  # long before: nobody was killed meanwhile
    return [told.explains(Copy("", "", b"", at, PORT)) for at in kept]


def test_of_letters_that_go_out_after_a_leap_one_of_each_sender_is_excused() -> None:
    """31 letters went out twice, and this count had excused them all."""
    assert explained(UNTIL + 0.1, UNTIL + 0.11, UNTIL + 0.12) == [True, False, False]
    assert explained(UNTIL + A_MOMENT + 0.1) == [False]


def test_letters_that_were_out_before_a_leap_and_not_marked_yet_are_excused() -> None:
    assert explained(SINCE - A_MOMENT - 0.1, SINCE - 0.1, SINCE + 0.5, UNTIL + 0.2) == [
        False,
        True,
        True,
        True,
    ]


def test_a_worker_killed_between_handing_over_and_mark_is_excused_for_one_letter() -> None:
    """Other threads' commits mark nothing; its own does, and then there was no need."""
    told = witness(50.0)
    told.killed[PROCESS] = 50.4
    told.commits[PROCESS, THREAD + 1] = [50.1, 50.2]
    letter = Copy("", "", b"", 50.0, PORT)
    assert told.explains(letter)
    told.commits[PROCESS, THREAD] = [50.3]
    assert not told.explains(letter)


def test_of_what_was_wrong_each_kind_is_told_however_much_there_is_of_another() -> None:
    """A record that did not follow stood behind 31 letters, of which the first five were told."""
    details = {
        "letters": [f"letter {number}" for number in range(31)],
        "orders": [],
        "records": ["the record of game 1"],
    }
    told = some(details, 5)
    assert told[:3] == ["letter 0", "the record of game 1", "letter 1"]
    assert len(told) == 5
