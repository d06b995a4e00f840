"""Limit guests to public pages and their practice game."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

GetResponse = Callable[[HttpRequest], HttpResponse]

#: Pages that need an account with an address: running games, standby, addresses, letters. All other
#: pages check permissions themselves (games.permissions).
WITH_AN_ADDRESS = re.compile(
    r"/(games/new|desk|standby|closures|me|letters|admin)(/|$)|/games/\d+/(leave|away|press|questions)/"
)


class GuestDoor:
    """Middleware that redirects guests from pages that need an address to the page where they can
    enter one."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if WITH_AN_ADDRESS.match(request.path) and getattr(request.user, "guest", False):
            messages.info(
                request,
                "You need an account for that. Enter your e-mail address, and your practice game"
                " moves to your account.",
            )
            return redirect("practice-keep")
        return self.get_response(request)
