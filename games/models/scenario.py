"""Scenarios that gamesmasters have typed in, besides those of the service."""

from __future__ import annotations

from typing import Any

from django.db import models

from .people import Person


class Scenario(models.Model):
    """A card that a person has typed in or changed.

    A game copies the whole card when it is opened, and never reads the scenario again.
    """

    owner = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="scenarios")
    ruleset_id = models.CharField("game", max_length=40, default="origins-ww2")
    name = models.SlugField(max_length=60, help_text="The name in the scenario itself.")
    title = models.CharField(max_length=80)
    card: models.JSONField[Any, Any] = models.JSONField(
        help_text="The scenario so far, complete or not."
    )
    fault = models.CharField(
        max_length=300,
        blank=True,
        help_text=("Why the scenario cannot be used yet; empty: it can."),
    )
    shared = models.BooleanField(
        default=False, help_text="Every gamesmaster may copy it and open games with it."
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
                name="one_scenario_a_name",
            )
        ]
        indexes = [models.Index(fields=["ruleset_id", "shared"])]

    def __str__(self) -> str:
        return f"{self.title} of {self.owner}"
