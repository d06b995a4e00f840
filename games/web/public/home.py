"""The home page, the printed scenarios, and the health check."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Prefetch, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from games import desk, permissions, positions
from games.base import clock
from games.boards import plate_for
from games.game_templates import template_of
from games.models import Game, Invitation, Person, Phase, Pulse, Sitting
from games.operations.metrics import TICK_MAY_BE_OLD
from games.pages import pictures
from games.pages.context import unread_marks
from games.pages.headings import headings
from games.positions import in_force, owed
from games.rules import RulesError, cards
from games.rules.registry import RULESETS, ruleset
from games.web.public import archive, explained
from games.web.scenarios.tables import tables_of

PUBLIC_GAMES_LISTED = 30


@dataclass(frozen=True)
class Entry:
    """A game in a list, with what the reader has to do in it."""

    game: Game
    phase: Phase | None
    seats: tuple[str, ...]  # nations that the reader plays
    runs: bool
    waiting: tuple[str, ...]  # nations whose orders the reader still has to send
    report_owed: bool = False  # everybody waits for the reader's report
    order_at: str = ""  # the page where the reader writes the missing orders

    @property
    def wanted(self) -> bool:
        return bool(self.waiting) or self.report_owed


@dataclass(frozen=True)
class Scene:
    """The board that the front page shows."""

    game: Game
    phase: Phase
    picture: pictures.PagePicture


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what this service is, the reader's own games and what they wait for, and games that
    everybody may watch."""
    now = clock.now()
    own, run, in_teams, unread = _own_games(request.user)
    games = list(_games_with_phase(position=True).filter(pk__in={*own, *run}))
    sent = in_force.nations_in_force(
        phase.pk for game in games if game.pk in own for phase in _newest(game)
    )
    entries = [
        _entry(game, own.get(game.pk, {}), game.pk in run, sent, in_teams.get(game.pk))
        for game in games
    ]
    entries.sort(
        key=lambda entry: (
            entry.game.is_over,
            not entry.wanted,
            entry.phase.deadline if entry.phase else now,
        )
    )
    listed = {entry.game.pk for entry in entries}
    watched = [
        _entry(game, {}, False, set())
        for game in _games_with_phase()
        .filter(pk__in=_numbers_to_watch(listed))
        .order_by("-opened_at")
    ]
    shown = slice(PUBLIC_GAMES_LISTED)
    over = archive.entries(
        list(
            archive.finished_games(request.user).order_by("-finished_at", "-pk")[
                : archive.LATEST_ON_HOME
            ]
        )
    )
    context = {
        "mine": entries,
        "current": [entry for entry in entries if not entry.game.is_over],
        "ended": [entry for entry in entries if entry.game.is_over],
        "watched": watched,
        "open_seats": desk.seats_on_offer(shown),
        "joinable": desk.games_to_join(shown),
        "over": over,
        "now": now,
        "unread": unread_marks(
            {game.pk: unread[game.pk] for game in games if game.pk in unread and not game.is_over}
        ),
        "scene": _scene(watched, [entry.game for entry in over]),
        "seat_offered": settings.DEMONSTRATION and Invitation.objects.open().exists(),
        "games": [
            (rules, template_of(rules.id, "games/blurb/*.html"))
            for rules in RULESETS.values()
            if explained.is_explained(rules.id)
        ],
    }
    return render(request, "games/home.html", context)


def _scene(watched: Sequence[Entry], over: Sequence[Game]) -> Scene | None:
    """Return the game in progress with the most phases; if none is, the one that ended last."""
    played = [(entry.game, entry.phase) for entry in watched if _map(entry.game)]
    if not played:
        played = [(game, game.phases.current()) for game in [g for g in over if _map(g)][:1]]
    with_phase = [(game, phase) for game, phase in played if phase is not None]
    if not with_phase:
        return None
    game, phase = max(with_phase, key=lambda pair: pair[1].number)
    return Scene(game, phase, pictures.phase_picture(game, phase, None, changes=False))


def _map(game: Game) -> bool:
    return plate_for(game.ruleset_id, game.card.get("areas", ())) is not None


