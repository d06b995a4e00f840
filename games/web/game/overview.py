"""The page of a game: the board, what is due, the seats, and for its gamesmaster links to the
desk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import BooleanField, DateTimeField, Prefetch, prefetch_related_objects
from django.db.models.expressions import RawSQL
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_POST, require_safe

from games import desk, market, permissions, positions
from games.base import clock
from games.game_templates import template_of
from games.letters import account
from games.models import (
    Game,
    Invitation,
    Person,
    Phase,
    Resolution,
    Seat,
)
from games.pages import pictures
from games.pages.boards import Grid, grid
from games.pages.decorators import for_gamesmasters, for_readers
from games.pages.headings import headings
from games.pages.live import live
from games.pages.requests import person_of
from games.positions import in_force, owed
from games.press import deals
from games.press.book import revealed_characters
from games.records import series
from games.rules import Standing, options, wording
from games.seats import pairs, press_rules
from games.timing import schedule
from games.turns import figures
from games.web.game import notebook
from games.web.game.beside import beside_map
from games.web.game.debrief import places
from games.web.game.proof import announcement_of
from games.web.scenarios.tables import PROVENANCE
from orders.models import Submission

#: When a phase was judged first, whether its deadline was moved, and whether a vote is open in it.
#: Raw SQL, because Django takes longer to build the three than to read all phases.
_FACTS = {
    "judged_at": RawSQL(
        "(SELECT MIN(result.resolved_at) FROM games_resolution result"
        " WHERE result.phase_id = games_phase.id)",
        [],
        DateTimeField(),
    ),
    "moved": RawSQL(
        "EXISTS (SELECT 1 FROM games_deadlinechange moved WHERE moved.phase_id = games_phase.id)",
        [],
        BooleanField(),
    ),
    "voting": RawSQL(
        "EXISTS (SELECT 1 FROM games_motion vote"
        " WHERE vote.phase_id = games_phase.id AND vote.closed_at IS NULL)",
        [],
        BooleanField(),
    ),
}


@dataclass(frozen=True)
class ChosenRule:
    """An option of a game with its value in words."""

    text: str
    value: str
    changed: bool


@dataclass(frozen=True)
class SeatRow:
    """A seat as the reader may see it. Only a gamesmaster gets `offer`, an open invitation."""

    seat: Seat
    people: tuple[Person, ...]
    hidden: bool  # the seat has a player, and the reader may not learn who
    offer: Invitation | None
    sent: str  # "", "sent" or "final"
    acts: bool
    mine: bool
    # whether the reader sends its orders in the current phase: it is their own seat, or an ally
    # that they control
    ordered: bool
    controller: str  # of a seat that nobody plays: the nation that sends its orders now
    score: int | None

    @property
    def free(self) -> bool:
        return not self.seat.bot and not self.seat.by_table and not (self.people or self.hidden)


@require_safe
@for_readers
def game(request: HttpRequest, game: Game) -> HttpResponse:
    """Show what everybody may see of a game, and more to people who play or run it."""
    return _page(request, game, clock.now())


@require_POST
@for_gamesmasters
def player_view(request: HttpRequest, game: Game, seat: int) -> HttpResponse:
    """Show a gamesmaster the page as a player sees it, read-only; the record notes it."""
    row = get_object_or_404(game.seats.nations(), pk=seat)
    if not permissions.may_see_as_player(request.user, game):
        raise PermissionDenied
    now = clock.now()
    desk.note_player_view(row, person_of(request), now)
    return _page(request, game, now, as_seat=row)


def _page(
    request: HttpRequest, game: Game, now: datetime, as_seat: Seat | None = None
) -> HttpResponse:
    """Show the page. `as_seat`: show it as this seat's player sees it."""
    runs = as_seat is None and permissions.runs(request.user, game)
    permissions.load_seats(game)
    seats = permissions.nations_of(game)
    if runs:
        newest_first = Invitation.objects.open().order_by("-invited_at")
        prefetch_related_objects(seats, Prefetch("invitations", newest_first, to_attr="offers"))
    held = [as_seat] if as_seat else permissions.held_seats(request.user, game)
    own_nations = [seat.nation for seat in held]
    # Sorted here: to order wide rows costs Django more than to read a few.
    phases = sorted(game.phases.annotate(**_FACTS).order_by(), key=attrgetter("number"))
    phase = next(
        (candidate for candidate in reversed(phases) if candidate.status != Phase.Status.UNDONE),
        None,
    )
    newest = _newest_result(phases)
    position = newest.after if newest else positions.start_position(game)
    # A referee may see scores that are for the gamesmaster alone.
    referees = runs and permissions.referees(request.user, game)
    viewer = next(iter((*own_nations, *(game.rules.referee.seats if referees else ()))), None)
    positions.entitle(game, phases, position)
    state = permissions.view(game, position, viewer)
    standing = None if game.status == Game.Status.FORMING else game.rules.standing(state)
    acting = (
        owed.asked_nations(game, state) if phase and phase.status != Phase.Status.RESOLVED else ()
    )
    sent = in_force.in_force(phase) if phase and phase.takes_orders else {}
    names = permissions.sees_names(request.user, game)
    rows = _seats(seats, acting, sent, own_nations, standing, phase, names=names)
    board = _grid(game, state, newest, viewer)
    drawn = newest.phase if newest else phase
    closed = game.is_over
    context = {
        "game": game,
        "now": now,
        "names": names,
        "phase": phase,
        "live": live(game, phase, now, request.user, follow=True, reload=True),
        "waits": figures.waiting_stocks(phase, now),
        "changes": [
            (None if change.old >= schedule.STANDS else change.old, change.reason)
            for change in phase.deadline_changes.all()
        ]
        if phase and phase.status == Phase.Status.OPEN and getattr(phase, "moved", True)
        else [],
        "past": [old for old in reversed(phases) if old.status in Phase.CLOSED],
        "runs": runs,
        "referees": referees,
        "grid": board,
        # Fetching the picture would show what the gamesmaster may see, not what the player may.
        "picture": pictures.phase_picture(game, drawn, newest, changes=board.changes)
        if drawn and not as_seat
        else None,
        "as_seat": as_seat,
        "nations": headings(game.rules.nations(state)),
        "charts": game.rules.guide.charts(state),
        "lots": game.rules.guide.lots(state),
        "dealt": pairs.describe_lots(game),
        "provenance": PROVENANCE.get(game.card["provenance"], ""),
        "rule_in_words": schedule.in_words(game.schedule, game.zone),
        "newspaper_decides": market.sales_decide(game) and game.market != Game.Market.DEMO,
        "announced": announcement_of(game, phase) if game.status == Game.Status.RUNNING else None,
        "primer": template_of(game.ruleset_id, "games/primer/*.html"),
        "legend": template_of(game.ruleset_id, "games/legend/*.html"),
        "seated": bool(own_nations),
        "notes": bool(own_nations) or runs,
        "notebooks": notebook.open_notebooks(request.user, game) if closed else [],
        # A seat can only be open to anybody if nobody has it.
        "open_seats": desk.open_seats(game)
        if game.public and not closed and any(row.free for row in rows)
        else [],
        "press_rules": press_rules.describe_rules(game),
        **_deals(request, game, phase, as_seat),
        **_result(game, newest, standing, own_nations),
        **_follow_ups(request, game, len(seats), took_part=bool(own_nations or runs)),
        "seats": rows,
        "beside": beside_map(game, request.user, () if as_seat else held, phase, runs=runs)
        if phase and game.in_progress
        else None,
        "waited_for": [row for row in rows if row.acts and not row.sent],
        "not_final": [row for row in rows if row.sent == "sent"] if game.may_lock_early else [],
        "empty_seats": [row.seat.nation for row in rows if row.free],
        "invited_seats": [row.seat.nation for row in rows if row.free and row.offer],
        "free_seats": [row.seat.nation for row in rows if row.free and not row.offer],
        "acting_count": len(acting),
        "in_count": len(sent),
        "chosen_rules": _chosen_rules(game),
        "rolls": game.digit_source == market.GM_DICE,
        "has_class": any(
            row.seat.team or any(person.is_pupil for person in row.people) for row in rows
        ),
    }
    return render(request, "games/game.html", context)


