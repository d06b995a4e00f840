"""Calendar entries of deadlines, in letters that announce, move or cancel one, and in a player's
own calendar (games.letters.feeds).

A phase is one entry with one UID for everybody; each update has a greater SEQUENCE. A deadline that
no longer holds (undone, closed early, game paused or abandoned) is published as cancelled. An entry
contains only what the letter says: game, phase, deadline, and links to pages that require a login.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from email.utils import parseaddr
from typing import Any

from django.conf import settings
from icalendar import Alarm, Calendar, vDuration
from icalendar import Event as Entry

from games import permissions
from games.base import links, text
from games.models import DeadlineChange, Letter, Person, Phase, Seat, Sitting
from games.outbox.messages import KINDS
from games.rules.names import all_of
from games.timing import local_time, schedule

from .context import Batch, Context, Event

logger = logging.getLogger(__name__)

SHORTEST = timedelta(minutes=10)
#: Octets in a content line, with the first of its line end (RFC 5545, 3.1).
LONGEST_LINE = 75
PRODUCT = "-//Gamesmaster//play by mail//EN"
#: Characters that calendar programs take for a line end or fail on.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0085\u2028\u2029]+")


def letter_calendar(letter: Letter, batch: Batch | None = None) -> str | None:
    """Return the calendar to attach to a letter, or None. An error is only logged: it must not stop
    the letter."""
    try:
        calendar_entries = _entries(Context(letter, batch or Batch.for_letters([letter])))
    except Exception:
        logger.exception(
            "letter %s (%s) goes out without its calendar entry", letter.pk, letter.kind
        )
        return None
    return as_text(calendar_entries) if calendar_entries else None


def _entries(context: Context) -> list[Entry]:
    """Return the calendar entries of a letter. The same rows give the same entries: changes made
    after the letter was written are ignored."""
    letter = context.letter
    game, phase, about = letter.game, letter.phase, letter.about
    if game is None or letter.person is None:
        return []
    if letter.kind == "ruled":
        return _ruling_entries(context)
    if letter.kind == "board":
        return _report_entries(context)
    if phase is None:
        return _departure_entries(letter, context.event) if letter.kind == "left" else []
    published, kind = None, KINDS[letter.kind]
    if kind.announces and about.get("deadline"):
        published = (local_time.parse(about["deadline"]), False)
    elif about.get("change"):
        published = (phase.deadline_changes.get(pk=about["change"]).new, False)
    elif (
        (letter.kind == "paused" and about.get("left") is not None)
        or letter.kind == "abandoned"
        or (kind.closes and is_closed_early(phase, context.event.changes(phase)))
    ):
        published = (
            announced_deadline(phase, context.event.changes(phase), letter.written_at),
            True,
        )
    elif letter.kind == "left":
        return _departure_entries(letter, context.event)
    if (
        published is None
        or published[0] >= schedule.STANDS
        or (published[1] and published[0] <= letter.written_at)
    ):
        return []
    entry = phase_entry(
        context.event,
        phase,
        context.seats,
        letter.person,
        published[0],
        letter.written_at,
        cancelled=published[1],
    )
    return [entry] if entry else []


def _report_entries(context: Context) -> list[Entry]:
    """Return the entry of the deadline that a report announces, and the cancelled entry of a phase
    that was closed early."""
    event, phase, person = context.event, context.phase, context.letter.person
    assert person is not None
    at, seats = context.letter.written_at, context.seats
    entries = []
    until = announced_deadline(phase, event.changes(phase), at)
    if is_closed_early(phase, event.changes(phase)) and at < until < schedule.STANDS:
        entries.append(phase_entry(event, phase, seats, person, until, at, cancelled=True))
    following = context.batch.phases.get(context.about.get("next") or 0)
    if following is not None and context.about.get("deadline") and not following.idle:
        until = local_time.parse(context.about["deadline"])
        entries.append(phase_entry(event, following, seats, person, until, at))
    return [entry for entry in entries if entry is not None]


def _ruling_entries(context: Context) -> list[Entry]:
    """Return the entries after a rollback: undone phases are cancelled, the phase it opened is
    announced."""
    event, about, person = context.event, context.about, context.letter.person
    assert person is not None
    seats, at = context.seats, context.letter.written_at
    phases = context.batch.phases
    undone = [phases[pk] for pk in about.get("undone_phases", ()) if pk in phases]
    entries = []
    for phase in sorted(undone, key=lambda phase: phase.number):
        until = announced_deadline(phase, event.changes(phase), at)
        if until > at:
            entries.append(phase_entry(event, phase, seats, person, until, at, cancelled=True))
    following = phases.get(about.get("next") or 0)
    until = local_time.parse(about["deadline"]) if about.get("deadline") else schedule.STANDS
    if following is not None and until < schedule.STANDS:
        entries.append(phase_entry(event, following, seats, person, until, at))
    return [entry for entry in entries if entry is not None]


def _departure_entries(letter: Letter, event: Event) -> list[Entry]:
    """Return the cancelled entry for a player who has left; none if they have another seat in the
    game or run it."""
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
    entry = phase_entry(event, phase, (), person, phase.deadline, at, cancelled=True)
    return [entry] if entry else []


# --- one phase ---


def phase_entry(
    event: Event,
    phase: Phase,
    seats: Sequence[Seat],
    person: Person,
    deadline: datetime,
    at: datetime,
    *,
    cancelled: bool = False,
) -> Entry | None:
    """Return the entry of a phase's deadline for a person with these seats, as of the instant `at`.
    A person without a seat is a gamesmaster.

    Return None where they have nothing to do by then: nobody acts in the phase, or none of their
    nations does.
    """
    game = event.game
    asked = () if cancelled else event.asked_in(phase)
    own_nations = [nation for nation in _orders(phase, seats) if cancelled or nation in asked]
    if not cancelled and (not asked or (seats and not own_nations)):
        return None
    title, when = text.one_line(game.title), local_time.in_words(deadline, person.zone, game.zone)
    for_whom = f" for {all_of(own_nations)}" if own_nations else ""
    summary = f"Orders{for_whom} are due: {phase.title} (“{title}”)"
    entry = new_entry(
        uid(phase),
        summary,
        _description(
            event, seats, asked, f"Orders{for_whom} are due by {when}.", cancelled=cancelled
        ),
        deadline,
        stamp=at,
        link=links.link("game", game.pk),
        sequence=sequence(event, phase, at),
        cancelled=cancelled,
    )
    if not cancelled and (before := alarm(phase.opened_at, deadline)) is not None:
        reminder = Alarm()
        reminder.add("action", "DISPLAY")
        reminder.add("description", entry["summary"])
        reminder.add("trigger", -before)
        entry.add_component(reminder)
    return entry


def _orders(phase: Phase, seats: Sequence[Seat]) -> list[str]:
    """Return the nations for which the reader sends orders: their own, then those that these
    control in this phase (ow2.ally tables)."""
    own_nations = [seat.nation for seat in seats]
    allies = permissions.controlled_nations(own_nations, phase)
    return own_nations + [
        nation for nation in phase.controllers if nation in allies and nation not in own_nations
    ]


def _description(
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
    """Count the changes to this deadline up to `at`: moves, an early close, and rulings that may
    have undone or restored it."""
    changes = event.changes(phase)
    moved = sum(change.changed_at <= at for change in changes)
    since = [ruling for ruling in event.rulings if phase.opened_at <= ruling.made_at <= at]
    ruled = sum(ruling.kind == "rollback" for ruling in since)
    revoked = sum(
        ruling.revokes is not None and ruling.revokes.kind == "rollback" for ruling in since
    )
    early = bool(phase.locked_at and phase.locked_at <= at and is_closed_early(phase, changes))
    return moved + ruled + revoked + early


def announced_deadline(phase: Phase, changes: Sequence[DeadlineChange], at: datetime) -> datetime:
    """Return the last deadline announced to everybody before an instant. Pauses do not count, nor
    does “now”, the deadline that closes orders at once."""
    for change in reversed([row for row in changes if row.changed_at <= at]):
        old: datetime = change.old
        new: datetime = change.new
        if change.changed_at < new < schedule.STANDS:
            return new
        if old < schedule.STANDS:
            return old
    later = next((row for row in changes if row.changed_at > at), None)
    return phase.deadline if later is None else later.old


def is_closed_early(phase: Phase, changes: Sequence[DeadlineChange]) -> bool:
    """Return whether orders were closed before the announced deadline: all were final, or the
    gamesmaster closed them."""
    return phase.locked_at is not None and phase.locked_at < announced_deadline(
        phase, changes, phase.locked_at
    )


def alarm(opened: datetime, deadline: datetime) -> timedelta | None:
    """Return how long before a deadline the calendar reminds: like the reminder letter, 2 days, or
    a quarter of a shorter phase; None for phases under 10 minutes."""
    length = deadline - opened
    return min(timedelta(days=2), length / 4) if length >= SHORTEST else None


# --- the format (RFC 5545) ---


def new_entry(
    uid: str,
    summary: str,
    description: str,
    begins: datetime | date,
    *,
    stamp: datetime,
    link: str,
    ends: date | None = None,
    sequence: int = 0,
    cancelled: bool = False,
) -> Entry:
    """Return an entry for an instant, or for whole days up to but not including `ends`.

    Of two entries with the same `uid`, the one with the greater `sequence` holds. `stamp` is the
    time of the last change.
    """
    entry = Entry()
    entry.add("uid", uid)
    entry.add("dtstamp", stamp.astimezone(UTC))
    entry.add("sequence", sequence)
    # UTC needs no VTIMEZONE. Without an end, the entry has no duration.
    entry.add("dtstart", begins.astimezone(UTC) if isinstance(begins, datetime) else begins)
    if ends is not None:
        entry.add("dtend", ends)
    entry.add("summary", _CONTROL.sub(" ", summary))
    entry.add("description", _CONTROL.sub(" ", description))
    entry.add("url", link)
    entry.add("organizer", f"mailto:{parseaddr(settings.DEFAULT_FROM_EMAIL)[1]}")
    entry.add("status", "CANCELLED" if cancelled else "CONFIRMED")
    entry.add("transp", "TRANSPARENT")  # a deadline does not make anybody busy
    return entry


def as_text(entries: Iterable[Entry], *, name: str = "", refresh: timedelta | None = None) -> str:
    """Return a whole calendar, published and not an invitation to reply to (RFC 5546, 3.2.1).
    `name` and `refresh` are for feeds."""
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    if name:
        # RFC 7986, and the property that most programs read
        calendar.add("name", name)
        calendar.add("x-wr-calname", name)
    if refresh is not None:
        calendar.add("refresh-interval", vDuration(refresh), parameters={"VALUE": "DURATION"})
        calendar.add("x-published-ttl", vDuration(refresh))
    for entry in entries:
        calendar.add_component(entry)
    lines = (_folded(line) for line in calendar.content_lines() if line)
    return "".join(f"{line}\r\n" for line in lines)


def _folded(line: Any) -> str:
    """Return a content line folded by `icalendar`, which looks at each character, if it is long."""
    short = len(line) < LONGEST_LINE and line.isascii()
    return str(line) if short else str(line.to_ical(), "utf-8")
