"""Paper: letters to print, boards and order forms, and orders that came by post."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.forms.models import model_to_dict
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from games import permissions, positions, print
from games.base import clock
from games.desk.by_post import correct, seat_by_post
from games.letters import printing
from games.models import Game, Letter, Person, Phase, Seat
from games.pages.decorators import for_gamesmasters
from games.pages.forms import Form, ZoneField
from games.pages.headings import headings
from games.pages.requests import (
    paper_size,
    parse_code,
    parse_number,
    pdf,
    person_of,
    shown_phase,
)
from games.rules import Doubt
from games.rules.names import count_of
from games.web.desk.forms import SeatField
from games.web.desk.taking_down import describe_outcome
from games.web.game.letters import title_of
from orders.intake import ledger, telephone
from orders.models import Submission
from orders.web.forms import restore_line_ends
from orders.web.lines import Line, lines_of


class PostmarkedForm(Form):
    """Orders typed in from paper."""

    seat = SeatField(
        Seat.objects.none(),
        label="Nation",
        empty_label="choose",
        error_messages={
            "required": "Choose whose orders these are.",
            "invalid_choice": "Choose whose orders these are.",
        },
    )
    text = forms.CharField(
        label="The orders, one per line, as on paper",
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 6, "class": "orders-text", "spellcheck": "false", "autocomplete": "off"}
        ),
    )
    posted_on = forms.DateField(
        label="Date of the postmark",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        error_messages={
            "required": "Enter the date of the postmark.",
            "invalid": "“%(value)s” is not a date; write one such as 2026-11-20.",
        },
    )
    sender = forms.ModelChoiceField(
        Person.objects.none(), label="Nation", required=False, empty_label="the player"
    )
    final = forms.BooleanField(label="Orders are final", required=False)

    def __init__(self, game: Game, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        seat = self.fields["seat"]
        assert isinstance(seat, SeatField)
        seat.queryset = game.seats.nations().filter(bot=False).order_by("ordinal")
        sender = self.fields["sender"]
        assert isinstance(sender, forms.ModelChoiceField)
        team_members = Person.objects.filter(
            sittings__seat__game=game, sittings__seat__team=True, sittings__until=None
        ).distinct()
        sender.queryset = team_members.order_by("name", "pk")
        if not team_members.exists():
            del self.fields["sender"]


class ByPostForm(Form):
    """A person without e-mail."""

    name = forms.CharField(
        label="Name", max_length=80, error_messages={"required": "Enter the player’s name."}
    )
    postal_address = forms.CharField(
        label="Postal address, as on an envelope, without the name",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    telephone = forms.CharField(
        label="Telephone",
        max_length=40,
        required=False,
        widget=forms.TextInput(attrs={"type": "tel"}),
    )
    zone = ZoneField(label="Time zone")

    def details(self) -> tuple[str, str, str, str]:
        """Return name, postal address, telephone number and zone."""
        data = self.cleaned_data
        return data["name"], data["postal_address"], data["telephone"], data["zone"]


@dataclass(frozen=True)
class SheetRow:
    """A seat, and which printouts there are for it."""

    seat: Seat
    people: tuple[Person, ...]
    allowed: bool
    form: bool


@require_safe
@for_gamesmasters
def page(request: HttpRequest, game: Game) -> HttpResponse:
    """Show letters to print, other printouts, seats without e-mail, and a form for orders."""
    return _page(request, game, clock.now())


def _page(
    request: HttpRequest,
    game: Game,
    now: datetime,
    *,
    orders: PostmarkedForm | None = None,
    post: tuple[int, ByPostForm] | None = None,
    moved: tuple[int, ByPostForm] | None = None,
    lines: list[Line] | None = None,
    doubt: Doubt | None = None,
    fault: str = "",
) -> HttpResponse:
    phase = game.phases.current()
    acting: tuple[str, ...] = ()
    if phase is not None:
        phase.game = game
        if phase.status == Phase.Status.OPEN:
            acting = tuple(game.rules.acting_nations(positions.state_of(phase)))
    rows = [
        _row(request, seat, phase, acts=seat.nation in acting)
        for seat in permissions.nations_of(game)
        if not seat.bot
    ]
    empty = [row.seat for row in rows if not row.people and not row.seat.by_table]
    seat_and_form = post or (
        empty[0].pk if empty else 0,
        ByPostForm(initial={"zone": game.zone}, auto_id="post-%s"),
    )
    context = {
        "here": "paper",
        "doubt": doubt,
        "game": game,
        "phase": phase,
        "now": now,
        "waiting": [(letter, title_of(letter)) for letter in printing.letters_to_print(game)],
        "rows": rows,
        "newest": positions.last_resolution(game),
        "empty": empty,
        "post_seat": seat_and_form[0],
        "post_form": seat_and_form[1],
        "by_post": [
            (row.seat, person, _details(person, moved))
            for row in rows
            for person in row.people
            if person.is_printed_for and not row.seat.by_table
        ],
        "orders_form": orders or PostmarkedForm(game, auto_id="paper-%s"),
        "lines": lines or [],
        "checked": lines is not None,
        "fault": fault,
        "nations": headings(game.card["order"]),
    }
    return render(request, "desk/paper.html", context)


def _details(person: Person, moved: tuple[int, ByPostForm] | None) -> ByPostForm:
    """Return the form with a person's known details, or the one just filled in wrongly."""
    if moved is not None and moved[0] == person.pk:
        return moved[1]
    details = model_to_dict(person, ["name", "postal_address", "telephone", "zone"])
    return ByPostForm(initial=details, auto_id=f"person-{person.pk}-%s")


