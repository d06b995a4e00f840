"""Text forms of boards, instants and paragraphs (docs/design.md 7)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from games.letters import board_text
from games.letters.rendering import fold
from games.rules import Board, Cell
from games.timing import local_time
from tests.support.campaign import NATIONS

pytestmark = pytest.mark.letters

AREAS = ("USA", "Alsace-Lorraine", "Czechoslovakia", "Poland", "Baltic States")


def test_board_of_five_nations_is_at_most_72_columns_wide() -> None:
    """Areas down, nations across, with the longest cells."""
    full = {
        area: {nation: Cell(pf=123, understanding=True) for nation in NATIONS} for area in AREAS
    }
    lines = board_text.as_text(Board(AREAS, NATIONS, full)).splitlines()
    assert max(map(len, lines)) <= 72
    assert len(lines) == 1 + len(AREAS) + 2


def test_board_has_rows_for_occupied_areas_only() -> None:
    """Issue 44, 5: the other areas are named below, in one sentence."""
    cells = {"Poland": {"Germany": Cell(pf=8)}}
    board = Board(AREAS, NATIONS, cells)
    assert [row.area for row in board_text.rows(board)] == ["Poland"]
    free = "Empty: USA, Alsace-Lorraine, Czechoslovakia and Baltic States."
    assert board_text.as_text(board).endswith(f"\n\nA number: PFs; a dot: nothing. {free}")
    assert "Empty" not in board_text.legend(board, every_area=True)
    assert board_text.as_text(Board(AREAS, NATIONS, {})).startswith("Empty: USA, Alsace-Lorraine")


def test_board_is_set_as_a_table() -> None:
    """Empty cells are dots; the legend explains U and C."""
    cells = {
        "Poland": {"Germany": Cell(pf=8, understanding=True), "France": Cell(pf=3)},
        "USA": {"USA": Cell(control=True)},
    }
    assert board_text.as_text(Board(AREAS, NATIONS, cells)) == "\n".join(
        [
            "        USA  France  Britain  Russia  Germany",
            "USA       C       .        .       .        .",
            "Poland    .       3        .       .      8+U",
            "",
            "A number: PFs; U: Understanding (8+U: it and 8 PFs); C: CONTROL; a dot: nothing."
            " Empty: Alsace-Lorraine, Czechoslovakia and Baltic States.",
        ]
    )


def test_nations_that_do_not_fit_go_into_a_second_table() -> None:
    """Mail programs must not break a line of the board."""
    nations = tuple(f"A long nation {number}" for number in range(7))
    cells = {"Poland": {nations[0]: Cell(pf=3)}}
    text = board_text.as_text(Board(AREAS, nations, cells))
    assert max(map(len, text.splitlines()[:-1])) <= 72, "the legend below is wrapped"
    assert all(nation in text for nation in nations)
    assert text.count("Poland") == 3


def test_board_changes_list_only_differences() -> None:
    """Design 4: the report of a ruling says what changed."""
    old = Board(AREAS, NATIONS, {"Poland": {"Germany": Cell(pf=8)}, "USA": {"USA": Cell(pf=1)}})
    new = Board(AREAS, NATIONS, {"Poland": {"France": Cell(pf=2)}, "USA": {"USA": Cell(pf=1)}})
    assert board_text.changes(old, new) == [
        "Poland, France: 2, not nothing",
        "Poland, Germany: nothing, not 8",
    ]


@pytest.mark.parametrize(
    ("zone", "beside", "words"),
    [
        (
            "Europe/Berlin",
            "America/New_York",
            "Friday 4 December 2026, 15:00 Berlin time (09:00 New York)",
        ),
        ("America/New_York", "America/New_York", "Friday 4 December 2026, 09:00 New York time"),
        ("America/Toronto", "America/New_York", "Friday 4 December 2026, 09:00 Toronto time"),
        (
            "Asia/Tokyo",
            "Pacific/Honolulu",
            "Friday 4 December 2026, 23:00 Tokyo time (04:00 Honolulu)",
        ),
        (
            "Pacific/Auckland",
            "America/New_York",
            "Saturday 5 December 2026, 03:00 Auckland time (Friday 09:00 New York)",
        ),
        ("UTC", "", "Friday 4 December 2026, 14:00 UTC"),
        ("Atlantis/Capital", "UTC", "Friday 4 December 2026, 14:00 UTC"),
    ],
)
def test_instant_is_shown_in_the_readers_zone_beside_the_games(
    zone: str, beside: str, words: str
) -> None:
    """Design 5."""
    assert local_time.in_words(datetime(2026, 12, 4, 14, 0, tzinfo=UTC), zone, beside) == words


@pytest.mark.parametrize(
    ("instant", "zone", "beside", "words"),
    [
        ("05:30", "America/New_York", "", "01:30 New York time (05:30 UTC)"),
        ("06:30", "America/New_York", "", "01:30 New York time (06:30 UTC)"),
        ("06:30", "America/New_York", "America/Toronto", "01:30 New York time (06:30 UTC)"),
        ("06:30", "America/New_York", "Asia/Tokyo", "01:30 New York time (15:30 Tokyo, 06:30 UTC)"),
        ("06:30", "America/New_York", "UTC", "01:30 New York time (06:30 UTC)"),
        # The hours before and after come once, and so does the other zone's hour.
        ("04:59", "America/New_York", "", "00:59 New York time"),
        ("07:00", "America/New_York", "", "02:00 New York time"),
        ("06:30", "Asia/Tokyo", "America/New_York", "15:30 Tokyo time (01:30 New York)"),
        ("06:30", "UTC", "America/New_York", "06:30 UTC (01:30 New York)"),
    ],
)
def test_instant_in_the_repeated_hour_is_shown_in_utc_too(
    instant: str, zone: str, beside: str, words: str
) -> None:
    """Issue 41, 14: two deadlines an hour apart read the same when clocks are set back."""
    at = datetime.fromisoformat(f"2026-11-01T{instant}+00:00")
    assert local_time.in_words(at, zone, beside) == f"Sunday 1 November 2026, {words}"


def test_short_forms_in_the_repeated_hour_have_utc_too() -> None:
    """The day in UTC is named where it is another."""
    first = datetime(2027, 4, 3, 15, 30, tzinfo=UTC)
    assert local_time.short(first, "Australia/Sydney") == "Sun 4 Apr, 02:30 (Saturday 15:30 UTC)"
    assert local_time.time_of_day(first, "Australia/Sydney") == "02:30 (Saturday 15:30 UTC)"
    assert local_time.localize("at 2027-04-03 15:30 UTC", "Australia/Sydney") == (
        "4 Apr, 02:30 Sydney time (Saturday 15:30 UTC)"
    )
    assert local_time.short(first, "Asia/Tokyo") == "Sun 4 Apr, 00:30"
    # Clocks that are set forward leave out an hour, and no time comes twice.
    spring = datetime(2027, 3, 14, 7, 30, tzinfo=UTC)
    assert local_time.short(spring, "America/New_York") == "Sun 14 Mar, 03:30"


def test_instant_is_shown_without_seconds() -> None:
    """Player S9: a session of the demonstration exchange opens between two minutes."""
    assert (
        local_time.in_words(datetime(2026, 12, 4, 14, 0, 30, tzinfo=UTC), "UTC")
        == "Friday 4 December 2026, 14:00 UTC"
    )


def test_paragraphs_are_folded_but_indented_lines_are_not() -> None:
    """A broken order line could not be copied."""
    long = "word " * 30
    folded = fold(f"\n\n{long}\n\n\n\n- {long}\n    {long}\n").splitlines()
    assert max(len(line) for line in folded if not line.startswith("    ")) <= 72
    assert "    " + long.rstrip() in folded
    assert any(line.startswith("  word") for line in folded)
