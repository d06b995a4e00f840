"""Block the writer of a letter, report a letter, and decide about reported letters."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from games import permissions
from games.base import clock
from games.models import Block, Complaint, Game, Person, Press
from games.pages.decorators import for_readers
from games.pages.requests import person_of, tell_refusals
from games.press import complaints, conversations
from games.seats.press_rules import PressError


def account_context(person: Person) -> dict[str, Any]:
    """Return the people whom a person has blocked, for the page “About you”."""
    rows = Block.objects.filter(person=person).select_related("press__game", "press__seat")
    return {"blocks": rows.order_by("pk")}


@require_POST
@login_required
@for_readers
def act(request: HttpRequest, game: Game, code: int, what: str) -> HttpResponse:
    """Block the writer of a letter that the person may read, or report the letter."""
    person, now = person_of(request), clock.now()
    rows = Press.objects.select_related("game", "seat", "person")
    press = get_object_or_404(rows, game=game, code=code)
    if not permissions.reads_press(person, press):
        raise Http404
    with tell_refusals(request, PressError):
        if what == "block":
            complaints.block(person, press, now)
            messages.success(request, f"Blocked. {complaints.blocked_sentence(game)}")
        elif what == "report":
            complaints.report(person, press, request.POST.get("reason", ""), now)
            messages.success(request, f"Reported. {complaints.REPORTED}")
        else:
            raise Http404
    return redirect(f"{reverse('press', args=[game.pk])}?circle={code}")


@require_POST
@login_required
def unblock(request: HttpRequest, code: str) -> HttpResponse:
    if complaints.unblock(person_of(request), code):
        messages.success(request, "Unblocked. Letters of this player reach you again.")
    return redirect("me")


@require_safe
@login_required
def queue(request: HttpRequest) -> HttpResponse:
    """Show the open complaints that the reader may decide."""
    rows = [
        (
            complaint,
            conversations.writer(complaint.press),
            conversations.describe_addressees(complaint.press),
        )
        for complaint in complaints.open_for(person_of(request))
    ]
    return render(request, "press/complaints.html", {"rows": rows})


@require_POST
@login_required
def close(request: HttpRequest, code: str) -> HttpResponse:
    rows = Complaint.objects.select_related("press__game")
    complaint = get_object_or_404(rows, code=code)
    if not complaints.decides(person_of(request), complaint):
        raise Http404
    complaints.close(complaint, person_of(request), clock.now())
    messages.success(request, "Closed.")
    return redirect("complaints")
