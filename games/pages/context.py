"""Template variables of every page."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from games import permissions
from games.models import announced, service


def site(request: HttpRequest) -> dict[str, Any]:
    if not hasattr(request, "service_held"):  # one page may render several templates
        request.service_held = SimpleLazyObject(service.is_held)  # type: ignore[attr-defined]
    return {
        "demonstration": settings.DEMONSTRATION,
        "site_url": settings.SITE_URL,
        "service_held": request.service_held,  # type: ignore[attr-defined]
        "announcements": SimpleLazyObject(announced),
        "may_open_games": SimpleLazyObject(lambda: permissions.opens_games(request.user)),
        "who_opens_games": permissions.who_opens_games(),
    }
