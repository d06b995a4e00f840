"""Check the choices for a new game for contradictions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from games.rules.contract import Ruleset
from games.rules.options import contradictions

from .words import DeskError


def check_sense(
    rules: Ruleset, options: Mapping[str, Any], seats: Collection[str], lent: Collection[str]
) -> None:
    """Raise `DeskError` for choices that contradict each other. `lent`: nations nobody holds."""
    for sentence in (
        *contradictions(options, lent),
        *rules.guide.contradictions(options, seats, lent),
    ):
        raise DeskError(sentence)
