"""Ask the API for every address in its schema, with the token of one of the cast.

`paths` comes from the schema, so that tests read a new operation at once.
"""

from __future__ import annotations

import functools
import re
from datetime import datetime
from typing import Any

from django.test import Client

from games.accounts import access_tokens
from games.api.service import api
from games.models import AccessToken, Game, Person
from tests.support.campaign import person

_TAKEN = "program of a test"


class Program(Client):
    """A program with a token of one of the cast, or without any."""

    def __init__(self, name: str, now: datetime, *, sends_orders: bool = False) -> None:
        self.token = token(person(name), now, sends_orders=sends_orders) if name else ""
        super().__init__(headers={"Authorization": f"Bearer {self.token}"} if self.token else None)

    def read(self, path: str, **headers: Any) -> Any:
        """Return the JSON answer below /api/v1/; the status must be 200."""
        answer = self.get(f"/api/v1/{path}", **headers)
        assert answer.status_code == 200, (path, answer.status_code, answer.content)
        return answer.json()


def token(whose: Person, now: datetime, *, sends_orders: bool = False) -> str:
    """Return a new token of a person; the previous one made for a test is revoked."""
    AccessToken.objects.filter(person=whose, label=_TAKEN).delete()
    return access_tokens.make(whose, _TAKEN, sends_orders, now, manages_webhooks=sends_orders)


@functools.cache
def _readable() -> list[str]:
    """Return the paths of the schema that answer a GET: the same for a whole process."""
    return [path for path, by in api.get_openapi_schema()["paths"].items() if "get" in by]


def paths(game: Game) -> list[str]:
    """Return every readable address, with every phase and submission of a game."""
    rows = {
        "phases": list(game.phases.values_list("number", flat=True)),
        "orders": sorted(set(game.submissions.values_list("seat_number", flat=True))),
    }
    nations = list(game.seats.nations().values_list("nation", flat=True))
    values = {"game": str(game.pk), "ruleset": game.ruleset_id, "name": game.card["name"]}
    addresses = []
    for path in _readable():
        of = re.search(r"/(\w+)/\{number\}", path)
        for number in rows[of[1]] if of else [0]:
            given = {**values, "number": str(number)}
            filled = re.sub(r"\{(\w+)\}", lambda part, given=given: given[part[1]], path)  # type: ignore[misc]
            if of and of[1] == "orders":  # numbered separately for each nation
                addresses += [f"{filled}?nation={nation}" for nation in nations]
                continue
            addresses.append(filled)
            if path.endswith(("/board", "/report")):
                addresses += [f"{filled}?version={version}" for version in (0, 1)]
    return addresses
