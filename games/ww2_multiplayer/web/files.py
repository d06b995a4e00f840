"""Files of a referee report: a gamesmaster adds and removes them on the referee's page, and people
who may see the game can read them once the report is out."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST, require_safe

from games import desk, permissions
from games.base import clock
from games.models import Game, ReportFile
from games.pages.decorators import for_gamesmasters, for_readers
from games.pages.requests import parse_code, person_of

from .. import report_files


@require_POST
@for_gamesmasters
def change(request: HttpRequest, game: Game) -> HttpResponse:
    """Add the chosen file, or remove the file whose button was pressed."""
    phase, person = game.phases.current(), person_of(request)
    if phase is None:
        raise Http404
    try:
        if "remove" in request.POST:
            report_files.remove(phase, person, parse_code(request.POST["remove"]))
        elif chosen := request.FILES.get("file"):
            content = chosen.read(report_files.LARGEST + 1)
            name = chosen.name or ""
            added = report_files.add(phase, person, name, content, clock.now())
            messages.success(request, f"{added.name} will be sent with the report.")
        else:
            messages.error(request, "Choose a file first.")
    except desk.DeskError as error:
        messages.error(request, str(error))
    return redirect("referee", game.pk)


@require_safe
@for_readers
def read(request: HttpRequest, game: Game, code: str) -> HttpResponse:
    """Send a file as a download. We never display it, so that nothing in it runs on our pages."""
    rows = ReportFile.objects.select_related("phase__game").filter(phase__game=game)
    row = get_object_or_404(rows, code=code)
    if not permissions.reads_report_files(request.user, row.phase):
        raise Http404
    return HttpResponse(
        bytes(row.content),
        content_type=row.media_type,
        headers={
            "Content-Disposition": f'attachment; filename="{row.name}"',
            "Content-Security-Policy": "sandbox; default-src 'none'",
        },
    )
