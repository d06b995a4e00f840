"""The operator's page of days on which an exchange is closed although its calendar has it open."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from games import permissions
from games.base import clock
from games.desk import DeskError, closure_evidence
from games.desk import closures as table
from games.models import MarketClosure, Person, SessionChange
from games.pages.forms import ClosureForm, RemovalForm
from games.pages.requests import tell_refusals
from games.rules.verification.closures import LEADING


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def closures(request: HttpRequest) -> HttpResponse:
    """List the closures, and enter another one."""
    person = _person(request)
    places = [(market.exchange, market.title) for market in table.markets_in_use()]
    form = ClosureForm(
        request.POST if request.method == "POST" else None, auto_id="closure-%s", places=places
    )
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        with form.errors_at("day"):
            closure, changes = table.enter(
                data["exchange"], data["day"], data["reason"], person, clock.now()
            )
            messages.success(
                request,
                f"{closure.day} is entered under your name. {_effect(closure, changes)}",
            )
            return redirect("closures")
    return _page(request, form)


@login_required
@require_POST
def remove(request: HttpRequest, closure: int) -> HttpResponse:
    """Remove a closure whose session is still to come, or one that does not count."""
    person, row = _person(request), get_object_or_404(MarketClosure, pk=closure)
    form = RemovalForm(request.POST, auto_id=f"remove-{row.pk}-%s")
    with tell_refusals(request):
        if not form.is_valid():
            raise DeskError(str(form.errors["reason"][0]))
        changes = table.remove(row, form.cleaned_data["reason"], person, clock.now())
        messages.success(request, f"The closure of {row.day} is removed. {_effect(row, changes)}")
    return redirect("closures")


def _person(request: HttpRequest) -> Person:
    person = request.user
    if not isinstance(person, Person) or not permissions.enters_closures(person):
        raise PermissionDenied
    return person


def _effect(closure: MarketClosure, changes: Sequence[SessionChange]) -> str:
    if closure.needs_evidence:
        return closure_evidence.describe_wait(closure)
    if not changes:
        return "No game waits for that day."
    number = "One game that waited" if len(changes) == 1 else f"{len(changes)} games that waited"
    return f"{number} for it got another session, and everybody in it a letter."


def _page(request: HttpRequest, form: ClosureForm) -> HttpResponse:
    now = clock.now()
    rows = [
        (
            row,
            RemovalForm(auto_id=f"remove-{row.pk}-%s") if table.may_remove(row, now) else None,
            closure_evidence.describe_wait(row),
        )
        for row in table.all_closures()
    ]
    context = {
        "form": form,
        "rows": rows,
        "most": table.MOST_TO_COME,
        "stocks": LEADING,
    }
    return render(request, "games/closures.html", context)
