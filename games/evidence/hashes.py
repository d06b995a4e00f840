"""Compute the running record hash of a game (games.rules.verification.entries).

Each step adds an entry in its own transaction. The code that makes a part of the record calls
`append` after writing its rows and before the letters about it, while it holds the lock on the
game's row. An entry hashes what it covers in the form of the record, from the rows in memory.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Subquery

from games.evidence import record_rows
from games.models import (
    Act,
    DeadlineChange,
    Figure,
    Game,
    Phase,
    Reading,
    RecordEntry,
    Resolution,
    Ruling,
    Seat,
    SessionChange,
    Sitting,
)
from games.rules.verification import entries, form, record

Json = dict[str, Any]
#: A part of the record: its name in the entry's `covers`, and its content.
Part = tuple[list[Any], Json]
#: Number and time of a game's newest entry.
Newest = tuple[int, datetime | None]

NONE_YET: Newest = (0, None)


# --- writing ---


def append(game: Game, parts: Sequence[Part], now: datetime) -> None:
    """Write the game's next entry and set its record hash, here and in the database.

    The caller has locked the game's row.
    """
    newest = RecordEntry.objects.filter(game=game).order_by("-number").first()
    if newest is None:
        game.record_hash, before = "", NONE_YET
    else:
        game.record_hash, before = newest.hash, (newest.number, newest.made_at)
    next_entry(game, parts, before, now).save()
    Game.objects.filter(pk=game.pk).update(record_hash=game.record_hash)


def time_after(newest: Newest, now: datetime) -> datetime:
    """Return the time of a step of a game: `now`, but not before its newest entry.

    Of two workers the one that began later may lock the row first, and a ruling may come while a
    worker fetches figures. Only a clock that was set back goes back further.
    """
    _, before = newest
    return before if before is not None and now < before <= now + entries.SLACK else now


def next_entry(game: Game, parts: Sequence[Part], newest: Newest, now: datetime) -> RecordEntry:
    """Make the entry after the newest and set the game's record hash, without saving them."""
    number, made_at = newest[0], time_after(newest, now)
    covers, salt = [part for part, _ in parts], secrets.token_hex(16)
    leaf = entries.leaf(salt, parts)
    game.record_hash = entries.entry_hash(
        previous=game.record_hash,
        number=number + 1,
        made=record.instant(made_at),
        leaf=leaf,
        covers=covers,
    )
    return RecordEntry(
        game=game,
        number=number + 1,
        made_at=made_at,
        covers=covers,
        salt=salt,
        leaf=leaf,
        hash=game.record_hash,
    )


def newest_entries(games: Iterable[int]) -> dict[int, Newest]:
    """Return number and time of each game's newest entry, with one query.

    Games without entries are left out.
    """
    of_game = RecordEntry.objects.filter(game=OuterRef("pk")).order_by("-number")
    queryset = Game.objects.filter(pk__in=list(games)).order_by()
    annotated = queryset.annotate(
        newest=Subquery(of_game.values("number")[:1]), made=Subquery(of_game.values("made_at")[:1])
    )
    return {
        game: (number, made)
        for game, number, made in annotated.values_list("pk", "newest", "made")
        if number is not None
    }


def write_all(made: Sequence[RecordEntry]) -> None:
    """Write one entry of each game, and their record hashes. The caller has locked their rows."""
    RecordEntry.objects.bulk_create(made)
    newest = RecordEntry.objects.filter(game=OuterRef("pk")).order_by("-number")
    games = Game.objects.filter(pk__in=[entry.game_id for entry in made])
    games.update(record_hash=Subquery(newest.values("hash")[:1]))


# --- parts ---


def start(game: Game) -> Part:
    """Return the start of a game that begins in this transaction."""
    facts = {
        "may_lock_early": game.may_lock_early,
        "seats": [form.SEAT.write(seat) for seat in game.seats.order_by("ordinal")],
    }
    return ["start", facts], entries.start(record_rows.game(game), facts)


