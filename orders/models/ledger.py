"""The submission ledger: what players sent, as they sent it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import models
from django.urls import reverse

from games.models import Evidence, Game, Leased, Person, Phase, Seat
from games.rules import Doubt, doubts
from games.rules.plain import editions
from games.rules.verification import record


class Submission(Evidence):
    """One order set as received, numbered in its game and in its seat.

    It is chained by hash to the one before and never changed. Each seat's newest submission that
    `counts` is in force for a phase (orders.intake.ledger).
    """

    class Channel(models.TextChoices):
        WEB = "web", "page"
        MAIL = "mail"
        TELEPHONE = "telephone"
        PAPER = "paper"
        PROGRAM = "program", "player run by the service"
        AHEAD = "ahead", "orders sent ahead"
        API = "api", "a program of the player"
        DOUBT = doubts.CHANNEL, "orders in doubt that counted at the deadline"

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="submissions")
    number = models.PositiveIntegerField(
        help_text=(
            "Number in the game and in the record; hidden during the game, because it"
            " reveals how much others send."
        )
    )
    seat_number = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Number within its seat, as people see it."
    )
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="submissions")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="submissions")
    received_at = models.DateTimeField()
    written_at = models.DateTimeField(
        null=True, blank=True, help_text="When mail was written, as far as that can be known."
    )
    channel = models.CharField(max_length=10, choices=Channel)
    person = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="submissions"
    )
    text = models.TextField(blank=True, help_text="The orders, exactly as sent.")
    understood = models.JSONField(
        default=list, help_text="Accepted lines only: [line number, canonical line]."
    )
    edition = models.PositiveSmallIntegerField(
        default=1,
        db_default=1,
        help_text="Which edition of the reader of plain orders understood it so.",
    )
    remarks = models.JSONField(default=list)
    doubt = models.JSONField(
        null=True,
        blank=True,
        help_text=(
            "The orders in doubt, about which the sender is asked: lines, and whether they may"
            " count at the deadline."
        ),
    )
    final = models.BooleanField(default=False, help_text="The sender marked the orders final.")
    entered_by = models.ForeignKey(
        Person,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who took the orders down by telephone or from paper.",
    )
    posted_on = models.DateField(
        null=True, blank=True, help_text="Postmark date of orders on paper."
    )
    read_back = models.CharField(
        max_length=12,
        blank=True,
        help_text="The read-back code from the telephone.",
    )
    member = models.PositiveSmallIntegerField(
        default=0,
        help_text="The number of the team member who sent it; 0: no team.",
    )
    proposal = models.BooleanField(
        default=False,
        help_text="Seen by the sender's team only; counts once the spokesman adopts it.",
    )
    late = models.BooleanField(default=False)
    counts = models.BooleanField(help_text="Received in time, with at least one line understood.")
    salt = models.CharField(
        max_length=64,
        help_text="Prevents guessing orders from the published digest; shown after the game.",
    )
    request_key = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Idempotency key: a repeated request is not received twice.",
    )
    previous_hash = models.CharField(max_length=64, blank=True)
    hash = models.CharField(max_length=64)

    #: The state in which `ledger.receive` parsed the text, for code that tells the sender about it.
    #: Set only on the row just received, and not stored.
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
        """Return its name in keys of letters, which every recipient of the letter may read."""
        return f"{self.seat_id}-{self.seat_number}"

    @property
    def way(self) -> str:
        """Return how it arrived, in words that follow “sent”."""
        if self.channel == self.Channel.WEB:
            return "from the order page"
        if self.channel == self.Channel.AHEAD:
            return "from orders kept ahead"
        if self.channel == self.Channel.DOUBT:
            return "in doubt, and counted at the deadline"
        return f"by {self.get_channel_display()}"

    @property
    def sent_at(self) -> datetime:
        """Return when its sender wrote it; all but mail is received as it is sent."""
        return self.written_at or self.received_at

    @property
    def taken_whole(self) -> bool:
        """Return whether all of it was accepted in time, from its sender, without remarks."""
        counts = self.counts or self.proposal
        return counts and not (self.late or self.remarks or self.entered_by_id)

    @property
    def question(self) -> Doubt | None:
        """Return what its sender is asked about, or None for orders that are not in doubt."""
        return doubts.from_json(self.doubt)

    @property
    def before(self) -> editions.Understood | None:
        """Return what another edition of the reader understood; None if the text is read."""
        if self.edition == editions.EDITION:  # the usual case, which needs neither phase nor game
            return None
        return editions.understood_before(
            self.phase.game.options, self.seat.nation, self.edition, self.understood
        )

    @property
    def judged(self) -> str:
        """Return the text that is judged and explained; `text` is what was sent."""
        return editions.judged_text(self.text, self.before)

    @property
    def withdraws(self) -> bool:
        """Return whether it takes back everything its nation sent before in this phase.

        See `ledger.cancel`.
        """
        return record.is_withdrawal(self.text, self.late)

    @property
    def outcome(self) -> str:
        """Return in words what became of it when it came in, whatever has replaced it since."""
        if self.late:
            return "late"
        if self.counts:
            return "in time"
        if self.doubt is not None:
            return "in doubt"
        if self.withdraws:
            return "withdrew the earlier orders"
        if self.proposal:
            return "a proposal to the team"
        return "no line could be read"

    def chain_hash(self) -> str:
        """Return the hash that chains it to the submission before.

        It makes changing, removing or inserting rows detectable.
        """
        return record.chain_hash(
            previous=self.previous_hash,
            number=self.number,
            nation=self.seat.nation,
            turn=self.phase.turn,
            phase=self.phase.kind,
            received=record.instant(self.received_at),
            channel=str(self.channel),
            salt=self.salt,
            text=self.text,
            member=self.member,
            proposal=self.proposal,
        )


class StockCheck(Leased):
    """A stock named in a submission about which nothing was known when it arrived.

    It is looked up while its phase is open. The row is the queue (`orders.intake.stock_checks`):
    `due_at` is the time of the next lookup, and None once it is done.
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
        return f"a stock in {self.submission}"
