"""What every page knows."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from games import restoring


def site(request: HttpRequest) -> dict[str, Any]:
    return {"demonstration": settings.DEMONSTRATION, "site_url": settings.SITE_URL, "held": restoring.held()}
