"""The desk's page of deadlines, pauses, holidays and absences. Its actions are POSTs, by `do`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from games import desk, permissions
from games.base import clock
from games.desk import DeskError, absences, votes
from games.models import Absence, Act, Game, Person, Phase, Sitting
from games.pages.decorators import for_gamesmasters, for_players, until_the_end
from games.pages.forms import ExtendForm, Form, fields_of
from games.pages.requests import parse_code, person_of, tell_refusals
from games.rules.names import all_of
from games.rules.settings import SETTINGS
from games.seats import days_off
from games.timing import schedule
from games.turns import pauses
from games.web.desk.forms import (
    AbsenceForm,
    EndForm,
    HolidaysForm,
    ReasonForm,
    ScheduleForm,
    SeatAbsenceForm,
    SettingsForm,
    ShownForm,
)

Doing = Callable[[Game, dict[str, Any], Person, datetime], str]
ACTS_OF_TIME = (
    *("moved", "paused", "resumed", "rescheduled", "at-once", "reminded", "held", "lifted"),
    "holidays",
    *("vote", "veto"),
    *(setting.later for setting in SETTINGS.values() if setting.later),
)


def _phase(game: Game) -> Phase:
    phase = game.phases.current()
    if phase is None:
        raise DeskError(f"“{game.title}” has not begun yet.")
    return phase


def _extend(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    desk.extend(_phase(game), data["deadline"], data["reason"], by, now)
    return "The deadline has moved. Every player gets a letter."


def _give_more_time(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    """Move the deadline that the page showed; refuse a second click."""
    phase = _phase(game)
    if data["shown"] != phase.deadline.isoformat():
        raise DeskError("The deadline has moved in the meantime. Please check it again.")
    desk.give_more_time(phase, by, now)
    return f"The deadline is {desk.once_more_in_words(game)} later. Every player gets a letter."


def _take_back(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    desk.take_back_time(_phase(game), by, now)
    return "The earlier deadline stands again. Every player gets a letter."


def _pause(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    desk.pause(game, data["reason"], by, now)
    return "The game is paused. Everybody gets a letter."


def _resume(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    desk.resume(game, data["reason"], by, now)
    return "The game is running again. Everybody gets a letter with the deadline."


def _process_now(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    desk.process_now(_phase(game), data["reason"], by, now)
    return "It happens within seconds."


def _veto(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    votes.veto(game, data["reason"], by, now)
    return "You vetoed it. Everybody gets a letter with your reason."


def _remind(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    nations = desk.remind(_phase(game), by, now)
    return f"A reminder is on its way to {all_of(nations)}."


def _hold(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    desk.hold(_phase(game), data["reason"], by, now)
    return "The phase is on hold until you resume it. Everybody gets a letter."


def _lift(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    desk.lift_hold(_phase(game), by, now)
    return "The phase continues where it stopped."


def _abandon(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    if data["scored"]:
        desk.end_with_scores(game, "The gamesmaster ended the game.", data["reason"], by, now)
    else:
        desk.abandon(game, data["reason"], by, now)
    return "The game is over. Everybody gets a letter."


def _set_holidays(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    moved = desk.set_holidays(game, data["holidays"], by, now)
    if data["holidays"] and game.schedule["every"] == "minutes":
        return "Saved. Deadlines by minutes come on these days, too: pause the game before them."
    return "Saved." + (" The open deadline has moved. Everybody gets a letter." if moved else "")


def _save_settings(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    desk.change_settings(game, data["settings"], by, now)
    return "Saved."


def _announce_absence(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    sitting = Sitting.objects.current().filter(seat=data["seat"]).select_related("person").first()
    if sitting is None:
        raise DeskError(f"Nobody plays {data['seat'].nation} any more.")
    absence = desk.announce(game, sitting.person, data["first"], data["last"], by, now)
    return (
        f"Saved: {data['seat'].nation} is {absences.describe_absence(absence)}."
        f" {absences.describe_effect(absence)}"
    )


def _change_schedule(game: Game, data: dict[str, Any], by: Person, now: datetime) -> str:
    desk.reschedule(
        game, data["rule"], data["zone"], data["reason"], by, now, move_open=data["move_open"]
    )
    words = f"Deadlines come {schedule.in_words(game.schedule, game.zone)} from now on."
    return f"{words} Everybody gets a letter." if game.in_progress else words


#: The page's actions: the form, the field that shows a refusal, and the function.
DOES: dict[str, tuple[type[Form], str, Doing]] = {
    "extend": (ExtendForm, "deadline", _extend),
    "later": (ShownForm, NON_FIELD_ERRORS, _give_more_time),
    "take-back": (Form, NON_FIELD_ERRORS, _take_back),
    "pause": (ReasonForm, "reason", _pause),
    "resume": (ReasonForm, "reason", _resume),
    "process": (ReasonForm, "reason", _process_now),
    "veto": (ReasonForm, "reason", _veto),
    "remind": (Form, NON_FIELD_ERRORS, _remind),
    "hold": (ReasonForm, "reason", _hold),
    "lift": (Form, NON_FIELD_ERRORS, _lift),
    "abandon": (EndForm, "reason", _abandon),
    "schedule": (ScheduleForm, "every", _change_schedule),
    "holidays": (HolidaysForm, "holidays", _set_holidays),
    "ways": (SettingsForm, NON_FIELD_ERRORS, _save_settings),
    "away": (SeatAbsenceForm, "first", _announce_absence),
}


#: The actions that the desk offers too; none has a visible field.
ON_THE_DESK = ("later", "take-back", "remind", "lift")


@require_http_methods(["GET", "HEAD", "POST"])
@for_gamesmasters
def times(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the page of time of one game, and perform its actions."""
    now = clock.now()
    if request.method != "POST":
        return _page(request, game, now, {})
    do = request.POST.get("do", "")
    if do not in DOES:
        return HttpResponseBadRequest("This page does not have that action.")
    form_class, field, action = DOES[do]
    #: Where the button was pressed.
    back = "desk" if request.POST.get("to") == "desk" and do in ON_THE_DESK else "desk-times"
    form = _form(do, form_class, game, request.POST)
    if form.is_valid():
        data = dict(form.cleaned_data)
        if isinstance(form, ScheduleForm):
            data["rule"] = form.rule()
        if isinstance(form, SettingsForm):
            data["settings"] = form.values()
        with form.errors_at(field):
            messages.success(request, action(game, data, person_of(request), now))
            return redirect(back, game.pk)
        game.refresh_from_db()
    if back == "desk":
        messages.error(request, " ".join(str(error) for error in form.non_field_errors()))
        return redirect(back, game.pk)
    return _page(request, game, now, {do: form})


