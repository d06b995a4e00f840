"""The front page, the printed sheets, and the health of the service."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import desk, permissions, positions
from games.desk import practice
from games.models import Game, Person, Phase, Pulse, Sitting
from games.rules import RulesError, cards
from games.rules.registry import ruleset
from games.web.headings import headings
from games.web.public import archive
from games.web.scenarios.sheets import sheet
from gamesmaster import clock
from orders import in_force, owed

PUBLIC_GAMES_LISTED = 30
TICK_MAY_BE_OLD = timedelta(minutes=3)


@dataclass(frozen=True)
class Entry:
    """A game in a list, with what the reader has to do with it."""

    game: Game
    phase: Phase | None
    seats: tuple[str, ...]  # nations the reader plays
    runs: bool
    waiting: tuple[str, ...]  # of these, nations whose orders are still wanted
    sheet: bool = False  # everybody waits for the reader's own sheet

    @property
    def wanted(self) -> bool:
        return bool(self.waiting) or self.sheet


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What this is, the reader's own games with what they wait for, and games anybody may watch."""
    now = clock.now()
    mine, run, in_teams = _own(request.user)
    games = list(_with_phase().filter(pk__in={*mine, *run}))
    sent = in_force.nations_in_force(
        phase.pk for game in games if game.pk in mine for phase in _newest(game)
    )
    entries = [
        _entry(game, mine.get(game.pk, ()), game.pk in run, sent, in_teams.get(game.pk))
        for game in games
    ]
    entries.sort(
        key=lambda entry: (
            entry.game.is_over,
            not entry.wanted,
            entry.phase.deadline if entry.phase else now,
        )
    )
    shown = {entry.game.pk for entry in entries}
    watched = [
        _entry(game, (), False, set())
        for game in _with_phase().filter(pk__in=_to_watch(shown)).order_by("-opened_at")
    ]
    open_seats = desk.open_seats()[:PUBLIC_GAMES_LISTED]
    over = archive.entries(
        list(
            archive.finished(request.user).order_by("-finished_at", "-pk")[: archive.LATEST_ON_HOME]
        )
    )
    context = {
        "mine": entries,
        "watched": watched,
        "open_seats": open_seats,
        "over": over,
        "now": now,
        "playable": practice.nations(),
    }
    return render(request, "games/home.html", context)


def _to_watch(shown: Collection[int]) -> list[int]:
    """The public games that began last, but for those that are shown already. What is over stands
    in the archive, and a practice game is nobody's to watch. Asked for state by state, each by an
    index, and no more of a game than its number until it is chosen."""
    public = (
        Game.objects.filter(public=True, practice=False)
        .exclude(pk__in=shown)
        .order_by("-opened_at")
        .values_list("opened_at", "pk")
    )
    found = [
        row
        for status in Game.Status.going_on()
        for row in public.filter(status=status)[:PUBLIC_GAMES_LISTED]
    ]
    return [pk for _, pk in sorted(found, reverse=True)[:PUBLIC_GAMES_LISTED]]


def _own(
    person: permissions.Someone,
) -> tuple[dict[int, tuple[str, ...]], set[int], dict[int, Person]]:
    """Return the games where somebody sits, those they run, and their team games."""
    mine: dict[int, tuple[str, ...]] = {}
    in_teams: dict[int, Person] = {}
    if not isinstance(person, Person):
        return mine, set(), in_teams
    sittings = (
        Sitting.objects.current()
        .filter(person=person)
        .select_related("seat")
        .order_by("seat__ordinal")
    )
    for sitting in sittings:
        mine[sitting.seat.game_id] = (*mine.get(sitting.seat.game_id, ()), sitting.seat.nation)
        if sitting.seat.team:
            in_teams[sitting.seat.game_id] = person
    return mine, set(person.games_run.values_list("pk", flat=True)), in_teams


def _with_phase() -> QuerySet[Game]:
    """Games with their newest phase at hand, in two queries for any number of games."""
    newest = (
        Phase.objects.filter(game=OuterRef("game"))
        .not_undone()
        .order_by("-number")
        .values("number")[:1]
    )
    phases = Phase.objects.filter(number=Subquery(newest))
    return Game.objects.prefetch_related(Prefetch("phases", queryset=phases, to_attr="newest"))


def _newest(game: Game) -> list[Phase]:
    return getattr(game, "newest", [])


def _entry(
    game: Game,
    seats: tuple[str, ...],
    runs: bool,
    sent: set[tuple[int, str]],
    member: Person | None = None,
) -> Entry:
    """`member` is the reader where he belongs to a team: then each has his own part to do."""
    phase = next(iter(_newest(game)), None)
    waiting: tuple[str, ...] = ()
    running = phase is not None and game.status == Game.Status.RUNNING
    if phase is not None and running and phase.status == Phase.Status.OPEN:
        ordered = (
            *seats,
            *sorted(permissions.nations_controlled(seats, phase), key=game.card["order"].index),
        )
        waiting = (
            tuple(owed.by(member, phase))
            if member
            else tuple(nation for nation in ordered if (phase.pk, nation) not in sent)
        )
        acting = _acting(phase) if waiting else ()
        waiting = tuple(nation for nation in waiting if nation in acting)
    sheet = runs and not seats and phase is not None and running and in_force.awaits_sheet(phase)
    return Entry(game, phase, seats, runs, waiting, sheet)


def _acting(phase: Phase) -> Collection[str]:
    """Who may order in a phase. The position is read only where nations act by turns: elsewhere all
    act, which needs no database."""
    game = phase.game
    try:
        begun = game.rules.setup(game.card, game.options, game.card["order"])
    except RulesError:  # a form of play in which not all of the card's nations have players
        return game.rules.acting(positions.state_of(phase))
    everybody = game.rules.nations(begun)
    return (
        everybody
        if set(game.rules.acting(begun)) == set(everybody)
        else game.rules.acting(positions.state_of(phase))
    )


@require_safe
def card(request: HttpRequest, game: str, name: str) -> HttpResponse:
    """A printed sheet as a table, with where its numbers come from."""
    try:
        rules, tree = ruleset(game), cards.load(game, name)
    except RulesError:
        raise Http404 from None
    context = {
        "rules": rules,
        "card": tree,
        "sheet": sheet(tree),
        "nations": headings(tree["order"]),
    }
    return render(request, "games/card.html", context)


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Return 200 while the tick goes; 503 once it is three minutes old: no deadline is kept."""
    pulse = Pulse.objects.filter(name="tick").first()
    age = (clock.now() - pulse.at).total_seconds() if pulse else None
    ok = age is not None and age <= TICK_MAY_BE_OLD.total_seconds()
    return JsonResponse(
        {"tick_age_seconds": age, "ok": ok},
        status=200 if ok else 503,
        headers={"Cache-Control": "no-store"},
    )
