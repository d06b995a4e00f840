"""The service's own players: in a demonstration, or where a gamesmaster gives them an empty seat. They send orders like anybody."""

from __future__ import annotations

import logging
from datetime import datetime

from games import sight, turns
from games.models import Game, Phase, Seat

from . import ledger
from .models import Submission

logger = logging.getLogger(__name__)


def play(now: datetime) -> int:
    """Sends orders for every seat played by the service that has sent none in its open phase. Returns how many."""
    waiting = (
        Seat.objects.filter(bot=True, game__status=Game.Status.RUNNING, game__phases__status=Phase.Status.OPEN)
        .exclude(submissions__phase__status=Phase.Status.OPEN)
        .select_related("game")
    )
    sent = 0
    for seat in waiting[:500]:
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
    ledger.receive(seat, text, channel=Submission.Channel.PROGRAM, person=None, now=now, final=True)
    return True
