"""What happened to the service as a whole."""

from __future__ import annotations

from django.db import models

from .people import Person


class Restoration(models.Model):
    """The service was put back from a copy: what was received and decided between `taken_at` and
    `restored_at` is in no table any more.

    Until it is released nothing falls due, no letter goes out and nothing is taken in
    (`games.operations.restore_hold`).
    """

    taken_at = models.DateTimeField(help_text="When the copy was made.")
    restored_at = models.DateTimeField()
    released_at = models.DateTimeField(
        null=True, blank=True, help_text="When the service went on; empty while it is held."
    )
    released_by = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        indexes = [models.Index(fields=["released_at"], name="restorations_held")]

    def __str__(self) -> str:
        return (
            f"restored at {self.restored_at:%Y-%m-%d %H:%M} from a copy of"
            f" {self.taken_at:%Y-%m-%d %H:%M}"
        )
