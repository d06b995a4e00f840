"""Spans of time and instants as pages show them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from games.pages.tags import formatting
from games.pages.tags.formatting import span_in_words


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(hours=3, minutes=59), "4 hours"),
        (timedelta(hours=27, minutes=59), "28 hours"),
        (timedelta(minutes=119, seconds=44), "2 hours"),
        (timedelta(minutes=118), "2 hours"),
        (timedelta(minutes=109), "109 minutes"),
        (timedelta(days=2), "2 days"),
        (timedelta(minutes=1), "1 minute"),
        (timedelta(seconds=59), "less than a minute"),
    ],
)
def test_span_is_rounded(span: timedelta, words: str) -> None:
    """gamesmaster.md B10: “in 3 hours” for 3 hours and 59 minutes."""
    assert span_in_words(span) == words


def test_span_has_no_line_break() -> None:
    """Issue 24, Screens: “in 17” was on one line and “hours” on the next."""
    now = datetime(2026, 11, 20, 15, tzinfo=UTC)
    assert formatting.from_now(now + timedelta(hours=17), now) == "in\xa017\xa0hours"
    assert ">In\xa017\xa0hours<" in formatting.capfirst_time(
        formatting.countdown(now + timedelta(hours=17), now)  # type: ignore[arg-type]
    )


def test_session_is_shown_without_seconds_except_in_proofs() -> None:
    """player.md S9: no seconds in dates."""
    label = "2026-11-20T15:03:06Z"
    assert "15:03 UTC<" in formatting.session(label)
    assert "15:03:06 UTC<" in formatting.session(label, exact=True)


def test_names_are_joined_as_in_a_sentence() -> None:
    assert formatting.all_of(["Britain", "Russia", "Germany"]) == "Britain, Russia and Germany"
    assert formatting.all_of(("Britain", "Russia")) == "Britain and Russia"
    assert formatting.all_of([]) == ""
