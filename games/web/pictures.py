"""The board of a phase as a picture, for pages: as SVG, light or dark, and as PNG. Whoever sees the
game sees it.

A picture stands in a page as `<img>`: it is fetched once, kept by the browser, and its own rules of
style meet nobody else's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from games import permissions, positions
from games.boards import images, map_for, plate_for
from games.boards.images import Drawing
from games.models import Game, Phase, Resolution
from games.records import replay
from games.rules import Board, Cell
from games.rules.lands import Land, Unit
from games.web.decorators import for_gamesmasters, for_readers
from games.web.requests import answer_once, number_in

WIDTH = 960
#: Of one attack: its area and what lies around it.
SECTION_WIDTH = 480
THEMES = ("light", "dark", "print")
SECONDS = 300  # how long a browser shows what it has without asking


@dataclass(frozen=True)
class Shown:
    """A picture on a page: its addresses, and its size, so that nothing moves when it comes."""

    light: str
    dark: str
    plain: str  # for paper
    width: int
    height: int | None
    changes: bool


def of_phase(game: Game, phase: Phase, resolution: Resolution | None, *, changes: bool) -> Shown:
    """Return the picture of a phase: what a result left, or what is ordered on. No queries."""
    version = {"version": resolution.version} if resolution else {}
    return shown_at(game, reverse("board-svg", args=[game.pk, phase.number]), version, changes)


def of_start(game: Game, phase: Phase) -> Shown:
    """The board on which a phase's orders were written, whatever has become of it since."""
    return shown_at(game, reverse("board-svg", args=[game.pk, phase.number]), {"version": 0}, False)


def of_fight(game: Game, phase: Phase, resolution: Resolution, number: int) -> Shown | None:
    """The area of one attack of a report, as it stood before it; None for a board without a map."""
    plate = plate_for(game.ruleset_id, game.card.get("areas", ()))
    if plate is None:
        return None
    shown = shown_at(
        game,
        reverse("board-svg", args=[game.pk, phase.number]),
        {"version": resolution.version, "fight": number},
        False,
    )
    return replace(shown, width=SECTION_WIDTH, height=None)


def of_board(game: Game, board: Board, other: Board | None, title: str) -> Shown:
    """Return the picture of a board kept nowhere: the signed address holds the board."""
    drawing = Drawing(game.ruleset_id, game.card, board, images.changed_cells(other, board), title)
    return shown_at(
        game,
        reverse("board-preview", args=[game.pk]),
        {"board": _sealed(game, drawing)},
        bool(drawing.changed),
    )


def shown_at(game: Game, where: str, given: Mapping[str, object], changes: bool) -> Shown:
    """Return a picture of a game's map at an address, to which `given` and the theme are added."""
    light, dark, plain = (f"{where}?{urlencode({**given, 'theme': theme})}" for theme in THEMES)
    drawn = map_for(game.ruleset_id, game.card.get("areas", ()))
    return Shown(
        light,
        dark,
        plain,
        WIDTH,
        round(WIDTH * drawn.size[1] / drawn.size[0]) if drawn else None,
        changes,
    )


