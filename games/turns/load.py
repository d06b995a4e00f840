"""Load phases that are due, in a fixed number of queries for any number of phases."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import partial
from types import MappingProxyType
from typing import Any

from django.conf import settings
from django.db.models import Max, Prefetch

from games import market, positions
from games.evidence import hashes, record_rows
from games.models import Act, Figure, Game, Phase, Reading, Resolution, Ruling, Seat, Sitting
from games.outbox.outgoing import Outgoing
from games.positions import in_force, unread
from games.rules import REFEREE_SEAT, doubts, rulings
from games.rules.rulings import JudgedPhase
from games.rules.teams import OrdersInForce
from games.seats import days_off, teams
from games.timing import schedule
from games.turns import judging, running_times, ways_in
from games.turns.judging import Case
from games.turns.lifecycle import ACTIVE
from orders.models import Submission

#: How long a lock waits for unread mail that arrived in time.
MAIL_PATIENCE = timedelta(seconds=30)
#: A message received at the last instant is on the disk after this, at the latest; no lock comes
#: earlier.
MAIL_KEPT_WITHIN = timedelta(seconds=2)
#: How far back closures are read: no session is older than its phase's lock.
CLOSURES_SINCE = timedelta(days=60)
#: The columns of a submission that decide which one is in force.
DECIDES = (
    "phase", "seat", "number", "received_at", "text", "edition", "understood", "final", "member",
    "late", "counts", "salt", "channel",
)  # fmt: skip


@dataclass(frozen=True)
class Judgment:
    """The result of judging a phase, with its inputs."""

    case: Case
    volumes: dict[str, int | None]
    judged: JudgedPhase


@dataclass
class Chain:
    """The end of a game's ledger: the newest number and hash, and the last number by seat."""

    number: int
    last_hash: str
    seat_numbers: dict[int, int]


@dataclass
class Due:
    """A phase that is due, with the inputs of its judgment.

    After `load` it also has everything needed to decide and write its next step.
    """

    phase: Phase
    case: Case
    stands: Mapping[str, OrdersInForce] = field(default_factory=dict)  # orders in force, by nation
    seats: Sequence[Seat] = ()
    teams: dict[str, list[int]] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)
    volumes: dict[str, int | None] = field(default_factory=dict)  # of stocks that have settled
    closes: datetime | None = None  # until when orders count
    judged: Judgment | None = None  # the last judgment
    # Only `load` sets the fields below.
    sittings: Sequence[Sitting] = ()  # of the game, including former ones
    head: str = ""  # of an open phase: the hash of the newest submission that came in time
    received: datetime | None = None  # and when the latest of these arrived
    questions: Sequence[doubts.Sent] = ()  # what is in doubt, and what settles it
    chain: Chain | None = None  # the end of the ledger, where something is in doubt
    entered: list[Submission] = field(default_factory=list)  # to be saved with the lock
    mail_unread: bool = False
    way_shut: bool = False  # orders may be on their way that cannot come in
    released: bool = False  # the gamesmaster has approved the result
    readings: list[Reading] = field(default_factory=list)
    number: int = 0  # of the game's newest phase
    newest_entry: hashes.Newest = hashes.NONE_YET
    blocked: schedule.IsBlocked = bool
    closed: Collection[date] = ()  # days on which the game's exchange does not open

    @classmethod
    def bare(cls, phase: Phase) -> Due:
        """Return a phase with nothing loaded, for a step that needs nothing."""
        return cls(phase, Case(phase, {}, {}, {}, (), 0))

    @property
    def game(self) -> Game:
        return self.phase.game

    def judge(self) -> JudgedPhase:
        """Judge the phase (`Case.judge`), unless it was last judged from the same inputs."""
        last = self.judged
        if last is None or (last.case, last.volumes) != (self.case, self.volumes):
            judged = self.case.judge(market.Figures(self.volumes))
            self.judged = last = Judgment(self.case, dict(self.volumes), judged)
        return last.judged

    @property
    def state(self) -> Any:
        """Return the ruleset's state in which the phase is played."""
        return self.case.state


def take(ids: Collection[int], token: str) -> list[Phase]:
    """Lock the rows of the phases that this token still holds; return them with their games.

    Games are locked first, in order of their ids.
    """
    seats = Prefetch("seats", Seat.objects.order_by("ordinal"))
    in_play = Phase.objects.filter(pk__in=ids).values("game")
    games = Game.objects.select_for_update(no_key=True).filter(pk__in=in_play).order_by("pk")
    games_by_pk = {game.pk: game for game in games.prefetch_related(seats)}
    phases = Phase.objects.select_for_update()
    held = list(phases.filter(pk__in=ids, claim=token, status__in=ACTIVE).order_by("game", "pk"))
    for phase in held:
        phase.game = games_by_pk[phase.game_id]
    return held


