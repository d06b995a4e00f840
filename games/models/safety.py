"""Counters for rate limits, staff's two-factor codes, and erasures."""

from __future__ import annotations

from django.db import models

from .evidence import Evidence
from .people import Person


class Tally(models.Model):
    """A rate limit's counter of tries by one person or network address, within one span of time
    (games.accounts.rate_limits). Deleted after the span.
    """

    what = models.CharField(max_length=20)
    whose = models.CharField(
        max_length=64,
        help_text="Keyed hash of a person's id or a network address; neither is stored.",
    )
    since = models.DateTimeField()
    number = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name_plural = "tallies"
        constraints = [
            models.UniqueConstraint(fields=["what", "whose", "since"], name="one_tally_a_span")
        ]
        indexes = [models.Index(fields=["since"])]

    def __str__(self) -> str:
        return f"{self.number} × {self.what} since {self.since:%Y-%m-%d %H:%M}"


class SecondFactor(models.Model):
    """An authenticator app of a person that shows six digits (RFC 6238).

    Its secret is computed from the nonce and never stored.
    """

    person = models.OneToOneField(Person, on_delete=models.CASCADE, related_name="second_factor")
    nonce = models.CharField(max_length=64, unique=True)
    begun_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the first code was entered; empty: not yet in use.",
    )
    last_step = models.PositiveBigIntegerField(
        default=0,
        help_text="Time step of the newest accepted code, so that no code is accepted twice.",
    )

    def __str__(self) -> str:
        return f"second factor of {self.person}"


class RecoveryCode(models.Model):
    """A printed code that works once if the telephone is lost. Only a keyed hash is stored."""

    factor = models.ForeignKey(
        SecondFactor, on_delete=models.CASCADE, related_name="recovery_codes"
    )
    code_hash = models.CharField(max_length=64, unique=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"recovery code of {self.factor.person}"


class Erasure(Evidence):
    """The erasure of a person: when, who asked for it, and how many rows of each kind.

    The person's row stays, emptied.
    """

    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="erasures")
    asked_by = models.ForeignKey(
        Person,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who asked for it; empty: the operator.",
    )
    erased_at = models.DateTimeField()
    press = models.BooleanField(help_text="Whether letters to other nations were emptied too.")
    rows = models.JSONField(default=dict, help_text="Numbers of rows emptied or removed, by kind.")

    def __str__(self) -> str:
        return f"person {self.person_id} erased {self.erased_at:%Y-%m-%d}"
