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
from games.outbox.messages import game as letters
from games.outbox.outgoing import Outgoing
from games.timing import schedule
from games.turns import deadlines, lifecycle

#: How long a phase is open in which nobody acts, because something is drawn in it and that is all.
IDLE = timedelta(minutes=1)


def open_phase(
    game: Game,
    previous: Phase | None,
    state: Any,
    now: datetime,
    deadline: datetime | None = None,
    parts: Sequence[hashes.Part] = (),
) -> Phase:
    """Opens the phase that comes next in a state, with its deadline (else by the game's schedule),
    and writes to everybody.

    `previous` is the phase that left the state; None at the start of the game. Its number is no
    guide: a ruling may have rolled back. `parts` of the record that are made in the same step are
    covered by the entry of the opening.
    """
    number = (game.phases.aggregate(newest=Max("number"))["newest"] or 0) + 1
    phase = next_phase(game, previous, number, state, now, deadline)
    lifecycle.save(phase)
    hashes.append(game, [*parts, hashes.opened(phase)], now)
    if is_announced(phase):
        with Outgoing([game]) as out:
            letters.opened(phase, rows.position(phase), now, out)
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
    """The phase that `open_phase` opens, not written yet. `blocked` and `closed` as in
    `deadlines.deadline_after`."""
    identity = game.rules.phase(state)
    assert identity is not None, "a finished game opens no phase"
    facts = game.rules.facts(identity, game.options)
    if facts.idle:  # nobody orders in it, so that there is nothing to wait for
        deadline = now + IDLE
    # played out by a person, who takes as long as it takes: it closes once his sheet has come
    # (`orders_arrived`)
    if facts.sheeted:
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
        deadlines.sheet_reminder(game, now) if facts.sheeted else deadlines.reminder(now, deadline)
    )
    phase = Phase(
        game=game,
        number=number,
        previous=previous,
        turn=identity.turn,
        kind=identity.kind,
        opened_at=now,
        deadline=deadline,
        due_at=None if facts.sheeted else deadline + game.grace,
        remind_at=remind_at,
        controllers=dict(game.rules.controllers(state)),
    )
    if phase.draws and market.source_of(game) == market.COMMIT_REVEAL:
        market.sow(phase)
    return phase


def is_announced(phase: Phase) -> bool:
    """Whether a letter tells that a phase is open; of one that waits for a sheet it tells the
    gamesmasters alone (`letters.opened`).

    That something is drawn next is in the letter that comes at the same time, and whose sales
    decide in the next one; but the hash of a seed is published before the seed is used.
    """
    return not phase.idle or bool(phase.seed_hash)


def follow_draw(game: Game, now: datetime) -> None:
    """After a ruling: who sends the orders of nations that nobody holds, in a phase that is open,
    follows the draw as it now is."""
    phase = game.phases.current()
    if phase is None or phase.status != Phase.Status.OPEN:
        return
    phase.game = game
    controllers = dict(game.rules.controllers(positions.state_of(phase)))
    if controllers != phase.controllers:
        before = hashes.renewable(phase)
        phase.controllers = controllers
        Phase.objects.filter(pk=phase.pk).update(controllers=controllers)
        hashes.append(game, [hashes.renewed(phase, before)], now)


def comes_next(following: Phase) -> str:
    """For the log."""
    return (
        "a sheet is due"
        if following.sheeted
        else f"next deadline {following.deadline:%Y-%m-%d %H:%M}"
    )
