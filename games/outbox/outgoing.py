"""Collect letters and notices about games and write them in a few statements; one game is the
ordinary case of many.

with Outgoing([game]) as out:
    out.write_to_all(game, phase, "moved", f"moved-{change.pk}", now, about)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any

from games.models import Channel, Game, Letter, Notice, Phase, Seat, Sitting
from games.outbox import channel_events, notices, rows
from games.outbox.kinds import Kind
from games.outbox.rows import Reader


class Outgoing:
    """The readers and channels of these games, queried once when first needed, and what is written
    to them.

    A context manager that writes on a regular exit.
    """

    def __init__(self, games: Iterable[Game]) -> None:
        self._games = [game.pk for game in games]
        self._letters: list[Letter] = []
        self._notices: list[Notice] = []

    @cached_property
    def sittings(self) -> dict[int, list[Sitting]]:
        """All sittings by game, including former ones, in scenario order, with seats."""
        found: dict[int, list[Sitting]] = {pk: [] for pk in self._games}
        of_games = Sitting.objects.filter(seat__game__in=self._games)
        for sitting in of_games.select_related("person", "seat").order_by("seat__ordinal", "pk"):
            found[sitting.seat.game_id].append(sitting)
        return found

    @cached_property
    def _running(self) -> dict[int, list[Reader]]:
        found: dict[int, list[Reader]] = {pk: [] for pk in self._games}
        runs = Game.gamesmasters.through.objects.filter(
            game__in=self._games, person__is_active=True
        )
        for run in runs.select_related("person").order_by("person"):
            found[run.game_id].append(Reader(run.person))
        return found

    @cached_property
    def _channels(self) -> dict[int, list[Channel]]:
        found: dict[int, list[Channel]] = {pk: [] for pk in self._games}
        for channel in Channel.objects.filter(game__in=found, removed_at=None).order_by("pk"):
            if channel.game_id is not None:
                found[channel.game_id].append(channel)
        return found

    def gamesmasters(self, game: Game) -> list[Reader]:
        return [Reader(reader.person) for reader in self._running[game.pk]]

    def everybody(self, game: Game) -> list[Reader]:
        """Return every gamesmaster and every current player, each once."""
        return self._each_once(game, self.gamesmasters(game))

    def players(self, game: Game, seats: Iterable[Seat]) -> list[Reader]:
        """Return the current players of these seats, each once."""
        return self._each_once(game, (), {seat.pk for seat in seats})

    def _each_once(
        self, game: Game, running: Iterable[Reader], seats: Collection[int] | None = None
    ) -> list[Reader]:
        readers = {reader.person.pk: reader for reader in running}
        for sitting in self.sittings[game.pk]:
            wanted = seats is None or sitting.seat_id in seats
            if wanted and sitting.until is None and sitting.person.is_active:
                reader = readers.setdefault(sitting.person_id, Reader(sitting.person))
                reader.seats.append(sitting.seat_id)
        return list(readers.values())

    def write_to_all(
        self,
        game: Game,
        phase: Phase | None,
        kind: Kind,
        event: str,
        now: datetime,
        about: Mapping[str, Any],
    ) -> None:
        self.write_to(self.everybody(game), game, phase, kind, event, now, about)

    def write_to_gamesmasters(
        self,
        game: Game,
        phase: Phase | None,
        kind: Kind,
        event: str,
        now: datetime,
        about: Mapping[str, Any],
    ) -> None:
        self.write_to(self.gamesmasters(game), game, phase, kind, event, now, about)

    def write_to(
        self,
        readers: Iterable[Reader],
        game: Game,
        phase: Phase | None,
        kind: Kind,
        event: str,
        now: datetime,
        about: Mapping[str, Any],
    ) -> None:
        """Add a letter to each reader. `event` makes its key unique within the phase or game."""
        where = rows.place(game, phase)
        self._letters += [
            rows.row(
                f"{where}/{event}/person-{reader.person.pk}",
                kind,
                now,
                reader.person,
                game=game,
                phase=phase,
                about={**about, "seats": reader.seats},
            )
            for reader in readers
        ]

    def tell(self, game: Game, event: str, key: str, now: datetime, about: dict[str, Any]) -> None:
        """Add a notice to each channel of the game. `event` is one of `channel_events`; `key` makes
        the notice unique."""
        if game.public or channel_events.EVENTS[event].of_private_games:
            self._notices += notices.rows(
                self._channels[game.pk], event, f"game-{game.pk}/{key}", now, about
            )

    def __enter__(self) -> Outgoing:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None:
            self.write()

    def write(self) -> list[Letter]:
        """Write everything collected, except rows whose key exists. Return the letters that
        `rows.write` does not drop."""
        written = rows.write(self._letters)
        if self._notices:
            Notice.objects.bulk_create(self._notices, ignore_conflicts=True)
        self._letters, self._notices = [], []
        return written
