"""Deals between two nations: what one proposed to the other, and what that one answered."""

from __future__ import annotations

from django.db import models

from .evidence import Evidence
from .game import Game, Seat
from .people import Person
from .phase import Phase
from .press import Press


class Proposal(Evidence):
    """A deal that a nation proposed to another. Never changed; nothing binds.

    Each nation numbers the deals it proposes and those proposed to it: a number counted in the
    game would tell how much others bargain.
    """

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="proposals")
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="proposals_made")
    to = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="proposals_got")
    number = models.PositiveIntegerField(help_text="Among the deals of the nation that proposes.")
    to_number = models.PositiveIntegerField(help_text="Among the deals of the other nation.")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="proposals")
    text = models.TextField(help_text="The promises, as games.rules.deals.terms writes them.")
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

    class Meta:
        ordering = ["game", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["seat", "number"], name="proposal_numbered_by_maker"),
            models.UniqueConstraint(fields=["to", "to_number"], name="proposal_numbered_by_getter"),
        ]

    def __str__(self) -> str:
        return f"proposal {self.number} of {self.seat}"

    def number_for(self, seat_id: int) -> int:
        """Return by which number one of the two nations knows the deal."""
        return self.number if seat_id == self.seat_id else self.to_number


class ProposalAnswer(Evidence):
    """What became of a proposal. The one who made it may withdraw it until it is answered."""

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

    def __str__(self) -> str:
        return f"{self.proposal} {self.kind}"
