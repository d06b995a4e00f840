"""The outbox: one row for every letter, written in the transaction that causes it, so that none is lost and none is doubled."""

from __future__ import annotations

from django.db import models

from gamesmaster import clock

from .game import Game
from .people import Person
from .phase import Phase


class Letter(models.Model):
    """A letter to one person. `key` names event and person: the same letter cannot be written twice.

    It is rendered when it is first sent, from rows that never change; a repeated try sends the very same text under the same
    Message-ID. Letters that hold a personal key (`secret`) are rendered anew for each try and their text is not kept.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        SENDING = "sending"
        SENT = "sent"
        DEFERRED = "deferred"
        FAILED = "failed"
        BOUNCED = "bounced"

    key = models.CharField(max_length=120, unique=True)
    kind = models.CharField(max_length=20)
    secret = models.BooleanField(default=False)
    game = models.ForeignKey(Game, on_delete=models.PROTECT, null=True, blank=True, related_name="letters")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, null=True, blank=True, related_name="letters")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, null=True, blank=True, related_name="letters")
    address = models.EmailField(help_text="Where it goes.")
    about = models.JSONField(default=dict, help_text="Row ids from which the letter is rendered.")
    message_id = models.CharField(max_length=120, unique=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    written_at = models.DateTimeField(default=clock.now)
    due_at = models.DateTimeField(null=True, blank=True, help_text="When it is to be sent or tried again; empty once it is done with.")
    claim = models.CharField(max_length=32, blank=True)
    claimed_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    fault = models.TextField(blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    subject = models.CharField(max_length=250, blank=True)
    text = models.TextField(blank=True)
    html = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=["queued", "sending", "sent", "deferred", "failed", "bounced"]), name="letter_status_known"
            )
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=models.Q(status__in=["queued", "sending", "deferred"]), name="letters_due"),
            models.Index(fields=["game", "-written_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.address}"


class Pulse(models.Model):
    """When something that must never stop was last seen working: the tick. The health page reads it."""

    name = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%Y-%m-%d %H:%M:%S}"
