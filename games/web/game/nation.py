"""A nation's card: its objectives, income, score and attacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import permissions, positions
from games.letters import account
from games.models import Game, Phase, Resolution
from games.press import deals
from games.records import score_history
from games.rules import Board, Cell, Sheet
from games.rules.pairs import has_pairs
from games.web.boards import NOTHING, slugs
from games.web.decorators import for_readers
from games.web.game.report import FIGHTING, Fight, report
from games.web.game.standing import rows
from games.web.headings import headings


@dataclass(frozen=True)
class Wish:
    """An objective in words. `reached` is None where nobody is told before the end."""

    area: str
    what: str
    points: int
    reached: bool | None
    here: Cell  # what the nation has there now


@dataclass(frozen=True)
class Attacks:
    """The attacks of one phase that a nation made, and those that were made on it."""

    phase: Phase
    made: tuple[Fight, ...]
    borne: tuple[Fight, ...]


@require_safe
@for_readers
def nation(request: HttpRequest, game: Game, slug: str) -> HttpResponse:
    """One nation, for whoever may see the game: of what is hidden in it everybody sees his own."""
    order = tuple(game.card["order"])
    name = next((nation for nation, known in slugs(order).items() if known == slug), None)
    if name is None:
        raise Http404
    mine = permissions.seats_held(request.user, game)
    own = [seat.nation for seat in mine]
    named = name in own or permissions.sees_names(request.user, game)
    viewer = name if name in own else own[0] if own else None
    marks = score_history.marks(game, viewer)
    state = permissions.view(game, positions.position(game), viewer)
    sheet = game.rules.guide.sheet(state, name)
    phase = game.phases.current()
    known = [mark for mark in marks if mark.scores]
    scored = next(
        (one for one in _hand(game, state, name) if known and one in known[-1].scores), name
    )
    context: dict[str, Any] = {
        "deals_made": deals.are_made(game),
        "game": game,
        "name": name,
        "nations": headings(order),
        "others": [other for other in order if other != name],
        "own": name in own,
        "players": _players(game, name, named=named),
        "turn": phase.turn if phase and game.in_progress else None,
        "sheet": sheet,
        "unit": game.rules.unit,
        "wishes": _wishes(sheet, game.rules.board(state).cells, name),
        "allocation": list(enumerate(sheet.allocation, start=1)),
        "told": any(wish.reached is not None for wish in sheet.objectives),
        "reached": sum(wish.points for wish in sheet.objectives if wish.reached) + sheet.ruled,
        "most": _most(sheet),
        "bonuses": any(not wish.area for wish in sheet.objectives),
        "allies": _allies(game.rules.board(state), name),
        "history": rows(known, [scored]),
        "hidden": bool(marks) and not known,
        "attacks": [] if game.rules.referee else _attacks(game, name),
        "reports": _reports(game, name) if game.rules.referee else [],
        "hand": [other for other in _hand(game, state, name) if other != name],
        "seat": next((seat for seat in mine if seat.nation == name), None),
    }
    return render(request, "games/nation.html", context)


def _players(game: Game, name: str, *, named: bool) -> list[str]:
    """Who plays the nation, by names only: what a page shows to everybody holds no address."""
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
    sitting = seat.sittings.current().select_related("person").order_by("pk")
    if not named and sitting:
        return ["a team" if seat.team else "a player"]
    return [one.person.name or "a player without a name" for one in sitting]


def _allies(board: Board, name: str) -> list[str]:
    """Whom the nation is allied with, as the reader may know it."""
    return [other for pair in board.alliances if name in pair for other in pair if other != name]


def _wishes(sheet: Sheet, cells: Any, name: str) -> list[Wish]:
    return [
        Wish(
            one.area,
            account.requirement(one),
            one.points,
            one.reached,
            cells.get(one.area, {}).get(name, NOTHING),
        )
        for one in sheet.objectives
    ]


def _most(sheet: Sheet) -> int:
    """Return the best line of each area and every bonus, as the printed sheet counts them."""
    best: dict[tuple[str, str], int] = {}
    for one in sheet.objectives:
        best[one.area, one.words] = max(best.get((one.area, one.words), 0), one.points)
    return sum(best.values())


def _hand(game: Game, state: Any, name: str) -> tuple[str, ...]:
    """Return the nations played together with this one, where score sheets say so; else it."""
    sheets = game.rules.referee.score_sheets(state) if game.rules.referee else ()
    return next((sheet.powers for sheet in sheets if name in sheet.powers), (name,))


#: What a page of a nation tells of a phase no more than once a phase has been read: standing
# figures and points.
STANDING = ("forces", "centres", "hexes", "score", "column", "track")


def _judged(game: Game) -> list[Resolution]:
    """Return the results that hold with their events, the newest phase first."""
    rows = positions.resolutions(game).select_related("phase")
    holds: dict[int, Resolution] = {}
    for row in rows.only("events", "version", "phase"):
        row.phase.game = game
        holds.setdefault(row.phase_id, row)
    return list(holds.values())


def _reports(game: Game, name: str) -> list[tuple[Phase, list[dict[str, Any]]]]:
    """What the reports tell of a nation, the newest phase first, by the versions that hold."""
    found = []
    for row in _judged(game):
        told = [
            event
            for event in row.events
            if _tells_of(event, name) and event["kind"] not in STANDING
        ]
        if told:
            found.append((row.phase, told))
    return found


def _tells_of(event: dict[str, Any], name: str) -> bool:
    return name in (
        event.get("nation"),
        event.get("against"),
        event.get("country"),
        *event.get("nations", ()),
    )


def _attacks(game: Game, name: str) -> list[Attacks]:
    """Its attacks and those on it, the newest phase first, by the versions that hold."""
    found = []
    for row in _judged(game):
        fights = report(event for event in row.events if event["kind"] in FIGHTING).fights
        made = tuple(fight for fight in fights if fight.nation == name)
        borne = tuple(fight for fight in fights if name in fight.targets)
        if made or borne:
            found.append(Attacks(row.phase, made, borne))
    return found
