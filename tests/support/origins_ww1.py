"""Play Origins of World War I with the same people, and Antal for Austria-Hungary."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

from tests.support import campaign as five_nations
from tests.support.campaign import MONDAY

GAME, CARD = "origins-ww1", "standard"
NATIONS = ("Britain", "France", "Germany", "Russia", "Austria-Hungary")
PLAYERS = {
    "Britain": "bea",
    "France": "felix",
    "Germany": "gustav",
    "Russia": "rosa",
    "Austria-Hungary": "antal",
}
ADDRESSES = {nation: f"{name}@example.org" for nation, name in PLAYERS.items()}


class Campaign(five_nations.Campaign):
    """A campaign with a player for each of the five nations."""

    @classmethod
    def open(
        cls, now: datetime = MONDAY, *, options: Mapping[str, Any] | None = None, **changes: Any
    ) -> Self:
        given = {
            "title": "A place in the sun",
            "ruleset_id": GAME,
            "card_name": CARD,
            "seats": ADDRESSES,
            **changes,
        }
        return super().open(now, options=options, **given)

    def name_of(self, nation: str) -> str:
        """Return the first name of the nation's present player."""
        (person,) = [
            sitting.person
            for sitting in self.seat(nation).sittings.current().select_related("person")
        ]
        return person.email.partition("@")[0]
