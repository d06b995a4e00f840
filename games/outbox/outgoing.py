"""Collect letters and notices about several games and write them in a few statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import prefetch_related_objects

from games.models import Channel, Game, Letter, Notice, Phase, Sitting
from games.outbox import notices as channels
from games.outbox import rows


class Outgoing:
    """The readers of these games, queried once, and the letters for them.

    A context manager that writes on a regular exit. `sittings`: all sittings by game, including
    former ones, in scenario order.
    """

    def __init__(self, games: Iterable[Game]) -> None:
        games = list(games)
        ids = [game.pk for game in games]
        self.sittings: dict[int, list[Sitting]] = {pk: [] for pk in ids}
        self._running: dict[int, list[rows.Reader]] = {pk: [] for pk in ids}
        self._channels: dict[int, list[Channel]] = {pk: [] for pk in ids}
        self._letters: list[Letter] = []
        self._notices: list[Notice] = []
        prefetch_related_objects(games, "seats")
        seats = {seat.pk: seat for game in games for seat in game.seats.all()}
        all_sittings = Sitting.objects.filter(seat__game__in=ids).select_related("person")
        for sitting in all_sittings.order_by("seat__ordinal", "pk"):
            sitting.seat = seats[sitting.seat_id]
            self.sittings[sitting.seat.game_id].append(sitting)
        runs = Game.gamesmasters.through.objects.filter(game__in=ids, person__is_active=True)
        for run in runs.select_related("person").order_by("person"):
            self._running[run.game_id].append(rows.Reader(run.person))
        for channel in Channel.objects.filter(game__in=ids, removed_at=None).order_by("pk"):
            if channel.game_id is not None:
                self._channels[channel.game_id].append(channel)

    def add_for_all(
        self, phase: Phase, kind: str, event: str, now: datetime, about: Mapping[str, Any]
    ) -> None:
        """Add a letter to every current player and every gamesmaster, each once."""
        game = phase.game
        sitting = [
            row for row in self.sittings[game.pk] if row.until is None and row.person.is_active
        ]
        readers = rows.each_once(
            [rows.Reader(row.person) for row in self._running[game.pk]], sitting
        )
        self._letters += rows.make_rows(readers, game, phase, kind, event, now, dict(about))

    def add_for_gamesmasters(
        self, phase: Phase, kind: str, event: str, now: datetime, about: Mapping[str, Any]
    ) -> None:
        readers = self._running[phase.game_id]
        self._letters += rows.make_rows(readers, phase.game, phase, kind, event, now, dict(about))

    def tell(self, game: Game, event: str, key: str, now: datetime, about: dict[str, Any]) -> None:
        """Add a notice for the game's channels (`games.outbox.notices`)."""
        self._notices += channels.make_rows(self._channels[game.pk], game, event, key, now, about)

    def __enter__(self) -> Outgoing:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None:
            self.write()

    def write(self) -> None:
        """Write everything collected, except rows whose key exists."""
        rows.write(self._letters)
        if self._notices:
            Notice.objects.bulk_create(self._notices, ignore_conflicts=True)
        self._letters, self._notices = [], []
