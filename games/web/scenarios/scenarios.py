"""Scenarios that come with the service, and those that gamesmasters type in, try and share."""

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
from games.accounts import rate_limits
from games.base import clock
from games.desk import DeskError, scenario_grid, scenarios
from games.desk.scenario_toml import to_toml
from games.models import Game, Person, Scenario
from games.pages.decorators import for_readers
from games.pages.headings import headings
from games.pages.requests import parse_number, person_of, tell_refusals
from games.rules import RulesError, cards
from games.rules.cards import PROVENANCES
from games.rules.registry import RULESETS, ruleset
from games.simulation import simulate
from games.web.scenarios.tables import KINDS, tables_of

GAMES_TRIED = 60
SEEDS = 1_000_000
#: The editor's choices for the source of a scenario's numbers.
SOURCES = {
    "printed": "a printed scenario, number by number",
    "reconstruction": "a reconstruction",
    "house": "our own numbers",
}
BREAKERS = {
    "understanding": "an Understanding of another nation",
    "understanding_or_control": "an Understanding or CONTROL of another nation",
}


def for_scenario_readers(page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Open a scenario's pages to its owner and, if it is shared, to people who are logged in. All
    others get 404."""

    @wraps(page)
    def wrapped(request: HttpRequest, pk: int, **more: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        scenario = get_object_or_404(permissions.visible_scenarios(request.user), pk=pk)
        return page(request, scenario, **more)

    return wrapped


def for_scenario_owners(page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Open a page only to a scenario's owner. Redirect other readers to the scenario's page, where
    they can copy it."""

    @wraps(page)
    @for_scenario_readers
    def wrapped(request: HttpRequest, scenario: Scenario, **more: Any) -> HttpResponse:
        if not permissions.edits_scenario(request.user, scenario):
            messages.error(
                request, "This scenario belongs to another person. Make a copy and change that."
            )
            return redirect("scenario", scenario.pk)
        return page(request, scenario, **more)

    return wrapped


@require_safe
def all_cards(request: HttpRequest) -> HttpResponse:
    """Show the scenarios of each game; to people with a login also their own and shared ones."""
    games = []
    visible = list(permissions.visible_scenarios(request.user))
    for rules in RULESETS.values():
        shipped = [(name, cards.load(rules.id, name)) for name in cards.names(rules.id)]
        of_game = [scenario for scenario in visible if scenario.ruleset_id == rules.id]
        own = [scenario for scenario in of_game if scenario.owner_id == request.user.pk]
        games.append(
            (rules, shipped, own, [scenario for scenario in of_game if scenario not in own])
        )
    return render(request, "scenarios/scenarios.html", {"games": games})


@require_POST
@login_required
def new(request: HttpRequest, game: str) -> HttpResponse:
    """Make a scenario of one's own: empty, or a copy of one that the person may see (`from`)."""
    if game not in RULESETS or person_of(request).guest:
        raise Http404
    source = request.POST.get("from", "")
    if RULESETS[game].printed_charts and not source:  # it cannot start empty
        raise Http404
    with tell_refusals(request, (DeskError, RulesError)):
        card = _first_card(source, game, person_of(request))
        scenario = scenarios.keep(person_of(request), game, card, clock.now())
        sentence = f"You can change “{scenario.title}”." + (" It is a copy." if source else "")
        messages.success(request, sentence)
        return redirect("scenario-edit", scenario.pk)
    return redirect("cards")


def _first_card(begun: str, game: str, person: Person) -> dict[str, Any]:
    if not begun:
        return scenarios.empty_card(game)
    if own := scenarios.OWN.fullmatch(begun):
        visible = permissions.visible_scenarios(person)
        card = get_object_or_404(visible, pk=int(own[1]), ruleset_id=game).card
    else:
        card = cards.load(game, begun)
    return {
        **card,
        "title": f"{card['title']}, altered"[: scenarios.LONGEST_TITLE],
        "provenance": "house",
        "name": f"my-{card['name']}",
    }


@require_POST
@login_required
def import_scenario(request: HttpRequest) -> HttpResponse:
    """Import a scenario from a TOML file, or from its text."""
    person = person_of(request)
    if person.guest:
        raise Http404
    upload = request.FILES.get("file")
    try:
        if upload is not None and upload.size is not None and upload.size > scenarios.LARGEST_FILE:
            raise DeskError(
                f"The file has {upload.size:,} bytes; the limit is {scenarios.LARGEST_FILE:,}."
            )
        data = upload.read() if upload is not None else request.POST.get("text", "").encode()
        if not data.strip():
            raise DeskError("Choose a file, or paste its text.")
        card = scenarios.read_file(data)
        scenario = scenarios.keep(person, card["game"], card, clock.now())
    except DeskError as error:
        return render(
            request,
            "scenarios/take_in.html",
            {"fault": str(error), "text": request.POST.get("text", "")},
        )
    if scenario.fault:
        messages.error(
            request, f"Imported, but not complete yet: {_fault_with_key(card) or scenario.fault}"
        )
    else:
        messages.success(request, f"“{scenario.title}” is imported and ready to play.")
    return redirect("scenario-edit", scenario.pk)


def _fault_with_key(card: Mapping[str, Any]) -> str:
    """Return the error of a file with its key, as the author of the file knows it."""
    try:
        scenarios.check(card, card["game"])
    except RulesError as fault:
        return str(fault)
    return ""


@require_safe
@login_required
def import_page(request: HttpRequest) -> HttpResponse:
    return render(request, "scenarios/take_in.html", {"fault": "", "text": ""})


@require_safe
@for_scenario_readers
def show(request: HttpRequest, scenario: Scenario) -> HttpResponse:
    """Show a scenario as tables, with what the reader may do with it."""
    return _show(request, scenario)


def _show(request: HttpRequest, scenario: Scenario, **more: Any) -> HttpResponse:
    whole = not scenario.fault
    context = {
        "rules": ruleset(scenario.ruleset_id),
        "kept": scenario,
        "card": scenario.card,
        "tables": tables_of(scenario.card) if whole else None,
        "nations": headings(scenario.card["order"]) if whole else {},
        "mine": permissions.edits_scenario(request.user, scenario),
        "called": scenarios.display_name(scenario),
        "games_tried": GAMES_TRIED,
    }
    return render(request, "scenarios/scenario.html", context | more)


@require_http_methods(["GET", "HEAD", "POST"])
@for_scenario_owners
def edit(request: HttpRequest, scenario: Scenario) -> HttpResponse:
    """Edit the grid. What can be saved is saved, complete or not; the rest stays in the form."""
    if ruleset(scenario.ruleset_id).printed_charts:
        return _edit_text(request, scenario)
    if request.method != "POST":
        return _editor(request, scenario, scenario_grid.grid_of(scenario.card))
    grid = scenario_grid.typed_grid(request.POST, scenario.ruleset_id)
    more = request.POST.get("do", "")
    if more == "area":
        grid.areas.append("")
        return _editor(request, scenario, grid, unsaved=True)
    if more == "nation":
        grid.nations.append(scenario_grid.Nation(""))
        return _editor(request, scenario, grid, unsaved=True)
    if more == "turns":
        return _editor(request, scenario, grid, unsaved=True)
    try:
        saved = scenarios.change(
            scenario,
            scenario_grid.make_card(grid, scenario.ruleset_id, scenario.card),
            _seen_at(request),
            person_of(request),
            clock.now(),
        )
    except DeskError as error:
        return _editor(request, scenario, grid, refused=str(error), unsaved=True)
    if saved.fault:
        messages.error(request, f"Saved, but not complete yet: {saved.fault}")
        return redirect("scenario-edit", scenario.pk)
    messages.success(request, "Saved. The scenario is ready to play.")
    return redirect("scenario", scenario.pk)


def _edit_text(request: HttpRequest, scenario: Scenario) -> HttpResponse:
    """Correct a refereed game's scenario as text; what is printed of it stays as it is."""
    text, refused = to_toml(scenario.card), ""
    if request.method == "POST":
        text = request.POST.get("text", "")
        try:
            card = scenarios.read_file(text.encode())
            saved = scenarios.change(
                scenario, card, _seen_at(request), person_of(request), clock.now()
            )
        except DeskError as error:
            refused = str(error)
        else:
            if saved.fault:
                messages.error(request, f"Saved, but not complete yet: {saved.fault}")
            else:
                messages.success(request, f"“{saved.title}” is saved.")
            return redirect("scenario", scenario.pk)
    seen = request.POST.get("seen", "") or scenario.changed_at.isoformat()
    context = {"kept": scenario, "text": text, "refused": refused, "seen": seen}
    return render(request, "scenarios/correct.html", context)


def _seen_at(request: HttpRequest) -> datetime | None:
    try:
        return parse_datetime(request.POST.get("seen", ""))
    except ValueError:
        return None


def _editor(
    request: HttpRequest,
    scenario: Scenario,
    grid: scenario_grid.Grid,
    *,
    refused: str = "",
    unsaved: bool = False,
) -> HttpResponse:
    seen = (
        request.POST.get("seen", "")
        if request.method == "POST"
        else scenario.changed_at.isoformat()
    )
    context = {
        "kept": scenario,
        "rules": ruleset(scenario.ruleset_id),
        "grid": grid,
        "turns": range(1, grid.columns + 1),
        "rows": list(scenario_grid.rows(grid, scenario.ruleset_id)),
        "kinds": [
            (kind, *KINDS.get(kind, (kind, kind)))
            for kind in scenario_grid.kinds(scenario.ruleset_id)
        ],
        "sources": [(source, SOURCES[source]) for source in PROVENANCES],
        "breakers": BREAKERS.items() if ruleset(scenario.ruleset_id).counters else (),
        "refused": refused,
        "unsaved": unsaved,
        "seen": seen,
        **_verdict(grid, scenario),
    }
    return render(request, "scenarios/editor.html", context)


def _verdict(grid: scenario_grid.Grid, scenario: Scenario) -> dict[str, Any]:
    """Return what prevents the grid from being played or, if nothing does, its tables."""
    try:
        card = scenario_grid.make_card(grid, scenario.ruleset_id, scenario.card)
    except DeskError as error:
        return {"fault": str(error), "tables": None}
    fault = scenarios.fault_of(card, scenario.ruleset_id)
    return {
        "fault": fault,
        "tables": None if fault else tables_of(card),
        "nations": {} if fault else headings(card["order"]),
    }


@require_POST
@for_scenario_owners
def check(request: HttpRequest, scenario: Scenario) -> HttpResponse:
    """Show what is wrong with the scenario while it is being typed. Nothing is stored."""
    return render(
        request,
        "scenarios/_verdict.html",
        _verdict(scenario_grid.typed_grid(request.POST, scenario.ruleset_id), scenario),
    )


@require_POST
@for_scenario_owners
def share(request: HttpRequest, scenario: Scenario) -> HttpResponse:
    shared = request.POST.get("shared") == "yes"
    with tell_refusals(request):
        scenarios.share(scenario, shared, person_of(request))
        messages.success(
            request,
            "Every gamesmaster can now use it."
            if shared
            else "Only you can use it now. Games that use it continue.",
        )
    return redirect("scenario", scenario.pk)


@require_POST
@for_scenario_owners
def remove(request: HttpRequest, scenario: Scenario) -> HttpResponse:
    scenarios.remove(scenario, person_of(request), clock.now())
    messages.success(
        request, f"“{scenario.title}” is removed. Games opened with it keep their copy."
    )
    return redirect("cards")


@require_POST
@for_scenario_readers
def try_out(request: HttpRequest, scenario: Scenario) -> HttpResponse:
    """Play some games between bots, and show who wins how often, and with what scores."""
    if scenario.fault:
        messages.error(request, f"You cannot try it yet: {scenario.fault}")
        return redirect("scenario", scenario.pk)

    typed_seed = parse_number(request.POST.get("seed", ""), 9)
    seed = 1 if typed_seed is None else typed_seed % SEEDS
    try:
        rate_limits.count(rate_limits.GAMES, person_of(request).pk, clock.now())
        report = simulate(scenario.card, GAMES_TRIED, str(seed))
    except rate_limits.TooMany as refused:
        messages.error(request, str(refused))
        return redirect("scenario", scenario.pk)
    except RulesError as error:
        messages.error(request, f"Bots cannot play it: {error}")
        return redirect("scenario", scenario.pk)
    rows = [(line, round(100 * line.wins)) for line in report.lines]
    return _show(request, scenario, report=report, report_rows=rows, seed=seed, next_seed=seed + 1)


def _file(card: Mapping[str, Any], name: str) -> HttpResponse:
    response = HttpResponse(to_toml(card), content_type="application/toml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.toml"'
    return response


@require_safe
@for_scenario_readers
def export(request: HttpRequest, scenario: Scenario) -> HttpResponse:
    return _file(scenario.card, scenario.name)


@require_safe
def export_shipped(request: HttpRequest, game: str, name: str) -> HttpResponse:
    try:
        card = cards.load(game, name)
    except RulesError:
        raise Http404 from None
    return _file(card, name)


@require_safe
@for_readers
def game_scenario(request: HttpRequest, game: Game) -> HttpResponse:
    """Show a game's scenario: the game's own copy, whatever has happened to the original."""
    context = {
        "rules": game.rules,
        "card": game.card,
        "tables": tables_of(game.card),
        "nations": headings(game.card["order"]),
        "game": game,
    }
    return render(request, "games/card.html", context)
