"""The operator's announcements and barrings of people, and private notes about people."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import DatabaseError, models
from django.db.models import Q

from games.base import clock

from .people import Person, tidy_address


class Spans(models.QuerySet[Any]):
    """Rows in effect from `since` to `until`, if that is set."""

    def at(self, now: datetime) -> Spans:
        return self.filter(Q(until=None) | Q(until__gt=now), since__lte=now)


class Barring(models.Model):
    """An address under which nobody opens, joins or takes over games.

    The rows stay, as a log of who barred whom, when and why.
    """

    email = models.EmailField(
        "address", help_text=("The barred address, with or without an account.")
    )
    reason = models.CharField(
        max_length=300, help_text=("The reason, in one sentence that the person reads.")
    )
    since = models.DateTimeField(default=clock.now)
    until = models.DateTimeField(
        null=True,
        blank=True,
        help_text=("Last day; empty: permanent. To end the barring, enter the current time."),
    )
    made_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = Spans.as_manager()

    class Meta:
        indexes = [models.Index(fields=["email"], name="barrings_by_address")]

    def __str__(self) -> str:
        return f"{self.email} barred since {self.since:%Y-%m-%d}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email = tidy_address(self.email)
        super().save(*args, **kwargs)

    @property
    def sentence(self) -> str:
        """The sentence that a barred person reads."""
        until = f" before {self.until.day} {self.until:%B %Y}" if self.until else ""
        return (
            f"The operator of this service does not let you open or join games{until}."
            f" The reason: {self.reason}"
        )


class PersonNote(models.Model):
    """A private note about a person.

    An operator's note is for all operators; a gamesmaster's, only for its writer, at the desks of
    games in which both are.
    """

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="notes_about")
    writer = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="notes_written")
    by_operator = models.BooleanField("for operators", default=False)
    text = models.TextField(max_length=2000)
    saved_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "writer"],
                condition=models.Q(by_operator=False),
                name="one_note_of_a_gamesmaster",
            )
        ]

    def __str__(self) -> str:
        return f"note about {self.person}"


class Announcement(models.Model):
    """The operator's sentence at the top of every page."""

    text = models.CharField(max_length=300)
    since = models.DateTimeField(default=clock.now)
    until = models.DateTimeField(
        null=True, blank=True, help_text=("Empty: shown until you delete it.")
    )
    made_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = Spans.as_manager()

    def __str__(self) -> str:
        return self.text


@dataclass
class _Known:
    texts: list[str] = field(default_factory=list)
    until: float = 0.0


_known = _Known()


def announced() -> list[str]:
    """Return the sentences at the top of every page, cached for HELD_BELIEVED_SECONDS."""
    if time.monotonic() >= _known.until:
        rows = Announcement.objects.at(clock.now()).order_by("pk")
        try:
            _known.texts = list(rows.values_list("text", flat=True))
        except DatabaseError:  # no such table yet
            return []
        _known.until = time.monotonic() + settings.HELD_BELIEVED_SECONDS
    return _known.texts
