"""Send orders for seats played by the service: bots, vacant seats, and stand-ins.

A stand-in orders for a vacant seat if the gamesmaster wishes it (`Game.stand_ins`): at once when
the phase opens, so that a player can still replace its orders. It sends nothing once a person has
sent something in the phase.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from games import permissions, positions
from games.models import Act, Game, Phase, Seat, Sitting
from games.positions import game_row
from orders.intake import bargaining, ledger
from orders.models import Submission

logger = logging.getLogger(__name__)

#: Before any submission.
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
#: How many seats are played in one tick.
MOST_A_TICK = 500


def play(now: datetime) -> int:
    """Send orders for every seat played by the service in its open phase; return how many.

    This includes nations that such a seat controls this turn (Rules N4), and vacant seats if the
    game has stand-ins.
    """
    # Narrow down to the few games in which the service plays; an index finds each of them.
    played = Exists(Seat.objects.filter(game=OuterRef("pk"), bot=True))
    programs = Game.objects.filter(played | Q(stand_ins=True), status=Game.Status.RUNNING)
    if not programs.exists():  # most ticks of most services: to ask for the seats costs far more
        return 0
    waiting = (
        Seat.objects.filter(
            Q(bot=True) | Q(by_table=True) | (Q(game__stand_ins=True) & _vacant()),
            game__in=programs.order_by().values("pk"),
            game__status=Game.Status.RUNNING,
            game__phases__status=Phase.Status.OPEN,
            game__phases__deadline__gt=now,
        )
        .exclude(submissions__phase__status=Phase.Status.OPEN)
        .select_related("game")
        .order_by("game__phases__deadline", "pk")
    )
    sent = _replay(now)
    for seat in waiting:
        # Only sent orders count: seats with nothing to do must not delay others.
        if sent >= MOST_A_TICK:
            break
        try:
            sent += _play(seat, now)
        except Exception:  # a fault in one game must not stop the others
            logger.exception("the service's player of %s has sent nothing", seat)
    return sent


def answer_at_once(game: Game, now: datetime) -> None:
    """Let the bots of a practice game or demonstration answer proposals, and order by what they
    agreed to: nobody is kept waiting, and no phase ends in between."""
    if game.for_trying:
        bargaining.answer_at_once(game, now)
        _replay(now)


def _replay(now: datetime) -> int:
    """Send again the orders of bots that have made a deal since they sent theirs."""
    sent = 0
    for seat, agreed in bargaining.bots_with_newer_deals(now):
        try:
            sent += _play(seat, now, agreed)
        except Exception:  # as above
            logger.exception("the service's player of %s has not kept up with its deals", seat)
    return sent


def stand_in_seats(game: Game) -> list[Seat]:
    """Return the seats of a game whose orders a stand-in sends now."""
    return list(game.seats.filter(_vacant()).order_by("ordinal")) if game.stand_ins else []


def _vacant() -> Q:
    """Return seats without players, and those reported missing who have sent nothing since.

    The report decides (games.desk.people), not the run of misses: a stand-in's orders end the run
    but do not bring the player back.
    """
    sitting = Sitting.objects.current().filter(seat=OuterRef("pk"))
    # Compare within the subquery: orders a person sent after the newest report.
    reported_at = (
        Act.objects.filter(seat=OuterRef("seat"), kind="vacant")
        .order_by("-pk")
        .values("done_at")[:1]
    )
    sent_since = Submission.objects.filter(seat=OuterRef("pk")).exclude(
        channel=Submission.Channel.PROGRAM
    )
    sent_since = sent_since.annotate(told=Subquery(reported_at)).filter(
        received_at__gte=Coalesce("told", "received_at")
    )
    newcomer = sitting.annotate(told=Subquery(reported_at)).filter(
        since__gt=Coalesce("told", "since")
    )
    reported = Act.objects.filter(seat=OuterRef("pk"), kind="vacant")
    return Q(bot=False, by_table=False, referee=False) & (
        ~Q(Exists(sitting)) | (Q(Exists(reported)) & ~Q(Exists(sent_since)) & ~Q(Exists(newcomer)))
    )


def _is_played_by_service(seat: Seat, phase: Phase) -> bool:
    """Return whether the service orders for a seat: its own, or one it controls this turn."""
    senders = seat.game.seats.filter(nation=phase.controllers.get(seat.nation, seat.nation))
    played = Q(bot=True) | _vacant() if seat.game.stand_ins else Q(bot=True)
    return senders.filter(played).exists()


def _play(seat: Seat, now: datetime, since: datetime = LONG_AGO) -> bool:
    """Send the orders of one seat, unless some have arrived since `since`. Return whether sent."""
    phase = seat.game.phases.current()
    if phase is None or phase.status != Phase.Status.OPEN or phase.deadline <= now:
        return False
    if not _is_played_by_service(seat, phase):
        return False
    state = permissions.view(seat.game, positions.position_before(phase), seat.nation)
    rules = seat.game.rules
    if seat.nation not in rules.acting_nations(state):
        return False
    # Two games with the same moves differ, and nobody can compute a bot's orders in advance.
    salt = f"{seat.game.bots_secret}/{seat.game_id}/{phase.pk}/{seat.nation}"
    promised = bargaining.promises_of(seat, phase)
    text = rules.bot.orders(state, seat.nation, salt, promised)
    with transaction.atomic():
        game_row.take_row(seat.game)
        newest = seat.game.phases.current()
        # Two ticks may reach the same seat, and the phase may have closed while the bot computed.
        if (
            newest is None
            or newest.pk != phase.pk
            or newest.status != Phase.Status.OPEN
            or phase.submissions.filter(seat=seat, received_at__gte=since).exists()
        ):
            return False
        # A missing player may come back: a stand-in's orders are never final.
        final = seat.bot or not seat.sittings.current().exists()
        arrival = ledger.Arrival(Submission.Channel.PROGRAM, None, now)
        ledger.receive(seat, text, arrival, final=final)
    return True
