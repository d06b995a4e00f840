"""Printed codes, with which pupils without an address log in."""

from __future__ import annotations

from django.db import models

from .game import Game
from .people import Person


class PrintedCode(models.Model):
    """A printed code with which a pupil logs in for one game, any number of times.

    Only a hash is stored. The code opens only that game and that person's seat in it, and only for
    people without their own address (`Person.by_post`).
    """

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="printed_codes")
    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="printed_codes")
    nonce = models.CharField(max_length=64, unique=True)
    code_hash = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "game"],
                condition=models.Q(revoked_at=None),
                name="one_printed_code_a_game",
            )
        ]

    def __str__(self) -> str:
        return f"code of {self.person} in {self.game}"


class WrongCode(models.Model):
    """A wrong printed code, typed in from a network address.

    After too many of them, codes from that address are refused for a while.
    """

    origin_hash = models.CharField(
        max_length=64, help_text="Keyed hash of the address; the address itself is not stored."
    )
    tried_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["origin_hash", "tried_at"])]

    def __str__(self) -> str:
        return f"a wrong code, {self.tried_at:%Y-%m-%d %H:%M}"
