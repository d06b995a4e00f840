"""Operations on games, standings and records, and on the sender's own account."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Router
from pydantic import Field

from games import permissions, positions
from games.base import links
from games.evidence import export
from games.models import Game, Phase, Resolution, Sitting
from games.models import Seat as SeatRow
from games.positions import in_force
from games.records import score_history

from . import answers
from .access import FOR_ALL, Token, game_of, token_of
from .phases import GameNumber, phase_facts

A_PAGE = 50
router = Router(tags=["games"])


@router.get("/me", auth=Token(), response={200: answers.Me, **answers.READ})
def me(request: HttpRequest) -> dict[str, Any]:
    """Return your account: your seats and the games that you run."""
    token = token_of(request)
    person = token.person
    sittings = Sitting.objects.current().filter(person=person).select_related("seat")
    return {
        "name": person.name,
        "zone": person.zone,
        "scopes": token.scopes,
        "seats": [
            {"game": sitting.seat.game_id, "nation": sitting.seat.nation}
            for sitting in sittings.order_by("seat__game", "seat__ordinal")
        ],
        "runs": list(person.games_run.order_by("pk").values_list("pk", flat=True)),
    }


@router.get("/games", response={200: answers.Games, **answers.READ}, **FOR_ALL)
def games(
    request: HttpRequest, after: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = None
) -> dict[str, Any]:
    """List the games that you may see, newest first, 50 per page."""
    rows = permissions.visible_games(request.user).order_by("-pk")
    if after is not None:
        rows = rows.filter(pk__lt=after)
    rows_and_next = list(rows[: A_PAGE + 1])
    page = rows_and_next[:A_PAGE]
    return {
        "games": [_in_list(game) for game in page],
        "next": page[-1].pk if len(rows_and_next) > A_PAGE else None,
    }


@router.get(
    "/games/{game}",
    response={200: answers.Game, **answers.READ},
    **FOR_ALL,
)
def game(request: HttpRequest, game: GameNumber) -> dict[str, Any]:
    """Return a game: who plays, what is due, and how it is set up."""
    row = game_of(request, game)
    phase = row.phases.current()
    newest = positions.last_resolution(row)
    state = permissions.view(
        row,
        newest.after if newest else positions.start_position(row),
        permissions.viewer_of(request.user, row),
    )
    return {
        **_in_list(row),
        "zone": row.zone,
        "schedule": row.schedule,
        "market": row.market,
        "options": row.options,
        "started_at": row.started_at,
        "runs": permissions.runs(request.user, row),
        "seats": _seats(request, row, phase, state),
        "phase": phase_facts(phase) if phase is not None else None,
        "winners": _winners(row, newest),
        "record_hash": row.record_hash,
    }


def _in_list(game: Game) -> dict[str, Any]:
    return {
        "id": game.pk,
        "title": game.title,
        "ruleset": game.ruleset_id,
        "scenario": game.card.get("title", ""),
        "status": str(game.status),
        "public": game.public,
        "practice": game.practice,
        "opened_at": game.opened_at,
        "finished_at": game.finished_at,
        "url": links.link("game", game.pk),
    }


def _winners(game: Game, newest: Resolution | None) -> list[str] | None:
    if newest is None or game.status != Game.Status.FINISHED or newest.winners is None:
        return None
    return list(newest.winners)


def _seats(
    request: HttpRequest, game: Game, phase: Phase | None, state: Any
) -> list[dict[str, Any]]:
    """Return who plays each seat and whether its orders are in, but not what they say."""
    permissions.load_seats(game)
    seats = permissions.nations_of(game)
    own_nations = {seat.nation for seat in permissions.held_seats(request.user, game)}
    is_open = phase is not None and phase.status == Phase.Status.OPEN
    in_force_now = in_force.in_force(phase) if phase is not None and is_open else {}
    acting = game.rules.acting_nations(state) if is_open else ()
    scores = {} if game.status == Game.Status.FORMING else game.rules.standing(state).scores
    names = permissions.sees_names(request.user, game)
    seat_facts = []
    for seat in seats:
        submission = in_force_now.get(seat.nation)
        seat_facts.append(
            {
                "nation": seat.nation,
                "players": [sitting.person.name for sitting in seat.sitting_now or ()]
                if names or seat.nation in own_nations
                else [],
                "played_by": _players(seat),
                "orders": ("final" if submission.final else "sent")
                if submission is not None
                else "none"
                if is_open
                else "",
                "acts": seat.nation in acting,
                "mine": seat.nation in own_nations,
                "score": scores.get(seat.nation),
            }
        )
    return seat_facts


def _players(seat: SeatRow) -> str:
    if seat.bot:
        return "program"
    if seat.by_table:
        return "ally"
    return "people" if seat.sitting_now else "nobody"


@router.get(
    "/games/{game}/standings",
    response={200: answers.Standings, **answers.READ},
    **FOR_ALL,
)
def standings(request: HttpRequest, game: GameNumber) -> dict[str, Any]:
    """Return the scores now and after every phase, if the game shows them to you."""
    row = game_of(request, game)
    viewer = permissions.viewer_of(request.user, row)
    standing = row.rules.standing(permissions.view(row, positions.position(row), viewer))
    return {
        "game": row.pk,
        "scores": {} if row.status == Game.Status.FORMING else dict(standing.scores),
        "remark": standing.remark,
        "marks": [
            {
                "phase": mark.phase.number,
                "title": mark.phase.heading,
                "resolved_at": mark.when,
                "scores": dict(mark.scores),
                "winners": list(mark.winners),
            }
            for mark in score_history.marks(row, viewer)
        ],
    }


@router.get(
    "/games/{game}/record",
    response={200: dict[str, Any], **answers.READ},
    **FOR_ALL,
)
def record(request: HttpRequest, game: GameNumber) -> HttpResponse:
    """Return the public record, byte for byte as the checker reads it."""
    tree = export.current(game_of(request, game), private=False)
    return HttpResponse(export.text(tree), content_type="application/json; charset=utf-8")
