"""Previews of our addresses in other programs: a title, a sentence and a picture (Open Graph). Only
for public games.

The pages of a private game redirect visitors to the login page, which says the same for all games.
Nobody gets its picture, not even its players: a chat program that has fetched it once would show it
to everybody in the chat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from games import permissions, positions
from games.base import links, text
from games.boards import images, preview
from games.boards.images import Drawing
from games.models import Game, Phase, Resolution
from games.pages import pictures
from games.pages.middleware import ContentSecurityPolicy
from games.pages.requests import answer_once, parse_number
from games.rules import wording
from games.rules.names import all_of
from games.timing import local_time, schedule

SECONDS = 300
FRAMES = 40  # of an animation; more than the longest game without a referee has
SERVICE = (
    "Diplomatic games by mail: deadlines on time, orders judged, boards sent, and every result can"
    " be checked."
)
ALT = "The board as a map"


@dataclass(frozen=True)
class Preview:
    title: str
    words: str
    link: str = ""
    picture: str = ""


def game_preview(game: Game, phase: Phase | None, page: Phase | None = None) -> Preview:
    """Return the preview of a game's page or of a phase's. No queries; `phase` is the newest."""
    if not game.public:
        return Preview("Gamesmaster", SERVICE)
    title = text.one_line(game.title)
    picture = links.link("preview-picture", game.pk)
    if page is not None:
        judged = page.status == Phase.Status.RESOLVED
        told = ["What happened, and the board after it."] if judged else _state(game, page)
        return Preview(
            f"{page.heading}: {title}",
            f"{game.rules.title}. {' '.join(told)}",
            links.link("phase", game.pk, page.number),
            f"{picture}?phase={page.number}",
        )
    return Preview(
        title,
        f"{game.rules.title}. {' '.join(_state(game, phase))}",
        links.link("game", game.pk),
        picture,
    )


def _state(game: Game, phase: Phase | None) -> list[str]:
    """Return the state of the game, in 1 or 2 sentences that anybody may read."""
    match game.status:
        case Game.Status.FORMING:
            return ["Seats are open."]
        case Game.Status.ABANDONED:
            return [text.one_line(game.ending) or "The game was abandoned."]
        case Game.Status.FINISHED:
            return ["The game is over."]
        case Game.Status.PAUSED:
            return [f"{phase.title}." if phase else "", "The game is paused."]
    if phase is None:
        return []
    if phase.status == Phase.Status.OPEN and phase.awaited:
        return [f"{phase.title}.", phase.awaited]
    if phase.status == Phase.Status.OPEN and phase.deadline < schedule.STANDS:
        return [
            f"{phase.title}.",
            f"Orders are due by {local_time.in_words(phase.deadline, game.zone)}.",
        ]
    if phase.takes_orders:
        return [f"{phase.title}.", "Held for the gamesmaster."]
    return [f"{phase.title}.", "Orders are closed."]


@require_safe
def picture(request: HttpRequest, pk: int) -> HttpResponse:
    """Draw the public board with the game's name and the scores; `?phase=3`: after that phase."""
    game = get_object_or_404(Game, pk=pk, public=True)
    phase, state, marked, named = _public_view(request, game)
    drawing = Drawing(game.ruleset_id, game.card, game.rules.board(state), marked, named)
    lines = [named] if "phase" in request.GET else _winners(game) or _state(game, phase)
    if phase is not None and (scores := game.rules.standing(state).scores):
        lines = [*lines, wording.scores_line(scores)]
    data = preview.png(
        images.png(drawing), text.one_line(game.title), tuple(lines), f"{game.rules.title}, by mail"
    )
    return answer_once(request, data, "image/png", f"public, max-age={SECONDS}")


@require_safe
def animation(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a public game as an animation: the boards of all results in force, the newest last."""
    game = get_object_or_404(Game, pk=pk, public=True)
    rows = Resolution.objects.filter(phase__game=game, phase__status=Phase.Status.RESOLVED)
    newest = {row.phase_id: row for row in rows.select_related("phase").order_by("version")}
    shown_rows = sorted(newest.values(), key=lambda row: row.phase.number)[-FRAMES:]
    if not shown_rows:
        raise Http404
    pngs = []
    for row in shown_rows:
        row.phase.game = game
        before, after = (
            game.rules.board(permissions.view(game, position, None))
            for position in (row.before, row.after)
        )
        title = f"{row.title}\n{text.one_line(game.title)}"
        drawing = Drawing(
            game.ruleset_id, game.card, after, images.changed_cells(before, after), title
        )
        pngs.append(images.png(drawing))
    return answer_once(request, preview.gif(pngs), "image/gif", f"public, max-age={SECONDS}")


@require_safe
@xframe_options_exempt
def embedded_board(request: HttpRequest, pk: int) -> HttpResponse:
    """Show only the newest board of a public game, for an iframe on any page."""
    game = get_object_or_404(Game, pk=pk, public=True)
    phase = game.phases.current()
    if phase is None:
        raise Http404
    board_picture = pictures.phase_picture(game, phase, None, changes=False)
    answer = render(request, "games/embedded.html", {"game": game, "picture": board_picture})
    policy = ContentSecurityPolicy.policy
    answer.headers["Content-Security-Policy"] = policy.replace(
        "frame-ancestors 'none'", "frame-ancestors *"
    )
    return answer


def _winners(game: Game) -> list[str]:
    """Return the winners, as the first line of a finished game."""
    if game.status != Game.Status.FINISHED:
        return []
    last = positions.last_resolution(game)
    if last is None or not last.winners:
        return []
    return [f"{all_of(last.winners)} {'wins' if len(last.winners) == 1 else 'share the win'}."]


def _public_view(
    request: HttpRequest, game: Game
) -> tuple[Phase | None, Any, tuple[tuple[str, str], ...], str]:
    """Return the requested phase, the public view after it, the squares that changed, its name."""
    requested = request.GET.get("phase", "")
    if requested:
        phase: Phase | None = get_object_or_404(game.phases, number=parse_number(requested))
    else:
        phase = game.phases.current()
    if (
        phase is not None
        and requested
        and (resolution := positions.newest_resolution(phase)) is not None
    ):
        resolution.phase.game = game
        before, after = (
            permissions.view(game, position, None)
            for position in (resolution.before, resolution.after)
        )
        changed = images.changed_cells(game.rules.board(before), game.rules.board(after))
        return phase, after, changed, resolution.title
    name = phase.title if phase else game.rules.title
    return phase, permissions.view(game, positions.position(game), None), (), name
