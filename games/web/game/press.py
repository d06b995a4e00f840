"""Letters between nations: read by circle, and written."""

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
from django.views.decorators.http import require_http_methods, require_safe

from games import permissions
from games.base import clock
from games.models import Game, Person, Press, Seat
from games.pages import pictures
from games.pages.context import unread_marks
from games.pages.decorators import for_readers, refuse
from games.pages.forms import Form, choose
from games.pages.requests import parse_number, person_of
from games.press import complaints, deals
from games.press import conversations as rules
from games.rules.names import all_of
from games.seats import press_rules

#: How many of a circle's newest letters to show. The record has all, once it is released.
MOST_SHOWN = 200
MASTER = "gamesmaster"


class PressForm(Form):
    """A letter. Its choices of sender and addressees depend on the writer and the game."""

    writer = forms.ChoiceField(label="From", required=False)
    to = forms.MultipleChoiceField(label="To", required=False, widget=forms.CheckboxSelectMultiple)
    unsigned = forms.BooleanField(
        label="Unsigned", required=False, help_text="Nobody learns which nation wrote it."
    )
    text = forms.CharField(
        label="Letter",
        strip=False,
        required=False,
        widget=forms.Textarea(attrs={"rows": 12, "autocomplete": "off"}),
        help_text=(
            f"At most {rules.LONGEST:,} characters. It is sent as you write it; the service adds no"
            " address."
        ),
    )
    answer = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(
        self, *args: Any, game: Game, seats: list[Seat], runs: bool, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        writers = [
            *((str(seat.pk), seat.nation) for seat in seats),
            *([(MASTER, press_rules.GAMESMASTER)] if runs else []),
        ]
        own = {seat.nation for seat in seats} if len(seats) == 1 and not runs else set()
        others = [
            (seat.nation, seat.nation)
            for seat in game.seats.nations().order_by("ordinal")
            if seat.nation not in own and not (seat.bot or seat.by_table)  # nobody would read it
        ]
        everyone = [("all", f"{press_rules.ALL}, together")] if others else []
        others += [
            (seat.nation, f"my own team, {seat.nation}")
            for seat in seats
            if seat.team and seat.nation in own
        ]
        masters = [(MASTER, press_rules.GAMESMASTER)] if seats else []
        choose(self, "writer", writers, writers[0][0] if writers else None)
        choose(self, "to", [*everyone, *others, *masters])
        if len(writers) == 1:
            del self.fields["writer"]
        self.only = writers[0][0] if len(writers) == 1 else ""
        if press_rules.rules_of(game).sender == press_rules.NAMED or not seats:
            del self.fields["unsigned"]

    def writer_key(self) -> str:
        return self.only or str(self.cleaned_data.get("writer", ""))


@dataclass(frozen=True)
class ReadableLetter:
    """A letter as its reader may see it."""

    press: Press
    writer: str
    to: str
    mine: bool
    may_answer: bool
    may_report: bool = False
    may_block: bool = False
    unread: bool = False


@dataclass(frozen=True)
class Circle:
    """Letters among the same nations, oldest first. Pages name the circle by `handle`, a number."""

    title: str
    letters: tuple[ReadableLetter, ...]

    @property
    def newest(self) -> ReadableLetter:
        return self.letters[-1]

    @property
    def unread(self) -> int:
        return sum(letter.unread for letter in self.letters)

    @property
    def handle(self) -> int:
        return self.newest.press.code


@require_safe
@for_readers
def press(request: HttpRequest, game: Game) -> HttpResponse:
    """Show letters by circle; `?circle=` is the number of a letter in the circle to open."""
    seats = permissions.held_seats(request.user, game)
    runs = permissions.answers_questions(request.user, game)
    readable = permissions.readable_press(request.user, game)
    if not (seats or runs or readable or permissions.is_press_open(game)):
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        refuse(request, game)
    reader = person_of(request) if seats else None
    unread = rules.unread_letters(reader) if reader else {}
    circles = _circles(game, readable, seats, request.user, unread.get(game.pk, set()))
    code = request.GET.get("circle", "")
    chosen = next(
        (
            circle
            for circle in circles
            if any(str(letter.press.code) == code for letter in circle.letters)
        ),
        None,
    )
    if code and chosen is None:
        raise Http404
    # Like a mail program, on a GET: without JavaScript nothing else tells that letters were opened.
    # A browser that fetches ahead would only take off the mark; the letters stay where they are.
    if reader and chosen and chosen.unread:
        codes = {letter.press.code for letter in chosen.letters}
        rules.mark_read(reader, game, codes)
        unread[game.pk] -= codes
    phase = game.phases.current()
    context = {
        "game": game,
        "circles": circles,
        "chosen": chosen,
        "letters": chosen.letters[-MOST_SHOWN:] if chosen else (),
        "left_out": max(0, len(chosen.letters) - MOST_SHOWN) if chosen else 0,
        "seats": seats,
        "may_write": (bool(seats) or runs) and game.status != Game.Status.ABANDONED,
        "runs": runs,
        "open_questions": rules.unanswered_questions([game]).count() if runs else 0,
        "rules": press_rules.describe_rules(game),
        "shut": rules.shut(game, phase),
        "phase": phase,
        "board": pictures.board_beside(game, phase),
        "by_mail": settings.MAIL_IN,
        **({"unread": unread_marks(unread)} if reader else {}),
    }
    return render(request, "press/press.html", context)


def _circles(
    game: Game,
    visible: list[Press],
    seats: list[Seat],
    reader: permissions.Someone,
    unread: set[int],
) -> list[Circle]:
    """Return the circles of letters, the one with the newest letter first."""
    order = {seat.nation: seat.ordinal for seat in game.seats.all()}
    by_circle: dict[tuple[str, ...], list[ReadableLetter]] = {}
    for letter in visible:
        letter.game = game
        by_circle.setdefault(press_rules.conversation(letter), []).append(
            readable_letter(letter, seats, reader, letter.code in unread)
        )
    circles = [
        Circle(_title(circle, seats, order), tuple(letters))
        for circle, letters in by_circle.items()
    ]
    return sorted(circles, key=lambda circle: -circle.newest.press.number)


def _title(circle: tuple[str, ...], seats: list[Seat], order: dict[str, int]) -> str:
    if circle == (press_rules.ALL,):
        return press_rules.ALL.capitalize()
    unsigned = press_rules.UNSIGNED in circle
    names = [name for name in circle if name != press_rules.UNSIGNED]
    others = [name for name in names if not (len(seats) == 1 and name == seats[0].nation)] or names
    title = all_of(
        [
            *sorted((n for n in others if n in order), key=order.__getitem__),
            *(n for n in others if n not in order),
        ]
    )
    title = title[:1].upper() + title[1:]
    return f"Unsigned, to {title}" if unsigned else title


def readable_letter(
    letter: Press,
    seats: list[Seat],
    reader: permissions.Someone | None = None,
    unread: bool = False,
) -> ReadableLetter:
    """Return a letter as its reader sees it. `seats`: the reader's own in the game."""
    own = letter.seat_id in {seat.pk for seat in seats}
    may_answer = bool(seats) and not letter.game.is_over and (letter.signed or own)
    return ReadableLetter(
        letter,
        rules.writer(letter, known=own),
        rules.describe_addressees(letter),
        own,
        may_answer,
        bool(seats) and not own and letter.seat_id is not None,
        bool(seats) and isinstance(reader, Person) and complaints.may_block(reader, letter),
        unread,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@for_readers
def write(request: HttpRequest, game: Game) -> HttpResponse:
    """Write a letter; `?answer=` is the number that it answers. Input stays until it is sent."""
    person = request.user
    if not isinstance(person, Person):
        return redirect_to_login(reverse("press", args=[game.pk]))
    seats, runs = permissions.held_seats(person, game), permissions.answers_questions(person, game)
    if not seats and not runs:
        refuse(request, game)
    now = clock.now()
    answered = _answered_letter(request, game, person)
    if request.method == "POST":
        form = PressForm(request.POST, game=game, seats=seats, runs=runs)
        if form.is_valid():
            with form.errors_at(None, press_rules.PressError):
                sent = _send(form, game, person, seats, answered, now)
                messages.success(request, _sent_sentence(sent))
                return redirect(f"{reverse('press', args=[game.pk])}?circle={sent.code}")
    else:
        form = PressForm(
            initial=_team_letter_values(request, seats) or _answer_values(answered, seats, runs),
            game=game,
            seats=seats,
            runs=runs,
        )
    phase = game.phases.current()
    shown = readable_letter(answered, seats, person) if answered else None
    closed = rules.why_closed(game, phase, seats[0] if seats else None)
    context = {
        "game": game,
        "form": form,
        "answered": shown,
        "rules": press_rules.describe_rules(game),
        "closed": closed,
        "ended": game.status == Game.Status.ABANDONED,
        "board": pictures.board_beside(game, phase),
        "programs": [seat.nation for seat in game.seats.nations().filter(bot=True)],
        "seats": seats,
        "deals_made": deals.has_deals(game),
    }
    return render(request, "press/write.html", context)


def _answered_letter(request: HttpRequest, game: Game, person: Person) -> Press | None:
    """Return the letter that is answered. Raise 404 if the reader may not read it, as if there were
    none."""
    typed = request.POST if request.method == "POST" else request.GET
    if not (number := typed.get("answer", "")):
        return None
    letter: Press = get_object_or_404(
        Press.objects.select_related("seat", "game"), game=game, code=parse_number(number, 9) or 0
    )
    if not permissions.reads_press(person, letter):
        raise Http404
    return letter


def _team_letter_values(request: HttpRequest, seats: list[Seat]) -> dict[str, Any]:
    """Return the form's values for a letter to the writer's own team, which `?team=` names."""
    team = next(
        (seat for seat in seats if seat.team and seat.nation == request.GET.get("team", "")), None
    )
    return {"writer": str(team.pk), "to": [team.nation]} if team is not None else {}


def _answer_values(answered: Press | None, seats: list[Seat], runs: bool) -> dict[str, Any]:
    """Return the form's values for an answer; its addressees are ticked, but may be changed."""
    if answered is None:
        return {}
    own_seat = next(
        (seat for seat in seats if seat.nation in answered.to or seat.pk == answered.seat_id),
        seats[0] if seats else None,
    )
    as_master = runs and (
        own_seat is None
        or (answered.to_gamesmaster and not answered.to and answered.seat_id != own_seat.pk)
    )
    own = None if as_master or own_seat is None else own_seat.nation
    initial: dict[str, Any] = {
        "answer": answered.code,
        "writer": MASTER if own is None else str(own_seat.pk if own_seat else ""),
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
    writer = form.writer_key()
    seat = next((candidate for candidate in seats if str(candidate.pk) == writer), None)
    if seat is None and not (writer == MASTER and permissions.answers_questions(person, game)):
        raise press_rules.PressError("Choose the nation you write for.")
    to = list(form.cleaned_data["to"])
    nations = [name for name in to if name not in ("all", MASTER)]
    if "all" in to and (nations or MASTER in to):
        raise press_rules.PressError(
            "You ticked all nations and single ones. Tick either all, or those you want."
        )
    to_team = seat is not None and seat.team and nations == [seat.nation] and len(to) == 1
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
            else rules.addressees(game, nations, seat.nation if seat else None)
        ),
        form.cleaned_data["text"],
        channel=Press.Channel.WEB,
        to_all="all" in to,
        to_gamesmaster=MASTER in to,
        signed=not form.cleaned_data.get("unsigned", False),
        answers=question,
        now=now,
    )


def _sent_sentence(sent: Press) -> str:
    nobody = rules.unheld_addressees(sent)
    waits = (
        f" Nobody plays {all_of(nobody)} now: the letter waits for the next player."
        if nobody
        else ""
    )
    return f"Your letter has gone to {rules.describe_addressees(sent)}.{waits}"
