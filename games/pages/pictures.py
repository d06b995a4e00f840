"""The board of a phase as a picture for pages: SVG, light or dark, and PNG. Everybody who may see
the game may see it.

Pages show a picture as `<img>`: browsers fetch it once and cache it, and its style rules do not
mix with the page's.
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
from games.base.signing import Salt
from games.boards import images, map_for, plate_for
from games.boards.images import Drawing
from games.boards.plate import Plate
from games.models import Game, Phase, Resolution
from games.pages.decorators import for_gamesmasters, for_readers
from games.pages.requests import answer_once, parse_number
from games.records import replay
from games.rules import NOTHING, Board, Cell
from games.rules.lands import Land, Unit

WIDTH = 960
#: Width of the picture of one attack: its area and the areas around it.
SECTION_WIDTH = 480
THEMES = ("light", "dark", "print")
SECONDS = 300  # how long browsers reuse a picture without asking


@dataclass(frozen=True)
class PagePicture:
    """A picture on a page: its addresses, and its size, so that nothing moves when it loads.

    `phone_light` and `phone_dark` are the whole board with larger pieces, for narrow windows; ""
    where a map has no such drawing.
    """

    light: str
    dark: str
    plain: str  # for printing
    width: int
    height: int | None
    changes: bool
    phone_light: str = ""
    phone_dark: str = ""


def phase_picture(
    game: Game, phase: Phase, resolution: Resolution | None, *, changes: bool
) -> PagePicture:
    """Return the picture of a phase: the board after a result, or before the orders. No queries."""
    version = {"version": resolution.version} if resolution else {}
    return picture_at(game, reverse("board-svg", args=[game.pk, phase.number]), version, changes)


def start_picture(game: Game, phase: Phase) -> PagePicture:
    """Return the board for which a phase's orders were written, even if it has changed since."""
    return picture_at(
        game, reverse("board-svg", args=[game.pk, phase.number]), {"version": 0}, False
    )


def board_beside(game: Game, phase: Phase | None) -> PagePicture | None:
    """Return the newest board, for a page of text in a game; None if there is none to draw. No
    queries."""
    if phase is None or map_for(game.ruleset_id, game.card.get("areas", ())) is None:
        return None
    return phase_picture(game, phase, None, changes=False)


def fight_picture(
    game: Game, phase: Phase, resolution: Resolution, number: int
) -> PagePicture | None:
    """Return the area of one attack of a report, as it was before the attack; None if the board has
    no map."""
    plate = plate_for(game.ruleset_id, game.card.get("areas", ()))
    if plate is None:
        return None
    picture = picture_at(
        game,
        reverse("board-svg", args=[game.pk, phase.number]),
        {"version": resolution.version, "fight": number},
        False,
    )
    return replace(picture, width=SECTION_WIDTH, height=None, phone_light="", phone_dark="")


def picture_of_board(game: Game, board: Board, other: Board | None, title: str) -> PagePicture:
    """Return the picture of a board that is not stored: the signed address contains the board."""
    drawing = Drawing(game.ruleset_id, game.card, board, images.changed_cells(other, board), title)
    return picture_at(
        game,
        reverse("board-preview", args=[game.pk]),
        {"board": _sign_board(game, drawing)},
        bool(drawing.changed),
    )


def picture_at(game: Game, where: str, given: Mapping[str, object], changes: bool) -> PagePicture:
    """Return a picture of a game's map at an address; `given` and the theme become its query."""
    light, dark, plain = (f"{where}?{urlencode({**given, 'theme': theme})}" for theme in THEMES)
    drawn = map_for(game.ruleset_id, game.card.get("areas", ()))
    phones = (f"{light}&phone=1", f"{dark}&phone=1") if isinstance(drawn, Plate) else ("", "")
    return PagePicture(
        light,
        dark,
        plain,
        WIDTH,
        round(WIDTH * drawn.size[1] / drawn.size[0]) if drawn else None,
        changes,
        *phones,
    )