def _form(do: str, made: type[Form], game: Game, data: QueryDict | None = None) -> Form:
    """Return the form of an action, with the input or else the current settings."""
    more: dict[str, Any] = (
        {"game": game} if made in (SeatAbsenceForm, ScheduleForm, SettingsForm) else {}
    )
    return made(data, auto_id=f"{do}-%s", initial=_initial(do, game), **more)


def _initial(do: str, game: Game) -> dict[str, Any]:
    match do:
        case "extend":
            phase = game.phases.current()
            return (
                {"deadline": phase.deadline}
                if phase is not None and phase.deadline < schedule.STANDS
                else {}
            )
        case "schedule":
            return {**fields_of(game.schedule), "zone": game.zone}
        case "holidays":
            return {"holidays": HolidaysForm.typed_holidays(game)}
    return {}


def _page(request: HttpRequest, game: Game, now: datetime, bound: dict[str, Form]) -> HttpResponse:
    phase = game.phases.current()
    motions = votes.open_motions(game, phase)
    context = {
        "game": game,
        "here": "times",
        "now": now,
        "phase": phase,
        "open": phase is not None and phase.status == Phase.Status.OPEN and not game.is_over,
        "waits": phase is not None and phase.status in (Phase.Status.LOCKED, Phase.Status.DRAWING),
        "over": game.is_over,
        "owing": (
            desk.owing_nations([phase]).get(phase.pk, [])
            if phase is not None and phase.status == Phase.Status.OPEN
            else []
        ),
        "remindable": desk.nations_to_remind(phase) if phase is not None else [],
        **more_time(game, phase, now),
        "left": _time_left(game, phase),
        "rule_in_words": schedule.in_words(game.schedule, game.zone),
        "forms": {
            do: bound.get(do) or _form(do, form_class, game)
            for do, (form_class, _, _) in DOES.items()
        },
        "taking_back": bound.get("take-back"),
        "motions": [(motion, votes.describe_state(motion)) for motion in motions],
        "vetoable": any(motion.passed_at for motion in motions),
        "faults": [fault for do, form in bound.items() for fault in _faults(do, form)],
        "holidays": days_off.holidays(game),
        "absences": _absences(game, now),
        "acts": (
            Act.objects.filter(game=game, kind__in=ACTS_OF_TIME)
            .select_related("done_by")
            .order_by("-pk")[:20]
        ),
    }
    return render(request, "desk/times.html", context)


