"""What keeps the service from being tried too often, the second factor of those who run it, and
what has been erased."""

from __future__ import annotations

from django.db import models

from .evidence import Evidence
from .people import Person


class Tally(models.Model):
    """How often something has been tried by one person or from one place within one span of time
    (games.accounts.rate_limits). Gone when it is over."""

    what = models.CharField(max_length=20)
    whose = models.CharField(
        max_length=64,
        help_text="Keyed hash of a person's number or of a network address; neither is stored.",
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
    """An app on somebody's telephone that shows six digits (RFC 6238). Its secret is computed from
    the nonce and stands nowhere."""

    person = models.OneToOneField(Person, on_delete=models.CASCADE, related_name="second_factor")
    nonce = models.CharField(max_length=64, unique=True)
    begun_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When its first digits were typed in; empty: it counts for nothing.",
    )
    last_step = models.PositiveBigIntegerField(
        default=0,
        help_text="The half minute of the newest code accepted: no code is accepted twice.",
    )

    def __str__(self) -> str:
        return f"second factor of {self.person}"


class RecoveryCode(models.Model):
    """A code on paper that opens once where the telephone is lost. Only a keyed hash is stored."""

    factor = models.ForeignKey(
        SecondFactor, on_delete=models.CASCADE, related_name="recovery_codes"
    )
    code_hash = models.CharField(max_length=64, unique=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"recovery code of {self.factor.person}"


class Erasure(Evidence):
    """Somebody has been erased: when, at whose wish, and how many rows of which kind. The person's
    row stays, with nothing in it."""

    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="erasures")
    asked_by = models.ForeignKey(
        Person,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty: the operator.",
    )
    erased_at = models.DateTimeField()
    press = models.BooleanField(help_text="Whether the letters to other nations were emptied too.")
    rows = models.JSONField(
        default=dict, help_text="Kind of row to how many were emptied or removed."
    )

    def __str__(self) -> str:
        return f"person {self.person_id} erased {self.erased_at:%Y-%m-%d}"