@require_safe
@gzip_page
@for_readers
def svg(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    """Serve the board of a phase as SVG.

    `?version=1` is the board before a ruling, `0` before the phase; `?fight=2` the area of one
    attack, with `&after=1` as that attack left it; `?theme=dark` is for dark pages, `?phone=1` for
    narrow windows.
    """
    drawing = adapt(request, _drawing(request, game, number))
    return answer(
        request,
        game,
        images.svg(drawing, theme_of(request), SECTION_WIDTH if drawing.area else WIDTH),
        "image/svg+xml",
    )


@require_safe
@for_readers
def png(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    """Serve the same board as PNG, as letters show it."""
    return answer(request, game, images.png(_drawing(request, game, number)), "image/png")


@require_safe
@gzip_page
@for_gamesmasters
def preview(request: HttpRequest, game: Game) -> HttpResponse:
    """Serve a board that a page of the desk has signed and put into the address."""
    try:
        drawing = _read_signed_board(game, request.GET.get("board", ""))
    except signing.BadSignature as error:
        raise Http404 from error
    drawn = adapt(request, drawing).svg(theme_of(request), WIDTH).encode()
    return answer(request, game, drawn, "image/svg+xml")


def adapt(request: HttpRequest, drawing: Drawing) -> Drawing:
    """Return a drawing for the window that asks for it: `?phone=1` for a narrow one."""
    return replace(drawing, phones="phone" in request.GET)


def theme_of(request: HttpRequest) -> str:
    theme = request.GET.get("theme", "light")
    if theme not in THEMES:
        raise Http404
    return theme


def _drawing(request: HttpRequest, game: Game, number: int) -> Drawing:
    phase = get_object_or_404(game.phases, number=number)
    version = request.GET.get("version", "")
    versions = phase.resolutions.order_by("-version")
    resolution = next(
        (candidate for candidate in versions if version in ("", str(candidate.version))), None
    )
    if version not in ("", "0") and resolution is None:
        raise Http404
    seats = permissions.held_seats(request.user, game)
    viewer = seats[0].nation if seats else None

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
        return _fight_drawing(game, phase, resolution, viewer, fight, left="after" in request.GET)
    after = board(resolution.after)
    subtitle = "The final board" if resolution.winners is not None else "The board as judged"
    subtitle += f", version {resolution.version}" if resolution.version > 1 else ""
    return Drawing(
        game.ruleset_id,
        game.card,
        after,
        images.changed_cells(board(resolution.before), after),
        f"{resolution.title}\n{subtitle}",
    )


def _fight_drawing(
    game: Game,
    phase: Phase,
    resolution: Resolution,
    viewer: str | None,
    wanted: str,
    *,
    left: bool,
) -> Drawing:
    """Return one area before one attack of the report, or after it if `left`; nations that took
    part have full color."""
    events = [event for event in resolution.events if event["kind"] in replay.FIGHTING]
    moments = replay.moments(game, resolution, viewer)
    number = parse_number(wanted) or 0
    if not moments or not 1 <= number <= len(events):
        raise Http404
    moment = moments[number - 1]
    event, board = events[number - 1], moment.after if left else moment.before
    area, nations = event["area"], (event["nation"], *event["targets"])
    if plate_for(game.ruleset_id, game.card.get("areas", ())) is None:
        raise Http404
    bright = tuple((area, nation) for nation in nations if board.cell(area, nation) != NOTHING)
    return Drawing(game.ruleset_id, game.card, board, bright, f"{phase.title}\n{area}", area)


def answer(request: HttpRequest, game: Game, data: bytes, kind: str) -> HttpResponse:
    """Answer with an ETag; shared caches may store the answer only if anybody may see the game."""
    open_to_all = game.public and not request.user.is_authenticated
    cache = f"{'public' if open_to_all else 'private'}, max-age={SECONDS}"
    response = answer_once(request, data, kind, cache)
    patch_vary_headers(response, ["Cookie"])
    return response


# --- boards that are not stored ---


def _salt(game: Game) -> str:
    return f"{Salt.BOARD} {game.pk}"


def _sign_board(game: Game, drawing: Drawing) -> str:
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
    facts: dict[str, Any] = {
        "areas": board.areas,
        "nations": board.nations,
        "cells": cells,
        "changed": drawing.changed,
        "title": drawing.title,
    }
    facts |= {
        "alliances": board.alliances,
        "unit": board.unit,
        "at_odds": board.at_odds,
        "hands": board.hands,
    }
    facts["lands"] = {area: asdict(land) for area, land in board.lands.items()}
    return signing.dumps(facts, salt=_salt(game), compress=True)


def _read_signed_board(game: Game, sealed: str) -> Drawing:
    """Return the board in a signed address. Raise `signing.BadSignature` if it is not ours."""
    facts = signing.loads(sealed, salt=_salt(game))
    cells: dict[str, dict[str, Cell]] = {}
    for area, nation, pf, understanding, control, face_down, treaty, cut_off in facts["cells"]:
        cells.setdefault(area, {})[nation] = Cell(
            pf, bool(understanding), bool(control), face_down, bool(treaty), cut_off
        )
    lands = {
        area: Land(**{**land, "hostile": tuple(land["hostile"]), "foes": tuple(land["foes"])})
        for area, land in facts["lands"].items()
    }
    board = Board(
        tuple(facts["areas"]),
        tuple(facts["nations"]),
        cells,
        _pairs(facts["alliances"]),
        unit=Unit(*facts["unit"]),
        lands=lands,
        at_odds=_pairs(facts["at_odds"]),
        hands=_pairs(facts["hands"]),
    )
    return Drawing(
        game.ruleset_id,
        game.card,
        board,
        tuple((area, nation) for area, nation in facts["changed"]),
        facts["title"],
    )


def _pairs(pairs: Iterable[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((nation, other) for nation, other in pairs)
