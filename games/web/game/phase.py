"""The page of a phase: its report, a link to its proof, and the board after it."""

from __future__ import annotations

from operator import attrgetter

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from games import permissions, positions
from games.base import clock
from games.letters import headlines
from games.models import Game, Phase, Resolution
from games.pages import pictures
from games.pages.boards import grid
from games.pages.decorators import for_readers
from games.pages.headings import headings
from games.pages.live import live
from games.positions import final_marks
from games.records import proof
from games.rules import wording
from games.timing import schedule
from games.turns import figures, ruling_plan, witnessing
from games.web.game import story
from games.web.game.report import report
from games.web.public.explained import is_explained
from orders.models import Submission


@require_safe
@for_readers
def phase(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    """Show the result of a phase, or what it waits for. `?version=1`: before a ruling."""
    played = get_object_or_404(game.phases, number=number)
    versions = list(played.resolutions.select_related("ruling").order_by("version"))
    resolution = _version(versions, request.GET.get("version", ""))
    runs = permissions.runs(request.user, game)
    own = permissions.held_seats(request.user, game)
    viewer = own[0].nation if own else None
    position = resolution.after if resolution else positions.position_before(played)
    state = permissions.view(game, position, viewer)
    after, before = (
        game.rules.board(state),
        game.rules.board(permissions.view(game, resolution.before, viewer)) if resolution else None,
    )
    nations = [seat.nation for seat in own]
    nations += sorted(permissions.controlled_nations(nations, played), key=game.card["order"].index)
    readable = permissions.readable_nations(
        request.user, game, settled=permissions.is_settled(played), phase=played
    )
    reader = headlines.reader_of(game, nations)
    phase_report = report(resolution.events, reader) if resolution else None
    steps = (
        story.steps(game, played, resolution, phase_report.fights, viewer)
        if resolution and phase_report
        else []
    )
    board = grid(after, before, game.card)
    now = clock.now()
    # All that links to other phases and news need.
    columns = ("game", "number", "turn", "kind", "status", "deadline", "due_at")
    phases = sorted(game.phases.only(*columns).order_by(), key=attrgetter("number"))
    standing = [phase for phase in phases if phase.status != Phase.Status.UNDONE]
    current = standing[-1] if standing else None
    positions.entitle(game, phases)
    place = [phase.number for phase in phases].index(number)
    played.covering = resolution.title if resolution else ""
    context = {
        "game": game,
        "phase": played,
        "now": now,
        "live": live(game, current, now, request.user),
        "next": current if own and current and current.status == Phase.Status.OPEN else None,
        "own_seat": own[0] if own else None,
        "files": (
            played.report_files.all()
            if game.rules.referee.seats and permissions.reads_report_files(request.user, played)
            else ()
        ),
        "runs": runs,
        "rules_on_it": runs and ruling_plan.may_be_ruled_on(played),
        "versions": versions,
        "resolution": resolution,
        "newest": versions[-1] if versions else None,
        "headline": headlines.headline([resolution], lambda: before, after, nations)
        if resolution and before
        else "",
        "report": phase_report,
        "steps": steps,
        "explained": is_explained(game.ruleset_id),
        "before_picture": pictures.start_picture(game, played) if steps else None,
        "grid": board,
        "picture": pictures.phase_picture(game, played, resolution, changes=board.changes),
        "nations": headings(game.rules.nations(state)),
        "scores": wording.rank(game.rules.standing(state).scores) if resolution else [],
        "sums": wording.alliance_sentences(game.rules.standing(state)) if resolution else [],
        "figures": proof.figures_in_force(
            witnessing.figures_with_restatements(
                played, played.figures.order_by("settled_at", "symbol")
            ),
            proof.applied_rulings(resolution),
        )
        if permissions.sees_figures(request.user, played, judged=resolution is not None)
        else [],
        "waits": figures.waiting_stocks(played, now),
        "orders": resolution.orders_of(readable) if resolution else [],
        "submissions": _submissions(game, played, readable),
        "rule_in_words": schedule.in_words(game.schedule, game.zone),
        "earlier": phases[place - 1] if place else None,
        "later": next(iter(phases[place + 1 :]), None),
    }
    return render(request, "games/phase.html", context)


def _version(versions: list[Resolution], wanted: str) -> Resolution | None:
    if not wanted:
        return versions[-1] if versions else None
    for resolution in versions:
        if str(resolution.version) == wanted:
            return resolution
    raise Http404


def _submissions(game: Game, played: Phase, readable: set[str]) -> list[Submission]:
    if not readable:
        return []
    if game.seats_read is None:
        found = played.submissions.filter(seat__nation__in=readable).select_related("seat")
        submissions = list(found.order_by())
    else:
        seats = {seat.pk: seat for seat in game.seats_read if seat.nation in readable}
        submissions = list(played.submissions.filter(seat__in=seats).order_by())
        for submission in submissions:
            submission.seat = seats[submission.seat_id]
    final_marks.lapse(submissions)
    return sorted(submissions, key=attrgetter("number"))
