"""Orders that a person is still writing."""

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
