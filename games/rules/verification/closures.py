"""Check days without trading: a closure that was confirmed needs evidence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta

from .. import Json
from ..sessions import NoSession, Session, session_on
from ..settling import NO_BAR, OK
from . import record
from .difference import GAME, Difference, parse_time

#: A closure is confirmed once this many leading stocks have no entry for it, but sales of a later
#: session, in readings at least this long after the close of that one. A session that had begun is
#: changed only then (`market`).
LEADING, NEXT_MORNING = 5, timedelta(hours=8)


def check(tree: Json) -> Iterator[Difference]:
    """Yield what is wrong with closures: one that was confirmed needs evidence."""
    for row in tree["closures"]:
        subject = f"the closure of {row['exchange']} on {row['day']}"
        session = regular_session(row)
        for reading in row["readings"]:
            of_reading = f"a reading of {reading['symbol']} behind {subject}"
            follows = record.reading_hash(reading)
            yield from GAME.expect(f"the hash of {of_reading}", reading["hash"], follows)
        if row["confirmed"] is None or session is None:
            continue
        proof = max((_proof_of(row, later) for later in _later_sessions(row)), key=len, default=[])
        if len(proof) < LEADING:
            expected = (
                f"{LEADING} leading stocks or more without an entry for that day, the morning after"
                " a later session of which they have sales"
            )
            yield GAME.wrong(f"the evidence for {subject}", proof, expected)
        traded = [
            reading["symbol"]
            for reading in row["readings"]
            if reading["kind"] == OK and reading["session"] == row["day"]
        ]
        listed = f"the list of leading stocks with sales behind {subject}"
        yield from GAME.expect(listed, traded, [])


def _later_sessions(closure: Json) -> list[Session]:
    """Return the sessions of the closed exchange after that day of which readings were taken."""
    days = set()
    for label in {reading["session"] for reading in closure["readings"]}:
        with suppress(ValueError):  # no day, and so no session of that exchange
            days.add(date.fromisoformat(label))
    closed = date.fromisoformat(closure["day"])
    sessions = (session_on(closure["exchange"], day) for day in sorted(days) if day > closed)
    return [session for session in sessions if session is not None]


def _proof_of(closure: Json, later: Session) -> list[str]:
    """Return the stocks without an entry for the closed day but with sales of a later session.

    Both answers are of the time when that session's sales could be read, and before the closure
    counted: a publisher without either may only be late.
    """
    answers: dict[tuple[str, str], set[str]] = {}
    for row in closure["readings"]:
        in_time = (
            later.closes + NEXT_MORNING
            <= parse_time(row["time"])
            <= parse_time(closure["confirmed"])
        )
        if in_time and row["exchange"] == closure["exchange"]:
            answers.setdefault((row["session"], row["kind"]), set()).add(row["symbol"])
    missing = answers.get((closure["day"], NO_BAR), set())
    return sorted(missing & answers.get((later.label, OK), set()))


def regular_session(closure: Json) -> Session | None:
    """Return the session that a closure removes; None where there is none."""
    try:
        return session_on(closure["exchange"], date.fromisoformat(closure["day"]))
    except NoSession:
        return None
