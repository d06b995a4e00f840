"""The outbox: one row for every letter, written in the transaction that causes it, so that no
letter is lost or sent twice.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models

from games.base import clock
from games.rules import time_credit

from .coded import CODE, Coded
from .game import Game
from .leased import Leased
from .people import Person
from .phase import Phase

_MESSAGE_ID = re.compile(rf"<?letter-({CODE})@")


class Letter(Coded, Leased):
    """A letter to one person. `key` names event and person, so that it cannot be written twice.

    It is rendered when it is first sent, from rows that never change; a repeated try sends the very
    same text under the same Message-ID. Letters with a personal token (`secret`) are rendered again
    for each try, and their text is not stored.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        SENDING = "sending"
        SENT = "sent"
        DEFERRED = "deferred"
        FAILED = "failed"
        DROPPED = "dropped"
        BOUNCED = "bounced"
        PRINT = "print", "to be printed and posted"
        POSTED = "posted"

    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=20)
    secret = models.BooleanField(default=False)
    # The index on game and time below serves it: each index of a letter costs the database as much
    # as the letter itself.
    game = models.ForeignKey(
        Game,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="letters",
        db_index=False,
    )
    phase = models.ForeignKey(
        Phase, on_delete=models.PROTECT, null=True, blank=True, related_name="letters"
    )
    person = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="letters"
    )
    address = models.EmailField(help_text="The recipient's address.")
    about = models.JSONField(default=dict, help_text="Row ids from which the letter is rendered.")
    in_reply_to = models.CharField(
        max_length=500,
        blank=True,
        help_text=(
            "The Message-ID that this letter answers; empty: it belongs to the game's thread."
        ),
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    written_at = models.DateTimeField(default=clock.now)
    due_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When to send or retry; empty once sent or given up.",
    )
    first_due_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When it was due first; empty: as soon as it was written.",
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    fault = models.TextField(blank=True)
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When it was sent or posted.")
    record_hash = models.CharField(
        max_length=32,
        blank=True,
        default="",
        db_default="",
        help_text="First 32 digits of the game's record hash when the letter was written.",
    )
    subject = models.CharField(max_length=250, blank=True)
    text = models.TextField(blank=True)
    html = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            # Constraints of the table, because for unique fields Django gives PostgreSQL a second
            # index each, for prefix searches.
            models.UniqueConstraint(fields=["key"], name="letter_written_once"),
            models.UniqueConstraint(fields=["code"], name="letter_coded_once"),
            models.CheckConstraint(
                condition=models.Q(
                    status__in=[
                        "queued",
                        "sending",
                        "sent",
                        "deferred",
                        "failed",
                        "dropped",
                        "bounced",
                        "print",
                        "posted",
                    ]
                ),
                name="letter_status_known",
            ),
        ]
        indexes = [
            # By `isnull`: SQLite does not recognize that a query's list of values is the list of a
            # partial index.
            models.Index(
                fields=["due_at"], condition=models.Q(due_at__isnull=False), name="letters_due"
            ),
            # The letters still to be emptied (games.operations.personal.retention).
            models.Index(
                fields=["written_at"],
                condition=models.Q(due_at__isnull=True) & ~models.Q(text=""),
                name="letters_with_text",
            ),
            models.Index(fields=["game", "-written_at"]),
            models.Index(fields=["address", "kind", "-written_at"]),
        ]

    def __str__(self) -> str:
        return f"letter to {self.address}"

    @property
    def message_id(self) -> str:
        """Return its Message-ID, which stays the same in every retry."""
        return f"<letter-{self.code}@{settings.MAIL_DOMAIN}>"

    @staticmethod
    def code_in(message_id: str) -> str:
        """Return the code in a Message-ID, with or without its angle brackets; "" if there is none.

        Its domain does not matter: the service may have moved since.
        """
        match = _MESSAGE_ID.match(message_id.strip())
        return match[1] if match else ""


class ReplyAddress(Coded):
    """The reply address of a person's letters about a game.

    It contains their token (games.accounts.tokens), of which the hash is stored.
    """

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="reply_addresses")
    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="reply_addresses")
    nonce = models.CharField(max_length=64, unique=True)
    token_hash = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "reply addresses"
        constraints = [
            models.UniqueConstraint(
                fields=["person", "game"],
                condition=models.Q(ended_at=None),
                name="one_reply_address_a_game",
            ),
            models.UniqueConstraint(fields=["code"], name="reply_address_coded_once"),
        ]

    def __str__(self) -> str:
        return f"reply address of {self.person} in {self.game}"


class Mute(models.Model):
    """A person's wish to get no more letters about a game.

    They still get what they must have: login links, and answers to their own letters.
    """

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="mutes")
    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="mutes")
    since = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "game"], condition=models.Q(until=None), name="muted_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.person} hears nothing more of {self.game}"


class Outages(models.QuerySet["Outage"]):
    def end_of(self, start: datetime, lasts: timedelta) -> datetime:
        """Return when something ends that began at `start` and lasts so long.

        Each outage over its end gives time back by the rule of deadlines (games.rules.time_credit).
        """
        end = start + lasts
        spans: dict[datetime | None, tuple[datetime, datetime]] = {}
        for outage in self.filter(until__gte=end - time_credit.SOON).order_by("since"):
            # What was given back at once was one outage, of several ways in.
            since, until = spans.get(outage.credited_at, (outage.since, outage.until))
            spans[outage.credited_at] = min(since, outage.since), max(until, outage.until)
        for since, until in spans.values():
            if time_credit.is_affected(end, since, until):
                end = time_credit.new_deadline(start, end, since, until)
        return end


class Outage(models.Model):
    """A time in which no orders could come in by one way (games.turns.ways_in)."""

    way = models.CharField(max_length=20)
    since = models.DateTimeField()
    until = models.DateTimeField(db_index=True)
    credited_at = models.DateTimeField(null=True, blank=True)  # when time was given back for it

    objects = Outages.as_manager()

    def __str__(self) -> str:
        return f"{self.way} from {self.since:%Y-%m-%d %H:%M:%S} to {self.until:%H:%M:%S}"


class Pulses(models.QuerySet["Pulse"]):
    def age(self, name: str, now: datetime) -> float | None:
        """Return the seconds since the last pulse of a job; None if there never was one."""
        last = self.filter(name=name).values_list("at", flat=True).first()
        return None if last is None else (now - last).total_seconds()

    def take_turn(self, name: str, every: timedelta, now: datetime) -> bool:
        """Return whether a job that runs once in so long runs now, in this process."""
        pulse, created = self.get_or_create(name=name, defaults={"at": now})
        if created:
            return True
        # Only one of several processes finds the old pulse.
        is_due = pulse.at <= now - every
        return is_due and self.filter(pk=pulse.pk, at=pulse.at).update(at=now) == 1


class Pulse(models.Model):
    """The last time that a recurring job ran, such as the tick, or that a way in was open.

    The health page reads the tick's.
    """

    name = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField()

    objects = Pulses.as_manager()

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%Y-%m-%d %H:%M:%S}"
