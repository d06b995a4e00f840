"""Read the service's tables by SQL, as they are stored on SQLite and on PostgreSQL.

The count must not ask the service's own code what it should have written, so it reads rows.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol


class Database(Protocol):
    """A database of the service; values replace the question marks of a query."""

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]: ...

    def count(self, what: str, *values: Any) -> int: ...


def instant(stored: Any) -> datetime:
    """Return a stored instant in UTC; SQLite keeps it as text, and without a zone."""
    at = stored if isinstance(stored, datetime) else datetime.fromisoformat(stored)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def loaded(stored: Any) -> Any:
    """Return a stored JSON value; SQLite keeps it as text."""
    return json.loads(stored) if isinstance(stored, str) else stored


class Phase(NamedTuple):
    """The columns of a phase that decide who gets letters about it."""

    pk: int
    game: int
    number: int
    previous: int | None
    status: str
    opened_at: datetime
    deadline: datetime
    missed: list[str]

    @property
    def place(self) -> str:
        return f"game-{self.game}/phase-{self.number}"


def phases(database: Database) -> dict[int, Phase]:
    """Return all phases by id, in the order in which each game played them."""
    found = database.rows(
        "SELECT id, game_id, number, previous_id, status, opened_at, deadline, missed"
        " FROM games_phase ORDER BY game_id, number"
    )
    return {
        row[0]: Phase._make((*row[:5], instant(row[5]), instant(row[6]), loaded(row[7])))
        for row in found
    }


class Seat(NamedTuple):
    """A nation's place in a game, and the people who play it."""

    pk: int
    game: int
    nation: str
    people: list[int]


def seats(database: Database) -> dict[int, Seat]:
    """Return all seats by id, in the order of the scenario."""
    query = "SELECT id, game_id, nation FROM games_seat ORDER BY game_id, ordinal"
    found = {row[0]: Seat._make((*row, [])) for row in database.rows(query)}
    for seat, person in database.rows(
        "SELECT seat_id, person_id FROM games_sitting WHERE until IS NULL ORDER BY id"
    ):
        found[seat].people.append(person)
    return found
