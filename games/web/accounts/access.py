"""Pages of API access tokens: make one, show it once, revoke it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from games.accounts import access_tokens
from games.base import clock
from games.models import Person
from games.pages.requests import person_of, tell_refusals


def account_context(person: Person) -> dict[str, Any]:
    """Return a person's tokens for the page “About you”."""
    tokens = access_tokens.valid_tokens(person)
    return {"access_tokens": tokens, "tokens_full": len(tokens) >= access_tokens.MOST}


@login_required
@require_POST
@never_cache
def make(request: HttpRequest) -> HttpResponse:
    """Make a token and show it. Only its hash is stored, so it is never shown again."""
    sends_orders = request.POST.get("scope") == "orders"
    with tell_refusals(request, access_tokens.TokenRefused):
        label = request.POST.get("label", "")
        token = access_tokens.make(
            person_of(request),
            label,
            sends_orders,
            clock.now(),
            manages_webhooks="webhooks" in request.POST,
        )
        return render(request, "around/token.html", {"token": token, "sends_orders": sends_orders})
    return redirect("me")


@login_required
@require_POST
def revoke(request: HttpRequest, code: str) -> HttpResponse:
    if access_tokens.revoke(person_of(request), code, clock.now()):
        messages.success(request, "Revoked. The token no longer works.")
    return redirect("me")
