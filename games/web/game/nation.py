"""A nation's page: its objectives, income, score and attacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import permissions, positions
from games.letters import account
from games.models import Game, Phase, Resolution
from games.pages.boards import slugs
from games.pages.decorators import for_readers
from games.pages.headings import headings
from games.press import deals
from games.records import score_history
from games.records.replay import FIGHTING
from games.rules import Board, Cell, NationFacts
from games.rules.pairs import has_pairs
from games.web.game.report import Fight, report
from games.web.game.standing import rows


@dataclass(frozen=True)
class Wish:
    """An objective in words. `reached` is None if it is secret until the end."""

    area: str
    what: str
    points: int
    reached: bool | None
    here: Cell  # what the nation has there now


@dataclass(frozen=True)
class Attacks:
    """The attacks by and on a nation in one phase."""

    phase: Phase
    made: tuple[Fight, ...]
    borne: tuple[Fight, ...]


@require_safe
@for_readers
def nation(request: HttpRequest, game: Game, slug: str) -> HttpResponse:
    """Show a nation to everybody who may see the game. Of hidden facts, readers see only their
    own."""
    order = tuple(game.card["order"])
    name = next((nation for nation, known in slugs(order).items() if known == slug), None)
    if name is None:
        raise Http404
    seats = permissions.held_seats(request.user, game)
    own = [seat.nation for seat in seats]
    sees_names = name in own or permissions.sees_names(request.user, game)
    viewer = name if name in own else own[0] if own else None
    marks = score_history.marks(game, viewer)
    position = positions.position(game)
    state = permissions.view(game, position, viewer)
    board = game.rules.board(state)
    facts = game.rules.guide.nation_facts(state, name)
    phase = game.phases.current()
    known = [mark for mark in marks if mark.scores]
    scored = next(
        (
            power
            for power in _player_nations(game, state, name)
            if known and power in known[-1].scores
        ),
        name,
    )
    context: dict[str, Any] = {
        "deals_made": deals.has_deals(game),
        "game": game,
        "name": name,
        "nations": headings(order),
        "others": [other for other in order if other != name],
        "own": name in own,
        "players": _players(game, name, named=sees_names),
        "turn": phase.turn if phase and game.in_progress else None,
        "facts": facts,
        "unit": game.rules.unit,
        "wishes": _wishes(facts, board, name),
        "allocation": list(enumerate(facts.allocation, start=1)),
        "told": any(wish.reached is not None for wish in facts.objectives),
        "reached": sum(wish.points for wish in facts.objectives if wish.reached) + facts.ruled,
        "most": _best_total(facts),
        "bonuses": any(not wish.area for wish in facts.objectives),
        # as far as the reader may know them
        "allies": [
            other for pair in board.alliances if name in pair for other in pair if other != name
        ],
        "history": rows(known, [scored]),
        "hidden": bool(marks) and not known,
        "attacks": _attacks(game, name) if game.rules.foreseeable else [],
        "reports": [] if game.rules.foreseeable else _reports(game, name, position),
        "hand": [other for other in _player_nations(game, state, name) if other != name],
        "seat": next((seat for seat in seats if seat.nation == name), None),
    }
    return render(request, "games/nation.html", context)


def _players(game: Game, name: str, *, named: bool) -> list[str]:
    """Return the names of the people who play the nation. Never their addresses, because everybody
    may see the page."""
    seat = game.seats.get(nation=name)
    if seat.bot:
        return ["the service"]
    if seat.by_table:
        return [
            "nobody; "
            + (
                "another player gets it too"
                if has_pairs(game.rules)
                else "who sends its orders is drawn"
            )
        ]
    sittings = seat.sittings.current().select_related("person").order_by("pk")
    if not named and sittings:
        return ["a team" if seat.team else "a player"]
    return [sitting.person.name or "a player without a name" for sitting in sittings]


def _wishes(facts: NationFacts, board: Board, name: str) -> list[Wish]:
    return [
        Wish(
            objective.area,
            account.requirement(objective),
            objective.points,
            objective.reached,
            board.cell(objective.area, name),
        )
        for objective in facts.objectives
    ]


def _best_total(facts: NationFacts) -> int:
    """Return the total of the best line of each area and every bonus."""
    best: dict[tuple[str, str], int] = {}
    for objective in facts.objectives:
        best[objective.area, objective.words] = max(
            best.get((objective.area, objective.words), 0), objective.points
        )
    return sum(best.values())


def _player_nations(game: Game, state: Any, name: str) -> tuple[str, ...]:
    """Return the nations of one player with this one, if score sheets name them, else this one."""
    sheets = game.rules.referee.score_sheets(state)
    return next((sheet.powers for sheet in sheets if name in sheet.powers), (name,))


#: Kinds of events that repeat standing figures and points: a nation's page leaves them out of
# reports.
STANDING = ("forces", "centres", "hexes", "score", "column", "track")


def _newest_results(game: Game) -> list[Resolution]:
    """Return the results in force with their events, newest phase first."""
    rows = positions.resolutions(game).select_related("phase")
    by_phase: dict[int, Resolution] = {}
    for row in rows.only("events", "version", "phase"):
        row.phase.game = game
        by_phase.setdefault(row.phase_id, row)
    return list(by_phase.values())


def _reports(
    game: Game, name: str, position: dict[str, Any]
) -> list[tuple[Phase, list[dict[str, Any]]]]:
    """Return what the reports in force say about a nation, newest phase first."""
    reports, results = [], _newest_results(game)
    positions.entitle(game, [row.phase for row in reversed(results)], position)
    for row in results:
        events = [
            event
            for event in row.events
            if _is_about(event, name) and event["kind"] not in STANDING
        ]
        if events:
            reports.append((row.phase, events))
    return reports


def _is_about(event: dict[str, Any], name: str) -> bool:
    return name in (
        event.get("nation"),
        event.get("against"),
        event.get("country"),
        *event.get("nations", ()),
    )


def _attacks(game: Game, name: str) -> list[Attacks]:
    """Return the attacks by and on a nation in results in force, newest phase first."""
    attacks = []
    for row in _newest_results(game):
        fights = report(event for event in row.events if event["kind"] in FIGHTING).fights
        made = tuple(fight for fight in fights if fight.nation == name)
        borne = tuple(fight for fight in fights if name in fight.targets)
        if made or borne:
            attacks.append(Attacks(row.phase, made, borne))
    return attacks
