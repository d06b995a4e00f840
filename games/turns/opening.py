"""Open the next phase of a game."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Max

from games import market, positions
from games.evidence import hashes
from games.models import Game, Phase
from games.outbox import rows
from games.outbox.messages import game_letters
from games.outbox.outgoing import Outgoing
from games.timing import schedule
from games.turns import deadlines, lifecycle, pauses

#: How long a phase is open in which nobody can order anything.
IDLE = timedelta(minutes=1)


def open_phase(
    game: Game,
    previous: Phase | None,
    state: Any,
    now: datetime,
    deadline: datetime | None = None,
    parts: Sequence[hashes.Part] = (),
) -> Phase:
    """Open the next phase of a game, with its deadline, and write to its readers.

    `deadline`: by the game's schedule if None. `previous`: the phase that left the state, None at
    the start of the game; its number is not enough, because a ruling may have rolled back. `parts`:
    parts of the record made in the same step, covered by the entry of the opening.
    """
    number = (game.phases.aggregate(newest=Max("number"))["newest"] or 0) + 1
    phase = next_phase(game, previous, number, state, now, deadline)
    lifecycle.save(phase)
    hashes.append(game, [*parts, hashes.opening(phase)], now)
    pauses.keep_stopped(phase, now)
    if is_announced(phase):
        with Outgoing([game]) as out:
            game_letters.announce_phase(phase, rows.position(phase), now, out)
    return phase


def next_phase(
    game: Game,
    previous: Phase | None,
    number: int,
    state: Any,
    now: datetime,
    deadline: datetime | None = None,
    blocked: schedule.IsBlocked | None = None,
    closed: Collection[date] | None = None,
) -> Phase:
    """Return the phase that `open_phase` opens, not yet saved.

    Without a given deadline, a phase in which no nation could order anything lasts `IDLE` where
    something is only drawn, and where phases may end early: nobody's orders can be final there.
    `blocked` and `closed` as in `deadlines.deadline_after`.
    """
    identity = game.rules.phase(state)
    assert identity is not None, "a finished game opens no phase"
    facts = game.rules.facts(identity, game.options)
    if deadline is None and (
        facts.idle
        or (
            game.may_lock_early
            and not any(
                game.rules.could_order(state, nation) for nation in game.rules.acting_nations(state)
            )
        )
    ):
        deadline = now + IDLE
    # The gamesmaster plays it out and takes as long as needed: it closes when the report arrives
    # (`update_due_time`).
    if facts.awaited:
        deadline = schedule.STANDS
    if deadline is None:
        deadline = deadlines.deadline_after(
            game,
            facts.draws,
            now,
            blocked,
            deadlines.length(game, identity, previous),
            closed,
        )
    remind_at = (
        deadlines.report_reminder(game, now) if facts.awaited else deadlines.reminder(now, deadline)
    )
    phase = Phase(
        game=game,
        number=number,
        previous=previous,
        turn=identity.turn,
        kind=identity.kind,
        opened_at=now,
        deadline=deadline,
        due_at=None if facts.awaited else deadline + game.grace,
        remind_at=remind_at,
        controllers=dict(game.rules.controllers(state)),
    )
    if phase.draws and game.digit_source == market.COMMIT_REVEAL:
        market.choose_seed(phase)
    return phase


def is_announced(phase: Phase) -> bool:
    """Return whether a letter announces that a phase is open.

    A phase that waits for a report is announced to gamesmasters only
    (`game_letters.announce_phase`). A draw is announced in the letter before it, and stocks in the
    letter after it; but the hash of a seed is published before the seed is used.
    """
    return not phase.idle or bool(phase.seed_hash)


def follow_draw(game: Game, now: datetime) -> None:
    """Update who orders for nations without players, after a ruling on the draw."""
    phase = game.phases.current()
    if phase is None or phase.status != Phase.Status.OPEN:
        return
    phase.game = game
    controllers = dict(game.rules.controllers(positions.state_of(phase)))
    if controllers != phase.controllers:
        old_parts = hashes.renewable_parts(phase)
        phase.controllers = controllers
        Phase.objects.filter(pk=phase.pk).update(controllers=controllers)
        hashes.append(game, [hashes.renewal(phase, old_parts)], now)


def describe_next(following: Phase) -> str:
    """Describe the next phase, for the log."""
    return following.awaited or f"next deadline {following.deadline:%Y-%m-%d %H:%M}"
