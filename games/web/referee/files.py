"""Files with a referee's report: added and removed on the referee's page, read by who may see the
game once the report is out."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST, require_safe

from games import desk, permissions
from games.desk import report_files
from games.models import Game, ReportFile
from games.web.decorators import for_gamesmasters, for_readers
from games.web.requests import number_in, person_of
from gamesmaster import clock


@require_POST
@for_gamesmasters
def change(request: HttpRequest, game: Game) -> HttpResponse:
    """Add the file that was chosen, or remove the one whose button was pressed."""
    phase, person = game.phases.current(), person_of(request)
    if phase is None:
        raise Http404
    try:
        if "remove" in request.POST:
            report_files.remove(phase, person, number_in(request.POST["remove"], 10) or 0)
        elif chosen := request.FILES.get("file"):
            content = chosen.read(report_files.LARGEST + 1)
            name = chosen.name or ""
            added = report_files.add(phase, person, name, content, clock.now())
            messages.success(request, f"{added.name} goes with the report.")
        else:
            messages.error(request, "Choose a file first.")
    except desk.DeskError as error:
        messages.error(request, str(error))
    return redirect("referee", game.pk)


@require_safe
@for_readers
def read(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    """Send one file, for saving and not for showing: what others made never runs here."""
    rows = ReportFile.objects.select_related("phase__game").filter(phase__game=game)
    found = get_object_or_404(rows, pk=number)
    if not permissions.reads_report_files(request.user, found.phase):
        raise Http404
    return HttpResponse(
        bytes(found.content),
        content_type=found.media_type,
        headers={
            "Content-Disposition": f'attachment; filename="{found.name}"',
            "Content-Security-Policy": "sandbox; default-src 'none'",
        },
    )
