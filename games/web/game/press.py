"""Letters between nations: read by circle, written, and the gamesmaster's questions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import permissions
from games.models import Game, Person, Press, Seat
from games.press import circles as press_circles
from games.press import complaints
from games.press import conversations as rules
from games.press import rules as press_rules
from games.rules.names import all_of
from games.web.decorators import for_gamesmasters, for_readers, refuse
from games.web.forms import Form, choose
from games.web.requests import number_in, person_of
from gamesmaster import clock

#: The newest letters of a circle; the record has all of them once it is released.
MOST_SHOWN = 200
MASTER = "gamesmaster"


class PressForm(Form):
    """A letter. Who it may be from and to depends on who writes it in which game."""

    writer = forms.ChoiceField(label="From", required=False)
    to = forms.MultipleChoiceField(label="To", required=False, widget=forms.CheckboxSelectMultiple)
    unsigned = forms.BooleanField(
        label="Unsigned", required=False, help_text="Nobody is told which nation wrote it."
    )
    text = forms.CharField(
        label="Letter",
        strip=False,
        required=False,
        widget=forms.Textarea(attrs={"rows": 12, "autocomplete": "off"}),
        help_text=(
            f"At most {rules.LONGEST:,} characters. It goes as you write it; the service adds no"
            " address to it."
        ),
    )
    answer = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(
        self, *args: Any, game: Game, seats: list[Seat], runs: bool, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        writers = [
            *((str(seat.pk), seat.nation) for seat in seats),
            *([(MASTER, press_circles.GAMESMASTER)] if runs else []),
        ]
        own = {seat.nation for seat in seats} if len(seats) == 1 and not runs else set()
        others = [
            (seat.nation, seat.nation)
            for seat in game.seats.nations().order_by("ordinal")
            if seat.nation not in own and not seat.bot  # a bot reads no letters
        ]
        others += [
            (seat.nation, f"my own team, {seat.nation}")
            for seat in seats
            if seat.team and seat.nation in own
        ]
        masters = [(MASTER, press_circles.GAMESMASTER)] if seats else []
        choose(self, "writer", writers, writers[0][0] if writers else None)
        choose(self, "to", [("all", f"{press_circles.ALL}, together"), *others, *masters])
        if len(writers) == 1:
            del self.fields["writer"]
        self.only = writers[0][0] if len(writers) == 1 else ""
        if press_rules.rules_of(game).sender == press_rules.NAMED or not seats:
            del self.fields["unsigned"]

    def from_whom(self) -> str:
        return self.only or str(self.cleaned_data.get("writer", ""))


class AnswerForm(Form):
    text = forms.CharField(
        label="Your answer", strip=False, required=False, widget=forms.Textarea(attrs={"rows": 5})
    )


@dataclass(frozen=True)
class Shown:
    """A letter as its reader may see it."""

    press: Press
    writer: str
    to: str
    mine: bool
    may_answer: bool
    may_report: bool = False
    may_block: bool = False


@dataclass(frozen=True)
class Circle:
    """Letters among the same nations, oldest first; a page names it by `handle`, a number."""

    title: str
    letters: tuple[Shown, ...]

    @property
    def newest(self) -> Shown:
        return self.letters[-1]

    @property
    def handle(self) -> int:
        return self.newest.press.code


@require_safe
@for_readers
def press(request: HttpRequest, game: Game) -> HttpResponse:
    """Show letters by circle; `?circle=` is the number of a letter of the open one."""
    seats, runs = permissions.seats_held(request.user, game), permissions.runs(request.user, game)
    found = permissions.readable_press(request.user, game)
    if not (seats or runs or found or permissions.is_press_open(game)):
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        refuse(request, game)
    circles = _circles(game, found, seats, request.user)
    wanted = request.GET.get("circle", "")
    chosen = next(
        (
            circle
            for circle in circles
            if any(str(shown.press.code) == wanted for shown in circle.letters)
        ),
        None,
    )
    if wanted and chosen is None:
        raise Http404
    phase = game.phases.current()
    context = {
        "game": game,
        "circles": circles,
        "chosen": chosen,
        "letters": chosen.letters[-MOST_SHOWN:] if chosen else (),
        "left_out": max(0, len(chosen.letters) - MOST_SHOWN) if chosen else 0,
        "seats": seats,
        "may_write": bool(seats) or runs,
        "runs": runs,
        "open_questions": len(rules.unanswered(game)) if runs else 0,
        "rules": press_rules.in_words(game.press),
        "shut": rules.shut(game, phase),
        "phase": phase,
        "by_mail": settings.MAIL_IN,
    }
    return render(request, "press/press.html", context)


def _circles(
    game: Game, found: list[Press], seats: list[Seat], reader: permissions.Someone
) -> list[Circle]:
    """Circle by circle, the one with the newest letter first."""
    order = {seat.nation: seat.ordinal for seat in game.seats.all()}
    by_circle: dict[tuple[str, ...], list[Shown]] = {}
    for one in found:
        one.game = game
        by_circle.setdefault(press_circles.conversation(one), []).append(_shown(one, seats, reader))
    circles = [
        Circle(_title(circle, seats, order), tuple(letters))
        for circle, letters in by_circle.items()
    ]
    return sorted(circles, key=lambda circle: -circle.handle)


def _title(circle: tuple[str, ...], seats: list[Seat], order: dict[str, int]) -> str:
    if circle == (press_circles.ALL,):
        return press_circles.ALL.capitalize()
    unsigned = press_circles.UNSIGNED in circle
    names = [name for name in circle if name != press_circles.UNSIGNED]
    others = [name for name in names if not (len(seats) == 1 and name == seats[0].nation)] or names
    said = all_of(
        [
            *sorted((n for n in others if n in order), key=order.__getitem__),
            *(n for n in others if n not in order),
        ]
    )
    said = said[:1].upper() + said[1:]
    return f"Unsigned, to {said}" if unsigned else said


def _shown(one: Press, seats: list[Seat], reader: permissions.Someone | None = None) -> Shown:
    mine = one.seat_id in {seat.pk for seat in seats}
    return Shown(
        one,
        rules.writer(one, known=mine),
        rules.goes_to(one),
        mine,
        bool(seats) and (one.signed or mine),
        bool(seats) and not mine and one.seat_id is not None,
        bool(seats) and isinstance(reader, Person) and complaints.may_block(reader, one),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@for_readers
def write(request: HttpRequest, game: Game) -> HttpResponse:
    """Write a letter; `?answer=` is the number it answers. What was typed stays until it goes."""
    person = request.user
    if not isinstance(person, Person):
        return redirect_to_login(reverse("press", args=[game.pk]))
    seats, runs = permissions.seats_held(person, game), permissions.runs(person, game)
    if not seats and not runs:
        refuse(request, game)
    now = clock.now()
    answered = _answered(request, game, person)
    if request.method == "POST":
        form = PressForm(request.POST, game=game, seats=seats, runs=runs)
        if form.is_valid():
            with form.errors_at(None, press_rules.PressError):
                sent = _send(form, game, person, seats, answered, now)
                messages.success(request, _told(sent))
                return redirect(f"{reverse('press', args=[game.pk])}?circle={sent.code}")
    else:
        form = PressForm(
            initial=_to_team(request, seats) or _initial(answered, seats, runs),
            game=game,
            seats=seats,
            runs=runs,
        )
    phase = game.phases.current()
    shown = _shown(answered, seats, person) if answered else None
    closed = phase if rules.shut(game, phase) else None
    context = {
        "game": game,
        "form": form,
        "answered": shown,
        "rules": press_rules.in_words(game.press),
        "closed": closed,
    }
    return render(request, "press/write.html", context)


def _answered(request: HttpRequest, game: Game, person: Person) -> Press | None:
    """The letter that is answered. One that the reader may not read is as good as none at all."""
    typed = request.POST if request.method == "POST" else request.GET
    if not (number := typed.get("answer", "")):
        return None
    found: Press = get_object_or_404(
        Press.objects.select_related("seat", "game"), game=game, code=number_in(number, 9) or 0
    )
    if not permissions.reads_press(person, found):
        raise Http404
    return found


def _to_team(request: HttpRequest, seats: list[Seat]) -> dict[str, Any]:
    """`?team=` with the writer's own nation: a letter to his own team, ticked beforehand."""
    team = next(
        (seat for seat in seats if seat.team and seat.nation == request.GET.get("team", "")), None
    )
    return {"writer": str(team.pk), "to": [team.nation]} if team is not None else {}


