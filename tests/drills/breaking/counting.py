"""Count what was lost and doubled: compare senders, tables, mail server and records.

    expected.py    which letters the league must have caused
    outbox.py      those letters against the outbox, and the outbox against the mail server
    entries.py     what people sent against the ledger, orders against results, digits
    records.py     every record by the checker
    witness.py     which second copies of a letter no sender could avoid

Each fault is counted under a name of its own, with examples.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Protocol

from tests.drills.breaking import entries, expected, outbox
from tests.drills.breaking.faults_found import Faults
from tests.drills.breaking.players import Game, Sent
from tests.drills.breaking.post import Copy
from tests.drills.breaking.tables import Database, instant
from tests.drills.breaking.witness import Witness

#: How many examples of faults to report; at least one of each kind.
DETAILS = 8


class Counted(Database, Protocol):
    """A league that can be counted."""

    games: list[Game]
    #: Phases by id of which the service was seen to have sent the reminders, and when.
    reminded: dict[int, datetime]
    notes: Path
    killed: dict[int, float]
    away: list[tuple[float, float]]
    leapt: list[tuple[float, float]]

    @property
    def now(self) -> datetime:
        """The service's time."""

    @property
    def copies(self) -> list[Copy]:
        """What the mail server has kept."""

    def refuted(self) -> list[str]:
        """Return a sentence for each game whose record the checker refutes."""


@dataclass
class Found:
    """Counts. Those of `faults` must be 0, but for what is still to do if the drill did not come to
    its end; SMTP cannot avoid `known` (RFC 5321, 6.1)."""

    faults: Faults
    known: int
    sizes: dict[str, Any]  # numbers of games, phases, orders and letters

    def told(self, *, ended: bool = True) -> dict[str, Any]:
        """Return the counts that are not 0, with examples; what is still to do if it had ended."""
        faults = self.faults
        counts = {**faults.lost, **faults.doubled, **(faults.undone if ended else {})}
        wrong: dict[str, Any] = {name: times for name, times in counts.items() if times}
        if wrong:
            wrong["examples"] = some([faults.examples[name] for name in wrong], DETAILS)
        return wrong


def some(examples: Collection[list[str]], most: int) -> list[str]:
    """Return the first example of each kind, then the second of each, until there are enough."""
    in_turn = [one for one in chain(*zip_longest(*examples)) if one is not None]
    return in_turn[: max(most, sum(map(bool, examples)))]


def count(league: Counted, sent: Sent) -> Found:
    """Count losses and doubles. Call it when nothing is due and nothing is being sent."""
    faults = Faults()
    # Letters last: meanwhile the service may write more, each after what causes it.
    wanted = expected.letters(league, league.reminded, leapt=bool(league.leapt))
    rows = outbox.written(league)
    outbox.compare(wanted, rows, faults)
    known = outbox.compare_deliveries(rows, league.copies, Witness.of(league), faults)
    entries.compare(league, league.games, sent, faults)
    entries.judged(league, faults)
    entries.drawn(league, faults)
    phases(league, faults)
    faults.lose("records that do not follow", league.refuted())
    sizes = {
        "games": len(league.games),
        "phases": league.count("games_phase WHERE status = 'resolved'"),
        "orders": sent.accepted,
        "letters": sum(row.status == "sent" for row in rows.values()),
    }
    return Found(faults, known, sizes)


def phases(league: Counted, faults: Faults) -> None:
    """Note phases that nobody judged, or twice."""
    results = league.rows("SELECT phase_id, version FROM games_resolution")
    judged = {phase for phase, _ in results}
    rows = league.rows("SELECT id, status, deadline FROM games_phase")
    faults.lose("phases held", [f"phase {pk}" for pk, status, _ in rows if status == "held"])
    faults.lose(
        "results missing",
        [f"phase {pk}" for pk, status, _ in rows if status == "resolved" and pk not in judged],
    )
    faults.leave(
        "phases due and not judged",
        [
            f"phase {pk}, {status}, deadline {deadline}"
            for pk, status, deadline in rows
            if status in ("open", "locked") and instant(deadline) <= league.now
        ],
    )
    again = [f"phase {phase}" for phase, version in results if version > 1]
    faults.double("phases judged twice", again)
