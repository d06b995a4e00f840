"""Sheets: shipped ones, and those that gamesmasters type in, alter, try and share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import permissions
from games.desk import DeskError, sheet_grid, sheets
from games.desk.sheet_toml import to_toml
from games.models import Game, Person, Sheet
from games.rules import RulesError, cards
from games.rules.cards import PROVENANCES
from games.rules.registry import RULESETS, ruleset
from games.simulation import simulate
from games.web.decorators import for_readers
from games.web.headings import headings
from games.web.requests import number_in, person_of, tell_refusals
from games.web.scenarios.sheets import KINDS, PROVENANCE
from games.web.scenarios.sheets import sheet as tables
from gamesmaster import clock

GAMES_TRIED = 60
SEEDS = 1_000_000
#: The choices of where numbers come from, as the editor asks for them.
SOURCES = {
    "printed": "a printed sheet, number by number",
    "reconstruction": "a reconstruction of a sheet",
    "house": "a sheet of our own",
}
BREAKERS = {
    "understanding": "an Understanding of another nation",
    "understanding_or_control": "an Understanding or CONTROL of another nation",
}


def for_sheet_readers(page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """For pages of a sheet: its owner, and if shared anybody logged in. Others get 404."""

    @wraps(page)
    def wrapped(request: HttpRequest, pk: int, **more: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        sheet = get_object_or_404(permissions.visible_sheets(request.user), pk=pk)
        return page(request, sheet, **more)

    return wrapped


def for_sheet_owners(page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """For a sheet's owner. Readers are sent to its page, where they can copy it."""

    @wraps(page)
    @for_sheet_readers
    def wrapped(request: HttpRequest, sheet: Sheet, **more: Any) -> HttpResponse:
        if not permissions.edits_sheet(request.user, sheet):
            messages.error(
                request, "This sheet belongs to another person. Make a copy and change that."
            )
            return redirect("sheet", sheet.pk)
        return page(request, sheet, **more)

    return wrapped


@require_safe
def all_cards(request: HttpRequest) -> HttpResponse:
    """The sheets of each game; one's own and shared ones for those who are logged in."""
    games = []
    seen = list(permissions.visible_sheets(request.user))
    for rules in RULESETS.values():
        shipped = [(name, cards.load(rules.id, name)) for name in cards.names(rules.id)]
        of_game = [sheet for sheet in seen if sheet.ruleset_id == rules.id]
        own = [sheet for sheet in of_game if sheet.owner_id == request.user.pk]
        games.append((rules, shipped, own, [sheet for sheet in of_game if sheet not in own]))
    return render(request, "cards/cards.html", {"games": games, "provenance": PROVENANCE})


@require_POST
@login_required
def new(request: HttpRequest, game: str) -> HttpResponse:
    """A sheet of one's own: empty, or a copy of one that may be seen (`from`)."""
    if game not in RULESETS or person_of(request).guest:
        raise Http404
    begun = request.POST.get("from", "")
    if RULESETS[game].referee and not begun:  # its charts are printed: there is no empty one
        raise Http404
    with tell_refusals(request, (DeskError, RulesError)):
        card = _begun(begun, game, person_of(request))
        made = sheets.keep(person_of(request), game, card, clock.now())
        told = f"“{made.title}” is yours to change." + (" It is a copy." if begun else "")
        messages.success(request, told)
        return redirect("sheet-edit", made.pk)
    return redirect("cards")


def _begun(begun: str, game: str, person: Person) -> dict[str, Any]:
    if not begun:
        return sheets.empty(game)
    if own := sheets.OWN.fullmatch(begun):
        seen = permissions.visible_sheets(person)
        kept = get_object_or_404(seen, pk=int(own[1]), ruleset_id=game).card
    else:
        kept = cards.load(game, begun)
    return {
        **kept,
        "title": f"{kept['title']}, altered"[: sheets.LONGEST_TITLE],
        "provenance": "house",
        "name": f"my-{kept['name']}",
    }


