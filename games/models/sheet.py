"""Printed sheets that gamesmasters have typed in: cards of their own, beside those that come with
the service."""

from __future__ import annotations

from typing import Any

from django.db import models

from .people import Person


class Sheet(models.Model):
    """A card that somebody has typed in or altered (contract 2). Games copy it whole when they are
    opened, and never look here again."""

    owner = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="sheets")
    ruleset_id = models.CharField("game", max_length=40, default="origins-ww2")
    name = models.SlugField(max_length=60, help_text="As the card names itself.")
    title = models.CharField(max_length=80)
    card: models.JSONField[Any, Any] = models.JSONField(
        help_text="The card as it stands, complete or not."
    )
    fault = models.CharField(
        max_length=300, blank=True, help_text="Why it cannot be played with yet; empty: it can."
    )
    shared = models.BooleanField(
        default=False, help_text="Every gamesmaster may open games with it and copy it."
    )
    made_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["title", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "ruleset_id", "name"],
                condition=models.Q(removed_at=None),
                name="one_sheet_a_name",
            )
        ]
        indexes = [models.Index(fields=["ruleset_id", "shared"])]

    def __str__(self) -> str:
        return f"{self.title} of {self.owner}"
