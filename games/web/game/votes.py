"""The page on which players vote."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from games import permissions
from games.base import clock
from games.desk import votes
from games.models import Game
from games.pages.decorators import for_people_of_a_game, until_the_end
from games.pages.requests import person_of, tell_refusals
from games.rules import vote_kinds


@require_http_methods(["GET", "HEAD", "POST"])
@for_people_of_a_game
@until_the_end
def page(request: HttpRequest, game: Game) -> HttpResponse:
    """List the open votes; a POST votes for `what` (“concede:France”), or takes the vote back.

    Gamesmasters read them. A practice game has no votes: its player may give it up at any time.
    """
    if game.practice:
        return redirect(game)
    person = person_of(request)
    if request.method == "POST":
        kind, _, nation = request.POST.get("what", "").partition(":")
        with tell_refusals(request):
            yes = "no" not in request.POST
            motion = votes.cast(game, person, kind, nation, clock.now(), yes=yes)
            messages.success(request, votes.describe_state(motion))
        return redirect("votes", game.pk)
    own = {seat.nation for seat in permissions.held_seats(person, game)}
    phase = game.phases.current()
    movable = phase is not None and votes.may_move(phase, clock.now())
    rows = [
        (
            open_motion,
            votes.describe_state(open_motion),
            f"{open_motion.kind}:{open_motion.nation}",
            bool(own & {*open_motion.nations}),
            bool(own - {open_motion.nation}) and (movable or not open_motion.moves_deadline),
        )
        for open_motion in votes.open_motions(game, phase)
    ]
    others = [seat.nation for seat in permissions.nations_of(game) if seat.nation not in own]
    voted_on = {subject for _, _, subject, *_ in rows}
    offered = [
        (f"{kind.key}:{nation}", kind.offer.format(nation=nation))
        for kind in vote_kinds.KINDS.values()
        if movable or not kind.moves_deadline
        for nation in (others if kind.names_nation else [""])
    ]
    context = {
        "game": game,
        "motions": rows,
        "plays": bool(own),
        "offered": [row for row in offered if row[0] not in voted_on],
        "who_decides": vote_kinds.who_decides(),
        "deadline_movers": vote_kinds.deadline_movers(),
        "commands": vote_kinds.commands("a nation"),
    }
    return render(request, "games/votes.html", context)
