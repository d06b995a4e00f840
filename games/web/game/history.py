"""The board through a whole game: a slider over all phases and all versions of their results, with
the changes marked on each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from games import permissions, positions
from games.letters import board_text
from games.models import Game, Phase, Resolution
from games.pages import pictures
from games.pages.boards import Grid, describe_cell, grid
from games.pages.decorators import for_readers
from games.pages.requests import parse_number
from games.rules import Board


@dataclass(frozen=True)
class Stop:
    """A board of a game: what a version of a result left; version 0 is the start."""

    place: int  # on the slider, from 0
    phase: Phase
    version: int
    when: datetime | None
    ruling: int | None  # the number of the ruling that made it
    replaced: bool  # a later version is in force
    last_word: bool  # the board at the end of the game

    @property
    def at(self) -> str:
        return f"{self.phase.number}.{self.version}"

    @property
    def undone(self) -> bool:
        return self.phase.status == Phase.Status.UNDONE

    @property
    def title(self) -> str:
        """One line for the slider and for screen readers: “Turn 3, attacks, version 2”."""
        if not self.version:
            return "The board as the game begins"
        return self.phase.heading + (
            f", version {self.version}" if self.version > 1 or self.replaced else ""
        )


@dataclass(frozen=True)
class Change:
    """A square that differs from before the phase."""

    area: str
    nation: str
    now: str
    was: str


@require_safe
@for_readers
def board(request: HttpRequest, game: Game) -> HttpResponse:
    """Show a board: `?at=5.2` is phase 5, version 2; `?place=7` the eighth. `&part=1` omits the
    page around it."""
    stops = stops_of(game)
    if not stops:
        return render(request, "games/board.html", {"game": game, "stops": stops})
    here = choose_stop(stops, request.GET.get("at", ""), request.GET.get("place", ""))
    seats = permissions.held_seats(request.user, game)
    context = {
        "game": game,
        "stops": stops,
        "here": here,
        "earlier": stops[here.place - 1] if here.place else None,
        "later": stops[here.place + 1] if here.place + 1 < len(stops) else None,
        **_board_context(game, here, seats[0].nation if seats else None),
    }
    part = request.GET.get("part")
    return render(request, "games/_stop.html" if part else "games/board.html", context)


def stops_of(game: Game) -> list[Stop]:
    """Return every board of a game, oldest first; none before the game has begun.

    There are 2 queries, and a third where gamesmasters report.
    """
    phases = list(game.phases.order_by("number"))
    if not phases:
        return []
    positions.entitle(game, phases)
    resolutions = Resolution.objects.filter(phase__game=game).order_by("phase__number", "version")
    rows = list(resolutions.values_list("phase_id", "version", "resolved_at", "ruling__number"))
    newest = {phase: version for phase, version, _, _ in rows}
    by_pk = {phase.pk: phase for phase in phases}
    over = game.status == Game.Status.FINISHED
    stops = [Stop(0, phases[0], 0, game.started_at, None, False, False)]
    for place, (pk, version, when, ruling) in enumerate(rows, start=1):
        last = over and place == len(rows)
        stops.append(Stop(place, by_pk[pk], version, when, ruling, version < newest[pk], last))
    return stops


def choose_stop(stops: list[Stop], at: str, place: str) -> Stop:
    """Return the stop at `at` or `place`; by default the newest that is not undone."""
    if at:
        chosen = next((stop for stop in stops if stop.at == at), None)
    elif place:
        chosen = next((stop for stop in stops if stop.place == parse_number(place)), None)
    else:
        chosen = next((stop for stop in reversed(stops) if not stop.undone), stops[-1])
    if chosen is None:
        raise Http404
    return chosen


def _board_context(game: Game, here: Stop, viewer: str | None) -> dict[str, object]:
    """Return the picture, the table and the changes, as the viewer may see them."""

    def visible_board(position: dict[str, object]) -> Board:
        return game.rules.board(permissions.view(game, position, viewer))

    if not here.version:
        table = grid(visible_board(positions.position_before(here.phase)), None, game.card)
        return {
            "grid": table,
            "picture": pictures.start_picture(game, here.phase),
            "changes": [],
            "otherwise": [],
        }
    resolution = get_object_or_404(
        here.phase.resolutions.only("before", "after", "version", "phase_id"), version=here.version
    )
    after = visible_board(resolution.after)
    table = grid(after, visible_board(resolution.before), game.card)
    otherwise: list[str] = []
    if here.version > 1:
        earlier = (
            here.phase.resolutions.filter(version=here.version - 1)
            .values_list("after", flat=True)
            .get()
        )
        otherwise = board_text.changes(visible_board(earlier), after)
    picture = pictures.phase_picture(game, here.phase, resolution, changes=table.changes)
    return {"grid": table, "picture": picture, "changes": _changes(table), "otherwise": otherwise}


def _changes(shown: Grid) -> list[Change]:
    land_changes = [
        Change(row.area, "", row.state, f"was {row.was}")
        for row in shown.lands
        if row.was is not None
    ]
    return land_changes + [
        Change(row.area, square.heading.name, describe_cell(square.cell, shown.unit), square.was)
        for row in shown.rows
        for square in row.squares
        if square.was is not None
    ]
