"""Open the two games of a demonstration: one to play, and one to watch, which bots play alone.

`manage.py play` begins them. When the campaign to watch is over, the tick begins another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.conf import settings
from django.db import transaction

from games.models import Game, Person

from .opening import BOT, Opening, open_game
from .seats import start

TO_PLAY = "Demonstration campaign"
TO_WATCH = "A campaign to watch"
#: The least length of the first phase of a game to play: newcomers read the rules in it.
MINUTES_TO_BEGIN = 10
NATIONS = ("USA", "France", "Britain", "Russia", "Germany")


def going_on_or_new(
    title: str, house: Person, people: Mapping[str, str], minutes: int, now: datetime
) -> Game:
    """Return the demonstration's game of that title that is not over, or open one.

    `people`: addresses by nation; bots play the others. Without people it starts at once.
    """
    existing = Game.objects.filter(title=title, status__in=Game.Status.going_on()).first()
    if existing is not None:
        return existing
    lasts = {"lasts": {"first": max(MINUTES_TO_BEGIN, minutes)}} if people else {}
    asked = Opening(
        title=title,
        ruleset_id="origins-ww2",
        card_name="historical",
        options={"rng.settle": "first_reading"},
        schedule={"every": "minutes", "minutes": minutes, **lasts},
        zone="Europe/London",
        seats={nation: people.get(nation, BOT) for nation in NATIONS},
        settings={
            "market": Game.Market.DEMO,
            "may_lock_early": bool(people),
            "starts_when_full": True,
        },
    )
    game = open_game(asked, house, now)
    if not people:
        start(game, now)
    return game


def begin_another_to_watch(now: datetime) -> int:
    """Begin a new campaign to watch where the last one is over. Return how many were begun."""
    if not settings.DEMONSTRATION:
        return 0
    last = Game.objects.filter(title=TO_WATCH).select_related("opened_by").order_by("-pk").first()
    if last is None or not last.is_over:
        return 0
    with transaction.atomic():
        going_on_or_new(TO_WATCH, last.opened_by, {}, last.schedule["minutes"], now)
    return 1
