"""Open games in which people order by page and by mail, for drills that break processes."""

from __future__ import annotations

from datetime import timedelta

from tests.drills.breaking.players import Game
from tests.support.processes import Service

BOTS = ("France", "Britain", "Russia")


def open_games(running: Service, number: int, minutes: int = 1, spread: int = 0) -> list[Game]:
    """Open games in the database of a service: deadlines are `minutes` apart; the games begin
    `spread` seconds apart."""
    return [Game(**fields) for fields in running.call(open_here, number, minutes, spread)]


def open_here(number: int, minutes: int, spread: int = 0) -> list[Game]:
    """Open games in this process, in which Django is set up."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from games import desk
    from games.accounts import tokens
    from games.base import clock
    from tests.support.campaign import Campaign

    base, games = clock.now(), []
    for place in range(number):
        now = base - timedelta(seconds=place * spread)
        seats = {
            "USA": f"una-{place}@example.org",
            "Germany": f"gustav-{place}@example.org",
            **dict.fromkeys(BOTS, "bot"),
        }
        schedule = {"every": "minutes", "minutes": minutes}
        campaign = Campaign.open(now, title=f"Broken {place + 1}", seats=seats, schedule=schedule)
        desk.start(campaign.game, now)
        una, gustav = campaign.players["USA"], campaign.players["Germany"]
        session = SessionStore()
        session[SESSION_KEY], session[HASH_SESSION_KEY] = str(una.pk), una.get_session_auth_hash()
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        session.save()
        assert session.session_key is not None
        games.append(
            Game(
                number=campaign.game.pk,
                seat=campaign.seat("USA").pk,
                session=session.session_key,
                writes_to=tokens.reply_address(gustav, campaign.game, now),
                writes_from=gustav.email,
            )
        )
    return games
