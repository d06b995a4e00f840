"""Where the pages of rulings stand: at the desk, or in the admin, to which they then return."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse

from games.models import Phase


@dataclass(frozen=True)
class Place:
    """The names of the pages' addresses begin with `name`."""

    name: str

    @property
    def in_admin(self) -> bool:
        return self.name == "admin"

    @property
    def kinds(self) -> str:
        return f"{self.name}-ruling-phase"

    @property
    def form(self) -> str:
        return f"{self.name}-ruling-new"

    @property
    def release(self) -> str:
        return f"{self.name}-release"

    def home(self, phase: Phase) -> str:
        """Return the address to return to: the phase in the admin, or the desk's rulings."""
        if self.in_admin:
            return reverse("admin:games_phase_change", args=[phase.pk])
        return reverse("desk-rulings", args=[phase.game_id])


DESK, ADMIN = Place("desk"), Place("admin")
