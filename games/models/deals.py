"""Deals between two nations: proposals and their answers."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from .evidence import Evidence
from .game import Game
from .people import Person
from .phase import Phase
from .press import Press
from .seats import Seat


class Proposal(Evidence):
    """A deal that a nation proposed to another. Never changed; not binding.

    Each nation numbers the deals it proposes and those proposed to it: a number counted in the game
    would show how much others bargain.
    """

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="proposals")
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="proposals_made")
    to = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="proposals_got")
    number = models.PositiveIntegerField(
        help_text=("Number among the deals of the proposing nation.")
    )
    to_number = models.PositiveIntegerField(
        help_text=("Number among the deals of the other nation.")
    )
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="proposals")
    text = models.TextField(help_text="The promises, as text of games.rules.deals.terms.")
    person = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    channel = models.CharField(max_length=10, choices=Press.Channel)
    counters = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="countered_by",
        help_text="The proposal that this one answers.",
    )
    made_at = models.DateTimeField()
    request_key = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Idempotency key: a repeated request makes no second proposal.",
    )

    class Meta:
        ordering = ["game", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["seat", "number"], name="proposal_numbered_by_maker"),
            models.UniqueConstraint(fields=["to", "to_number"], name="proposal_numbered_by_getter"),
        ]

    def __str__(self) -> str:
        return f"proposal {self.number} of {self.seat}"

    def number_for(self, seat_id: int) -> int:
        """Return the number by which one of the two nations knows the deal."""
        return self.number if seat_id == self.seat_id else self.to_number


class ProposalAnswer(Evidence):
    """The end of a proposal. Its maker may withdraw it until it is answered."""

    class Kind(models.TextChoices):
        ACCEPTED = "accepted"
        DECLINED = "declined"
        COUNTERED = "countered", "answered by a counter-proposal"
        WITHDRAWN = "withdrawn"

    proposal = models.OneToOneField(Proposal, on_delete=models.PROTECT, related_name="answer")
    kind = models.CharField(max_length=10, choices=Kind)
    person = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    channel = models.CharField(max_length=10, choices=Press.Channel)
    made_at = models.DateTimeField()
    reason = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="Why a program does not accept, and what it offers instead.",
    )

    #: What the nation that ends a proposal does to it.
    VERBS: ClassVar = {
        Kind.ACCEPTED: "accepts",
        Kind.DECLINED: "declines",
        Kind.COUNTERED: "makes another offer for",
        Kind.WITHDRAWN: "withdraws",
    }

    def __str__(self) -> str:
        return f"{self.proposal} {self.kind}"

    @property
    def verb(self) -> str:
        return self.VERBS[self.Kind(self.kind)]
