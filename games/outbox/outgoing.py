"""Collect letters and notices about games and write them in a few statements; one game is the
ordinary case of many.

with Outgoing([game]) as out:
    out.write_to_all(game, phase, "moved", f"moved-{change.pk}", now, about)
"""

from __future__ import annotations

from collections import defaultdict
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
        self._dropped: list[int] = []
        self._reports: dict[datetime, dict[tuple[int, int | None], list[Letter]]] = {}

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

    def reports_since(self, since: datetime) -> dict[tuple[int, int | None], list[Letter]]:
        """Return the reports on these games written since an instant, by game and person."""
        if since not in self._reports:
            found = self._reports[since] = defaultdict(list)
            # a game's report is a letter of this kind (`messages.game_letters`)
            rows = Letter.objects.filter(game__in=self._games, kind="board", written_at__gt=since)
            for letter in rows.defer("text", "html").order_by("pk"):
                if letter.game_id is not None:
                    found[letter.game_id, letter.person_id].append(letter)
        return self._reports[since]

    def nations(self, game: Game, reader: Reader) -> list[str]:
        """Return the nations of the seats that a reader has now."""
        seats = {sitting.seat_id: sitting.seat.nation for sitting in self.sittings[game.pk]}
        return [seats[seat] for seat in reader.seats]

    def drop(self, letters: Iterable[Letter]) -> None:
        """Take back letters that wait, because another one says what they say. One that a worker
        has begun to send goes out too: better twice than not at all."""
        self._dropped += [letter.pk for letter in letters]

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
        *,
        due: datetime | None = None,
    ) -> None:
        """Add a letter to each reader. `event` makes its key unique within the phase or game. It
        waits until `due`, if that is given."""
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
                due=due,
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
        if self._dropped:
            waiting = Letter.objects.filter(pk__in=self._dropped, status=Letter.Status.QUEUED)
            waiting.delete()
        if self._notices:
            Notice.objects.bulk_create(self._notices, ignore_conflicts=True)
        self._letters, self._notices, self._dropped = [], [], []
        return written
