"""A person's private calendar of deadlines and absences, at an address with a token in it that
their calendar program polls.

Anybody with the address can read the calendar, so its token works like all others
(games.accounts.tokens): it is stored as a hash, shown once, and a new one revokes the old. The
calendar contains what the person's letters say about deadlines, never an order, letter or token.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from icalendar import Event as Entry

from games.accounts import tokens
from games.base import links, text
from games.base.signing import Salt
from games.letters import entries
from games.letters.context import Batch
from games.models import Absence, Feed, Game, Person, Phase, Seat, Sitting
from games.timing import schedule

KEY = re.compile(r"[0-9a-f]{40}")
NAME = "Gamesmaster: deadlines"
#: How long a deadline stays in the calendar after it has passed, and how often programs should
#: refresh.
KEPT = timedelta(days=30)
REFRESH = timedelta(hours=1)
PLAYED = (Game.Status.RUNNING, Game.Status.PAUSED, Game.Status.FINISHED)


def renew(person: Person, now: datetime) -> str:
    """Create a new calendar address and return it. The previous one stops working."""
    with transaction.atomic():
        end(person, now)
        nonce, hashed = tokens.new_nonce(Salt.CALENDAR)
        feed = Feed(person=person, nonce=nonce, token_hash=hashed, made_at=now)
        Feed.objects.bulk_create(
            [feed], ignore_conflicts=True
        )  # of two simultaneous requests one creates the feed, and both return it
        nonce = Feed.objects.values_list("nonce", flat=True).get(person=person, ended_at=None)
    return f"{settings.SITE_URL}{reverse('calendar', args=[tokens.key_of(Salt.CALENDAR, nonce)])}"


def end(person: Person, now: datetime) -> bool:
    """Revoke the calendar address; return whether there was one."""
    return Feed.objects.filter(person=person, ended_at=None).update(ended_at=now) > 0


def valid_feed(person: Person) -> Feed | None:
    return Feed.objects.filter(person=person, ended_at=None).first()


def reader(key: str) -> Person | None:
    """Return the person whose calendar address contains this key, or None if it is not valid."""
    if not KEY.fullmatch(key):
        return None
    feed = (
        Feed.objects.select_related("person")
        .filter(token_hash=tokens.hash_of(key), ended_at=None, person__is_active=True)
        .first()
    )
    return feed.person if feed is not None else None


def person_calendar(person: Person, now: datetime) -> str:
    """Return the whole calendar: deadlines of the games that a person plays or runs, including the
    last 30 days, and their absences."""
    all_entries = [*_deadlines(person, now), *_absences(person, now)]
    return entries.as_text(all_entries, name=NAME, refresh=REFRESH)


def _deadlines(person: Person, now: datetime) -> list[Entry]:
    seats: dict[int, list[Seat]] = {}
    for sitting in (
        Sitting.objects.current()
        .filter(person=person)
        .select_related("seat")
        .order_by("seat__ordinal")
    ):
        seats.setdefault(sitting.seat.game_id, []).append(sitting.seat)
    games = Q(game__in=seats) | Q(game__gamesmasters=person)
    phases = Phase.objects.filter(
        games, game__status__in=PLAYED, deadline__gte=now - KEPT, deadline__lt=schedule.STANDS
    )
    deadline_entries, visible_phases = (
        [],
        list(
            phases.exclude(status=Phase.Status.UNDONE)
            .select_related("game")
            .prefetch_related("game__seats")
            .distinct()
            .order_by("deadline", "pk")
        ),
    )
    batch = Batch([phase.game for phase in visible_phases], visible_phases)
    for phase in visible_phases:
        event = batch.event(phase.game)
        changes = event.changes(phase)
        if phase.locked_at is not None and entries.is_closed_early(phase, changes):
            continue
        # Use the time of the last change as the stamp, so that an unchanged calendar is the same
        # byte for byte.
        last = changes[-1].changed_at if changes else phase.opened_at
        own_seats = seats.get(phase.game_id, ())
        entry = entries.phase_entry(event, phase, own_seats, person, phase.deadline, last)
        if entry is not None:
            deadline_entries.append(entry)
    return deadline_entries


def _absences(person: Person, now: datetime) -> list[Entry]:
    absences = (
        Absence.objects.filter(person=person, withdrawn_at=None, last__gte=(now - KEPT).date())
        .select_related("game")
        .order_by("first", "pk")
    )
    return [
        entries.new_entry(
            f"absence-{absence.code}@{settings.MAIL_DOMAIN}",
            f"Away from “{text.one_line(absence.game.title)}”",
            "Told to the gamesmaster of the game; days are those of"
            f" {schedule.place(absence.game.zone)}.",
            absence.first,
            ends=absence.last + timedelta(days=1),
            stamp=absence.entered_at,
            link=links.link("away", absence.game_id),
        )
        for absence in absences
    ]