def read(ids: Collection[int], token: str) -> list[Phase]:
    """Return the phases that this token still holds, each with its game, without locks."""
    seats = Prefetch("game__seats", Seat.objects.order_by("ordinal"))
    phases = Phase.objects.filter(pk__in=ids, claim=token, status__in=ACTIVE)
    related = phases.select_related("game").prefetch_related(seats)
    return list(related.order_by("game", "pk"))


def load(
    phases: Sequence[Phase], out: Outgoing, now: datetime, known: Mapping[int, Due]
) -> list[Due]:
    """Load all that the next step of these phases needs; the phases are of different games.

    `known`: those of them that `load_due` loaded before, by id.
    """
    ids = [phase.pk for phase in phases]
    games = [phase.game for phase in phases]
    pks = [game.pk for game in games]
    due_phases = load_due(phases, out.sittings, known)
    figures = {due.phase.pk: due.figures for due in due_phases}
    is_open = [phase for phase in phases if phase.locked_at is None]
    in_time = _newest_in_time([phase.pk for phase in is_open])
    questions = in_force.questions(is_open)
    chains = _chains([phase.game_id for phase in is_open if phase.pk in questions])
    readings = record_rows.readings_of([due.phase for due in due_phases if due.figures], figures)
    mail = unread.arrivals(pks, now)
    ways = ways_in.look(now)
    absences = days_off.announced_absences(games)
    closures = market.closures((now - CLOSURES_SINCE).date())
    entries = hashes.newest_entries(pks)
    numbers = dict(
        Phase.objects.filter(game__in=pks)
        .order_by()
        .values("game")
        .annotate(newest=Max("number"))
        .values_list("game", "newest")
    )
    released = set(
        Act.objects.filter(phase__in=ids, kind="released").values_list("phase_id", flat=True)
    )
    for due in due_phases:
        phase, game = due.phase, due.game
        due.sittings = out.sittings[game.pk]
        seated = {sitting.person_id for sitting in due.sittings if sitting.until is None}
        due.head, due.received = in_time.get(phase.pk, ("", None))
        due.questions = questions.get(phase.pk, ())
        due.chain = chains.get(game.pk)
        due.mail_unread = _waits_for_mail(due, mail, now)
        due.released = phase.pk in released
        due.way_shut = _is_way_shut(due, ways, now)
        due.readings = readings.get(phase.pk, [])
        due.number = numbers[game.pk]
        due.newest_entry = entries.get(game.pk, hashes.NONE_YET)
        due.blocked = days_off.day_blocker_for(game, absences[game.pk], seated)
        due.closed = closures.get(market.exchange_of(game), ())
    return due_phases


def load_due(
    phases: Sequence[Phase],
    sittings: Mapping[int, Sequence[Sitting]] | None = None,
    known: Mapping[int, Due] = MappingProxyType({}),
    ruled: Mapping[int, Sequence[rulings.Ruling]] | None = None,
) -> list[Due]:
    """Load the inputs of the judgments of these phases.

    `sittings`: by game, required where a phase is open; the lock stores the teams. `known`: phases
    loaded before, by id; of a locked phase only the figures have changed since, unless there was a
    ruling. `ruled`: the rulings so far, by game, if the caller has them; with them come the texts
    of all submissions, which a ruling may put in force.
    """
    # An open phase has none.
    figures = record_rows.figures_of(phase for phase in phases if phase.locked_at is not None)
    due_phases = [
        _refresh(known[phase.pk], phase, figures[phase.pk])
        for phase in phases
        if phase.pk in known and _is_current(known[phase.pk], phase)
    ]
    known_pks = {due.phase.pk for due in due_phases}
    phases = [phase for phase in phases if phase.pk not in known_pks]
    seats = {phase.pk: list(phase.game.seats.all()) for phase in phases}
    results = _results_before(phases)
    # Receipts and senders decide nothing.
    rows = in_force.deciding(phases, Submission.objects.only(*DECIDES))
    if ruled is None:
        ruled = _rulings([phase.game_id for phase in phases if phase.game.last_ruling])
    ruled_texts = judging.ruled_submissions([phase for phase in phases if phase.game_id in ruled])
    for phase in phases:
        game, seats_by_pk = phase.game, {seat.pk: seat for seat in seats[phase.pk]}
        for row in rows[phase.pk]:
            row.seat = seats_by_pk[row.seat_id]
        teams_of_phase = dict(phase.teams)
        if phase.locked_at is None:
            current = teams.teams_of_seats(seats[phase.pk], (sittings or {})[game.pk])
            teams_of_phase = teams.add_allies(current, phase)
        versions = results.get(phase.previous_id or 0)
        position = versions[-1][1] if versions else positions.start_position(game)
        read_in = (
            positions.at_lock(versions, phase.locked_at)
            if versions and phase.locked_at is not None
            else position
        )
        stands = in_force.combine(
            phase, rows[phase.pk], teams_of_phase, partial(game.load, read_in)
        )
        due_phases.append(
            Due(
                phase=phase,
                case=Case(
                    phase=phase,
                    position=position,
                    sent={nation: item.judged for nation, item in stands.items()},
                    submissions=ruled_texts.get(phase.pk, {}),
                    rulings=rulings.rulings_on(ruled.get(game.pk, []), phase.number),
                    after_ruling=game.last_ruling,
                ),
                stands=stands,
                seats=seats[phase.pk],
                teams=teams_of_phase,
                figures=figures.get(phase.pk, []),
                volumes={item.symbol: item.volume for item in figures.get(phase.pk, ())},
                closes=_closing_time(phase, stands, rows[phase.pk]),
            )
        )
    return due_phases


