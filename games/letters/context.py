"""The data of a letter: rows queried for several letters at once (`Batch`), data shared by the
letters of one game (`Event`), and a letter with its reader (`Context`).

A batch is read-only and lives only while its letters are rendered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from django.db.models import Prefetch, prefetch_related_objects

from games import permissions, positions
from games.evidence import record_rows
from games.models import (
    DeadlineChange,
    Figure,
    Game,
    Letter,
    Person,
    Phase,
    Reading,
    ReplyAddress,
    Resolution,
    Ruling,
    Seat,
    Sitting,
)
from games.outbox.kinds import Kind
from games.positions import owed
from games.rules import Board
from games.timing import local_time, schedule
from games.turns import witnessing
from orders.models import Submission

from . import in_doubt
from .environment import fill_in_part

Facts = dict[str, Any]
#: A function from a letter to the context of its templates.
Build = Callable[["Context"], Facts]
#: A function that returns why a letter should no longer be sent; "" if it should.
Outdated = Callable[[Letter, datetime], str]
#: By kind of letter (`games.letters.builders` has all of them).
BUILDERS: dict[str, Build] = {}
OUTDATED: dict[str, Outdated] = {}
Row = TypeVar("Row")


def builds(*kinds: Kind) -> Callable[[Build], Build]:
    """Make a function build the context of the letters of these kinds."""

    def register(build: Build) -> Build:
        BUILDERS.update((kind.id, build) for kind in kinds)
        return build

    return register


def outdated(kind: Kind) -> Callable[[Outdated], Outdated]:
    """Make a function decide whether a letter of this kind should no longer be sent, such as a
    reminder of a phase that has closed."""

    def register(why: Outdated) -> Outdated:
        OUTDATED[kind.id] = why
        return why

    return register


@dataclass(frozen=True)
class Part:
    """A rendered part of a letter, as text and as HTML, for use in other templates."""

    text: str
    html: str


class Batch:
    """The rows of these games and phases. Each kind is queried when first needed, in one query for
    all games.

    `more_phases` and `resolutions` are ids of rows needed in addition to `phases`.
    """

    def __init__(
        self,
        games: Iterable[Game],
        phases: Iterable[Phase] = (),
        more_phases: Iterable[int] = (),
        resolutions: Iterable[int] = (),
        readers: Iterable[tuple[int, int]] = (),
    ) -> None:
        self._events = {game.pk: Event(game, self) for game in games}
        self._given = {phase.pk: phase for phase in phases}
        self._more_phases, self._resolutions = set(more_phases), set(resolutions)
        self._readers = set(readers)
        self._positions: dict[int, Any] = {}

    @classmethod
    def for_letters(cls, letters: Iterable[Letter]) -> Batch:
        """Return the batch for letters that are rendered together. Each must have its game and
        phase loaded."""
        games: dict[int, Game] = {}
        phases: dict[int, Phase] = {}
        more, resolutions, readers = set(), set(), set()
        for letter in letters:
            game, phase, about = letter.game, letter.phase, letter.about
            if game is None:
                continue
            games.setdefault(game.pk, game)
            if phase is not None:
                phases.setdefault(phase.pk, phase)
            more |= {about.get("next"), *(about.get("undone_phases") or ())} - {None}
            pks = (about.get(name) for name in ("resolution", "position", "before", "after"))
            resolutions |= {pk for pk in pks if isinstance(pk, int)} | {*about.get("earlier", ())}
            if letter.person_id is not None:
                readers.add((game.pk, letter.person_id))
        return cls(games.values(), phases.values(), more - phases.keys(), resolutions, readers)

    def event(self, game: Game) -> Event:
        return self._events[game.pk]

    @cached_property
    def phases(self) -> dict[int, Phase]:
        """Phases by id; ids that do not exist are left out."""
        phases_by_id = dict(self._given)
        if self._more_phases:
            phases_by_id |= Phase.objects.in_bulk(self._more_phases)
        for phase in phases_by_id.values():
            phase.game = self._events[phase.game_id].game  # a game's scenario is long: load it once
        return phases_by_id

    @cached_property
    def resolutions(self) -> dict[int, Resolution]:
        resolutions_by_id = Resolution.objects.in_bulk(self._resolutions)
        others = {row.phase_id for row in resolutions_by_id.values()} - self.phases.keys()
        phases = self.phases | (Phase.objects.in_bulk(others) if others else {})
        for resolution in resolutions_by_id.values():
            resolution.phase = phases[resolution.phase_id]
            resolution.phase.game = self._events[resolution.phase.game_id].game
        return resolutions_by_id

    def position_after(self, resolution: int) -> Any:
        """Return the position after a resolution, as it is stored. Raise `KeyError`.

        Positions from which phases start are read for all games at once.
        """
        if resolution in self.resolutions:
            return self.resolutions[resolution].after
        if resolution not in self._positions:
            starts = {pk for pk in self.played_from.values() if pk is not None}
            missing = {resolution, *starts} - self.resolutions.keys()
            rows = Resolution.objects.filter(pk__in=missing)
            self._positions |= dict(rows.values_list("pk", "after"))
        return self._positions[resolution]

    @cached_property
    def seats(self) -> dict[int, list[Seat]]:
        """Seats by game, in scenario order."""
        rows = list(Seat.objects.filter(game__in=self._events).order_by("ordinal"))
        for seat in rows:
            seat.game = self._events[seat.game_id].game
        return _rows_by_key(self._events, rows, lambda seat: seat.game_id)

    @cached_property
    def players(self) -> dict[int, list[Person]]:
        """Present players by seat, in the order in which they sat down."""
        rows = Sitting.objects.current().filter(seat__game__in=self._events)
        people: dict[int, list[Person]] = {}
        for sitting in rows.select_related("person").order_by("pk"):
            people.setdefault(sitting.seat_id, []).append(sitting.person)
        return people

    @cached_property
    def rulings(self) -> dict[int, list[Ruling]]:
        """Rulings by game, ordered by number."""
        rows = Ruling.objects.filter(game__in=self._events).select_related("revokes")
        return _rows_by_key(self._events, rows.order_by("number"), lambda ruling: ruling.game_id)

    @cached_property
    def changes(self) -> dict[int, list[DeadlineChange]]:
        """Deadline changes by phase."""
        rows = DeadlineChange.objects.filter(phase__in=self.phases).order_by("pk")
        return _rows_by_key(self.phases, rows, lambda change: change.phase_id)

    @cached_property
    def figures(self) -> dict[int, list[Figure]]:
        """Figures by phase, ordered by symbol."""
        figures = Figure.objects.order_by("symbol")
        prefetch_related_objects(list(self.phases.values()), Prefetch("figures", figures))
        return {pk: list(phase.figures.all()) for pk, phase in self.phases.items()}

    @cached_property
    def readings(self) -> dict[int, list[Reading]]:
        """All readings of its stocks, by phase."""
        return record_rows.readings_of(list(self.phases.values()), self.figures)

    @cached_property
    def in_doubt(self) -> dict[int, list[Submission]]:
        """Orders in doubt that counted at the deadline, or did not, by phase."""
        rows = in_doubt.at_deadline(self.phases)
        return _rows_by_key(self.phases, rows, lambda row: row.phase_id)

    @cached_property
    def played_from(self) -> dict[int, int | None]:
        """The resolution whose position a phase starts from, by phase; None for the start of the
        game."""
        before = [phase.previous_id for phase in self.phases.values() if phase.previous_id]
        rows = Resolution.objects.filter(phase__in=before).order_by("version")
        newest = dict(rows.values_list("phase", "pk")) if before else {}
        return {pk: newest.get(phase.previous_id) for pk, phase in self.phases.items()}

    @cached_property
    def run(self) -> set[tuple[int, int]]:
        """Pairs of game and person for readers who run the game."""
        running = Game.gamesmasters.through.objects.filter(game__in=self._events)
        return set(running.values_list("game_id", "person_id")) & self._readers

    @cached_property
    def reply_addresses(self) -> dict[tuple[int, int], ReplyAddress]:
        """Reply addresses by game and person; readers who never had one are left out."""
        rows = ReplyAddress.objects.filter(game__in=self._events, ended_at=None)
        rows = rows.filter(person__in={person for _, person in self._readers})
        return {(row.game_id, row.person_id): row for row in rows}

    @cached_property
    def only_run(self) -> set[tuple[int, int]]:
        """Pairs of game and person for readers who run the game and have no seat in it."""
        runs = self.run
        if not runs:
            return runs
        sitting = Sitting.objects.current().filter(seat__game__in=self._events)
        sits = sitting.filter(person__is_active=True, person__in={person for _, person in runs})
        return runs - set(sits.values_list("seat__game_id", "person_id"))


@dataclass
class Event:
    """Data shared by the letters of one game: each position is loaded, and each board table
    rendered, once for all readers."""

    game: Game
    batch: Batch
    #: The public part of a result, by resolution, time of writing and zone (`letters.reports`).
    results: dict[tuple[int, datetime, str], Facts] = field(default_factory=dict)
    #: Rendered boards (`games.letters.common`); most readers see the same one.
    boards: list[tuple[Board, Facts]] = field(default_factory=list)
    _parts: list[tuple[str, Facts, Part]] = field(default_factory=list)
    _restated: dict[tuple[int, datetime], dict[str, str]] = field(default_factory=dict)
    _after: dict[int | None, Any] = field(default_factory=dict)
    _asked: dict[int | None, tuple[str, ...]] = field(default_factory=dict)
    _before: dict[int, Any] = field(default_factory=dict)

    @cached_property
    def seats(self) -> list[Seat]:
        return self.batch.seats[self.game.pk]

    def part(self, name: str, facts: Facts) -> Part:
        """Render the templates of a part, such as `mail/_happened`, once for all readers with the
        same context: rendering takes longer than comparing."""
        for known_name, known_facts, part in self._parts:
            if known_name == name and known_facts == facts:
                return part
        part = Part(fill_in_part(f"{name}.txt", facts), fill_in_part(f"{name}.html", facts))
        self._parts.append((name, facts, part))
        return part

    @property
    def rulings(self) -> list[Ruling]:
        return self.batch.rulings[self.game.pk]

    @cached_property
    def schedule(self) -> str:
        """When deadlines come, in words."""
        return schedule.in_words(self.game.schedule, self.game.zone)

    def changes(self, phase: Phase) -> list[DeadlineChange]:
        return self.batch.changes[phase.pk]

    def restatements_by_symbol(self, phase: Phase, at: datetime) -> dict[str, str]:
        """Return, by symbol, other figures for a phase that publishers had reported by `at`."""
        if (phase.pk, at) not in self._restated:
            rows = self.batch.readings.get(phase.pk, ())
            restatements = witnessing.restatements(phase, at, rows)
            self._restated[phase.pk, at] = {
                symbol: str(text) for symbol, text in restatements.items()
            }
        return self._restated[phase.pk, at]

    def resolution(self, pk: int) -> Resolution:
        """Return a resolution with its phase and game. Raise `Resolution.DoesNotExist`."""
        resolutions = self.batch.resolutions
        # An id that `Batch.for_letters` does not find in `about` (games.letters.answers).
        if pk not in resolutions:
            resolutions[pk] = Resolution.objects.select_related("phase").get(pk=pk)
            resolutions[pk].phase.game = self.game
        return resolutions[pk]

    def state_after(self, resolution: int | None) -> Any:
        """Return the position after a resolution; for None, the start of the game."""
        if resolution not in self._after:
            position = (
                positions.start_position(self.game)
                if resolution is None
                else self.batch.position_after(resolution)
            )
            self._after[resolution] = self.game.load(position)
        return self._after[resolution]

    def asked_after(self, resolution: int | None) -> tuple[str, ...]:
        """Return the nations that are asked for orders in that position (`owed.asked_nations`)."""
        if resolution not in self._asked:
            self._asked[resolution] = owed.asked_nations(self.game, self.state_after(resolution))
        return self._asked[resolution]

    def state_before(self, resolution: Resolution) -> Any:
        """Return the position before a resolution."""
        if resolution.pk not in self._before:
            self._before[resolution.pk] = self.game.load(resolution.before)
        return self._before[resolution.pk]

    def asked_in(self, phase: Phase) -> tuple[str, ...]:
        """Return the nations that are asked for orders in a phase."""
        return self.asked_after(self.batch.played_from[phase.pk])


@dataclass(frozen=True)
class Context:
    """A letter that is being rendered, with its reader."""

    letter: Letter
    batch: Batch

    @cached_property
    def about(self) -> dict[str, Any]:
        about: dict[str, Any] = self.letter.about
        return about

    @cached_property
    def game(self) -> Game:
        assert self.letter.game is not None, f"a letter of kind {self.letter.kind} has a game"
        return self.letter.game

    @cached_property
    def phase(self) -> Phase:
        assert self.letter.phase is not None, f"a letter of kind {self.letter.kind} has a phase"
        return self.letter.phase

    @cached_property
    def event(self) -> Event:
        return self.batch.event(self.game)

    @property
    def knows_names(self) -> bool:
        """Whether the reader may learn who plays which nation."""
        reader = self.letter.person
        return reader is None or permissions.sees_names(reader, self.game)

    @property
    def open_phase(self) -> str:
        """The short title of the phase whose deadline the letter names; "" if it names none."""
        phase = self.letter.phase
        return phase.short_title if phase is not None and "deadline" in self.about else ""

    @cached_property
    def seats(self) -> list[Seat]:
        """The seats for which the reader gets the letter."""
        seat_ids = self.about.get("seats", ())
        return [seat for seat in self.event.seats if seat.pk in seat_ids] if seat_ids else []

    @cached_property
    def plays(self) -> bool:
        """Whether the reader plays. A reader who only runs the game is not told how to order."""
        letter = self.letter
        if letter.game is None or letter.person is None or self.about.get("seats"):
            return True
        return (letter.game.pk, letter.person.pk) not in self.batch.only_run

    def ordering(self, phase: Phase) -> list[Seat]:
        """Return the seats whose orders the reader sends in a phase: their own, then the allies
        that these control in it."""
        own = self.seats
        allies = permissions.controlled_nations((seat.nation for seat in own), phase)
        return own + [seat for seat in self.event.seats if seat.nation in allies]

    @property
    def zone(self) -> str:
        """The reader's zone; the game's for a reader who has no account yet."""
        letter = self.letter
        return letter.person.zone if letter.person else letter.game.zone if letter.game else "UTC"

    def describe_instant(self, instant: datetime) -> str:
        """Return an instant in the reader's zone, with its name."""
        return local_time.brief(instant, self.zone, self.letter.written_at)

    def describe_session(self, label: str) -> str:
        """Return “the session of Fri 4 Dec”, by the label of a session."""
        return local_time.session(label, self.letter.written_at)

    def short_instant(self, instant: datetime) -> str:
        """Return an instant in the reader's zone, for a subject."""
        return local_time.short(instant, self.zone)


def _rows_by_key(
    keys: Iterable[int], rows: Iterable[Row], key: Callable[[Row], int]
) -> dict[int, list[Row]]:
    groups: dict[int, list[Row]] = {pk: [] for pk in keys}
    for row in rows:
        groups[key(row)].append(row)
    return groups
