"""The way into the admin: the service's own login by letter (docs/design.md 8)."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache


@never_cache
def login(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
    """Redirect to the login page and back; refuse whoever is logged in and may not enter."""
    home = reverse("admin:index")
    if admin.site.has_permission(request):
        return redirect(home)
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(request.GET.get("next") or home, reverse("login"))


def open_the_door() -> None:
    admin.site.login = login  # type: ignore[method-assign]
    admin.site.site_header = admin.site.site_title = "Gamesmaster"
    admin.site.index_title = "The record"
