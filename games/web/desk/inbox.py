"""A gamesmaster's open tasks, most urgent first, and what happens next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.urls import reverse

from games import market
from games.letters import printing
from games.models import (
    Game,
    Letter,
    Motion,
    Person,
    Phase,
    Seat,
    Sitting,
)
from games.positions import in_force
from games.press import complaints, conversations
from games.rules.names import all_of, count_of
from games.timing.local_time import in_words
from games.turns import figures, vacancies
from orders.models import Handling

#: Kinds of tasks, most urgent first. The rank of a game's first task orders the games on the desk.
HELD, REPORT, APPROVAL, FIGURES, QUESTIONS, LETTERS, SEATS, NOTHING = range(8)
UNDELIVERED = (Letter.Status.FAILED, Letter.Status.BOUNCED)


@dataclass(frozen=True)
class OpenTask:
    """A task that waits for the gamesmaster: its urgency, in words, and the page to do it."""

    rank: int
    words: str
    href: str


@dataclass(frozen=True)
class NextStep:
    """What happens next, as the start of a sentence; `at` is None if nothing happens by itself."""

    words: str
    at: datetime | None = None


@dataclass(frozen=True)
class Desk:
    """One game on the desk. `phase`: the one in play, None before the game begins and after it."""

    game: Game
    phase: Phase | None
    wants: tuple[OpenTask, ...]
    next: NextStep

    @property
    def rank(self) -> int:
        return self.wants[0].rank if self.wants else NOTHING

    @property
    def urgent(self) -> bool:
        return self.rank <= FIGURES


def desks_of(games: Iterable[Game], reader: Person, now: datetime) -> list[Desk]:
    """Return games' desks, ordered by urgency, then by what happens first; ended games last.

    `reader`: who looks; questions and reported letters that are not theirs to answer are left out,
    and instants are in their zone.
    """
    games = list(games)
    by_pk = {game.pk: game for game in games}
    phases = {
        phase.game_id: phase
        for phase in Phase.objects.filter(
            game__in=[game for game in games if not game.is_over]
        ).exclude(status__in=Phase.CLOSED)
    }
    for pk, open_phase in phases.items():
        open_phase.game = by_pk[pk]
    counts = _Counts(games, list(phases.values()), reader, now)
    desks = []
    for game in games:
        phase = phases.get(game.pk)
        desks.append(
            Desk(
                game,
                phase,
                tuple(_open_tasks(game, phase, counts, now)),
                next_step(game, phase, now),
            )
        )
    far = max((desk.next.at for desk in desks if desk.next.at), default=now)
    desks.sort(key=lambda desk: (desk.game.is_over, desk.rank, desk.next.at or far, -desk.game.pk))
    return desks


def undelivered(*games: Game) -> QuerySet[Letter]:
    """Return the letters of these games that could not be delivered."""
    return Letter.objects.filter(game__in=games, status__in=UNDELIVERED)


def _count_by_game(letters: QuerySet[Letter]) -> Counter[int]:
    rows = letters.order_by().values_list("game").annotate(number=Count("pk"))
    return Counter(dict(rows))


class _Counts:
    """Counts for all games at once, to save queries."""

    def __init__(
        self, games: Sequence[Game], phases: Sequence[Phase], reader: Person, now: datetime
    ) -> None:
        self.zone = reader.zone
        self.complaints = Counter(
            complaint.press.game_id for complaint in complaints.open_for(reader)
        )
        self.motions: dict[int, list[Motion]] = {}
        passed = Motion.objects.filter(game__in=games, closed_at=None, passed_at__isnull=False)
        for motion in passed.order_by("pk"):
            self.motions.setdefault(motion.game_id, []).append(motion)
        self.vacant: dict[int, list[tuple[Seat, int]]] = {}
        for seat, missed in vacancies.reported_seats([game for game in games if game.in_progress]):
            self.vacant.setdefault(seat.game_id, []).append((seat, missed))
        self.undelivered = _count_by_game(undelivered(*games))
        self.to_post = _count_by_game(printing.letters_to_post(*games))
        questions = conversations.unanswered_questions(games).filter(game__gamesmasters=reader)
        self.questions = Counter(questions.values_list("game", flat=True))
        self.mail = Counter(
            Handling.objects.filter(game__in=games, status=Handling.Status.HELD).values_list(
                "game", flat=True
            )
        )
        sat_in = Sitting.objects.current().filter(seat=OuterRef("pk"))
        empty = (
            Seat.objects.nations()
            .filter(game__in=games, bot=False, by_table=False)
            .exclude(Exists(sat_in))
            .order_by("ordinal")
        )
        self.empty: dict[int, list[str]] = {}
        for game, nation in empty.values_list("game", "nation"):
            self.empty.setdefault(game, []).append(nation)
        reminders = Letter.objects.filter(phase__in=phases, kind="overdue")
        overdue = set(reminders.values_list("phase", flat=True))
        waiting = (
            phase
            for phase in phases
            if phase.status == Phase.Status.DRAWING
            and phase.game.digit_source != market.GM_DICE
            and (phase.game.market == Game.Market.NEWSPAPER or phase.pk in overdue)
        )
        self.to_enter = figures.stocks_to_enter(waiting, now)


def _open_tasks(
    game: Game, phase: Phase | None, counts: _Counts, now: datetime
) -> Iterable[OpenTask]:
    desk = reverse("desk", args=[game.pk])
    if game.status == Game.Status.FORMING:
        empty = counts.empty.get(game.pk, [])
        people = reverse("desk-people", args=[game.pk])
        if empty:
            yield OpenTask(
                SEATS,
                f"{all_of(empty)} {'has' if len(empty) == 1 else 'have'} no player yet.",
                people,
            )
        else:
            yield OpenTask(APPROVAL, "Every seat is taken: the game can begin.", f"{desk}#next")
        return
    if phase is not None:
        yield from _phase_tasks(game, phase, counts, desk, now)
    if not game.is_over:
        for motion in counts.motions.get(game.pk, []):
            yield _veto_task(motion, counts.zone)
    if number := counts.questions[game.pk]:
        where = reverse("questions", args=[game.pk])
        yield OpenTask(
            QUESTIONS, f"{count_of(number, 'question')} of players without an answer.", where
        )
    if number := counts.complaints[game.pk]:
        yield OpenTask(QUESTIONS, f"{count_of(number, 'reported letter')}.", reverse("complaints"))
    if number := counts.mail[game.pk]:
        yield OpenTask(QUESTIONS, f"{count_of(number, 'message')} on hold for you.", f"{desk}#mail")
    if number := counts.undelivered[game.pk]:
        yield OpenTask(
            LETTERS, f"{count_of(number, 'letter')} could not be delivered.", f"{desk}#letters"
        )
    if number := counts.to_post[game.pk]:
        where = reverse("desk-paper", args=[game.pk])
        yield OpenTask(LETTERS, f"{count_of(number, 'letter')} to be printed and posted.", where)
    if (vacant := counts.empty.get(game.pk)) and not game.is_over:
        people = reverse("desk-people", args=[game.pk])
        yield OpenTask(SEATS, f"Nobody plays {all_of(vacant)}.", people)
    if silent := counts.vacant.get(game.pk):
        (first, missed), *more = silent
        words = f"has been silent for {count_of(missed, 'phase')} and counts as vacant"
        if more:
            words = "have been silent and count as vacant"
        yield OpenTask(
            SEATS,
            f"{all_of([seat.nation for seat, _ in silent])} {words}.",
            f"{reverse('desk-people', args=[game.pk])}#seat-{first.pk}",
        )


def _veto_task(motion: Motion, zone: str) -> OpenTask:
    until = f" until {in_words(motion.due_at, zone)}" if motion.due_at else ""
    return OpenTask(
        APPROVAL,
        f"The players voted for {motion.title}; you can veto it{until}.",
        f"{reverse('desk-times', args=[motion.game_id])}#votes",
    )


def _phase_tasks(
    game: Game, phase: Phase, counts: _Counts, desk: str, now: datetime
) -> Iterable[OpenTask]:
    if phase.status == Phase.Status.HELD:
        yield OpenTask(HELD, f"{phase.title} is on hold and needs you.", f"{desk}#held")
    elif in_force.is_report_owed(phase) and game.status == Game.Status.RUNNING:
        yield OpenTask(
            REPORT,
            f"Everybody waits for your report: {phase.title}.",
            reverse("referee", args=[game.pk]),
        )
    elif phase.status == Phase.Status.APPROVAL and not _is_released(phase, now):
        waits = "for your approval" if phase.due_at else "until you have placed the remaining PFs"
        yield OpenTask(
            APPROVAL,
            f"The result of {phase.title_within} waits {waits}.",
            reverse("desk-approval", args=[game.pk]),
        )
    elif phase.status == Phase.Status.DRAWING and game.digit_source == market.GM_DICE:
        yield OpenTask(
            FIGURES,
            f"Your dice decide {phase.title_within}: roll, and enter what they show.",
            f"{desk}#figures",
        )
    elif phase.pk in counts.to_enter:
        yield OpenTask(
            FIGURES,
            f"Sales figures of {phase.title_within} need to be entered.",
            f"{desk}#figures",
        )


def next_step(game: Game, phase: Phase | None, now: datetime) -> NextStep:
    """Return a sentence about what happens next, and the instant when it happens."""
    if game.status == Game.Status.FORMING:
        return NextStep(
            "The game begins when the last seat is taken."
            if game.starts_when_full
            else "The game begins when you start it."
        )
    if game.status == Game.Status.PAUSED:
        return NextStep("The game is paused.")
    if game.is_over or phase is None:
        return NextStep(
            "The game is over."
            if game.status == Game.Status.FINISHED
            else game.ending or "The game was abandoned."
        )
    if phase.status == Phase.Status.OPEN and not phase.has_deadline:
        return NextStep(
            (
                "Your report takes effect"
                if phase.due_at
                else "The game continues as soon as you have sent a report."
            ),
            phase.due_at,
        )
    if phase.status == Phase.Status.OPEN and phase.due_at is not None and phase.due_at <= now:
        return NextStep("Orders are closed. The phase is judged within a minute.")
    if phase.status == Phase.Status.OPEN:
        return NextStep(_deadline_sentence(game, phase), phase.due_at or phase.deadline)
    if phase.status == Phase.Status.HELD:
        return NextStep(f"{phase.title} is on hold until you resume it.")
    if phase.status == Phase.Status.APPROVAL:
        if phase.due_at is None:
            return NextStep(
                "The result is published once you have placed the remaining PFs, or when you"
                " publish it as it is."
            )
        if _is_released(phase, now):
            return NextStep(f"The result of {phase.title_within} is published within a minute.")
        return NextStep(f"The result of {phase.title_within} is published", phase.due_at)
    if phase.status == Phase.Status.DRAWING and phase.due_at is None:
        return NextStep("The result follows as soon as you have entered the figures it needs.")
    if phase.status == Phase.Status.DRAWING and game.digit_source == market.GM_DICE:
        return NextStep("The result follows as soon as you have entered your rolls.")
    if phase.status == Phase.Status.DRAWING:
        return NextStep("Orders are closed; the next reading of the sales is", phase.due_at)
    return NextStep("Orders are closed and the phase is being resolved", phase.due_at)


def _is_released(phase: Phase, now: datetime) -> bool:
    """Return whether a result that waited for approval is published with the next tick."""
    return phase.due_at is not None and phase.due_at <= now


def _deadline_sentence(game: Game, phase: Phase) -> str:
    action = (
        "the service reads the sales"
        if phase.draws and market.sales_decide(game)
        else "the phase is resolved"
    )
    waits = ", then the result waits for your approval" if game.approval_hours else ""
    early = " (or sooner, if every seat is final)" if game.may_lock_early else ""
    return f"Orders close{early} and {action}{waits}:"


def count_missed(
    seats: Iterable[Seat],
    phases: Sequence[Phase],
    sent: Iterable[tuple[int, str]],
    since: dict[str, datetime],
) -> dict[str, int]:
    """Return, by nation, how many of its last phases in a row its present player missed.

    Phases that a predecessor missed do not count. `sent` has the pairs of phase and nation with
    orders in force; a phase in which a nation had nothing to order counts neither way.
    """
    has_sent, by_nation = set(sent), {}
    played = [
        phase
        for phase in sorted(phases, key=lambda phase: -phase.number)
        if phase.locked_at and phase.status != Phase.Status.UNDONE
    ]
    for seat in seats:
        missed = 0
        for phase in played:
            if seat.nation in since and phase.deadline < since[seat.nation]:
                break
            if (phase.pk, seat.nation) in has_sent:
                break
            missed += seat.nation in phase.missed
        by_nation[seat.nation] = missed
    return by_nation