def _initial(answered: Press | None, seats: list[Seat], runs: bool) -> dict[str, Any]:
    """To whom an answer goes, ticked beforehand; the writer may change it."""
    if answered is None:
        return {}
    mine = next(
        (seat for seat in seats if seat.nation in answered.to or seat.pk == answered.seat_id),
        seats[0] if seats else None,
    )
    as_master = runs and (
        mine is None
        or (answered.to_gamesmaster and not answered.to and answered.seat_id != mine.pk)
    )
    own = None if as_master or mine is None else mine.nation
    initial: dict[str, Any] = {
        "answer": answered.code,
        "writer": MASTER if own is None else str(mine.pk if mine else ""),
    }
    try:
        to, to_all, to_master = rules.circle_of_reply(answered, own)
    except press_rules.PressError:
        return initial
    return initial | {"to": ["all"] if to_all else [*to, *([MASTER] if to_master else [])]}


def _send(
    form: PressForm,
    game: Game,
    person: Person,
    seats: list[Seat],
    answered: Press | None,
    now: datetime,
) -> Press:
    whose = form.from_whom()
    seat = next((one for one in seats if str(one.pk) == whose), None)
    if seat is None and not (whose == MASTER and permissions.answers_questions(person, game)):
        raise press_rules.PressError("Say for which nation you write.")
    to = list(form.cleaned_data["to"])
    named = [name for name in to if name not in ("all", MASTER)]
    if "all" in to and (named or MASTER in to):
        raise press_rules.PressError(
            "The letter goes to all nations, and to some besides; tick the one or the others."
        )
    to_team = seat is not None and seat.team and named == [seat.nation] and len(to) == 1
    question = (
        answered if seat is None and answered is not None and answered.to_gamesmaster else None
    )
    return rules.send(
        game,
        seat,
        person,
        (
            rules.team_of(seat)
            if seat is not None and to_team
            else rules.addressees(game, named, seat.nation if seat else None)
        ),
        form.cleaned_data["text"],
        channel=Press.Channel.WEB,
        to_all="all" in to,
        to_gamesmaster=MASTER in to,
        signed=not form.cleaned_data.get("unsigned", False),
        answers=question,
        now=now,
    )


