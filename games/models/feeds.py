"""Calendar feeds, chat channels with public news, and people's own webhooks and browsers."""

from __future__ import annotations

from typing import Any

from django.db import models

from .coded import Coded
from .game import Game
from .leased import Leased
from .people import Person


class Feed(models.Model):
    """A private calendar feed of a person's deadlines.

    Its address has a token (games.accounts.tokens), of which the hash is stored; a new feed revokes
    the old one.
    """

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="feeds")
    nonce = models.CharField(max_length=64, unique=True)
    token_hash = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person"],
                condition=models.Q(ended_at=None),
                name="one_calendar_feed_a_person",
            )
        ]

    def __str__(self) -> str:
        return f"calendar of {self.person}"


class Channel(Coded):
    """An address that receives notices.

    Of a game: a channel of a chat program, with public news. Of a person: their own program
    (games.outbox.personal_webhooks) or browser (games.webhooks.browsers), which learns when
    something is due.
    """

    class Kind(models.TextChoices):
        DISCORD = "discord", "Discord"
        SLACK = "slack", "Slack, Mattermost and the like"
        JSON = "json", "your own program"
        BROWSER = "browser", "your browser"

    game = models.ForeignKey(
        Game, on_delete=models.CASCADE, null=True, blank=True, related_name="channels"
    )
    person = models.ForeignKey(
        Person, on_delete=models.CASCADE, null=True, blank=True, related_name="webhooks"
    )
    kind = models.CharField(max_length=10, choices=Kind)
    url = models.URLField(
        max_length=400,
        help_text="Secret, and never shown again: anybody who has it can post to the channel.",
    )
    label = models.CharField(max_length=60, blank=True)
    nonce = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Used to compute the key of a person's webhook.",
    )
    p256dh = models.CharField(
        max_length=90,
        blank=True,
        default="",
        db_default="",
        help_text="The browser's public key, with which notices are encrypted (RFC 8291).",
    )
    auth = models.CharField(
        max_length=24,
        blank=True,
        default="",
        db_default="",
        help_text="The secret shared with the browser (RFC 8291).",
    )
    paused_at = models.DateTimeField(null=True, blank=True)
    added_by = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_because = models.CharField(max_length=200, blank=True)

    class Meta:
        indexes = [models.Index(fields=["game", "removed_at"])]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(game=None) ^ models.Q(person=None),
                name="channel_of_a_game_or_a_person",
            ),
            models.UniqueConstraint(fields=["code"], name="channel_coded_once"),
        ]

    def __str__(self) -> str:
        return f"{self.label or self.kind} of {self.game or self.person}"


class Notice(Coded, Leased):
    """A message to a channel, in the outbox of webhooks.

    Written in the transaction that causes it, and sent under a lease.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        SENT = "sent"
        FAILED = "failed"

    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="notices")
    key = models.CharField(
        max_length=120,
        unique=True,
        help_text="Event and channel, so that no notice is written twice.",
    )
    about: models.JSONField[Any, Any] = models.JSONField(
        default=dict, help_text="Row ids from which the notice is rendered."
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    written_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    fault = models.CharField(max_length=300, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=["queued", "sent", "failed"]),
                name="notice_status_known",
            ),
            models.UniqueConstraint(fields=["code"], name="notice_coded_once"),
        ]
        # `due_at__isnull=False` for the same reason as in Letter.
        indexes = [
            models.Index(
                fields=["due_at"], condition=models.Q(due_at__isnull=False), name="notices_due"
            )
        ]

    def __str__(self) -> str:
        return f"{self.key} to {self.channel}"
