"""What happened to the service as a whole."""

from __future__ import annotations

import time
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, models

from .people import Person


class Restoration(models.Model):
    """The service was put back from a copy: what was received and decided between `taken_at` and
    `restored_at` is in no table any more.

    Until it is released nothing falls due, no letter goes out and nothing is taken in
    (`games.operations.restore_hold`).
    """

    taken_at = models.DateTimeField(help_text="When the backup was made.")
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


class ServiceHeld(Exception):
    """The service takes nothing in: it was restored from a backup and is not released yet."""

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
    """The restoration that holds the service; None while it runs as it should."""
    return Restoration.objects.filter(released_at=None).order_by("-pk").first()


def held() -> bool:
    """Whether the service is held, for what is asked with every message and every page: read anew
    after HELD_BELIEVED_SECONDS alone.

    A hold begins only while nothing runs; that it has ended may be seen a little late.
    """
    if time.monotonic() >= _belief.until:
        try:
            _belief.held = Restoration.objects.filter(released_at=None).exists()
        # no such table yet: nothing was ever restored here; whoever goes on hears of the fault
        # himself
        except DatabaseError:
            return False
        _belief.until = time.monotonic() + settings.HELD_BELIEVED_SECONDS
    return _belief.held


def forget() -> None:
    """Lets the next question read anew."""
    _belief.until = 0.0


def refuse_while_held() -> None:
    """Raises `ServiceHeld` while the service is."""
    if held():
        raise ServiceHeld