def _numbers_to_watch(shown: Collection[int]) -> list[int]:
    """Return the newest public games in progress, without those that are `shown` already.

    Games that are over are in the archive, and practice games are private. There is one query for
    each status, so that each uses an index, and it loads only numbers until games are chosen.
    """
    public = (
        Game.objects.filter(public=True, practice=False)
        .exclude(pk__in=shown)
        .order_by("-opened_at")
        .values_list("opened_at", "pk")
    )
    rows = [
        row
        for status in Game.Status.going_on()
        for row in public.filter(status=status)[:PUBLIC_GAMES_LISTED]
    ]
    return [pk for _, pk in sorted(rows, reverse=True)[:PUBLIC_GAMES_LISTED]]


def _own_games(
    person: permissions.Someone,
) -> tuple[dict[int, dict[str, int]], set[int], dict[int, Person], dict[int, set[int]]]:
    """Return the games in which a person has seats, with nations and seats; the games they run;
    their team games; and the codes of their unread letters by game."""
    own: dict[int, dict[str, int]] = {}
    in_teams: dict[int, Person] = {}
    unread: dict[int, set[int]] = {}
    if not isinstance(person, Person):
        return own, set(), in_teams, unread
    sittings = (
        Sitting.objects.current()
        .filter(person=person)
        .select_related("seat")
        .order_by("seat__ordinal")
    )
    for sitting in sittings:
        own.setdefault(sitting.seat.game_id, {})[sitting.seat.nation] = sitting.seat_id
        if sitting.unread:
            unread.setdefault(sitting.seat.game_id, set()).update(sitting.unread)
        if sitting.seat.team:
            in_teams[sitting.seat.game_id] = person
    return own, set(person.games_run.values_list("pk", flat=True)), in_teams, unread


def _games_with_phase(*, position: bool = False) -> QuerySet[Game]:
    """Return games with their newest phase prefetched, in 2 queries for any number of games.

    With `position` also what its position is computed from, in one more.
    """
    phases, games = positions.newest_phases(), Game.objects.all()
    if position:
        phases, games = positions.annotate_positions(phases), games.prefetch_related("seats")
    return games.prefetch_related(Prefetch("phases", queryset=phases, to_attr="newest"))


def _newest(game: Game) -> list[Phase]:
    return getattr(game, "newest", [])


def _entry(
    game: Game,
    seats: Mapping[str, int],
    runs: bool,
    sent: set[tuple[int, str]],
    member: Person | None = None,
) -> Entry:
    """Return a list entry. `member`: the reader, if in a team, where each owes their own orders."""
    phase = next(iter(_newest(game)), None)
    waiting: tuple[str, ...] = ()
    running = phase is not None and game.status == Game.Status.RUNNING
    if phase is not None and running and phase.status == Phase.Status.OPEN:
        ordered = (
            *seats,
            *sorted(permissions.controlled_nations(seats, phase), key=game.card["order"].index),
        )
        if member:
            waiting = tuple(owed.nations_owed_by(member, phase))
        elif missing := [nation for nation in ordered if (phase.pk, nation) not in sent]:
            asked = owed.asked_nations(game, positions.state_of(phase))
            waiting = tuple(nation for nation in missing if nation in asked)
    report_owed = (
        runs and not seats and phase is not None and running and in_force.is_report_owed(phase)
    )
    first = next((seats[nation] for nation in waiting if nation in seats), None)
    order_at = reverse("orders", args=[game.pk, first]) if first is not None else ""
    return Entry(game, phase, tuple(seats), runs, waiting, report_owed, order_at)


@require_safe
def card(request: HttpRequest, game: str, name: str) -> HttpResponse:
    """Show a printed scenario as tables, with the source of its numbers."""
    try:
        rules, tree = ruleset(game), cards.load(game, name)
    except RulesError:
        raise Http404 from None
    context = {
        "rules": rules,
        "card": tree,
        "tables": tables_of(tree),
        "nations": headings(tree["order"]),
    }
    return render(request, "games/card.html", context)


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Return 200 while the tick runs, 503 once it is over 3 minutes old: deadlines are not kept."""
    age = Pulse.objects.age("tick", clock.now())
    ok = age is not None and age <= TICK_MAY_BE_OLD.total_seconds()
    return JsonResponse(
        {"tick_age_seconds": age, "ok": ok},
        status=200 if ok else 503,
        headers={"Cache-Control": "no-store"},
    )