@require_safe
@gzip_page
@for_readers
def svg(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    """`?version=1` is the board before a ruling, `0` before the phase; `?fight=2` one area of it,
    `&after=1` as that attack left it; `?theme=dark` the one for dark pages."""
    drawing = _drawing(request, game, number)
    return answer(
        request,
        game,
        images.svg(drawing, theme_of(request), SECTION_WIDTH if drawing.area else WIDTH),
        "image/svg+xml",
    )


@require_safe
@for_readers
def png(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    """The same as letters show it."""
    return answer(request, game, images.png(_drawing(request, game, number)), "image/png")


@require_safe
@gzip_page
@for_gamesmasters
def preview(request: HttpRequest, game: Game) -> HttpResponse:
    """A board that a page of the desk has put into the address."""
    try:
        drawing = _unsealed(game, request.GET.get("board", ""))
    except signing.BadSignature as error:
        raise Http404 from error
    return answer(request, game, drawing.svg(theme_of(request), WIDTH).encode(), "image/svg+xml")


def theme_of(request: HttpRequest) -> str:
    theme = request.GET.get("theme", "light")
    if theme not in THEMES:
        raise Http404
    return theme


def _drawing(request: HttpRequest, game: Game, number: int) -> Drawing:
    phase = get_object_or_404(game.phases, number=number)
    wanted = request.GET.get("version", "")
    versions = phase.resolutions.order_by("-version")
    resolution = next((one for one in versions if wanted in ("", str(one.version))), None)
    if wanted not in ("", "0") and resolution is None:
        raise Http404
    mine = permissions.seats_held(request.user, game)
    viewer = mine[0].nation if mine else None

    def board(position: dict[str, Any]) -> Board:
        return game.rules.board(permissions.view(game, position, viewer))

    if resolution is None:
        return Drawing(
            game.ruleset_id,
            game.card,
            board(positions.position_before(phase)),
            (),
            f"{phase.title}\nThe board as orders begin",
        )
    if fight := request.GET.get("fight"):
        return _fight(game, phase, resolution, viewer, fight, left="after" in request.GET)
    after = board(resolution.after)
    under = "The final board" if resolution.winners is not None else "The board as judged"
    under += f", version {resolution.version}" if resolution.version > 1 else ""
    return Drawing(
        game.ruleset_id,
        game.card,
        after,
        images.changed_cells(board(resolution.before), after),
        f"{phase.title}\n{under}",
    )


def _fight(
    game: Game,
    phase: Phase,
    resolution: Resolution,
    viewer: str | None,
    wanted: str,
    *,
    left: bool,
) -> Drawing:
    """One area before one attack of the report, or as it left it; those who took part marked."""
    events = [event for event in resolution.events if event["kind"] in replay.FIGHTING]
    moments = replay.moments(game, resolution, viewer)
    number = number_in(wanted) or 0
    if not moments or not 1 <= number <= len(events):
        raise Http404
    moment = moments[number - 1]
    event, board = events[number - 1], moment.after if left else moment.before
    area, nations = event["area"], (event["nation"], *event["targets"])
    if plate_for(game.ruleset_id, game.card.get("areas", ())) is None:
        raise Http404
    there = board.cells.get(area, {})
    marked = tuple((area, nation) for nation in nations if there.get(nation, Cell()) != Cell())
    return Drawing(game.ruleset_id, game.card, board, marked, f"{phase.title}\n{area}", area)


def answer(request: HttpRequest, game: Game, data: bytes, kind: str) -> HttpResponse:
    """Answer with an ETag; for shared caches only where anybody may see the game."""
    open_to_all = game.public and not request.user.is_authenticated
    cache = f"{'public' if open_to_all else 'private'}, max-age={SECONDS}"
    response = answer_once(request, data, kind, cache)
    patch_vary_headers(response, ["Cookie"])
    return response


# --- boards that are nowhere kept ---


def _salt(game: Game) -> str:
    return f"games.web.pictures/{game.pk}"


def _sealed(game: Game, drawing: Drawing) -> str:
    board = drawing.board
    cells = [
        [
            area,
            nation,
            cell.pf,
            int(cell.understanding),
            int(cell.control),
            cell.face_down,
            int(cell.treaty),
            cell.cut_off,
        ]
        for area, row in board.cells.items()
        for nation, cell in row.items()
        if cell != Cell()
    ]
    told: dict[str, Any] = {
        "areas": board.areas,
        "nations": board.nations,
        "cells": cells,
        "changed": drawing.changed,
        "title": drawing.title,
    }
    told |= {
        "alliances": board.alliances,
        "unit": board.unit,
        "at_odds": board.at_odds,
        "hands": board.hands,
    }
    told["lands"] = {area: asdict(land) for area, land in board.lands.items()}
    return signing.dumps(told, salt=_salt(game), compress=True)


def _unsealed(game: Game, sealed: str) -> Drawing:
    """Raises `signing.BadSignature` for what we have not sealed for this game."""
    told = signing.loads(sealed, salt=_salt(game))
    cells: dict[str, dict[str, Cell]] = {}
    for area, nation, pf, understanding, control, face_down, treaty, cut_off in told["cells"]:
        cells.setdefault(area, {})[nation] = Cell(
            pf, bool(understanding), bool(control), face_down, bool(treaty), cut_off
        )
    lands = {
        area: Land(**{**land, "hostile": tuple(land["hostile"]), "foes": tuple(land["foes"])})
        for area, land in told["lands"].items()
    }
    board = Board(
        tuple(told["areas"]),
        tuple(told["nations"]),
        cells,
        _pairs(told["alliances"]),
        unit=Unit(*told["unit"]),
        lands=lands,
        at_odds=_pairs(told["at_odds"]),
        hands=_pairs(told["hands"]),
    )
    return Drawing(
        game.ruleset_id,
        game.card,
        board,
        tuple((area, nation) for area, nation in told["changed"]),
        told["title"],
    )


def _pairs(found: Iterable[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((one, other) for one, other in found)
