"""Events of the service as a whole."""

from __future__ import annotations

import time
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, models

from .people import Person


class Restoration(models.Model):
    """A restore of the service from a backup.

    Everything received and decided between `taken_at` and `restored_at` is lost. Until it is
    released nothing falls due, no letter goes out and nothing is accepted
    (`games.operations.restore_hold`).
    """

    taken_at = models.DateTimeField(help_text="When the backup was made.")
    restored_at = models.DateTimeField()
    released_at = models.DateTimeField(
        null=True, blank=True, help_text="When the service resumed; empty while it is held."
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


class ServiceHeld(Exception):
    """Raised where the service accepts nothing, because it was restored and is not released yet."""

    def __init__(self) -> None:
        super().__init__(
            "The service was restored from a backup and accepts nothing yet; try again later."
        )


@dataclass
class _Belief:
    held: bool = False
    until: float = 0.0


_belief = _Belief()


def current() -> Restoration | None:
    """Return the restoration that holds the service; None while it runs normally."""
    return Restoration.objects.filter(released_at=None).order_by("-pk").first()


def is_held() -> bool:
    """Return whether the service is held, cached for HELD_BELIEVED_SECONDS.

    Cached because every message and every page asks. A hold begins only while nothing runs; its end
    may be noticed a little late.
    """
    if time.monotonic() >= _belief.until:
        try:
            _belief.held = Restoration.objects.filter(released_at=None).exists()
        # No such table yet, so nothing was ever restored; the caller finds out by itself.
        except DatabaseError:
            return False
        _belief.until = time.monotonic() + settings.HELD_BELIEVED_SECONDS
    return _belief.held


def forget() -> None:
    """Drop the cached answer of `is_held`."""
    _belief.until = 0.0


def refuse_while_held() -> None:
    """Raise `ServiceHeld` while the service is held."""
    if is_held():
        raise ServiceHeld