def _row(request: HttpRequest, seat: Seat, phase: Phase | None, *, acts: bool) -> SheetRow:
    """Return a seat's row. Its game's seats are read (`permissions.load_seats`)."""
    sender = (
        next(iter(permissions.controlling_seats(seat, phase)), seat) if phase is not None else seat
    )
    people = tuple(sitting.person for sitting in sender.sitting_now or ())
    return SheetRow(seat, people, permissions.prints_for(request.user, seat), acts)


# --- printouts ---


@require_safe
@for_gamesmasters
def print_all(request: HttpRequest, game: Game) -> HttpResponse:
    """Show all letters that wait to be printed, as one PDF."""
    letters = [
        letter
        for letter in printing.letters_to_print(game)
        if permissions.may_print(request.user, letter)
    ]
    if not letters:
        messages.success(request, "No letters to print.")
        return redirect("desk-paper", game.pk)
    sheets = print.letters_pdf(letters, clock.now(), paper_size(request))
    return pdf(sheets, f"letters-of-game-{game.pk}")


@require_safe
@for_gamesmasters
def board(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the public board as PDF."""
    return pdf(
        print.board_pdf(game, None, clock.now(), paper_size(request)), f"board-of-game-{game.pk}"
    )


def _printable_seat(request: HttpRequest, game: Game, seat: int) -> Seat:
    """Return the seat if printouts for it are allowed: gamesmasters who play print only for people
    without e-mail."""
    row = next((row for row in game.seats.all() if row.pk == seat), None)
    if row is None or not permissions.prints_for(request.user, row):
        raise Http404
    return row


@require_safe
@for_gamesmasters
def board_of_seat(request: HttpRequest, game: Game, seat: int) -> HttpResponse:
    row = _printable_seat(request, game, seat)
    return pdf(print.board_pdf(game, row, clock.now(), paper_size(request)), f"board-{row.pk}")


@require_safe
@for_gamesmasters
def order_form(request: HttpRequest, game: Game, seat: int) -> HttpResponse:
    row, phase = _printable_seat(request, game, seat), game.phases.current()
    if phase is None:
        raise Http404
    return pdf(
        print.order_form_pdf(phase, row, paper_size(request)), f"orders-{row.pk}-{phase.number}"
    )


@require_safe
@for_gamesmasters
def report(request: HttpRequest, game: Game, seat: int) -> HttpResponse:
    """Show the newest report as the people of this seat get it."""
    row, newest = _printable_seat(request, game, seat), positions.last_resolution(game)
    if newest is None:
        raise Http404
    return pdf(
        print.report_pdf(newest, row, newest.resolved_at, paper_size(request)),
        f"report-{row.pk}-{newest.phase.number}",
    )


@require_safe
def letter(request: HttpRequest, code: str) -> HttpResponse:
    """Show a letter as PDF to its reader, or to a gamesmaster who prints it for them."""
    rows = Letter.objects.select_related("game", "person", "phase__game")
    row = get_object_or_404(rows, code=code)
    allowed = permissions.may_print(request.user, row) or (
        settings.DEMONSTRATION and not row.secret
    )
    if not allowed:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        raise Http404
    return pdf(print.letters_pdf([row], row.written_at, paper_size(request)), f"letter-{row.code}")


# --- actions ---


@require_POST
@for_gamesmasters
def mark_posted(request: HttpRequest, game: Game) -> HttpResponse:
    """Mark the ticked letters as posted."""
    chosen = [parse_code(typed) for typed in request.POST.getlist("letter")]
    number = printing.mark_posted(game, chosen, clock.now())
    if number:
        messages.success(request, f"{count_of(number, 'letter')} marked as posted.")
    else:
        messages.error(request, "Tick the letters that you have posted.")
    return redirect("desk-paper", game.pk)


@require_POST
@for_gamesmasters
def orders(request: HttpRequest, game: Game) -> HttpResponse:
    """Check orders typed in from paper, or store them if `do` is "down"."""
    now, form = clock.now(), PostmarkedForm(game, request.POST, auto_id="paper-%s")
    phase = game.phases.current()
    if phase is None:
        messages.error(request, "The game has not begun. You can enter orders once it has.")
        return redirect("desk-paper", game.pk)
    valid, text = form.is_valid(), restore_line_ends(request.POST.get("text", ""))
    if not valid:
        return _page(request, game, now, orders=form)
    seat: Seat = form.cleaned_data["seat"]
    if not permissions.may_take_down(request.user, seat):
        raise Http404
    if request.POST.get("do") != "down":
        if fault := ledger.refusal(text):
            return _page(request, game, now, orders=form, fault=fault)
        reading = ledger.reading(
            seat, phase, text, now, hushed=permissions.lacks_secrets_of(request.user, seat, phase)
        )
        lines = lines_of(text, reading.understood, [remark.as_json() for remark in reading.remarks])
        return _page(request, game, now, orders=form, lines=lines, doubt=reading.doubt)
    sender = next(iter(permissions.controlling_seats(seat, phase)), seat)
    people = [sitting.person for sitting in sender.sittings.current().select_related("person")]
    member = form.cleaned_data.get("sender")
    try:
        submission = telephone.take_down(
            seat,
            text,
            person_of(request),
            now,
            caller=people[0] if len(people) == 1 else member if member in people else None,
            read_back=False,
            final=form.cleaned_data["final"],
            channel=Submission.Channel.PAPER,
            posted_on=form.cleaned_data["posted_on"],
            meant_for=shown_phase(request, game, phase),
        )
    except ledger.LedgerError as error:
        return _page(request, game, now, orders=form, fault=str(error))
    messages.add_message(request, *describe_outcome(submission, read=False))
    if submission.late:
        return redirect("desk-ruling-phase", game.pk, submission.phase.number)
    return redirect("desk-paper", game.pk)


@require_POST
@for_gamesmasters
def seat_somebody(request: HttpRequest, game: Game, seat: int) -> HttpResponse:
    """Give an empty seat to a person without e-mail. The form may choose another seat."""
    pk = parse_number(request.POST.get("seat", "")) or seat
    row = get_object_or_404(Seat.objects.select_related("game"), pk=pk, game=game)
    form = ByPostForm(request.POST, auto_id="post-%s")
    if form.is_valid():
        with form.errors_at("name"):
            person = seat_by_post(row, *form.details(), person_of(request), clock.now())
            messages.success(
                request,
                f"{person} plays {row.nation} by post. Letters to print appear on this page.",
            )
            return redirect("desk-paper", game.pk)
    return _page(request, game, clock.now(), post=(row.pk, form))


@require_POST
@for_gamesmasters
def correct_details(request: HttpRequest, game: Game, seat: int, person: int) -> HttpResponse:
    """Correct the details by which a person without e-mail is reached."""
    row = get_object_or_404(Seat.objects.select_related("game"), pk=seat, game=game)
    sitting = get_object_or_404(
        row.sittings.current().select_related("person"), person=person, person__by_post=True
    )
    form = ByPostForm(request.POST, auto_id=f"person-{person}-%s")
    if form.is_valid():
        with form.errors_at("name"):
            correct(row, sitting.person, *form.details(), person_of(request), clock.now())
            messages.success(request, f"{sitting.person} has a new address.")
            return redirect("desk-paper", game.pk)
    return _page(request, game, clock.now(), moved=(person, form))
