"""The door for guests: they see what any stranger sees, and the practice game that they play."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

GetResponse = Callable[[HttpRequest], HttpResponse]

#: What is behind an address of one's own: running games, standing by, addresses, letters. All else
# decides for itself (games.permissions).
WITH_AN_ADDRESS = re.compile(
    r"/(games/new|sheets|desk|standby|closures|me|letters|admin)(/|$)|/games/\d+/(leave|away|press|questions)/"
)


class GuestDoor:
    """Sends a guest who asks for what needs an address to the page where he may give one."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if WITH_AN_ADDRESS.match(request.path) and getattr(request.user, "guest", False):
            messages.info(
                request,
                "That is for people with an address: give yours, and your practice game goes on"
                " under it.",
            )
            return redirect("practice-keep")
        return self.get_response(request)
