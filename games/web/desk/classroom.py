"""Pages for a class: the pupils' list, slips with codes, login by code, letters, the wall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import desk, permissions, positions, print
from games.accounts import tokens
from games.base import clock, origin
from games.desk import classroom, presets, roster
from games.letters import paragraphs, printing
from games.models import Game, Letter, Person, Phase, PrintedCode
from games.pages import pictures
from games.pages.boards import grid
from games.pages.decorators import for_gamesmasters, for_players, for_readers
from games.pages.forms import Form
from games.pages.headings import headings
from games.pages.middleware import CLASS_CODE
from games.pages.requests import paper_size, parse_number, pdf, person_of, tell_refusals
from games.positions import in_force, owed
from games.rules.names import all_of
from games.seats.teams import has_spokesman
from games.web.accounts.login import log_in
from games.web.game.letters import title_of
from games.web.game.report import report

PRINTED, EVENLY = "printed", "evenly"
LONGEST_LIST = 20_000
NO_CODES = (
    "Only a gamesmaster of this game who does not play hands out codes: with one you would read and"
    " send the orders of its pupil. End the code if the slip is lost, and ask another gamesmaster"
    " for a new one."
)


class RosterForm(Form):
    """A pasted class list."""

    pupils = forms.CharField(
        label="The class, one pupil per line",
        max_length=LONGEST_LIST,
        error_messages={"required": "Paste the class list, one pupil per line."},
        widget=forms.Textarea(
            attrs={"rows": 10, "class": "prose", "spellcheck": "false", "autocomplete": "off"}
        ),
        help_text=(
            "A name, then an optional address and team, separated by commas, semicolons or tabs,"
            " so you can paste from a table; surname and first name may have a column each. Pupils"
            " without an address get a slip with a code. Pupils who are in the game stay where they"
            " are."
        ),
    )
    deal = forms.ChoiceField(
        label="Those without a team",
        choices=[
            (PRINTED, "fill the teams by the printed sizes"),
            (EVENLY, "fill the teams evenly"),
        ],
        initial=PRINTED,
        widget=forms.RadioSelect,
    )


class CodeForm(Form):
    code = forms.CharField(
        label="Code on your slip",
        max_length=40,
        error_messages={"required": "Enter the 8 characters on your slip."},
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "autocapitalize": "characters",
                "spellcheck": "false",
                "class": "digits wide",
            }
        ),
    )


# --- the teacher's list ---


@require_http_methods(["GET", "HEAD", "POST"])
@for_gamesmasters
def page(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the teams, and a pasted list as teams before anybody is seated."""
    now = clock.now()
    if request.method != "POST":
        return _page(request, game, RosterForm(auto_id="roster-%s"))
    form = RosterForm(request.POST, auto_id="roster-%s")
    planned: list[roster.Pupil] = []
    there: list[roster.Pupil] = []
    if form.is_valid():
        with form.errors_at("pupils"):
            planned, there = _pupils(game, form.cleaned_data)
            if request.POST.get("do") == "seat":
                coded = classroom.seat_class(game, planned, person_of(request), now)
                messages.success(request, _seated_sentence(len(planned), len(coded)))
                return redirect("desk-class", game.pk)
    return _page(request, game, form, *((planned, there) if form.is_valid() else ()))


def _seated_sentence(number: int, coded: int) -> str:
    letters = (
        f" {number - coded} {'has' if number - coded == 1 else 'have'} a letter with an invitation."
        if number > coded
        else ""
    )
    return (
        f"Seated: {coded} with a code. Print the slips and give them to the pupils.{letters}"
        if coded
        else f"Invited:{letters}"
    )


def _pupils(game: Game, data: dict[str, Any]) -> tuple[list[roster.Pupil], list[roster.Pupil]]:
    """Return the pupils of the list with their teams, and those who are in the game already.

    Only nations that people play take pupils. Raise `DeskError` if there are none, or if a pupil is
    listed for another one, or if everybody is in the game already.
    """
    seats = list(game.seats.nations().filter(bot=False, by_table=False).order_by("ordinal"))
    nations = [seat.nation for seat in seats]
    if not nations:
        raise desk.DeskError(
            "Every nation is played by a bot or by nobody. Take one back on the “People” page"
            " first."
        )
    counts = {
        seat.nation: seat.sittings.current().count() + seat.invitations.open().count()
        for seat in seats
    }
    listed = roster.read_list(data["pupils"], list(game.card["order"]))
    there = classroom.seated_already(game, listed)
    pupils = [pupil for pupil in listed if pupil not in there]
    if not pupils:
        raise desk.DeskError(
            "Everybody on the list is already in this game. To move a pupil, press “Change” above."
        )
    if misplaced := next(
        (pupil for pupil in pupils if pupil.nation and pupil.nation not in nations), None
    ):
        raise desk.DeskError(
            f"{misplaced.name} is listed for {misplaced.nation}, which has no player in this game."
        )
    sizes = presets.teams_of(game.card["order"]) if data["deal"] == PRINTED else {}
    return roster.deal_teams(pupils, nations, sizes, counts), there


