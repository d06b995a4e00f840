"""Orders that are not sent: drafts, and orders for phases that have not opened yet."""

from __future__ import annotations

from django.db import models

from games.models import Person, Phase, Seat


class Draft(models.Model):
    """What one person has written for a seat in a phase and not sent yet.

    Only that person can see it. It is deleted once it is sent or its phase is over.
    """

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="drafts")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="drafts")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="drafts")
    text = models.TextField(blank=True)
    kept_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["seat", "phase", "person"], name="one_draft_a_person")
        ]

    def __str__(self) -> str:
        return f"draft of {self.person} for {self.seat}"


class OrdersAhead(models.Model):
    """An order set that one person keeps for a seat and a later phase.

    Only that person can see it. It is deleted when it becomes a submission (orders.intake.ahead) or
    is taken back.
    """

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="ahead")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="ahead")
    turn = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=40)
    text = models.TextField()
    kept_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "orders ahead"
        constraints = [
            models.UniqueConstraint(
                fields=["seat", "person", "turn", "kind"], name="one_set_ahead_a_phase"
            )
        ]

    @property
    def turn_and_kind(self) -> tuple[int, str]:
        return self.turn, self.kind

    def __str__(self) -> str:
        return f"orders of {self.person} for {self.seat}, turn {self.turn} {self.kind}"
