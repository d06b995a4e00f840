"""Open games with settings and the rest of a request written in one line."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from typing import Any

from games import desk
from games.models import Game, Person

_OF_A_REQUEST = {field.name for field in fields(desk.Opening)}


def open_game(opener: Person, now: datetime, **given: Any) -> Game:
    """Open a game. What is no field of a request is a setting, and `press` has several."""
    settings = {key: value for key, value in given.items() if key not in _OF_A_REQUEST}
    settings |= {f"press.{key}": value for key, value in settings.pop("press", {}).items()}
    request = {key: value for key, value in given.items() if key in _OF_A_REQUEST}
    request["settings"] = {**settings, **request.get("settings", {})}
    return desk.open_game(desk.Opening(**request), opener, now)
