"""The calendar entry of a deadline: in the letters that announce, move or end it, and in a player's
own calendar (games.letters.feeds).

One phase is one entry, under one UID for everybody; each later word on it has a greater SEQUENCE. A
deadline that comes to nothing (undone, closed early, a game paused or given up) is published as
cancelled. Nothing stands there but what the letter itself says: which game, which phase, by when,
and pages that ask who is there.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from email.utils import parseaddr
from functools import lru_cache

from django.conf import settings

from games import permissions
from games.models import DeadlineChange, Letter, Person, Phase, Seat, Sitting
from games.rules.names import all_of
from games.timing import local_time, schedule
from gamesmaster import links, text

from . import ics
from .context import Batch, Context, Event
from .ics import Entry

logger = logging.getLogger(__name__)

#: Letters with the deadline of their phase in `about`.
ANNOUNCES = ("opened", "resumed", "rescheduled", "newcomer")
#: Letters after which nobody need wait for a deadline that was announced for later.
CLOSES = ("locked", "over")
SHORTEST = timedelta(minutes=10)


def organizer() -> str:
    return _address(settings.DEFAULT_FROM_EMAIL)


@lru_cache(maxsize=8)
def _address(said: str) -> str:
    return parseaddr(said)[1]


def of_letter(letter: Letter, batch: Batch | None = None) -> str | None:
    """The calendar that goes with a letter; None where it has none. A fault in it stops no
    letter."""
    try:
        found = _entries(Context(letter, batch or Batch.of([letter])))
    except Exception:
        logger.exception(
            "letter %s (%s) goes out without its calendar entry", letter.pk, letter.kind
        )
        return None
    return ics.calendar(found, organizer=organizer()) if found else None


def _entries(context: Context) -> list[Entry]:
    """Made of the same rows it is the same text: what was changed after the letter was written is
    left out."""
    letter = context.letter
    game, phase, about = letter.game, letter.phase, letter.about
    if game is None or letter.person is None:
        return []
    if letter.kind == "ruled":
        return _of_ruling(context)
    if letter.kind == "board":
        return _of_report(context)
    if phase is None:
        return _left(letter, context.event) if letter.kind == "left" else []
    told = None
    if letter.kind in ANNOUNCES and about.get("deadline"):
        told = (local_time.parse(about["deadline"]), False)
    elif letter.kind == "moved" or (letter.kind == "restored" and about.get("change")):
        told = (phase.deadline_changes.get(pk=about["change"]).new, False)
    elif (
        (letter.kind == "paused" and about.get("left") is not None)
        or letter.kind == "abandoned"
        or (letter.kind in CLOSES and is_closed_early(phase, context.event.changes(phase)))
    ):
        told = (announced_deadline(phase, context.event.changes(phase), letter.written_at), True)
    elif letter.kind == "left":
        return _left(letter, context.event)
    if told is None or told[0] >= schedule.STANDS or (told[1] and told[0] <= letter.written_at):
        return []
    entry = of_phase(
        context.event,
        phase,
        context.seats,
        letter.person,
        told[0],
        letter.written_at,
        cancelled=told[1],
    )
    return [entry] if entry else []


def _of_report(context: Context) -> list[Entry]:
    """The deadline that opens with a report, and one that was announced for later than its phase
    was closed."""
    event, phase, person = context.event, context.phase, context.letter.person
    assert person is not None
    at, seats = context.letter.written_at, context.seats
    found = []
    until = announced_deadline(phase, event.changes(phase), at)
    if is_closed_early(phase, event.changes(phase)) and at < until < schedule.STANDS:
        found.append(of_phase(event, phase, seats, person, until, at, cancelled=True))
    following = context.batch.phases.get(context.about.get("next") or 0)
    if following is not None and context.about.get("deadline") and not following.idle:
        until = local_time.parse(context.about["deadline"])
        found.append(of_phase(event, following, seats, person, until, at))
    return [entry for entry in found if entry is not None]


def _of_ruling(context: Context) -> list[Entry]:
    """After a rollback: what was undone is cancelled, what is open because of it is announced."""
    event, about, person = context.event, context.about, context.letter.person
    assert person is not None
    seats, at = context.seats, context.letter.written_at
    phases = context.batch.phases
    undone = [phases[pk] for pk in about.get("undone_phases", ()) if pk in phases]
    found = []
    for phase in sorted(undone, key=lambda phase: phase.number):
        until = announced_deadline(phase, event.changes(phase), at)
        if until > at:
            found.append(of_phase(event, phase, seats, person, until, at, cancelled=True))
    following = phases.get(about.get("next") or 0)
    if following is not None and about.get("deadline"):
        until = local_time.parse(about["deadline"])
        found.append(of_phase(event, following, seats, person, until, at))
    return [entry for entry in found if entry is not None]


def _left(letter: Letter, event: Event) -> list[Entry]:
    """Whose sitting has ended waits for no deadline of this game, unless he has another seat there,
    or runs it."""
    person, game, at = letter.person, event.game, letter.written_at
    assert person is not None
    if (
        Sitting.objects.current().filter(seat__game=game, person=person).exists()
        or game.gamesmasters.filter(pk=person.pk).exists()
    ):
        return []
    phase = (
        game.phases.filter(opened_at__lte=at, deadline__gt=at, deadline__lt=schedule.STANDS)
        .order_by("-number")
        .first()
    )
    if phase is None:
        return []
    phase.game = game
    event = Batch([game], [phase]).event(game)
    entry = of_phase(event, phase, (), person, phase.deadline, at, cancelled=True)
    return [entry] if entry else []


# --- one phase ---


def of_phase(
    event: Event,
    phase: Phase,
    seats: Sequence[Seat],
    person: Person,
    deadline: datetime,
    at: datetime,
    *,
    cancelled: bool = False,
) -> Entry | None:
    """The deadline of a phase for somebody who sits in these seats, as it stood at an instant.

    None where there is nothing for him to do by then: nobody acts in the phase, or none of his
    nations does. Who has no seat runs the game.
    """
    game = event.game
    acting = () if cancelled else game.rules.acting(event.state_in(phase))
    own = [nation for nation in _orders(phase, seats) if cancelled or nation in acting]
    if not cancelled and (not acting or (seats and not own)):
        return None
    title, when = text.one_line(game.title), local_time.in_words(deadline, person.zone, game.zone)
    for_whom = f" for {all_of(own)}" if own else ""
    summary = f"Orders{for_whom} are due: {phase.title} (“{title}”)"
    return Entry(
        uid=uid(phase),
        summary=summary,
        description=_described(
            event, seats, acting, f"Orders{for_whom} are due by {when}.", cancelled=cancelled
        ),
        begins=deadline,
        stamp=at,
        sequence=sequence(event, phase, at),
        cancelled=cancelled,
        link=links.link("game", game.pk),
        alarm=alarm(phase.opened_at, deadline),
    )


def _orders(phase: Phase, seats: Sequence[Seat]) -> list[str]:
    """Nations whose orders are the reader's to send: his own, then those that his own control in
    this phase (ow2.ally tables)."""
    own = [seat.nation for seat in seats]
    allies = permissions.nations_controlled(own, phase)
    return own + [nation for nation in phase.controllers if nation in allies and nation not in own]


def _described(
    event: Event, seats: Sequence[Seat], acting: Sequence[str], first: str, *, cancelled: bool
) -> str:
    game = event.game
    if cancelled:
        lines = ["This deadline no longer holds.", "The game:", links.link("game", game.pk)]
        return "\n".join(lines)
    lines = [first, f"Deadlines come {event.schedule}."]
    for seat in seats:
        if seat.nation in acting:
            lines.append(f"Orders for {seat.nation}: {links.link('orders', game.pk, seat.pk)}")
    return "\n".join([*lines, f"The game: {links.link('game', game.pk)}"])


def uid(phase: Phase) -> str:
    return f"game-{phase.game_id}.phase-{phase.number}@{settings.MAIL_DOMAIN}"


def sequence(event: Event, phase: Phase, at: datetime) -> int:
    """How often something had befallen this deadline by then: it moved, was closed early, or a
    ruling may have undone or restored it."""
    changes = event.changes(phase)
    moved = sum(change.changed_at <= at for change in changes)
    since = [one for one in event.rulings if phase.opened_at <= one.made_at <= at]
    ruled = sum(one.kind == "rollback" for one in since)
    revoked = sum(one.revokes is not None and one.revokes.kind == "rollback" for one in since)
    early = bool(phase.locked_at and phase.locked_at <= at and is_closed_early(phase, changes))
    return moved + ruled + revoked + early


def announced_deadline(phase: Phase, changes: Sequence[DeadlineChange], at: datetime) -> datetime:
    """The deadline that was last told to everybody before an instant: not that of a pause, and not
    “now”, by which orders are closed."""
    for change in reversed([one for one in changes if one.changed_at <= at]):
        old: datetime = change.old
        new: datetime = change.new
        if change.changed_at < new < schedule.STANDS:
            return new
        if old < schedule.STANDS:
            return old
    later = next((one for one in changes if one.changed_at > at), None)
    return phase.deadline if later is None else later.old


def is_closed_early(phase: Phase, changes: Sequence[DeadlineChange]) -> bool:
    """Whether orders were closed before the deadline that everybody had been told: all were final,
    or the gamesmaster closed them."""
    return phase.locked_at is not None and phase.locked_at < announced_deadline(
        phase, changes, phase.locked_at
    )


def alarm(opened: datetime, deadline: datetime) -> timedelta | None:
    """When a calendar speaks up: as the letter that reminds, two days before, or when three
    quarters of a shorter phase are over."""
    length = deadline - opened
    return min(timedelta(days=2), length / 4) if length >= SHORTEST else None
