"""Template variables of every page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from games import permissions
from games.models import Person, announced, service
from games.press import conversations


def _unread(request: HttpRequest) -> dict[str, Any]:
    """Return how many letters of other nations the reader has not opened, and where they are."""
    person = request.user
    unread: dict[int, set[int]] = {}
    if isinstance(person, Person) and not person.guest:
        unread = conversations.unread_letters(person)
    return unread_marks(unread)


def unread_marks(unread: Mapping[int, set[int]]) -> dict[str, Any]:
    """Return what pages show of unread letters: `unread` has their codes by game."""
    numbers = {game: len(codes) for game, codes in unread.items() if codes}
    where = reverse("press", args=[next(iter(numbers))]) if len(numbers) == 1 else reverse("home")
    return {"count": sum(numbers.values()), "where": where, "games": numbers}


def site(request: HttpRequest) -> dict[str, Any]:
    if not hasattr(request, "service_held"):  # one page may render several templates
        request.service_held = SimpleLazyObject(service.is_held)  # type: ignore[attr-defined]
    return {
        "unread": SimpleLazyObject(lambda: _unread(request)),
        "demonstration": settings.DEMONSTRATION,
        "site_url": settings.SITE_URL,
        "service_held": request.service_held,  # type: ignore[attr-defined]
        "announcements": SimpleLazyObject(announced),
        "may_open_games": SimpleLazyObject(lambda: permissions.opens_games(request.user)),
        "who_opens_games": permissions.who_opens_games(),
    }
