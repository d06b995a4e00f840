"""The results of phases, and the running hash of a game's record."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from django.db import models

from .evidence import Evidence
from .game import Game
from .phase import Phase


class Resolution(Evidence):
    """A result of a phase. Version 1 is the service's; each ruling makes a new one, which holds."""

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="resolutions")
    version = models.PositiveSmallIntegerField(default=1)
    before = models.JSONField(help_text="The position before.")
    orders = models.JSONField(help_text="Order text by nation as judged, with standing orders.")
    events = models.JSONField()
    remarks = models.JSONField(
        default=dict, help_text="Remarks on orders by nation; only that nation reads them."
    )
    after = models.JSONField(
        help_text="The position after; the game's board while this is the newest resolution."
    )
    scores = models.JSONField(help_text="Scores as if the game ended here.")
    winners = models.JSONField(null=True, blank=True)
    closing = models.CharField(
        max_length=200, blank=True, help_text="The rules' final statement about a finished game."
    )
    resolved_at = models.DateTimeField()
    ruling = models.ForeignKey(
        "Ruling",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="resolutions",
        help_text="The ruling that made this version.",
    )
    after_ruling = models.PositiveIntegerField(
        default=0,
        help_text=(
            "Number of the newest ruling when this version was judged; rulings up to it"
            " that were not revoked apply."
        ),
    )

    class Meta:
        ordering = ["phase", "version"]
        get_latest_by = "version"
        constraints = [
            models.UniqueConstraint(fields=["phase", "version"], name="versions_are_numbered")
        ]
        indexes = [models.Index(fields=["resolved_at"], name="results_by_time")]

    def __str__(self) -> str:
        return f"{self.phase}, version {self.version}"

    @property
    def title(self) -> str:
        """The phase's title, or that of all that a gamesmaster's report has covered."""
        game = self.phase.game
        if not game.rules.referee.seats:
            return self.phase.title
        before, after = game.load(self.before), game.load(self.after)
        return game.rules.referee.title_of_report(before, after) or self.phase.title

    def orders_of(
        self, nations: Container[str]
    ) -> list[tuple[str, str | None, list[dict[str, Any]]]]:
        """Return the judged orders of some nations, each with the remarks on them.

        The text is None for a nation that only has remarks: a report ruled on its earlier orders.
        """
        return [
            (nation, self.orders.get(nation), self.remarks.get(nation, []))
            for nation in dict.fromkeys((*self.orders, *self.remarks))
            if nation in nations
        ]


class RecordEntry(Evidence):
    """A step of a game's running record hash (games.rules.verification.entries), and the hash
    after it.

    Letters, pages and feeds show the newest hash, so that no later record can differ from it.
    """

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="entries", db_index=False)
    number = models.PositiveIntegerField()
    made_at = models.DateTimeField()
    covers = models.JSONField(
        help_text="The parts of the record that this entry covers, each as a kind and a name."
    )
    salt = models.CharField(max_length=32)
    leaf = models.CharField(
        max_length=64, help_text="SHA-256 over the salt and the contents of the parts."
    )
    hash = models.CharField(max_length=64, help_text="The record hash after this entry.")

    class Meta:
        ordering = ["game", "number"]
        verbose_name_plural = "record entries"
        constraints = [
            models.UniqueConstraint(fields=["game", "number"], name="entries_are_numbered")
        ]
        indexes = [models.Index(fields=["made_at"], name="entries_by_time")]

    def __str__(self) -> str:
        return f"entry {self.number} of {self.game}"
