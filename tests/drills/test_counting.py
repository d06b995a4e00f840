"""Test what counts as lost or doubled: one excuse too many would hide failures of the drills."""

from __future__ import annotations

from tests.drills.breaking.counting import some
from tests.drills.breaking.post import Copy
from tests.drills.breaking.witness import A_MOMENT, Witness

SINCE, UNTIL = 100.0, 101.0
PORT, PROCESS, THREAD = 2525, 7, 70


def witness(*kept: float) -> Witness:
    """Return a witness of one clock leap and of one sender's letters, kept at these instants."""
    return Witness(
        {PORT: [(0.0, (PROCESS, THREAD))]}, {}, {}, [], [(SINCE, UNTIL)], {PORT: list(kept)}
    )


def explained(*kept: float) -> list[bool]:
    observer = witness(*kept)
    observer.killed[PROCESS] = 0.0  # long before, so that no kill explains a copy
    return [observer.explains(Copy("", "", b"", at, PORT)) for at in kept]


def test_first_letter_of_a_sender_after_a_clock_jump_is_excused() -> None:
    """Once 31 letters went out twice, and the count had excused them all."""
    assert explained(UNTIL + 0.1, UNTIL + 0.11, UNTIL + 0.12) == [True, False, False]
    assert explained(UNTIL + A_MOMENT + 0.1) == [False]


def test_unmarked_letters_from_before_a_clock_jump_are_excused() -> None:
    assert explained(SINCE - A_MOMENT - 0.1, SINCE - 0.1, SINCE + 0.5, UNTIL + 0.2) == [
        False,
        True,
        True,
        True,
    ]


def test_copy_is_excused_if_its_sender_was_killed_before_the_mark() -> None:
    """Commits of other threads mark no letter; after its own commit the copy was avoidable."""
    observer = witness(50.0)
    observer.killed[PROCESS] = 50.4
    observer.commits[PROCESS, THREAD + 1] = [50.1, 50.2]
    letter = Copy("", "", b"", 50.0, PORT)
    assert observer.explains(letter)
    observer.commits[PROCESS, THREAD] = [50.3]
    assert not observer.explains(letter)


def test_fault_report_lists_every_kind_of_fault() -> None:
    """Once the report showed only 5 of 31 letters, and hid a record that did not follow."""
    examples = [
        [f"letter {number}" for number in range(31)],
        [],
        ["the record of game 1"],
    ]
    lines = some(examples, 5)
    assert lines[:3] == ["letter 0", "the record of game 1", "letter 1"]
    assert len(lines) == 5