def _page(
    request: HttpRequest,
    game: Game,
    form: RosterForm,
    planned: Sequence[roster.Pupil] = (),
    there: Sequence[roster.Pupil] = (),
) -> HttpResponse:
    teams = classroom.teams(game)
    phase, waits, sent = _sent(request, game)
    context = {
        "here": "class",
        "game": game,
        "form": form,
        "teams": [
            (
                team,
                [(member, sent.get((team.seat.pk, member.person.pk))) for member in team.members],
            )
            for team in teams
        ],
        "phase": phase,
        "waits": waits,
        "nations": headings(game.card["order"]),
        "names": [
            team.seat.nation for team in teams if not team.seat.bot and not team.seat.by_table
        ],
        "planned": (
            [
                (nation, [member for member in planned if member.nation == nation])
                for nation in game.card["order"]
            ]
            if planned
            else []
        ),
        "count": len(planned),
        "there": [pupil.name for pupil in there],
        "slips": PrintedCode.objects.filter(game=game, revoked_at=None).exists(),
        "codes": permissions.reads_secret_orders(request.user, game),
        "over": game.is_over,
        "spoken": has_spokesman(game),
        "entry": f"{settings.SITE_URL}/class/",
    }
    return render(request, "desk/classroom.html", context)


def _sent(
    request: HttpRequest, game: Game
) -> tuple[Phase | None, set[str], Mapping[tuple[int, int], datetime]]:
    """Return the open phase, the nations of which the reader may know who sends, and when each
    person last sent orders, by seat and person. Votes and proposals to the team are orders, too.
    """
    phase = game.phases.current()
    if phase is None or game.is_over or not phase.is_timed:
        return None, set(), {}
    asked = set(owed.asked_nations(game, game.load(positions.position(game))))
    known = asked & permissions.readable_nations(request.user, game, phase=phase)
    rows = phase.submissions.filter(seat__nation__in=known, person__isnull=False)
    newest = rows.values_list("seat", "person").annotate(Max("received_at"))
    return phase, known, {(seat, person): at for seat, person, at in newest}


@require_POST
@for_gamesmasters
def pupil(request: HttpRequest, game: Game, person: int) -> HttpResponse:
    """Move a pupil to another team, let them speak for it, or replace or end their code."""
    seated = Person.objects.filter(sittings__seat__game=game, sittings__until=None).distinct()
    member = get_object_or_404(seated, pk=person)
    now, by, name = clock.now(), person_of(request), member.name or "The player"
    with tell_refusals(request):
        match request.POST.get("do"):
            case "move":
                nation = classroom.move(
                    game, member, request.POST.get("nation", ""), by, now
                ).nation
                messages.success(request, f"{name} is now in the team of {nation}.")
            case "speak":
                seats = classroom.let_speak(game, member, by, now)
                nations = all_of([seat.nation for seat in seats])
                messages.success(request, f"{name} now speaks for {nations}.")
            case "code":
                if not permissions.reads_secret_orders(by, game):
                    raise desk.DeskError(NO_CODES)
                classroom.new_code(game, member, by, now)
                messages.success(
                    request,
                    f"{name} has a new code; the old one no longer works. Print the new slip.",
                )
            case "end":
                classroom.end_code(game, member, by, now)
                messages.success(request, f"The code of {name} no longer works.")
            case _:
                raise Http404
    return redirect("desk-class", game.pk)


