"""Choices that contradict each other when a game is opened."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from games.rules.contract import Ruleset
from games.rules.options import contradictions

from .words import DeskError


def check_sense(
    rules: Ruleset, options: Mapping[str, Any], seats: Collection[str], lent: Collection[str]
) -> None:
    """Refuse choices that contradict each other. `lent` are the nations that nobody holds.

    What a single option may be is the table's to say; who may be missing is the ruleset's. This is
    about what one says of the other.
    """
    for sentence in (
        *contradictions(options, lent),
        *rules.guide.contradictions(options, seats, lent),
    ):
        raise DeskError(sentence)