def more_time(game: Game, phase: Phase | None, now: datetime) -> dict[str, Any]:
    """Return the context of `desk/_later.html`."""
    return {
        "once_more": desk.once_more_in_words(game),
        "given": desk.more_time_given(phase, now) if phase is not None else None,
    }


#: Where an action's form stands, if its section has another name than the action.
SECTIONS = {"later": "extend", "take-back": "extend", "veto": "votes", "away": "absences"}


def _faults(do: str, form: Form) -> Iterator[tuple[str, str, str]]:
    """Yield the errors of a form with a label and the place on the page."""
    section = SECTIONS.get(do, do)
    if do != "later":  # it has no visible field
        yield from form.faults()
    yield from (("", str(error), section) for error in form.non_field_errors())


def _time_left(game: Game, phase: Phase | None) -> timedelta | None:
    """Return the time that the open phase of a paused game gets back when the game resumes."""
    if game.status != Game.Status.PAUSED or phase is None:
        return None
    stopped = pauses.stopped_by(phase)
    return stopped.old - stopped.changed_at if stopped is not None else None


def _absences(game: Game, now: datetime) -> list[tuple[Absence, str, str]]:
    """Return current and future absences, each with its nations and in words."""
    today = now.astimezone(game.zoneinfo).date()
    rows = (
        Absence.objects.filter(game=game, withdrawn_at=None, last__gte=today)
        .select_related("person")
        .order_by("first", "pk")
    )
    permissions.load_seats(game)
    entries = []
    for row in rows:
        row.game = game
        nations = [
            seat.nation
            for seat in game.seats.all()
            if any(sitting.person_id == row.person_id for sitting in seat.sitting_now or ())
        ]
        entries.append((row, " and ".join(nations), absences.describe_absence(row)))
    return entries


@require_http_methods(["GET", "HEAD", "POST"])
@for_players
@until_the_end
def away(request: HttpRequest, game: Game) -> HttpResponse:
    """Let a player announce or withdraw an absence."""
    person, now = person_of(request), clock.now()
    form = AbsenceForm(
        request.POST if request.method == "POST" and "withdraw" not in request.POST else None,
        auto_id="away-%s",
        game=game,
    )
    if request.method == "POST" and (typed := request.POST.get("withdraw")):
        row = get_object_or_404(Absence, code=parse_code(typed), game=game, person=person)
        with tell_refusals(request):
            desk.withdraw_absence(row, person, now)
            messages.success(
                request,
                "That absence is withdrawn. Deadlines that it moved stay, and use up its days.",
            )
        return redirect("away", game.pk)
    if request.method == "POST" and form.is_valid():
        with form.errors_at("first"):
            absence = desk.announce(
                game, person, form.cleaned_data["first"], form.cleaned_data["last"], person, now
            )
            messages.success(
                request,
                f"Saved: you are {absences.describe_absence(absence)}."
                f" {absences.describe_effect(absence)}",
            )
            return redirect("away", game.pk)
    rows = (
        Absence.objects.filter(game=game, person=person, withdrawn_at=None)
        .select_related("game")
        .order_by("first")
    )
    context = {
        "game": game,
        "form": form,
        "rows": [
            (row, absences.describe_absence(row), absences.describe_effect(row)) for row in rows
        ],
        "used": len(days_off.counted_days(game, person.pk)),
        "moves": game.absence_days and game.schedule["every"] != "minutes",
    }
    return render(request, "games/away.html", context)


@require_http_methods(["POST"])
@for_gamesmasters
def withdraw_absence(request: HttpRequest, game: Game, absence: str) -> HttpResponse:
    """Let a gamesmaster withdraw a player's absence."""
    row = get_object_or_404(Absence, code=absence, game=game)
    with tell_refusals(request):
        desk.withdraw_absence(row, person_of(request), clock.now())
        messages.success(request, "That absence is withdrawn.")
    return redirect("desk-times", game.pk)