@require_safe
@never_cache
@for_gamesmasters
def slips(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the slips of all valid codes, or of one pupil (`?pupil=`), to be cut out.

    Not to those who may not read what their pupils write.
    """
    if not permissions.reads_secret_orders(request.user, game):
        raise PermissionDenied
    codes = PrintedCode.objects.filter(
        game=game, revoked_at=None, person__sittings__seat__game=game, person__sittings__until=None
    )
    if number := request.GET.get("pupil", ""):
        codes = codes.filter(person=parse_number(number) or 0)
    rows = list(codes.select_related("person").distinct().order_by("person__name", "pk"))
    if not rows:
        messages.error(request, "There is no code to print.")
        return redirect("desk-class", game.pk)
    sheets = print.slips_pdf(game, rows, clock.now(), paper_size(request))
    return pdf(sheets, f"slips-of-game-{game.pk}")


# --- login by code ---


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def enter(request: HttpRequest) -> HttpResponse:
    """Log a pupil in by a code, to one game only (games.pages.middleware.PupilAccess)."""
    form = CodeForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with form.errors_at("code", tokens.KeyRefused):
            code = tokens.use_printed_code(
                form.cleaned_data["code"], origin.origin_of(request), clock.now()
            )
            log_in(request, code.person)
            request.session[CLASS_CODE] = code.pk
            # Until the browser closes: tomorrow another pupil may use the school's computer.
            request.session.set_expiry(0)
            return redirect("game", code.game_id)
    return render(request, "class/enter.html", {"form": form})


@require_safe
@for_players
def letters(request: HttpRequest, game: Game) -> HttpResponse:
    """Show a player's own letters about a game, for people without mail: pupils with a code."""
    rows = Letter.objects.filter(game=game, person=person_of(request), secret=False).select_related(
        "phase__game", "person", "game"
    )
    return render(
        request,
        "class/letters.html",
        {"game": game, "letters": [(row, title_of(row)) for row in rows.order_by("-pk")]},
    )


@require_safe
@for_players
def letter(request: HttpRequest, game: Game, letter: str) -> HttpResponse:
    """Show one of these letters, as text."""
    row = get_object_or_404(
        Letter.objects.select_related("phase__game", "person", "game"),
        code=letter,
        game=game,
        person=person_of(request),
        secret=False,
    )
    context = {
        "game": game,
        "letter": row,
        "called": title_of(row),
        "pieces": paragraphs.pieces(printing.content(row).text),
    }
    return render(request, "class/letter.html", context)


# --- the page to project ---


@dataclass(frozen=True)
class NationOnWall:
    """A nation on the wall, and whether its orders are in. The wall never shows the orders."""

    nation: str
    state: str  # "in", "final", "" for not yet, "none" if none are due
    score: int | None


@require_safe
@for_readers
def wall(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the board, the time left, whose orders are in and the last result: public facts only."""
    return render(request, "class/wall.html", _wall(game, clock.now()))


def _wall(game: Game, now: datetime) -> dict[str, Any]:
    phase = game.phases.current()
    newest = positions.last_resolution(game)
    position = newest.after if newest else positions.start_position(game)
    state = permissions.view(game, position, None)
    board, before = (
        game.rules.board(state),
        game.rules.board(permissions.view(game, newest.before, None)) if newest else None,
    )
    squares = grid(board, before, game.card)
    standing = game.rules.standing(state) if game.status != Game.Status.FORMING else None
    drawn = newest.phase if newest else phase
    return {
        "game": game,
        "now": now,
        "phase": phase,
        "grid": squares,
        "picture": (
            pictures.phase_picture(game, drawn, newest, changes=squares.changes) if drawn else None
        ),
        "nations": headings(board.nations),
        "rows": _nations_on_wall(game, phase, state, standing),
        "latest": newest.phase if newest else None,
        "report": report(newest.events) if newest else None,
        "winners": newest.winners if newest and game.status == Game.Status.FINISHED else None,
    }


def _nations_on_wall(
    game: Game, phase: Phase | None, state: Any, standing: Any
) -> list[NationOnWall]:
    open_now = phase is not None and phase.status == Phase.Status.OPEN and not game.is_over
    sent = in_force.in_force(phase) if phase is not None and open_now else {}
    acting = owed.asked_nations(game, state) if open_now else ()
    scores = standing.scores if standing else {}
    rows = []
    for nation in game.rules.nations(state):
        submission = sent.get(nation)
        label = (
            ("final" if submission.final and game.may_lock_early else "in")
            if submission is not None
            else ""
            if nation in acting
            else "none"
        )
        rows.append(NationOnWall(nation, label, scores.get(nation)))
    return rows
