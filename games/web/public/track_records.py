"""The page of a person's track record, if the person shows it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from games import permissions
from games.base import clock
from games.models import Person
from games.seats import track_record


@require_safe
def page(request: HttpRequest, pk: int) -> HttpResponse:
    """Show phases on time, seats left, and results by nation."""
    person = get_object_or_404(Person, pk=pk)
    if not permissions.sees_track_record(request.user, person):
        raise Http404
    record = track_record.track_record_of(person, clock.now())
    context = {
        "person": person,
        "record": record,
        "games": sorted(record.games.items()),
        "enough": track_record.ENOUGH,
    }
    return render(request, "games/track_record.html", context)
