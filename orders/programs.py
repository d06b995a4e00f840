"""The service's own players: in a demonstration, or where a gamesmaster gives them an empty seat. They send orders like anybody."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction

from games import sight, turns
from games.models import Game, Phase, Seat

from . import ledger
from .models import Submission

logger = logging.getLogger(__name__)

#: What is left over the next tick does.
MOST_A_TICK = 500


def play(now: datetime) -> int:
    """Sends orders for every seat played by the service that has sent none in its open phase. Returns how many."""
    waiting = (
        Seat.objects.filter(
            bot=True, game__status=Game.Status.RUNNING, game__phases__status=Phase.Status.OPEN, game__phases__deadline__gt=now
        )
        .exclude(submissions__phase__status=Phase.Status.OPEN)
        .select_related("game")
        .order_by("game__phases__deadline", "pk")
    )
    sent = 0
    for seat in waiting:
        if sent >= MOST_A_TICK:  # only those who sent are counted: seats with nothing to do must keep nobody waiting
            break
        try:
            sent += _play(seat, now)
        except Exception:  # one bad game must not keep the others waiting
            logger.exception("the service's player of %s has sent nothing", seat)
    return sent


def _play(seat: Seat, now: datetime) -> bool:
    phase = turns.current_phase(seat.game)
    if phase is None or phase.status != Phase.Status.OPEN or phase.deadline <= now:
        return False
    state = sight.view(seat.game, turns.position_before(phase), seat.nation)
    rules = seat.game.rules
    if seat.nation not in rules.acting(state):
        return False
    # The salt makes two games with the same moves differ.
    text = rules.bot(state, seat.nation, f"{seat.game_id}/{phase.pk}/{seat.nation}")
    with transaction.atomic():
        turns.take_row(seat.game)
        newest = turns.current_phase(seat.game)
        # Two ticks may come to the same seat, and the phase may have closed while the program thought.
        if newest is None or newest.pk != phase.pk or newest.status != Phase.Status.OPEN or phase.submissions.filter(seat=seat).exists():
            return False
        ledger.receive(seat, text, channel=Submission.Channel.PROGRAM, person=None, now=now, final=True)
    return True
