"""Operations on phases, boards, reports and figures."""

from __future__ import annotations

from typing import Annotated, Any

from django.db.models import Prefetch
from django.http import Http404, HttpRequest
from ninja import Router
from pydantic import Field

from games import permissions, positions
from games.models import Game, Phase, Resolution
from games.rules.lands import Land
from games.timing import schedule

from . import answers
from .access import FOR_ALL, game_of

GameNumber = Annotated[int, Field(ge=1, le=2**63 - 1)]
PhaseNumber = Annotated[int, Field(ge=1, le=32_767)]
Version = Annotated[int, Field(ge=0, le=32_767)] | None
router = Router(tags=["phases"])


def phase_facts(phase: Phase) -> dict[str, Any]:
    """Return the facts about a phase for everybody who may see the game."""
    locked = phase.locked_at is not None
    return {
        "number": phase.number,
        "turn": phase.turn,
        "kind": phase.kind,
        "title": phase.title,
        "status": str(phase.status),
        "opened_at": phase.opened_at,
        "deadline": phase.deadline if phase.deadline < schedule.STANDS else None,
        "locked_at": phase.locked_at,
        "digest": phase.digest,
        "stocks": phase.stocks if locked else [],
        "session": phase.session,
        "versions": phase.resolutions.count(),
    }


def _phase_of(game: Game, number: int) -> Phase:
    phase = game.phases.filter(number=number).first()
    if phase is None:
        raise Http404
    phase.game = game
    return phase


def _result(phase: Phase, version: int | None) -> Resolution | None:
    """Return a version of a result, the newest if `version` is None.

    Return None for 0 (the board before the result) and if there is no result yet. Raise `Http404`
    for an unknown version.
    """
    rows = phase.resolutions.select_related("ruling").order_by("-version")
    if version is None:
        return rows.first()
    result = rows.filter(version=version).first()
    if result is None and version:
        raise Http404
    return result


@router.get(
    "/games/{game}/phases",
    response={200: answers.Phases, **answers.READ},
    **FOR_ALL,
)
def phases(request: HttpRequest, game: GameNumber) -> dict[str, Any]:
    """List the phases of a game, the oldest first."""
    row = game_of(request, game)
    versions = Prefetch("resolutions", Resolution.objects.only("phase"))  # they are counted
    all_phases = list(row.phases.order_by("number").prefetch_related(versions))
    for phase in all_phases:
        phase.game = row
    return {"phases": [phase_facts(phase) for phase in all_phases]}


@router.get(
    "/games/{game}/phases/{number}",
    response={200: answers.Phase, **answers.READ},
    **FOR_ALL,
)
def phase(request: HttpRequest, game: GameNumber, number: PhaseNumber) -> dict[str, Any]:
    """Return one phase."""
    return phase_facts(_phase_of(game_of(request, game), number))


@router.get(
    "/games/{game}/phases/{number}/board",
    response={200: answers.Board, **answers.READ},
    **FOR_ALL,
)
def board(
    request: HttpRequest, game: GameNumber, number: PhaseNumber, version: Version = None
) -> dict[str, Any]:
    """Return the board after a phase, or the board on which its orders are given."""
    row = game_of(request, game)
    played = _phase_of(row, number)
    result = _result(played, version)
    position = result.after if result is not None else positions.position_before(played)
    board_seen = row.rules.board(
        permissions.view(row, position, permissions.viewer_of(request.user, row))
    )
    return {
        "phase": played.number,
        "version": result.version if result is not None else 0,
        "unit": board_seen.unit.singular,
        "areas": list(board_seen.areas),
        "nations": list(board_seen.nations),
        "cells": {
            area: {nation: vars(cell) for nation, cell in here.items()}
            for area, here in board_seen.cells.items()
            if here
        },
        "lands": {area: _land(land) for area, land in board_seen.lands.items()},
        "alliances": [list(pair) for pair in board_seen.alliances],
        "at_odds": [list(pair) for pair in board_seen.at_odds],
    }


def _land(land: Land) -> dict[str, Any]:
    return {
        "controller": land.controller,
        "home": land.home,
        "hostile": list(land.hostile),
        "destroyed": land.destroyed,
        "lost": land.lost,
        "state": land.state,
    }


@router.get(
    "/games/{game}/phases/{number}/report",
    response={200: answers.Report, **answers.READ},
    **FOR_ALL,
)
def report(
    request: HttpRequest, game: GameNumber, number: PhaseNumber, version: Version = None
) -> dict[str, Any]:
    """Return the result of a phase: events, scores, and the orders that you may read."""
    row = game_of(request, game)
    played = _phase_of(row, number)
    result = _result(played, version)
    if result is None:
        raise Http404
    readable = permissions.readable_nations(
        request.user, row, settled=permissions.is_settled(played), phase=played
    )
    after = permissions.view(row, result.after, permissions.viewer_of(request.user, row))
    return {
        "phase": played.number,
        "version": result.version,
        "versions": played.resolutions.count(),
        "resolved_at": result.resolved_at,
        "ruling": result.ruling.number if result.ruling is not None else None,
        "events": result.events,
        "orders": [
            {"nation": nation, "text": text or "", "remarks": remarks}
            for nation, text, remarks in result.orders_of(readable)
        ],
        "scores": dict(row.rules.standing(after).scores),
        "winners": list(result.winners) if result.winners is not None else None,
        "closing": result.closing,
    }


@router.get(
    "/games/{game}/phases/{number}/figures",
    response={200: answers.Figures, **answers.READ},
    **FOR_ALL,
)
def figures(request: HttpRequest, game: GameNumber, number: PhaseNumber) -> dict[str, Any]:
    """Return the sales that decided a phase, once it is resolved."""
    row = game_of(request, game)
    played = _phase_of(row, number)
    judged = played.resolutions.exists()
    shown = permissions.sees_figures(request.user, played, judged=judged)
    rows = played.figures.order_by("settled_at", "symbol") if shown else []
    return {
        "phase": played.number,
        "session": played.session,
        "figures": [
            {
                "symbol": figure.symbol,
                "volume": figure.volume,
                "reason": figure.reason,
                "settled_at": figure.settled_at,
            }
            for figure in rows
        ],
    }
