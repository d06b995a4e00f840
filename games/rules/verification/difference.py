"""A difference that the checker reports: one part of a record that does not follow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from .. import Json


@dataclass(frozen=True)
class Difference:
    """A part of a record that does not follow: its place, the recorded value and the right one."""

    phase: str  # "Phase 4 (turn 2, attacks)", or "" for the game as a whole
    what: str  # "the result of the attack on Poland"
    recorded: object
    follows: object
    nation: str = ""
    line: int | None = None
    fault: str = ""  # why the rules cannot say what should be there, where they cannot

    def __str__(self) -> str:
        where = [self.phase, self.nation, f"line {self.line}" if self.line is not None else ""]
        start = ", ".join(part for part in where if part)
        subject = f"{start}: {self.what}" if start else self.what
        if self.fault:
            return f"{subject} cannot be judged again: {self.fault}."
        recorded, follows = describe_value(self.recorded), describe_value(self.follows)
        return f"{subject} is recorded as {recorded}, but should be {follows}."


def phase_name(phase: Json) -> str:
    return f"Phase {phase['number']} (turn {phase['turn']}, {phase['kind']})"


class Check:
    """Looks for differences in one phase, or in the game as a whole (`name` is "")."""

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
    """Return JSON for comparing: a tuple is a list, true is not 1, the order of keys is ignored."""
    return json.dumps(value, sort_keys=True)


def describe_value(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return f"“{value}”"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return json.dumps(value, ensure_ascii=False)


def parse_time(written: str) -> datetime:
    return datetime.fromisoformat(written)
