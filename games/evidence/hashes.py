"""The running record hash of a game: an entry with every step, in the transaction that makes it
(games.rules.verification.entries).

Whoever makes a part of the record calls `append` once its rows are written and before the letters
about it, under the game's row. What an entry covers it hashes as the record will have it, from the
rows in hand.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Subquery

from games.evidence import export
from games.evidence import rows as record_rows
from games.models import (
    DeadlineChange,
    Figure,
    Game,
    Phase,
    Reading,
    RecordEntry,
    Resolution,
    Ruling,
    SessionChange,
    Sitting,
)
from games.rules.verification import entries, record

Json = dict[str, Any]
#: A part of the record, named as an entry covers it, with its content.
Part = tuple[list[Any], Json]
#: Number and time of a game's newest entry.
Newest = tuple[int, datetime | None]

NONE_YET: Newest = (0, None)


# --- writing ---


def append(game: Game, parts: Sequence[Part], now: datetime) -> None:
    """Write the game's next entry and set its record hash, here and in the database. The caller
    holds the game's row.

    The first entry of a game that began before there were entries covers everything that there is,
    these parts among it.
    """
    newest = RecordEntry.objects.filter(game=game).order_by("-number").first()
    if newest is None:
        if parts[0][0][0] != "start":
            parts = everything(game)
        game.record_hash, before = "", NONE_YET
    else:
        game.record_hash, before = newest.hash, (newest.number, newest.made_at)
    next_entry(game, parts, before, now).save()
    Game.objects.filter(pk=game.pk).update(record_hash=game.record_hash)


def next_entry(game: Game, parts: Sequence[Part], newest: Newest, now: datetime) -> RecordEntry:
    """Make the entry after the newest and set the game's record hash. Nothing is written."""
    number, before = newest
    # Of two workers the one that began later may have the row first; only a clock that was set back
    # goes further back.
    made = before if before is not None and now < before <= now + entries.SLACK else now
    covers, salt = [part for part, _ in parts], secrets.token_hex(16)
    leaf = entries.leaf(salt, parts)
    game.record_hash = entries.entry_hash(
        previous=game.record_hash,
        number=number + 1,
        made=record.instant(made),
        leaf=leaf,
        covers=covers,
    )
    return RecordEntry(
        game=game,
        number=number + 1,
        made_at=made,
        covers=covers,
        salt=salt,
        leaf=leaf,
        hash=game.record_hash,
    )


def newest_entries(games: Iterable[int]) -> dict[int, Newest]:
    """Number and time of the newest entry of each of these games that has any, by one question."""
    of_game = RecordEntry.objects.filter(game=OuterRef("pk")).order_by("-number")
    asked = Game.objects.filter(pk__in=list(games)).order_by()
    told = asked.annotate(
        newest=Subquery(of_game.values("number")[:1]), made=Subquery(of_game.values("made_at")[:1])
    )
    return {
        game: (number, made)
        for game, number, made in told.values_list("pk", "newest", "made")
        if number is not None
    }


def write_all(made: Sequence[RecordEntry]) -> None:
    """Write one entry of each game, and their record hashes. The caller holds their rows."""
    RecordEntry.objects.bulk_create(made)
    newest = RecordEntry.objects.filter(game=OuterRef("pk")).order_by("-number")
    games = Game.objects.filter(pk__in=[entry.game_id for entry in made])
    games.update(record_hash=Subquery(newest.values("hash")[:1]))


def everything(game: Game) -> list[Part]:
    """Return all parts that a game's record has, with their content."""
    return entries.first_entry(export.record(game, private=True))


# --- parts ---


def start(game: Game) -> Part:
    """Return the start of a game that begins in this transaction."""
    said = {
        "may_lock_early": game.may_lock_early,
        "seats": [record_rows.seat(seat) for seat in game.seats.order_by("ordinal")],
    }
    return ["start", said], entries.start(record_rows.game(game), said)


def opening(phase: Phase) -> Part:
    row = record_rows.phase(phase) | {"deadline_changes": []}
    return ["opened", phase.number], entries.phase_opening(row, row)


def renewable_parts(phase: Phase) -> Json:
    """Return what an open phase has that may change, to be kept before it changes."""
    row = record_rows.phase(phase)
    return {key: row[key] for key in entries.RENEWABLE if key in row}


def renewal(phase: Phase, before: Json) -> Part:
    """Return what an open phase has anew. `before`: what was `renewable_parts` of it."""
    rows = RecordEntry.objects.filter(game=phase.game_id).values_list("covers", flat=True)
    number = sum(part[:2] == ["renewed", phase.number] for covers in rows for part in covers)
    return ["renewed", phase.number, number + 1, before], entries.phase_renewal(
        renewable_parts(phase)
    )


def deadline(change: DeadlineChange) -> Part:
    number = change.phase.deadline_changes.count()
    return ["deadline", change.phase.number, number], record_rows.deadline_change(change)


def lock(phase: Phase, head: str) -> Part:
    """Return the lock of a phase, with the head of the ledger then (`head_of`)."""
    return ["locked", phase.number], entries.phase_lock(record_rows.lock(phase), head)


def session(change: SessionChange) -> Part:
    number = change.phase.session_changes.count()
    return ["session", change.phase.number, number], record_rows.session_change(change)


def figures(phase: Phase, found: Sequence[Figure], readings: Iterable[Reading]) -> list[Part]:
    """Return the figures of a phase whose first result is written in this transaction, with all
    readings of it (`record_rows.figures_of`)."""
    numbers: dict[int, int] = {}
    read: dict[str, dict[int, str]] = {row.symbol: {} for row in found}
    for number, row in enumerate(record_rows.behind(readings, found), start=1):
        numbers[row.pk] = number
        read.setdefault(row.symbol, {})[number] = row.hash
    contents = [entries.figure(record_rows.figure(row, numbers), read[row.symbol]) for row in found]
    return [
        (["figure", phase.number, one["symbol"], entries.reading_hashes(one)], one)
        for one in contents
    ]


def result(resolution: Resolution, draws: Sequence[Json] = ()) -> Part:
    """Return a version of a result. `draws`: all of its phase, where the events tell any digits."""
    phase, row = resolution.phase, record_rows.resolution(resolution)
    return ["result", phase.number, resolution.version], entries.result(row, draws, phase.seed)


def ruling(row: Ruling) -> Part:
    return ["ruling", row.number], record_rows.ruling(row)


# --- who holds what ---


def holders(sittings: Iterable[Sitting]) -> Json:
    """Return nation to the numbers of the people who hold it, from all sittings of a game with
    their seats, in any order.

    People are numbered in the order in which they first sat down in the game. Programs have no
    number.
    """
    numbers: dict[int, int] = {}
    found: dict[str, list[int]] = {}
    for one in sorted(sittings, key=lambda row: row.pk):
        number = numbers.setdefault(one.person_id, len(numbers) + 1)
        if one.is_current and not one.seat.bot:
            found.setdefault(one.seat.nation, []).append(number)
    return {nation: sorted(held) for nation, held in found.items()}


def head_of(phase: Phase) -> str:
    """Return the hash of the newest submission in time for a phase, empty where there is none."""
    newest = (
        phase.submissions.filter(late=False)
        .order_by("-number")
        .values_list("hash", flat=True)
        .first()
    )
    return newest or ""