def _told(sent: Press) -> str:
    nobody = rules.nobody_there(sent)
    waits = (
        f" Nobody plays {all_of(nobody)} now: the letter waits for the next player."
        if nobody
        else ""
    )
    return f"Your letter has gone to {rules.goes_to(sent)}.{waits}"


# --- the gamesmaster's questions ---


@require_safe
@for_gamesmasters
def questions(request: HttpRequest, game: Game) -> HttpResponse:
    return _questions(request, game)


def _questions(
    request: HttpRequest, game: Game, bound: dict[int, AnswerForm] | None = None
) -> HttpResponse:
    """What has been asked: the unanswered first, the oldest on top; then the newest of those
    answered. `bound` keeps what was typed."""
    waiting = rules.unanswered(game)
    done = (
        Press.objects.filter(game=game, to_gamesmaster=True)
        .exclude(answered_by=None)
        .select_related("seat", "phase")
        .distinct()
    )
    answered = [
        (_shown(one, []), list(one.answered_by.order_by("number")))
        for one in done.order_by("-number")[:50]
    ]
    asked = [
        (
            _shown(one, []),
            (bound or {}).get(one.code) or AnswerForm(auto_id=f"answer-{one.code}-%s"),
        )
        for one in waiting
    ]
    context = {"game": game, "here": "questions", "waiting": asked, "answered": answered}
    return render(request, "press/questions.html", context)


@require_POST
@for_gamesmasters
def answer(request: HttpRequest, game: Game, code: int) -> HttpResponse:
    """Answer a question: to the nation that asked, and whoever had the question too."""
    asked = get_object_or_404(
        Press.objects.select_related("seat", "game"), game=game, code=code, to_gamesmaster=True
    )
    form = AnswerForm(request.POST, auto_id=f"answer-{code}-%s")
    form.is_valid()
    with form.errors_at("text", press_rules.PressError):
        to, to_all, _ = rules.circle_of_reply(asked, None)
        rules.send(
            game,
            None,
            person_of(request),
            to,
            form.cleaned_data.get("text", ""),
            channel=Press.Channel.WEB,
            to_all=to_all,
            answers=asked,
            now=clock.now(),
        )
        messages.success(request, f"Your answer to No. {code} has gone to {all_of(to)}.")
        return redirect("questions", game.pk)
    return _questions(request, game, {code: form})
