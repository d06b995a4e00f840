"""Take a game's row before anything is written about the game."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import F, Max

from games.models import Game, Phase


def take_row(game: Game) -> bool:
    """Takes the game's row until the end of the transaction, and says whether the game is being
    played.

    Whatever changes who may order what until when takes it first (intake, lock, publication, the
    desk), so that each is wholly before or wholly after the others. Letters show the record hash
    that stands then.
    """
    Game.objects.filter(pk=game.pk).update(last_submission=F("last_submission"))
    game.status, game.record_hash = Game.objects.values_list("status", "record_hash").get(
        pk=game.pk
    )
    return game.status == Game.Status.RUNNING


#: Within this time whoever has asked what time it is has the game's row too: as long as a page may
# take.
UNTIL_ROW = timedelta(minutes=1)


def now_in_row(phase: Phase, now: datetime) -> datetime:
    """The instant at which a deadline moves, once the game's row is taken: not before orders that
    had the row first.

    Of two that ask what time it is, the later may have the row first. Such orders were judged by
    the deadline that stood; were it on record as moved before they came, their verdict would not
    follow from the record. Further ahead than that is a clock that was wrong.
    """
    ahead = phase.submissions.filter(
        received_at__gt=now, received_at__lte=now + UNTIL_ROW
    ).aggregate(newest=Max("received_at"))
    newest: datetime | None = ahead["newest"]
    return newest or now
