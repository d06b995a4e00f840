"""The submission ledger: what players sent, as they sent it."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.urls import reverse

from games.models import Evidence, Game, Leased, Person, Phase, Seat
from games.rules.verification import record


class Submission(Evidence):
    """One order set as it was received: numbered in its game and in its seat, chained by hash to
    the one before, never changed.

    In force for a phase is each seat's newest submission that `counts` (orders.ledger).
    """

    class Channel(models.TextChoices):
        WEB = "web", "page"
        MAIL = "mail"
        TELEPHONE = "telephone"
        PAPER = "paper"
        PROGRAM = "program", "player run by the service"
        AHEAD = "ahead", "orders sent ahead"
        API = "api", "a program of the player"

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="submissions")
    number = models.PositiveIntegerField(
        help_text="In its game and in the record. Shown to nobody while the game is played: it says"
        " how much others have sent."
    )
    seat_number = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Of its seat: the number that people read."
    )
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="submissions")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="submissions")
    received_at = models.DateTimeField()
    channel = models.CharField(max_length=10, choices=Channel)
    person = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="submissions"
    )
    text = models.TextField(blank=True, help_text="As sent.")
    understood = models.JSONField(
        default=list, help_text="[line number, the order in canonical words], accepted lines only."
    )
    remarks = models.JSONField(default=list)
    final = models.BooleanField(default=False, help_text="The sender needs no more time.")
    entered_by = models.ForeignKey(
        Person,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who took it down, by telephone or from paper.",
    )
    posted_on = models.DateField(
        null=True, blank=True, help_text="The postmark of orders on paper."
    )
    read_back = models.CharField(
        max_length=12,
        blank=True,
        help_text="The code under which it was read back on the telephone.",
    )
    member = models.PositiveSmallIntegerField(
        default=0,
        help_text="Of a team: which of its people sent it, numbered in its seat; 0: no team.",
    )
    proposal = models.BooleanField(
        default=False,
        help_text="Told to the sender's team alone, and in force only if its spokesman sends it.",
    )
    late = models.BooleanField(default=False)
    counts = models.BooleanField(
        help_text="In time, and with at least one line that could be read."
    )
    salt = models.CharField(
        max_length=64,
        help_text="Keeps the published digest from being guessed; shown after the game.",
    )
    request_key = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="By which a program knows its request again, so that none is received twice.",
    )
    previous_hash = models.CharField(max_length=64, blank=True)
    hash = models.CharField(max_length=64)

    #: The rules' state in which `ledger.receive` has read the text: for whoever tells the sender
    # about it, on the row just given only.
    read_in: Any = None

    class Meta:
        ordering = ["game", "number"]
        constraints = [
            models.UniqueConstraint(fields=["game", "number"], name="submissions_are_numbered")
        ]
        indexes = [
            models.Index(fields=["phase", "seat", "-number"]),
            models.Index(fields=["seat", "-seat_number"]),
        ]

    def __str__(self) -> str:
        return f"No. {self.seat_number} of {self.seat}"

    def get_absolute_url(self) -> str:
        return reverse("receipt", args=[self.game_id, self.seat_id, self.seat_number])

    @property
    def label(self) -> str:
        """What names it in keys of letters, where anybody who gets them may read it."""
        return f"{self.seat_id}-{self.seat_number}"

    @property
    def way(self) -> str:
        """How it came, as words behind “sent”."""
        if self.channel == self.Channel.WEB:
            return "from the order page"
        if self.channel == self.Channel.AHEAD:
            return "from orders kept ahead"
        return f"by {self.get_channel_display()}"

    @property
    def taken_whole(self) -> bool:
        """Whether its sender wrote it, and all of it was taken in time with nothing to note."""
        counts = self.counts or self.proposal
        return counts and not (self.late or self.remarks or self.entered_by_id)

    @property
    def withdraws(self) -> bool:
        """Whether it takes back all that its nation has sent before in this phase
        (ledger.cancel)."""
        return record.is_withdrawal(self.text, self.late)


class StockCheck(Leased):
    """A stock named in a submission of which nothing was known when it arrived: to be looked up
    while its phase is open.

    The row is the queue (`orders.stock_checks`): `due_at` is when it is to be looked up or tried
    again, and empty once it is done with.
    """

    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, related_name="stock_checks"
    )
    symbol = models.CharField(max_length=8)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "symbol"], name="a_stock_is_checked_once_a_submission"
            )
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=models.Q(due_at__isnull=False), name="stock_checks_due"
            )
        ]

    def __str__(self) -> str:
        return f"{self.symbol} in {self.submission}"
