"""What the checker reports: one thing in a record that does not follow, as a sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from .. import Json


@dataclass(frozen=True)
class Difference:
    """What does not follow in a record: where it stands, what is there, what should be."""

    phase: str  # "Phase 4 (turn 2, attacks)", or "" for the game as a whole
    what: str  # "the result of the attack on Poland"
    recorded: object
    follows: object
    nation: str = ""
    line: int | None = None
    fault: str = ""  # where the rules cannot even be asked what should be there: why

    def __str__(self) -> str:
        where = [self.phase, self.nation, f"line {self.line}" if self.line is not None else ""]
        start = ", ".join(part for part in where if part)
        subject = f"{start}: {self.what}" if start else self.what
        if self.fault:
            return f"{subject} cannot be judged again: {self.fault}."
        recorded, follows = in_words(self.recorded), in_words(self.follows)
        return f"{subject} is recorded as {recorded}, but should be {follows}."


def phase_name(phase: Json) -> str:
    return f"Phase {phase['number']} (turn {phase['turn']}, {phase['kind']})"


class Check:
    """What looks for differences in one phase, or in the game as a whole (`name` is "")."""

    def __init__(self, name: str) -> None:
        self.name = name

    def wrong(
        self,
        what: str,
        recorded: object,
        follows: object,
        nation: str = "",
        line: int | None = None,
    ) -> Difference:
        return Difference(self.name, what, recorded, follows, nation, line)

    def expect(
        self,
        what: str,
        recorded: object,
        follows: object,
        nation: str = "",
        line: int | None = None,
    ) -> Iterator[Difference]:
        if to_json(recorded) != to_json(follows):
            yield self.wrong(what, recorded, follows, nation, line)


GAME = Check("")


def to_json(value: object) -> str:
    """Write as JSON: a tuple is a list, true is not 1, and the order of keys says nothing."""
    return json.dumps(value, sort_keys=True)


def in_words(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return f"“{value}”"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return json.dumps(value, ensure_ascii=False)


def at(written: str) -> datetime:
    return datetime.fromisoformat(written)
