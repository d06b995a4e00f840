"""How pages write spans of time."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games.templatetags.formatting import span_in_words


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(hours=3, minutes=59), "4 hours"),
        (timedelta(hours=27, minutes=59), "28 hours"),
        (timedelta(minutes=119, seconds=44), "2 hours"),
        (timedelta(days=2), "2 days"),
        (timedelta(minutes=1), "1 minute"),
        (timedelta(seconds=59), "less than a minute"),
    ],
)
def test_a_span_is_rounded_and_not_cut_off(span: timedelta, words: str) -> None:
    """gamesmaster.md B10: “in 3 hours” for 3 hours and 59 minutes."""
    assert span_in_words(span) == words