@require_POST
@login_required
def take_in(request: HttpRequest) -> HttpResponse:
    """A sheet from a TOML file, or from its text."""
    person = person_of(request)
    if person.guest:
        raise Http404
    upload = request.FILES.get("file")
    try:
        if upload is not None and upload.size is not None and upload.size > sheets.LARGEST_FILE:
            raise DeskError(
                f"The file has {upload.size:,} bytes; a sheet has {sheets.LARGEST_FILE:,} at most."
            )
        data = upload.read() if upload is not None else request.POST.get("text", "").encode()
        if not data.strip():
            raise DeskError("Choose a file, or paste its text.")
        card = sheets.from_file(data)
        made = sheets.keep(person, card["game"], card, clock.now())
    except DeskError as error:
        return render(
            request,
            "cards/take_in.html",
            {"fault": str(error), "text": request.POST.get("text", "")},
        )
    if made.fault:
        messages.error(request, f"Taken in, and not complete yet: {_at(card) or made.fault}")
    else:
        messages.success(request, f"“{made.title}” is taken in, and can be played with.")
    return redirect("sheet-edit", made.pk)


def _at(card: Mapping[str, Any]) -> str:
    """The fault of a file by its key, as whoever wrote the file knows it."""
    try:
        sheets.check(card, card["game"])
    except RulesError as fault:
        return str(fault)
    return ""


@require_safe
@login_required
def take_in_page(request: HttpRequest) -> HttpResponse:
    return render(request, "cards/take_in.html", {"fault": "", "text": ""})


