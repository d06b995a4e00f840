"""A class that plays: printed codes by which pupils without an address sit down."""

from __future__ import annotations

from django.db import models

from .game import Game
from .people import Person

#: What ends the stand-in address of a pupil who has none; a domain that never exists (RFC 2606).
# His letters wait for him on a page.
CLASS_DOMAIN = "class.invalid"


class PrintedCode(models.Model):
    """A code on a slip of paper with which a pupil logs in for one game, as often as the class
    meets. Only a hash is stored.

    It opens nothing but that game and that person's seat in it, and only for people without an
    address of their own (`Person.by_post`).
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
    """A printed code that was none, typed in from an address of the network: of too many nothing is
    looked at for a while."""

    origin_hash = models.CharField(
        max_length=64, help_text="Keyed hash of the address; the address itself is not stored."
    )
    tried_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["origin_hash", "tried_at"])]

    def __str__(self) -> str:
        return f"a wrong code, {self.tried_at:%Y-%m-%d %H:%M}"
