"""The board through a whole game: a slider over all phases and all versions of their results, with
what changed marked on each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from games import permissions, positions
from games.letters import board as told
from games.models import Game, Phase, Resolution
from games.rules import Board
from games.web import pictures
from games.web.boards import Grid, grid, in_words
from games.web.decorators import for_readers
from games.web.requests import number_in


@dataclass(frozen=True)
class Stop:
    """One board of a game: what a version of a result left; version 0 is the beginning."""

    place: int  # on the slider, from 0
    phase: Phase
    version: int
    when: datetime | None
    ruling: int | None  # by which it was made
    replaced: bool  # a later version holds
    last_word: bool  # the board that the game ended with

    @property
    def at(self) -> str:
        return f"{self.phase.number}.{self.version}"

    @property
    def undone(self) -> bool:
        return self.phase.status == Phase.Status.UNDONE

    @property
    def title(self) -> str:
        """ "Turn 3, attacks, version 2": in one line, for the slider and for whoever listens."""
        if not self.version:
            return "The board as the game begins"
        return self.phase.title + (
            f", version {self.version}" if self.version > 1 or self.replaced else ""
        )


@dataclass(frozen=True)
class Change:
    """What is otherwise in one square than before the phase."""

    area: str
    nation: str
    now: str
    was: str


@require_safe
@for_readers
def board(request: HttpRequest, game: Game) -> HttpResponse:
    """Show a board: `?at=5.2` phase 5, version 2; `?place=7` the eighth; `&part=1` it alone."""
    stops = stops_of(game)
    if not stops:
        return render(request, "games/board.html", {"game": game, "stops": stops})
    here = chosen(stops, request.GET.get("at", ""), request.GET.get("place", ""))
    mine = permissions.seats_held(request.user, game)
    context = {
        "game": game,
        "stops": stops,
        "here": here,
        "earlier": stops[here.place - 1] if here.place else None,
        "later": stops[here.place + 1] if here.place + 1 < len(stops) else None,
        **_shown(game, here, mine[0].nation if mine else None),
    }
    part = request.GET.get("part")
    return render(request, "games/_stop.html" if part else "games/board.html", context)


def stops_of(game: Game) -> list[Stop]:
    """Every board of a game, oldest first, in two questions; none before the game has begun."""
    phases = list(game.phases.order_by("number"))
    if not phases:
        return []
    made = Resolution.objects.filter(phase__game=game).order_by("phase__number", "version")
    rows = list(made.values_list("phase_id", "version", "resolved_at", "ruling__number"))
    newest = {phase: version for phase, version, _, _ in rows}
    known = {phase.pk: phase for phase in phases}
    over = game.status == Game.Status.FINISHED
    stops = [Stop(0, phases[0], 0, game.started_at, None, False, False)]
    for place, (pk, version, when, ruling) in enumerate(rows, start=1):
        last = over and place == len(rows)
        stops.append(Stop(place, known[pk], version, when, ruling, version < newest[pk], last))
    return stops


def chosen(stops: list[Stop], at: str, place: str) -> Stop:
    """The stop that is asked for; unless told otherwise the newest that stands."""
    if at:
        found = next((stop for stop in stops if stop.at == at), None)
    elif place:
        found = next((stop for stop in stops if stop.place == number_in(place)), None)
    else:
        found = next((stop for stop in reversed(stops) if not stop.undone), stops[-1])
    if found is None:
        raise Http404
    return found


def _shown(game: Game, here: Stop, viewer: str | None) -> dict[str, object]:
    """Picture, table and what changed, as the viewer may see them."""

    def seen(position: dict[str, object]) -> Board:
        return game.rules.board(permissions.view(game, position, viewer))

    if not here.version:
        shown = grid(seen(positions.position_before(here.phase)), None, game.card)
        return {
            "grid": shown,
            "picture": pictures.of_start(game, here.phase),
            "changes": [],
            "otherwise": [],
        }
    resolution = get_object_or_404(
        here.phase.resolutions.only("before", "after", "version", "phase_id"), version=here.version
    )
    after = seen(resolution.after)
    shown = grid(after, seen(resolution.before), game.card)
    otherwise: list[str] = []
    if here.version > 1:
        earlier = (
            here.phase.resolutions.filter(version=here.version - 1)
            .values_list("after", flat=True)
            .get()
        )
        otherwise = told.changes(seen(earlier), after)
    picture = pictures.of_phase(game, here.phase, resolution, changes=shown.changes)
    return {"grid": shown, "picture": picture, "changes": _changes(shown), "otherwise": otherwise}


def _changes(shown: Grid) -> list[Change]:
    stated = [
        Change(row.area, "", row.state, f"was {row.was}")
        for row in shown.lands
        if row.was is not None
    ]
    return stated + [
        Change(row.area, square.heading.name, in_words(square.cell, shown.unit), square.was)
        for row in shown.rows
        for square in row.squares
        if square.was is not None
    ]
