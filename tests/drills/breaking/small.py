"""A small league that is played once in this process: the games, orders and letters of the drills
without processes, so that their count can be tried in a second.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast
from unittest import mock

from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection
from django.test import Client, override_settings

from games import tasks
from games.base import clock
from orders.inbound import handle
from tests.drills.breaking import records
from tests.drills.breaking.league import League
from tests.drills.breaking.opened import open_here
from tests.drills.breaking.players import KEY, Game, Players, Sent
from tests.drills.breaking.post import Copy
from tests.drills.breaking.tables import instant
from tests.support.campaign import MONDAY

#: Phases of the first game before the others begin, because each phase takes its time.
ALONE = 7
#: Seconds between the deadlines of two games.
SPREAD = 20 * 60
#: Before a deadline, when the reminders are out.
REMINDED = timedelta(minutes=12)
SECOND = timedelta(seconds=1)

_copies: list[Copy] = []


class Kept(BaseEmailBackend):
    """A mail server that keeps all letters."""

    def send_messages(self, email_messages: Sequence[Any]) -> int:
        for message in email_messages:
            raw = message.message().as_bytes(linesep="\r\n")
            _copies.append(Copy(message.from_email, message.to[0], raw, time.monotonic(), 1))
        return len(email_messages)


@dataclass
class SmallLeague:
    """Games and people as in a drill (`counting.Counted`), and the present instant."""

    notes: Path  # an empty folder
    now: datetime = MONDAY
    games: list[Game] = field(default_factory=list)
    sent: Sent = field(default_factory=Sent)
    reminded: dict[int, datetime] = field(default_factory=dict)
    copies: list[Copy] = field(default_factory=list)
    killed: dict[int, float] = field(default_factory=dict)
    away: list[tuple[float, float]] = field(default_factory=list)
    leapt: list[tuple[float, float]] = field(default_factory=list)

    def time(self) -> datetime:
        return self.now

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(query.replace("?", "%s"), values)
            return cursor.fetchall() if cursor.description else []

    def count(self, what: str, *values: Any) -> int:
        return int(self.rows(f"SELECT count(*) FROM {what}", *values)[0][0])

    def refuted(self) -> list[str]:
        return records.refuted([game.number for game in self.games])

    def play(self, more: int = 0, most: int = 100) -> None:
        """Play a game to its end, or for `most` phases, and `more` games beside its last ones; then
        send another message to each game.
        """
        _copies.clear()
        players = _Players(self)
        self.sent = players.sent
        with (
            override_settings(EMAIL_BACKEND=f"{__name__}.{Kept.__name__}"),
            mock.patch.object(clock, "now", self.time),
        ):
            self.games = open_here(1, minutes=60)
            first, running = self.games[0].number, "games_game WHERE id = ? AND status = 'running'"
            while self.count(running, first):
                judged = self.count("games_phase WHERE status = 'resolved'")
                if judged >= most:
                    break
                if judged == ALONE and more:
                    self.games += open_here(more, minutes=60, spread=SPREAD)
                self._next_phase(players)
            for game in self.games:
                players.one_message(game)
            self._until(self.now)
        self.copies = list(_copies)
        for copy in self.copies:
            assert copy.read  # once, and not for each count

    def _until(self, moment: datetime) -> None:
        self.now = max(self.now, moment)
        tasks.do_all_due(self.now)

    def _next_phase(self, players: Players) -> None:
        """Play on to the next deadline, or to what else is due."""
        query = "SELECT id, game_id, number, deadline FROM games_phase WHERE status = 'open'"
        phases = self.rows(f"{query} ORDER BY deadline, id")
        if not phases:
            due = self.rows("SELECT min(due_at) FROM games_phase WHERE due_at IS NOT NULL")[0][0]
            self._until(instant(due) + SECOND)
            return
        phase, number, turn, stored = phases[0]
        deadline = instant(stored)
        place, game = next(
            (place, game) for place, game in enumerate(self.games) if game.number == number
        )
        # In the first game both order in time, but for one of them now and then; in the second one
        # orders after the reminder, and the other never; in the third both do now and then.
        if place == 0 or (place == 2 and turn % 3 == 0):
            players.one_page(game)
            if turn % 4 != 2:
                players.one_message(game)
        self._until(deadline - REMINDED)
        self.reminded[phase] = self.now
        if place == 1 or (place == 2 and turn % 4 == 0):
            players.one_page(game)
        self._until(deadline + SECOND)


class _Players(Players):
    """People who order without threads and ports."""

    def __init__(self, league: SmallLeague) -> None:
        super().__init__(cast("League", league), seed=1)
        self.league = league

    def post(self, game: Game, text: str) -> tuple[int, str]:
        client = Client()
        client.cookies.load({"sessionid": game.session, "csrftoken": KEY})
        answer = client.post(
            f"/games/{game.number}/orders/{game.seat}/", {"text": text, "do": "send-anyway"}
        )
        location = str(answer.headers.get("Location", ""))
        return answer.status_code, location or answer.content.decode()

    def deliver(self, game: Game, raw: bytes) -> None:
        handle.take_in(
            raw,
            way="lmtp",
            envelope_from=game.writes_from,
            envelope_to=[game.writes_to],
            now=self.league.now,
        )