def _is_current(known: Due, phase: Phase) -> bool:
    """Return whether the orders and rulings loaded for a phase are still the current ones."""
    return phase.locked_at is not None and (
        (known.phase.locked_at, known.case.after_ruling)
        == (phase.locked_at, phase.game.last_ruling)
    )


def _refresh(known: Due, phase: Phase, figures: list[Figure]) -> Due:
    return replace(
        known,
        phase=phase,
        case=replace(known.case, phase=phase),
        seats=list(phase.game.seats.all()),
        figures=figures,
        volumes={figure.symbol: figure.volume for figure in figures},
    )


def _results_before(
    phases: Sequence[Phase],
) -> dict[int, list[tuple[datetime, dict[str, Any]]]]:
    """Return when each version of the predecessors' results was made, and the position after it.

    By the predecessor's id, in order.
    """
    previous = [phase.previous_id for phase in phases if phase.previous_id]
    rows = Resolution.objects.filter(phase__in=previous).order_by("version")
    results: dict[int, list[tuple[datetime, dict[str, Any]]]] = {}
    for phase, made, after in rows.values_list("phase_id", "resolved_at", "after"):
        results.setdefault(phase, []).append((made, after))
    return results


def _newest_in_time(phases: Sequence[int]) -> dict[int, tuple[str, datetime]]:
    """Return the newest hash and the latest arrival of the submissions in time, by phase.

    A CANCEL counts too.
    """
    newest: dict[int, tuple[str, datetime]] = {}
    rows = Submission.objects.filter(phase__in=phases, late=False).order_by("number")
    for phase, own_hash, received in rows.values_list("phase", "hash", "received_at"):
        last = newest[phase][1] if phase in newest else received
        newest[phase] = own_hash, max(received, last)
    return newest


def _chains(games: Sequence[int]) -> dict[int, Chain]:
    """Return the end of each game's ledger."""
    chains: dict[int, Chain] = {}
    if not games:
        return chains
    rows = Submission.objects.filter(game__in=games).order_by("number")
    for game, number, own_hash, seat, seat_number in rows.values_list(
        "game", "number", "hash", "seat", "seat_number"
    ):
        chain = chains.setdefault(game, Chain(0, "", {}))
        chain.number, chain.last_hash = number, own_hash
        chain.seat_numbers[seat] = seat_number
    return chains


def _rulings(games: Sequence[int]) -> dict[int, list[rulings.Ruling]]:
    by_game: dict[int, list[rulings.Ruling]] = {game: [] for game in games}
    rows = Ruling.objects.filter(game__in=games).order_by("number")
    for game, *ruling in rows.values_list("game", *judging.RULING):
        by_game[game].append(rulings.Ruling(*ruling))
    return by_game


def _closing_time(
    phase: Phase, stands: Mapping[str, OrdersInForce], rows: Sequence[Submission]
) -> datetime:
    """Return until when orders count: the deadline with grace, or the end of the report's hours."""
    if phase.has_deadline:
        return phase.closes_at
    report = stands.get(REFEREE_SEAT)
    if report is None:
        return phase.opened_at
    received = next(row.received_at for row in rows if row.number == report.number)
    return received + timedelta(hours=0 if report.final else phase.game.report_hours)


def _is_way_shut(due: Due, ways: ways_in.WaysIn, now: datetime) -> bool:
    """Return whether something that would count may be unable to come in.

    It is orders before a deadline, or else what the gamesmaster has hours for: a correction of a
    report, a ruling on a result that waits for approval.
    """
    phase = due.phase
    if phase.status == Phase.Status.OPEN and phase.has_deadline:
        return phase.closes_at <= now and ways.must_wait(phase.opened_at, phase.closes_at, now)
    report = due.stands.get(REFEREE_SEAT)
    reported_at = None
    if report is not None and not report.final and due.closes is not None:
        reported_at = due.closes - timedelta(hours=phase.game.report_hours)
    hours = running_times.hours_of(phase, reported_at, due.released)
    return hours is not None and hours.end <= now and ways.must_wait(hours.start, hours.end, now)


def _waits_for_mail(due: Due, mail: Sequence[tuple[int | None, datetime]], now: datetime) -> bool:
    """Return whether the lock must wait, briefly, for mail that arrived in time and is unread."""
    closes = due.closes
    assert closes is not None
    if settings.MAIL_IN and closes <= now < closes + MAIL_KEPT_WITHIN:
        return True
    return now < closes + MAIL_PATIENCE and any(
        game in (None, due.phase.game_id) and arrived <= min(now, closes) for game, arrived in mail
    )
