"""Compare the letters that must exist, one by one, with those written and those delivered."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from tests.drills.breaking.expected import Expected
from tests.drills.breaking.faults_found import Faults
from tests.drills.breaking.post import Copy, digest
from tests.drills.breaking.tables import Database, loaded
from tests.drills.breaking.witness import Witness

#: Kinds of letters of which each reader gets one per phase.
ONE_A_PHASE = ("board", "opened", "locked", "over")
#: Statuses of letters that are still to be sent, and of those that the mail server has taken.
UNSENT, TAKEN = ("queued", "sending", "deferred"), ("sent", "bounced")


class Written(NamedTuple):
    """A row of the outbox."""

    key: str
    kind: str
    game: int | None
    phase: int | None
    person: int | None
    address: str
    about: Mapping[str, Any]
    code: str
    status: str
    said: str  # the digest of what is stored of it; "" for a letter whose text is not stored


def written(database: Database) -> dict[str, Written]:
    """Return all letters of the outbox by key; read game by game, because letters are long."""
    query = (
        "SELECT key, kind, game_id, phase_id, person_id, address, about, code, status,"
        " subject, text, html FROM games_letter WHERE coalesce(game_id, 0) = ? ORDER BY id"
    )
    games = [game for (game,) in database.rows("SELECT id FROM games_game ORDER BY id")]
    found: dict[str, Written] = {}
    for row in (row for game in [0, *games] for row in database.rows(query, game)):
        said = digest(*row[9:]) if row[10] else ""
        found[row[0]] = Written._make((*row[:6], loaded(row[6]), *row[7:9], said))
    return found


def compare(expected: Mapping[str, Expected], rows: Mapping[str, Written], faults: Faults) -> None:
    """Compare the letters that must exist with those that were written, by key."""
    faults.lose(
        "letters never written",
        [key for key, letter in expected.items() if letter.must and key not in rows],
    )
    faults.lose("letters that nothing caused", [key for key in rows if key not in expected])
    both = [(expected[key], row) for key, row in rows.items() if key in expected]
    faults.lose(
        "letters to the wrong person",
        [
            f"{row.key} to {row.person}, {row.address}"
            for wanted, row in both
            if (row.person, row.address) != (wanted.person, wanted.address)
        ],
    )
    faults.lose(
        "letters about something else",
        [
            f"{row.key} is {row.kind} of game {row.game}, phase {row.phase}, about {row.about}"
            for wanted, row in both
            if (row.kind, row.game, row.phase) != (wanted.kind, wanted.game, wanted.phase)
            or not wanted.about.items() <= row.about.items()
        ],
    )
    once = Counter(
        (row.kind, row.phase, row.person) for row in rows.values() if row.kind in ONE_A_PHASE
    )
    faults.double(
        "letters of one kind to one person about one phase",
        [str(letter) for letter, times in once.items() if times > 1],
    )


def compare_deliveries(
    rows: Mapping[str, Written], all_copies: Collection[Copy], witness: Witness, faults: Faults
) -> int:
    """Compare the letters of the outbox with what the mail server kept, by Message-ID.

    Return how many second copies no sender could avoid.
    """
    copies: dict[str, list[Copy]] = defaultdict(list)
    for copy in sorted(all_copies, key=lambda copy: copy.at):
        copies[copy.code].append(copy)
    by_code = {row.code: row for row in rows.values()}
    faults.lose(
        "letters sent and never delivered",
        [row.key for row in rows.values() if row.status in TAKEN and row.code not in copies],
    )
    faults.leave("letters not sent", [row.key for row in rows.values() if row.status in UNSENT])
    faults.lose("letters that nobody wrote", [name for name in copies if name not in by_code])
    pairs = [(by_code[name], copy) for name in copies if name in by_code for copy in copies[name]]
    faults.lose(
        "letters delivered to the wrong address",
        [
            f"{row.key} to {copy.address}, {copy.read.to}"
            for row, copy in pairs
            if {copy.address, copy.read.to} != {row.address}
        ],
    )
    faults.lose(
        "letters that say something else than is stored",
        [row.key for row, copy in pairs if row.said and row.said != copy.read.digest],
    )
    faults.double(
        "letters with two contents",
        [name for name, same in copies.items() if len({copy.read for copy in same}) > 1],
    )
    known, unexplained = 0, []
    for name, same in copies.items():
        for earlier, later in pairwise(same):
            if witness.explains(earlier):
                known += 1
            else:
                unexplained.append(
                    f"{name}, {later.at - earlier.at:.2f} s apart: {witness.of_copy(earlier)}"
                )
    faults.double("letters twice without need", unexplained)
    return known