@require_safe
@for_sheet_readers
def show(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """A sheet as a table, with what its reader may do with it."""
    return _show(request, sheet)


def _show(request: HttpRequest, sheet: Sheet, **more: Any) -> HttpResponse:
    whole = not sheet.fault
    context = {
        "rules": ruleset(sheet.ruleset_id),
        "kept": sheet,
        "card": sheet.card,
        "sheet": tables(sheet.card) if whole else None,
        "nations": headings(sheet.card["order"]) if whole else {},
        "mine": permissions.edits_sheet(request.user, sheet),
        "called": sheets.display_name(sheet),
        "games_tried": GAMES_TRIED,
    }
    return render(request, "cards/sheet.html", context | more)


@require_http_methods(["GET", "HEAD", "POST"])
@for_sheet_owners
def edit(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """Edit the grid. What can be saved is kept, complete or not; the rest stays as typed."""
    if ruleset(sheet.ruleset_id).referee:
        return _edit_text(request, sheet)
    if request.method != "POST":
        return _editor(request, sheet, sheet_grid.grid_of(sheet.card))
    grid = sheet_grid.typed_grid(request.POST, sheet.ruleset_id)
    more = request.POST.get("do", "")
    if more == "area":
        grid.areas.append("")
        return _editor(request, sheet, grid, unsaved=True)
    if more == "nation":
        grid.nations.append(sheet_grid.Nation(""))
        return _editor(request, sheet, grid, unsaved=True)
    if more == "turns":
        return _editor(request, sheet, grid, unsaved=True)
    try:
        kept = sheets.change(
            sheet,
            sheet_grid.card_in(grid, sheet.ruleset_id, sheet.card),
            _seen(request),
            person_of(request),
            clock.now(),
        )
    except DeskError as error:
        return _editor(request, sheet, grid, refused=str(error), unsaved=True)
    if kept.fault:
        messages.error(request, f"Saved, and not complete yet: {kept.fault}")
        return redirect("sheet-edit", sheet.pk)
    messages.success(request, "Saved. The sheet can be played with.")
    return redirect("sheet", sheet.pk)


def _edit_text(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """Correct a refereed game's scenario as text: what is printed of it stays as it is."""
    text, refused = to_toml(sheet.card), ""
    if request.method == "POST":
        text = request.POST.get("text", "")
        try:
            card = sheets.from_file(text.encode())
            kept = sheets.change(sheet, card, _seen(request), person_of(request), clock.now())
        except DeskError as error:
            refused = str(error)
        else:
            if kept.fault:
                messages.error(request, f"Saved, and not complete yet: {kept.fault}")
            else:
                messages.success(request, f"“{kept.title}” is saved.")
            return redirect("sheet", sheet.pk)
    seen = request.POST.get("seen", "") or sheet.changed_at.isoformat()
    context = {"kept": sheet, "text": text, "refused": refused, "seen": seen}
    return render(request, "cards/correct.html", context)


def _seen(request: HttpRequest) -> datetime | None:
    try:
        return parse_datetime(request.POST.get("seen", ""))
    except ValueError:
        return None


def _editor(
    request: HttpRequest,
    sheet: Sheet,
    grid: sheet_grid.Grid,
    *,
    refused: str = "",
    unsaved: bool = False,
) -> HttpResponse:
    seen = (
        request.POST.get("seen", "") if request.method == "POST" else sheet.changed_at.isoformat()
    )
    context = {
        "kept": sheet,
        "rules": ruleset(sheet.ruleset_id),
        "grid": grid,
        "turns": range(1, grid.columns + 1),
        "rows": list(sheet_grid.rows(grid, sheet.ruleset_id)),
        "kinds": [
            (kind, *KINDS.get(kind, (kind, kind))) for kind in sheet_grid.kinds(sheet.ruleset_id)
        ],
        "sources": [(source, SOURCES[source]) for source in PROVENANCES],
        "breakers": BREAKERS.items() if ruleset(sheet.ruleset_id).counters else (),
        "refused": refused,
        "unsaved": unsaved,
        "seen": seen,
        **_verdict(grid, sheet),
    }
    return render(request, "cards/editor.html", context)


def _verdict(grid: sheet_grid.Grid, sheet: Sheet) -> dict[str, Any]:
    """Whether what stands there could be played with, and its tables if so."""
    try:
        card = sheet_grid.card_in(grid, sheet.ruleset_id, sheet.card)
    except DeskError as error:
        return {"fault": str(error), "sheet": None}
    fault = sheets.fault_of(card, sheet.ruleset_id)
    return {
        "fault": fault,
        "sheet": None if fault else tables(card),
        "nations": {} if fault else headings(card["order"]),
    }


@require_POST
@for_sheet_owners
def check(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """What is said of the sheet while it is being typed. Nothing is kept."""
    return render(
        request,
        "cards/_verdict.html",
        _verdict(sheet_grid.typed_grid(request.POST, sheet.ruleset_id), sheet),
    )


@require_POST
@for_sheet_owners
def share(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    wanted = request.POST.get("shared") == "yes"
    with tell_refusals(request):
        sheets.share(sheet, wanted, person_of(request), clock.now())
        messages.success(
            request,
            "Every gamesmaster may use it now."
            if wanted
            else "It is yours alone again; games that began with it go on.",
        )
    return redirect("sheet", sheet.pk)


@require_POST
@for_sheet_owners
def remove(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    sheets.remove(sheet, person_of(request), clock.now())
    messages.success(
        request, f"“{sheet.title}” is removed. Games that were opened with it have their copy."
    )
    return redirect("cards")


@require_POST
@for_sheet_readers
def try_out(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """Some games between the service's own players: who wins how often, and with what scores."""
    if sheet.fault:
        messages.error(request, f"It cannot be tried yet: {sheet.fault}")
        return redirect("sheet", sheet.pk)

    asked = number_in(request.POST.get("seed", ""), 9)
    seed = 1 if asked is None else asked % SEEDS
    try:
        report = simulate(sheet.card, GAMES_TRIED, str(seed))
    except RulesError as error:
        messages.error(request, f"The service’s players cannot play it: {error}")
        return redirect("sheet", sheet.pk)
    rows = [(line, round(100 * line.wins)) for line in report.lines]
    return _show(request, sheet, report=report, report_rows=rows, seed=seed, next_seed=seed + 1)


def _file(card: Mapping[str, Any], name: str) -> HttpResponse:
    response = HttpResponse(to_toml(card), content_type="application/toml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.toml"'
    return response


@require_safe
@for_sheet_readers
def export(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    return _file(sheet.card, sheet.name)


@require_safe
def export_shipped(request: HttpRequest, game: str, name: str) -> HttpResponse:
    try:
        card = cards.load(game, name)
    except RulesError:
        raise Http404 from None
    return _file(card, name)


@require_safe
@for_readers
def of_game(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the sheet of a game: its own copy, whatever became of the original."""
    context = {
        "rules": game.rules,
        "card": game.card,
        "sheet": tables(game.card),
        "nations": headings(game.card["order"]),
        "game": game,
    }
    return render(request, "games/card.html", context)