def seat_changes(seats: Sequence[Seat]) -> list[Part]:
    """Return seats of one game that has begun, which this transaction has changed."""
    rows = RecordEntry.objects.filter(game=seats[0].game_id).values_list("covers", flat=True)
    before = sum(part[0] == "seat" for covers in rows for part in covers)
    changed = [form.SEAT.write(seat) for seat in seats]
    return [(["seat", before + n, row], row) for n, row in enumerate(changed, start=1)]


def opening(phase: Phase) -> Part:
    row = record_rows.phase(phase) | {"deadline_changes": []}
    return ["opened", phase.number], entries.phase_opening(row, row)


def renewable_parts(phase: Phase) -> Json:
    """Return the parts of an open phase that may change, to be stored before they do."""
    row = record_rows.phase(phase)
    return {key: row[key] for key in entries.RENEWABLE}


def renewal(phase: Phase, before: Json) -> Part:
    """Return the changed parts of an open phase.

    `before`: its `renewable_parts` before the change.
    """
    rows = RecordEntry.objects.filter(game=phase.game_id).values_list("covers", flat=True)
    number = sum(part[:2] == ["renewed", phase.number] for covers in rows for part in covers)
    return ["renewed", phase.number, number + 1, before], entries.phase_renewal(
        renewable_parts(phase)
    )


def deadline(change: DeadlineChange) -> Part:
    number = change.phase.deadline_changes.count()
    return ["deadline", change.phase.number, number], record_rows.deadline_change(change)


def lock(phase: Phase, head: str) -> Part:
    """Return the lock of a phase, with the head of the ledger at that time."""
    row = record_rows.lock(phase) | {"session_changes": []}
    return ["locked", phase.number], entries.phase_lock(row, head)


def session(change: SessionChange) -> Part:
    number = change.phase.session_changes.count()
    return ["session", change.phase.number, number], form.SESSION_CHANGE.write(change)


def figures(phase: Phase, rows: Sequence[Figure], readings: Iterable[Reading]) -> list[Part]:
    """Return the figures of a phase whose first result is written in this transaction.

    `rows` and `readings` are all of the phase's (`record_rows.figures_of` and `readings_of`).
    """
    numbers: dict[int, int] = {}
    read: dict[str, dict[int, str]] = {row.symbol: {} for row in rows}
    for number, row in enumerate(record_rows.behind(readings, rows), start=1):
        numbers[row.pk] = number
        read.setdefault(row.symbol, {})[number] = row.hash
    contents = [entries.figure(record_rows.figure(row, numbers), read[row.symbol]) for row in rows]
    return [
        (["figure", phase.number, content["symbol"], entries.reading_hashes(content)], content)
        for content in contents
    ]


def result(resolution: Resolution, draws: Sequence[Json] = ()) -> Part:
    """Return a version of a result. `draws`: all of its phase if the events have digits."""
    phase, row = resolution.phase, record_rows.resolution(resolution)
    return ["result", phase.number, resolution.version], entries.result(row, draws, phase.seed)


def ruling(row: Ruling) -> Part:
    return ["ruling", row.number], record_rows.ruling(row)


def abandonment(act: Act) -> Part:
    return ["abandoned"], record_rows.abandoned(act)


# --- holders ---


def holders(sittings: Iterable[Sitting]) -> Json:
    """Return the numbers of the people who hold each nation.

    `sittings` are all of a game, with their seats, in any order. People are numbered in the order
    of their first sittings in the game. Bots have no number.
    """
    numbers: dict[int, int] = {}
    by_nation: dict[str, list[int]] = {}
    for sitting in sorted(sittings, key=lambda row: row.pk):
        number = numbers.setdefault(sitting.person_id, len(numbers) + 1)
        if sitting.is_current and not sitting.seat.bot:
            by_nation.setdefault(sitting.seat.nation, []).append(number)
    return {nation: sorted(people) for nation, people in by_nation.items()}
