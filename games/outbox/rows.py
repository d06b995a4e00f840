"""Rows of the outbox: who gets a letter, and under which key.

A row's key names the event and the person, so that a function called twice writes one row. Each
person gets one copy, even with several seats or as both gamesmaster and player.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from games.models import Game, Letter, Mute, Notice, Person, Phase, Resolution
from games.outbox import personal_webhooks
from games.outbox.kinds import KINDS, Kind
from games.rules.verification.entries import SHOWN


@dataclass
class Reader:
    """A person who gets a letter about a game, and the ids of the seats that it is about."""

    person: Person
    seats: list[int] = field(default_factory=list)


def position(phase: Phase) -> int | None:
    """Return the id of the resolution whose position a phase starts from; None for the start of the
    game.

    Letters store it, because a ruling may add a newer version before the letter is sent; the ruling
    sends its own letters.
    """
    if "result_before" in phase.__dict__:  # `positions.annotate_positions`
        resolution: int | None = phase.__dict__["result_before"]
        return resolution
    newest = (
        Resolution.objects.filter(phase=phase.previous_id)
        .order_by("-version")
        .values_list("pk", flat=True)
    )
    return newest.first()


def place(game: Game, phase: Phase | None) -> str:
    return f"game-{game.pk}/phase-{phase.number}" if phase is not None else f"game-{game.pk}"


def row(
    key: str,
    kind: Kind,
    now: datetime,
    person: Person | None = None,
    *,
    address: str = "",
    game: Game | None = None,
    phase: Phase | None = None,
    about: dict[str, Any],
    due: datetime | None = None,
) -> Letter:
    """Return an unsaved letter to send at once or when it is `due`; for a person without e-mail, to
    print (`games.letters.printing`).
    """
    on_paper = person is not None and person.by_post
    return Letter(
        key=key,
        kind=kind.id,
        secret=kind.secret,
        game=game,
        phase=phase,
        person=person,
        address=person.email if person is not None else address,
        about=about,
        status=Letter.Status.PRINT if on_paper else Letter.Status.QUEUED,
        written_at=now,
        due_at=None if on_paper else due or now,
        first_due_at=due,
        record_hash=game.record_hash[:SHOWN] if game is not None else "",
    )


def write(rows: Iterable[Letter]) -> list[Letter]:
    """Write rows, except those whose key exists, without breaking the caller's transaction.

    Return the rows that are not dropped, also those whose key exists.

    Letters to guests and about practice games are dropped, and letters with tokens to people
    without e-mail. People who muted a game get only answers.
    """
    rows = [
        row
        for row in rows
        if not (row.game is not None and row.game.practice)
        and not (row.person is not None and row.person.guest)
    ]
    to_write = [row for row in rows if not (row.status == Letter.Status.PRINT and row.secret)]
    to_write = _leave_out_muted(to_write)
    Letter.objects.bulk_create(to_write, ignore_conflicts=True)
    if notices := personal_webhooks.make_notices(to_write):
        Notice.objects.bulk_create(notices, ignore_conflicts=True)
    return to_write


def send_again(letters: QuerySet[Letter], now: datetime) -> int:
    """Put letters back into the outbox, due now and with no tries counted; return how many."""
    reset = {"attempts": 0, "claim": "", "claimed_until": None, "first_due_at": now}
    return letters.update(status=Letter.Status.DEFERRED, due_at=now, **reset)


def _leave_out_muted(letters: Sequence[Letter]) -> list[Letter]:
    def may_be_muted(row: Letter) -> bool:
        return bool(row.game_id and row.person_id and not KINDS[row.kind].to_muted)

    games = {row.game_id for row in letters if may_be_muted(row)}
    if not games:
        return list(letters)
    muted = set(Mute.objects.filter(game__in=games, until=None).values_list("person_id", "game_id"))
    return [
        row for row in letters if not (may_be_muted(row) and (row.person_id, row.game_id) in muted)
    ]