def _chosen_rules(game: Game) -> list[ChosenRule]:
    """Return the options that could be different in this game, changed ones first."""
    rules = []
    for option in options.game_options(game.rules):
        if not option.offered or option.kind == "symbols":
            continue
        value = game.options.get(option.id, option.default)
        rules.append(ChosenRule(option.text, option.label(value), value != option.usual))
    return sorted(rules, key=lambda rule: not rule.changed)


def _deals(
    request: HttpRequest, game: Game, phase: Phase | None, as_seat: Seat | None
) -> dict[str, Any]:
    return {
        "deals_made": deals.has_deals(game) and game.status != Game.Status.FORMING,
        "characters": revealed_characters(game),
        "deals_open": permissions.are_deals_open(game) and bool(game.last_deal),
        "deals_waiting": 0 if as_seat else deals.count_open(request.user, game, phase),
    }


def _result(
    game: Game, newest: Resolution | None, standing: Standing | None, own_nations: Sequence[str]
) -> dict[str, Any]:
    """Return the scores so far and, of a finished game, who won and for what."""
    over = game.status == Game.Status.FINISHED
    return {
        "latest": newest,
        "show_scores": bool(standing and standing.scores),
        "sums": wording.alliance_sentences(standing) if standing else [],
        "places": places(standing.scores, own_nations) if standing and over else [],
        "accounts": _accounts(game, standing, newest) if over else [],
        "winners": newest.winners if newest and over else None,
        "closing": newest.closing if newest else "",
    }


