"""The deadlines of many games passed together: a few questions, one transaction (docs/design.md 5).

What a deadline means is said by `turns`, `judging`, `ledger` and `letters`, here as for one game
alone; this module only reads and writes for many at once. It passes what is usual: a placement of a
running game, with orders from everybody who may order and nothing that holds it up. Every game of
which anything is unusual, and every one that fails, is left to `turns.advance`, one by one, under
the same lease: no game stops another, and there is one place that knows what to do in each odd
case.

The rows of all these games are taken first, in the order of their numbers, and held to the end of
the transaction: intake, desk and rulings stand before it or after it whole, as with one game. A
phase is taken here on its first try only. So one that kills its worker does so once for all of its
batch, and from then on for itself alone.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from games import market, permissions
from games import positions as games_positions
from games.evidence import hashes
from games.models import Absence, Channel, Game, Phase, RecordEntry, Resolution, Seat, Sitting
from games.outbox import rows
from games.outbox.messages import game as letters
from games.rules.digits import digits_told
from games.seats import days_off
from games.turns import judging
from games.turns import phases as turns
from games.turns.judging import Case
from gamesmaster import logs
from gamesmaster.questions import Insert, Save

logger = logging.getLogger(__name__)

#: As many as a worker passes in well under a second: so long intake may have to wait for a game's
# row.
AT_ONCE = 100
#: Fewer are passed one by one.
LEAST = 2

_NEW_RESULT, _NEW_PHASE = Insert(Resolution), Insert(Phase)
_PASSED = Save(
    Phase, "status", "locked_at", "digest", "leaves", "missed", "teams", "remind_at",
    "due_at", "claim", "claimed_until", "attempts", "fault", "holders",
)  # fmt: skip


def advance(ids: Sequence[int], token: str, now: datetime) -> None:
    """Does what is due with phases that this caller holds the lease of: together where it can be
    so, the others as `turns.advance` does."""
    begun: set[int] = set()
    done: Collection[int] = ()
    own = secrets.token_hex(16)
    if len(ids) >= LEAST:
        begun = _begin(ids, token, own)
        try:
            done = _pass(begun, own, now)
        # none of them has been passed: it is one of them, or the database, and one by one will tell
        except Exception:
            logger.exception("%d phases could not be passed together", len(begun))
    for phase in ids:
        if phase not in done:
            with logs.about(phase=phase):
                turns.advance(phase, own if phase in begun else token, now, begun=phase in begun)


def _begin(ids: Sequence[int], token: str, own: str) -> set[int]:
    """Those that are tried for the first time, from now on under a token of the caller's own: of a
    task that is delivered twice the second finds none. The try is counted, as in `turns.advance`,
    before anything is done."""
    first = Phase.objects.filter(
        pk__in=list(ids), claim=token, status=Phase.Status.OPEN, attempts=0
    )
    if not token or not first.update(attempts=1, claim=own):
        return set()
    return set(Phase.objects.filter(pk__in=list(ids), claim=own).values_list("pk", flat=True))


@transaction.atomic
def _pass(ids: Collection[int], token: str, now: datetime) -> set[int]:
    """Passes what can be passed together, and says which those are; nothing is written of any
    other."""
    phases = _taken(ids, token, now)
    waiting = [phase for phase in phases if turns.mail_may_come(phase, now)]
    turns.look_again_for_mail([phase.pk for phase in waiting], token, now)
    known = _Known.of([phase for phase in phases if phase not in waiting and _is_usual(phase)], now)
    passed = [one for phase in known.phases if (one := _judged(phase, known, now)) is not None]
    if passed:
        _write(passed, now)
    return {phase.pk for phase in waiting} | {one.case.phase.pk for one in passed}


def _taken(ids: Collection[int], token: str, now: datetime) -> list[Phase]:
    """The phases that this token still holds and that are due, each with its game, whose row is
    taken."""
    games = Phase.objects.filter(pk__in=ids).values("game")
    # By an update, as for one game, nobody could say in which order; SQLite has one lock for
    # everything.
    taken = {
        game.pk: game
        for game in Game.objects.select_for_update(no_key=True).filter(pk__in=games).order_by("pk")
    }
    phases = list(
        Phase.objects.filter(
            pk__in=ids, claim=token, status=Phase.Status.OPEN, due_at__lte=now
        ).order_by("game")
    )
    for phase in phases:
        phase.game = taken[phase.game_id]
    return [phase for phase in phases if phase.game.status == Game.Status.RUNNING]


def _is_usual(phase: Phase) -> bool:
    """Whether the row of a phase and that of its game say nothing that only `turns` knows what to
    do with."""
    game = phase.game
    odd = (
        phase.draws
        or phase.sheeted
        or phase.seed_hash
        or phase.controllers
        or game.secret
        or game.practice
    )
    ruled = game.last_ruling or game.approval_hours
    # The first entry of a game from before there were entries covers everything, and is for
    # `turns`.
    return (
        not odd
        and not ruled
        and game.record_hash != ""
        and market.by_sales(game)
        and game.options["orders.amend"] != "merge_lines"
    )


@dataclass(frozen=True)
class _Known:
    """What these phases are judged from and who is told of them, each kind asked for once. By game
    where nothing else is said."""

    phases: list[Phase]
    seats: Mapping[int, list[Seat]]
    readers: Mapping[int, list[rows.Reader]]
    holders: Mapping[int, dict[str, Any]]
    entries: Mapping[int, hashes.Newest]  # the newest of each
    positions: Mapping[int, dict[str, Any]]  # by the phase that left it
    sent: Mapping[int, Mapping[int, Any]]  # by phase and seat: the submission in force
    received: Mapping[int, datetime]  # by phase: when the last came that was in time
    heads: Mapping[int, str]  # by phase: the hash of the newest that was in time
    numbers: Mapping[int, int]  # of the newest phase

    @classmethod
    def of(cls, phases: Iterable[Phase], now: datetime) -> _Known:
        """Of these phases those of which nothing turns out to be unusual."""
        from orders import in_force
        from orders.models import Submission

        phases = _undisturbed(list(phases), now)
        games = [phase.game_id for phase in phases]
        seats: dict[int, list[Seat]] = {game: [] for game in games}
        for seat in Seat.objects.filter(game__in=games).order_by("ordinal"):
            seats[seat.game_id].append(seat)
        phases = [
            phase
            for phase in phases
            if not any(seat.team or seat.by_table for seat in seats[phase.game_id])
        ]
        for phase in phases:
            permissions.keep_seats(phase.game, seats[phase.game_id])
        before = Resolution.objects.filter(
            phase__in=[phase.previous_id for phase in phases if phase.previous_id]
        )
        in_time = Submission.objects.filter(
            phase__in=[phase.pk for phase in phases], late=False
        ).order_by("number")
        received: dict[int, datetime] = {}
        heads: dict[int, str] = {}
        for phase_id, received_at, own_hash in in_time.values_list("phase", "received_at", "hash"):
            received[phase_id] = max(received_at, received.get(phase_id, received_at))
            heads[phase_id] = own_hash
        sittings = _sittings(games)
        numbers = (
            Phase.objects.filter(game__in=games)
            .order_by()
            .values("game")
            .annotate(newest=Max("number"))
        )
        return cls(
            phases=phases,
            seats=seats,
            readers=_readers(games, sittings),
            holders={game: hashes.holders(sittings[game]) for game in games},
            entries=hashes.newest_entries(games),
            positions=dict(before.order_by("version").values_list("phase_id", "after")),
            sent=in_force.newest_in_force(phases),
            received=received,
            heads=heads,
            numbers=dict(numbers.values_list("game", "newest")),
        )


def _undisturbed(phases: list[Phase], now: datetime) -> list[Phase]:
    """Without those of games for which mail may be unread, of whose players somebody is away, or
    which a chat program hears of."""
    from orders.inbound import queue

    games = [phase.game_id for phase in phases]
    disturbed: set[int | None] = set(
        Channel.objects.filter(game__in=games, removed_at=None).values_list("game_id", flat=True)
    )
    disturbed |= set(
        Absence.objects.filter(game__in=games, withdrawn_at=None).values_list("game_id", flat=True)
    )
    disturbed |= queue.games_unread(now)
    return (
        [] if None in disturbed else [phase for phase in phases if phase.game_id not in disturbed]
    )


def _sittings(games: Sequence[int]) -> dict[int, list[Sitting]]:
    """All sittings of many games, those that have ended too."""
    found: dict[int, list[Sitting]] = {game: [] for game in games}
    for one in (
        Sitting.objects.filter(seat__game__in=games)
        .select_related("person", "seat")
        .order_by("seat__ordinal", "pk")
    ):
        found[one.seat.game_id].append(one)
    return found


def _readers(
    games: Sequence[int], sittings: Mapping[int, Sequence[Sitting]]
) -> dict[int, list[rows.Reader]]:
    """`rows.everybody` of many games."""
    running: dict[int, list[rows.Reader]] = {game: [] for game in games}
    runs = Game.gamesmasters.through.objects.filter(
        game__in=games, person__is_active=True
    ).select_related("person")
    for run in runs.order_by("person"):
        running[run.game_id].append(rows.Reader(run.person))
    sitting = {
        game: [one for one in sittings[game] if one.until is None and one.person.is_active]
        for game in games
    }
    return {game: rows.each_once(running[game], sitting[game]) for game in games}


@dataclass(frozen=True)
class _Passed:
    """A phase judged, its result and the phase that comes next: as rows, none of them written."""

    case: Case
    resolution: Resolution
    following: Phase
    readers: Sequence[rows.Reader]
    entry: RecordEntry


def _judged(phase: Phase, known: _Known, now: datetime) -> _Passed | None:
    """A phase closed, judged and followed by the next, in memory; None where it is one for
    `turns.advance` after all."""
    try:
        return _judge(phase, known, now)
    except Exception as error:  # it is met again, and dealt with, where it can harm nobody else
        logger.info("phase %s is passed alone: %s", phase.pk, error)
        return None


def _judge(phase: Phase, known: _Known, now: datetime) -> _Passed | None:
    game = phase.game
    if phase.previous_id is None:
        position = games_positions.start_position(game)
    elif phase.previous_id in known.positions:
        position = known.positions[phase.previous_id]
    else:
        return None
    state, seats = game.load(position), known.seats[game.pk]
    nation_of = {seat.pk: seat.nation for seat in seats}
    sent = {nation_of[seat]: row for seat, row in known.sent.get(phase.pk, {}).items()}
    if any(
        seat.nation not in sent and not sender.bot
        for seat, sender in games_positions.senders(phase, state, seats)
    ):
        return None  # who has missed it, and whether his seat is vacant, is asked for there
    seals = {nation: (row.salt, row.text) for nation, row in sent.items()}
    phase.teams, phase.holders = {}, known.holders[game.pk]
    turns.close(
        phase, state, seals, [], max(now, phase.opened_at, known.received.get(phase.pk, now))
    )
    case = Case(phase, position, {nation: text for nation, (_, text) in seals.items()}, {}, (), 0)
    judged = case.judge(market.Figures({}))
    after = judged.resolution.state
    unusual = game.rules.unplaced(judged.state, judged.orders) or list(
        digits_told(judged.resolution.events)
    )
    if phase.status != Phase.Status.LOCKED or unusual or game.rules.phase(after) is None:
        return None
    resolution = judging.as_row(case, judged, now)
    phase.status, phase.due_at, phase.claim, phase.claimed_until = (
        Phase.Status.RESOLVED,
        None,
        "",
        None,
    )
    following = turns.next_phase(
        game, phase, known.numbers[game.pk] + 1, after, now, blocked=days_off.holiday(game)
    )
    if following.controllers or not turns.is_announced(following):
        return None
    steps = [
        hashes.locked(phase, known.heads.get(phase.pk, "")),
        hashes.result(resolution),
        hashes.opened(following),
    ]
    entry = hashes.next_entry(game, steps, known.entries[game.pk], now)
    return _Passed(case, resolution, following, known.readers[game.pk], entry)


def _write(passed: Sequence[_Passed], now: datetime) -> None:
    """Everything of these games, in the order in which rows name each other. The caller's
    transaction holds their rows."""
    phases = [one.case.phase for one in passed]
    if _PASSED.write_all(phases) != len(phases):
        raise turns.LeaseLost
    _NEW_RESULT.write_all([one.resolution for one in passed])
    _NEW_PHASE.write_all([one.following for one in passed])
    hashes.write_all([one.entry for one in passed])
    rows.write(
        row
        for one in passed
        for row in letters.passed(one.resolution, one.following, one.readers, now)
    )
    transaction.on_commit(lambda: _told(passed))


def _told(passed: Sequence[_Passed]) -> None:
    for one in passed:
        phase, comes = one.case.phase, turns.comes_next(one.following)
        with logs.about(game=phase.game_id, phase=phase.pk):
            logger.info(
                "phase %s resolved, %d order sets, digest %s; %s",
                phase.pk,
                len(phase.leaves),
                phase.digest,
                comes,
            )
