"""Access tokens, with which programs act in the name of a person."""

from __future__ import annotations

from django.db import models

from .coded import Coded
from .people import Person


class AccessToken(Coded):
    """A token with which a program reads the API as its owner, and sends orders if allowed.

    Only its hash is stored (games.accounts.access_tokens): it is shown once, when it is created.
    """

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="access_tokens")
    label = models.CharField(max_length=60, help_text="The name its owner gave it.")
    token_hash = models.CharField(max_length=64, unique=True)
    sends_orders = models.BooleanField(default=False, help_text="Whether it may also send orders.")
    manages_webhooks = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether it may add and remove its owner's webhooks.",
    )
    made_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["person", "revoked_at"])]
        constraints = [models.UniqueConstraint(fields=["code"], name="access_token_coded_once")]

    def __str__(self) -> str:
        return f"access token “{self.label}” of {self.person}"

    @property
    def scopes(self) -> list[str]:
        more = {"orders": self.sends_orders, "webhooks": self.manages_webhooks}
        return ["read", *(name for name, allowed in more.items() if allowed)]
