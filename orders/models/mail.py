"""Inbound mail: stored as received before it is parsed, and how it was handled."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models

from games.models import Coded, Evidence, Game, Leased, Letter, Outage, Person


class Mail(Evidence):
    """One message as received, byte for byte.

    It is stored once, however often and by whichever transport it is delivered.
    """

    class Way(models.TextChoices):
        LMTP = "lmtp", "LMTP"
        IMAP = "imap", "IMAP"
        WEBHOOK = "webhook", "a provider's webhook"
        PIPE = "pipe", "a pipe from the mail server"

    fingerprint = models.CharField(
        max_length=64,
        unique=True,
        help_text="SHA-256 over Message-ID, body and recipient address.",
    )
    message_id = models.CharField(max_length=500, blank=True)
    way = models.CharField(max_length=10, choices=Way)
    envelope_from = models.CharField(
        max_length=320, blank=True, help_text=("Envelope sender; empty for a bounce.")
    )
    envelope_to = models.JSONField(default=list)
    received_at = models.DateTimeField()
    raw = models.BinaryField()  # empty once its retention has ended or it has been erased
    may_be_emptied = frozenset({"raw", "message_id", "envelope_from", "envelope_to"})

    class Meta:
        verbose_name_plural = "mail"
        indexes = [models.Index(fields=["message_id"]), models.Index(fields=["-received_at"])]

    def __str__(self) -> str:
        return f"mail {self.pk} of {self.received_at:%Y-%m-%d %H:%M}"


class Handling(Coded, Leased):
    """What is to be done with a message, and what was done.

    The row is the queue: `due_at` is None once it is done.
    """

    class Status(models.TextChoices):
        WAITING = "waiting", "not looked at yet"
        DONE = "done"
        IGNORED = "ignored", "not answered: automatic, a list, a loop"
        HELD = "held", "waits for the gamesmaster"
        UNCONFIRMED = "unconfirmed", "waits for the sender's confirmation"
        REFUSED = "refused", "by the gamesmaster, or never confirmed"
        FAILED = "failed"

    #: How long a message waits for its sender's confirmation.
    CONFIRMED_WITHIN = timedelta(days=7)
    #: Kind of a message whose sender is asked whether it is a letter to another player or orders.
    CHOICE = "choice"

    mail = models.OneToOneField(Mail, on_delete=models.PROTECT, related_name="handling")
    status = models.CharField(max_length=12, choices=Status, default=Status.WAITING)
    kind = models.CharField(
        max_length=20,
        blank=True,
        help_text="Kind of message: commands, bounce, automatic, ...",
    )
    words = models.TextField(
        blank=True, help_text=("The decision and its reason, in one sentence.")
    )
    game = models.ForeignKey(
        Game, on_delete=models.PROTECT, null=True, blank=True, related_name="mail"
    )
    person = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="mail"
    )
    sender = models.CharField(
        max_length=320, blank=True, help_text=("The address in the From header.")
    )
    answer = models.ForeignKey(
        Letter, on_delete=models.PROTECT, null=True, blank=True, related_name="answers_mail"
    )
    outcome = models.JSONField(default=dict, help_text="Content of the answer, for its letter.")
    nonce = models.CharField(max_length=64, blank=True)
    token_hash = models.CharField(
        max_length=64,
        blank=True,
        db_index=True,
        help_text="Hash of the token in the sender's confirmation link.",
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    fault = models.TextField(blank=True)
    handled_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    status__in=[
                        "waiting",
                        "done",
                        "ignored",
                        "held",
                        "unconfirmed",
                        "refused",
                        "failed",
                    ]
                ),
                name="handling_status_known",
            ),
            models.UniqueConstraint(fields=["code"], name="handling_coded_once"),
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=models.Q(due_at__isnull=False), name="mail_due"
            ),
            models.Index(fields=["game", "status"]),
            models.Index(fields=["sender", "-handled_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.mail}: {self.get_status_display()}"

    @property
    def answerable_until(self) -> datetime:
        """Until when the sender can say what a message is that waits for them."""
        return Outage.objects.end_of(self.mail.received_at, self.CONFIRMED_WITHIN)


class Signature(models.Model):
    """A DKIM signature that proved a message to be a player's.

    Another message to the same game with this signature is a copy.
    """

    handling = models.ForeignKey(Handling, on_delete=models.CASCADE, related_name="signatures")
    mark = models.CharField(
        max_length=64, unique=True, help_text="SHA-256 over game, person and signature."
    )

    def __str__(self) -> str:
        return f"signature of {self.handling}"