def _follow_ups(
    request: HttpRequest, game: Game, nations: int, *, took_part: bool
) -> dict[str, bool]:
    """Return what may follow a finished game. A series ends when everybody has had each nation."""
    over = game.status == Game.Status.FINISHED
    again = over and took_part and permissions.opens_games(request.user)
    games = series.games_of(game) if over else []
    return {
        "again": again,
        "series": again and games[-1] == game and len(games) < nations,
        "in_series": game.follows_id is not None or len(games) > 1,
    }


def _newest_result(phases: Sequence[Phase]) -> Resolution | None:
    """Return the newest result in force, without its events, orders and remarks, which the page
    does not show. Its phase is one of `phases`."""
    judged = {phase.pk: phase for phase in phases if phase.status == Phase.Status.RESOLVED}
    rows = Resolution.objects.filter(phase__in=judged).only(
        "phase_id", "version", "before", "after", "winners", "closing"
    )
    newest = rows.order_by("-phase__number", "-version").first() if judged else None
    if newest is not None:
        newest.phase = judged[newest.phase_id]
    return newest


def _grid(game: Game, state: Any, newest: Resolution | None, viewer: str | None) -> Grid:
    before = game.rules.board(permissions.view(game, newest.before, viewer)) if newest else None
    return grid(game.rules.board(state), before, game.card)


def _accounts(
    game: Game, standing: Standing | None, newest: Resolution | None
) -> list[tuple[str, int, list[tuple[str, int]]]]:
    """Return nations with their final scores and the sources of their points, best first."""
    paid = account.account_of(game, newest.after) if newest else {}
    scores = standing.scores if standing else {}
    return [(nation, score, paid.get(nation, [])) for nation, score in wording.rank(scores)]


def _seats(
    seats: Sequence[Seat],
    acting: Sequence[str],
    sent: Mapping[str, Submission],
    mine: Sequence[str],
    standing: Standing | None,
    phase: Phase | None,
    *,
    names: bool,
) -> list[SeatRow]:
    """Return who has which seat and whose orders are in, but not what the orders say."""
    rows = []
    allies, controllers = (
        permissions.controlled_nations(mine, phase),
        phase.controllers if phase is not None else {},
    )
    for seat in seats:
        people = [sitting.person for sitting in seat.sitting_now or ()]
        known = names or seat.nation in mine
        submission = sent.get(seat.nation)
        rows.append(
            SeatRow(
                seat=seat,
                people=tuple(people) if known else (),
                hidden=bool(people) and not known,
                offer=next(iter(getattr(seat, "offers", [])), None),
                sent="" if submission is None else "final" if submission.final else "sent",
                acts=seat.nation in acting,
                mine=seat.nation in mine,
                ordered=seat.nation in mine or seat.nation in allies,
                controller=controllers.get(seat.nation, ""),
                score=standing.scores.get(seat.nation) if standing else None,
            )
        )
    return rows
