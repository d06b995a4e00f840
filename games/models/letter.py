"""The outbox: one row for every letter, written in the transaction that causes it, so that none is
lost and none is doubled."""

from __future__ import annotations

from django.db import models

from gamesmaster import clock

from .game import Game
from .leased import Leased
from .people import Person
from .phase import Phase


class Letter(Leased):
    """A letter to one person. `key` names event and person: the same letter cannot be written
    twice.

    It is rendered when it is first sent, from rows that never change; a repeated try sends the very
    same text under the same Message-ID. Letters that hold a personal key (`secret`) are rendered
    anew for each try and their text is not kept.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        SENDING = "sending"
        SENT = "sent"
        DEFERRED = "deferred"
        FAILED = "failed"
        BOUNCED = "bounced"
        PRINT = "print", "to be printed and posted"
        POSTED = "posted"

    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=20)
    secret = models.BooleanField(default=False)
    # By the index of game and time below: each index that a letter stands in costs the database as
    # much as the letter itself.
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
    address = models.EmailField(help_text="Where it goes.")
    about = models.JSONField(default=dict, help_text="Row ids from which the letter is rendered.")
    message_id = models.CharField(max_length=120)
    in_reply_to = models.CharField(
        max_length=500,
        blank=True,
        help_text="The Message-ID that it answers; empty: the game's thread.",
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    written_at = models.DateTimeField(default=clock.now)
    due_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When it is to be sent or tried again; empty once it is done with.",
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    fault = models.TextField(blank=True)
    sent_at = models.DateTimeField(
        null=True, blank=True, help_text="When it went out, or was posted."
    )
    record_hash = models.CharField(
        max_length=20,
        blank=True,
        default="",
        db_default="",
        help_text="First 20 digits of the game's record hash when it was written.",
    )
    subject = models.CharField(max_length=250, blank=True)
    text = models.TextField(blank=True)
    html = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            # Constraints of the table and not of the fields, for which Django makes PostgreSQL a
            # second index each, to look for beginnings.
            models.UniqueConstraint(fields=["key"], name="letter_written_once"),
            models.UniqueConstraint(fields=["message_id"], name="letter_named_once"),
            models.CheckConstraint(
                condition=models.Q(
                    status__in=[
                        "queued",
                        "sending",
                        "sent",
                        "deferred",
                        "failed",
                        "bounced",
                        "print",
                        "posted",
                    ]
                ),
                name="letter_status_known",
            ),
        ]
        indexes = [
            # By what is not null: SQLite does not see that a list of values asked for is the list
            # that an index is on.
            models.Index(
                fields=["due_at"], condition=models.Q(due_at__isnull=False), name="letters_due"
            ),
            # What is still to be emptied (games.operations.personal.retention).
            models.Index(
                fields=["written_at"],
                condition=models.Q(due_at__isnull=True) & ~models.Q(text=""),
                name="letters_with_text",
            ),
            models.Index(fields=["game", "-written_at"]),
            models.Index(fields=["address", "kind", "-written_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.address}"


class ReplyAddress(models.Model):
    """Where a person's letters about a game are answered to: an address with a key of his own in it
    (games.accounts.tokens), kept as a hash."""

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
            )
        ]

    def __str__(self) -> str:
        return f"reply address of {self.person} in {self.game}"


class Mute(models.Model):
    """A person who has asked for no more letters about a game. Only what he needs to hear stays:
    keys, and answers to his own letters."""

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


class Pulse(models.Model):
    """When what must never stop, the tick, was last seen working. The health page reads it."""

    name = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%Y-%m-%d %H:%M:%S}"
