"""Deals between nations: which wait for an answer, what was promised, and what came of it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from games import permissions
from games.base import clock
from games.models import Game, Person, Press, Proposal, ProposalAnswer, Seat
from games.pages import pictures
from games.pages.decorators import for_players, for_readers, refuse
from games.pages.forms import Form, choose
from games.pages.headings import headings
from games.pages.live import live
from games.pages.requests import parse_number, person_of, tell_refusals
from games.press import conversations, deals
from games.press.book import Book, Deal, revealed_characters
from games.rules.deals import terms
from games.rules.settings import SETTINGS
from games.seats.press_rules import PressError, rules_of
from orders.intake import bots

Kind = ProposalAnswer.Kind
NOT_JUDGED = (
    "This game has no deals: its orders are free text, so the service could not tell who kept their"
    " word. Nations write letters to each other."
)
#: How many promises the form offers for a proposal; by mail there may be more.
ROWS = 3
#: How many of the newest answers stand on top of the page.
ANSWERS = 6
#: The label of each promise in the form, and the verb with which it begins.
_PROMISES = {
    terms.PEACE: "do not attack each other",
    terms.ATTACK: "attack",
    terms.LEAVE: "stay out",
    terms.SHARE: "share CONTROL",
    terms.ALLY: "become allies",
}
_VERBS = {
    terms.PEACE: "PEACE",
    terms.ATTACK: "ATTACK",
    terms.LEAVE: "LEAVE",
    terms.SHARE: "SHARE CONTROL",
    terms.ALLY: "ALLY",
}
#: The choices that a promise needs, with the error if one is missing.
_NEEDED = {
    terms.ATTACK: {"target": "Choose whom you attack.", "area": "Choose where you attack."},
    terms.LEAVE: {"area": "Choose which area is left alone."},
    terms.SHARE: {"area": "Choose where you share CONTROL."},
}
_WHO = (("BOTH", "we both"), ("YOU", "you"), ("I", "I"))


class ProposalForm(Form):
    """A proposal as sentences of choices; `terms.read` checks that they fit together."""

    seat = forms.ChoiceField(label="For")
    to = forms.ChoiceField(label="To")
    counters = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(
        self, *args: Any, game: Game, seats: list[Seat], ground: terms.Ground, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        own = {seat.nation for seat in seats} if len(seats) == 1 else set()
        others = [
            (seat.nation, seat.nation)
            for seat in permissions.nations_of(game)
            if seat.nation not in own and not seat.by_table
        ]
        choose(self, "seat", [(str(seat.pk), seat.nation) for seat in seats])
        if len(seats) == 1:
            self.fields["seat"].required = False
            self.fields["seat"].widget = forms.HiddenInput()
        choose(self, "to", others)
        self.example = others[0][0] if others else ""
        nations = [("", "–"), *((value, value) for value in ground.nations if value not in own)]
        areas = [("", "anywhere"), *((value, value) for value in ground.areas)]
        turns = [(str(value), str(value)) for value in range(ground.turn, ground.turns + 1)]
        for row in range(ROWS):
            promises = [(value, _PROMISES[value]) for value in ground.verbs]
            self._add(f"who_{row}", "Who", list(_WHO))
            self._add(f"verb_{row}", "Promise", [*([("", "–")] if row else []), *promises])
            self._add(f"target_{row}", "Whom", nations)
            self._add(f"area_{row}", "Where", areas)
            self._add(f"until_{row}", "Through turn", turns)

    def _add(self, name: str, label: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name] = forms.ChoiceField(label=label, required=False, choices=choices)

    def rows(self) -> list[list[forms.BoundField]]:
        kinds = ("who", "verb", "target", "area", "until")
        return [[self[f"{kind}_{row}"] for kind in kinds] for row in range(ROWS)]

    def clean(self) -> dict[str, Any]:
        for row in range(ROWS):
            for field, words in _NEEDED.get(self.cleaned_data.get(f"verb_{row}", ""), {}).items():
                if not self.cleaned_data.get(f"{field}_{row}"):
                    self.add_error(f"{field}_{row}", words)
        return self.cleaned_data

    def text(self) -> str:
        """Return the promises as a player would write them."""
        return "; ".join(filter(None, (self._promise(row) for row in range(ROWS))))

    def _promise(self, row: int) -> str:
        data = self.cleaned_data
        verb, area = data.get(f"verb_{row}", ""), data.get(f"area_{row}", "")
        if not verb:
            return ""
        words = [data.get(f"who_{row}") or "BOTH", _VERBS[verb]]
        if verb == terms.ATTACK:
            words += [data.get(f"target_{row}", ""), "IN", area]
        elif verb != terms.ALLY:
            words.append(area)
        if until := data.get(f"until_{row}"):
            words += ["UNTIL TURN", until]
        return " ".join(filter(None, words))


@require_http_methods(["GET", "HEAD", "POST"])
@for_readers
def page(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the deals that the reader may see; a POST proposes one. Input stays in the form."""
    book = Book(request.user, game)
    is_open = permissions.are_deals_open(game)
    if not (book.seats or book.deals or is_open or permissions.runs(request.user, game)):
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        refuse(request, game)
    form = _form(request, game, book)
    if request.method == "POST" and form is not None and form.is_valid():
        with form.errors_at(None, PressError):
            proposal = _propose(game, person_of(request), book.seats, form)
            bots.answer_at_once(game, clock.now())
            messages.success(request, _tell(proposal))
            return redirect("deals", game.pk)
    newest_first = book.deals[::-1]
    context = {
        "game": game,
        "live": live(game, book.phase, clock.now(), request.user),
        "phase": book.phase,
        "board": pictures.board_beside(game, book.phase),
        "seats": book.seats,
        "answers": book.answers()[:ANSWERS],
        "form": form,
        "shut": game.in_progress and conversations.shut(game, book.phase),
        "waiting": [deal for deal in newest_first if deal.may_answer],
        "asked": [deal for deal in newest_first if deal.status == "open" and not deal.may_answer],
        "agreed": [deal for deal in newest_first if deal.status == Kind.ACCEPTED],
        "past": [deal for deal in newest_first if deal.status not in ("open", Kind.ACCEPTED)],
        "none": not book.deals,
        "is_open": is_open,
        "characters": revealed_characters(game),
        "made_here": deals.has_deals(game),
        "rule": NOT_JUDGED
        if game.rules.deals is None
        else SETTINGS["press.deals"].label(rules_of(game).deals),
        "nations": headings(game.card["order"]),
        "example": form.example if form else "",
        "example_area": next(
            (area for area in game.card["areas"] if area not in game.card["order"]),
            game.card["areas"][0],
        ),
        "by_mail": settings.MAIL_IN and not game.practice,
    }
    return render(request, "press/deals.html", context)


def _tell(proposal: Proposal) -> str:
    """Return what became of a proposal just made: a bot may have answered already."""
    proposed = f"Proposed to {proposal.to.nation} as your deal No. {proposal.number}."
    answered = ProposalAnswer.objects.filter(proposal=proposal).first()
    return f"{proposed} {proposal.to.nation} {answered.verb} it." if answered else proposed


def _form(request: HttpRequest, game: Game, book: Book) -> ProposalForm | None:
    """Return the form if the reader may propose now; `?counter=` is the deal that it answers."""
    phase = book.phase
    if not book.seats or phase is None or not game.in_progress or not deals.has_deals(game):
        return None
    if request.method != "POST" and conversations.shut(game, phase):
        return None
    ground = book.ground
    if request.method == "POST":
        return ProposalForm(request.POST, game=game, seats=book.seats, ground=ground)
    number = parse_number(request.GET.get("counter", ""), 6)
    answered = next(
        (deal for deal in book.deals if deal.may_answer and deal.number == number), None
    )
    initial: dict[str, Any] = {"until_0": str(min(phase.turn + 1, ground.turns))}
    if answered is not None:
        initial = _counter_values(answered, phase.turn)
    return ProposalForm(initial=initial, game=game, seats=book.seats, ground=ground)


def _counter_values(answered: Deal, turn: int) -> dict[str, Any]:
    """Return the form's values for a counter-proposal: the same deal, from the other side."""
    assert answered.own is not None
    own = answered.own.nation
    initial: dict[str, Any] = {
        "counters": answered.number,
        "to": answered.other.nation,
        "seat": str(answered.own.pk),
    }
    for row, clause in enumerate(answered.clauses[:ROWS]):
        who = "BOTH" if len(clause.parties) == 2 else "I" if clause.parties[0] == own else "YOU"
        initial |= {
            f"who_{row}": who,
            f"verb_{row}": clause.verb,
            f"target_{row}": clause.target,
            f"area_{row}": clause.area,
            f"until_{row}": str(max(turn, clause.until)),
        }
    return initial


def _propose(game: Game, person: Person, seats: list[Seat], form: ProposalForm) -> Proposal:
    chosen = form.cleaned_data.get("seat")
    seat = next((candidate for candidate in seats if str(candidate.pk) == chosen), seats[0])
    counters = None
    if (number := form.cleaned_data.get("counters")) is not None:
        counters, seat = deals.find(person, game, [seat], number)
    to = deals.partner(game, seat, form.cleaned_data["to"])
    return deals.propose(
        game,
        seat,
        person,
        to,
        form.text(),
        channel=Press.Channel.WEB,
        now=clock.now(),
        counters=counters if counters is not None and counters.seat_id == to.pk else None,
    )


@require_POST
@for_players
def answer(request: HttpRequest, game: Game, number: int) -> HttpResponse:
    """Accept, decline or withdraw the deal that has this number for the reader."""
    person = person_of(request)
    with tell_refusals(request, PressError):
        seats = permissions.held_seats(person, game)
        chosen = [
            candidate for candidate in seats if str(candidate.pk) == request.POST.get("seat")
        ] or seats
        proposal, seat = deals.find(person, game, chosen, number)
        reply = request.POST.get("answer", "")
        if reply not in (Kind.ACCEPTED, Kind.DECLINED, Kind.WITHDRAWN):
            raise PressError("Choose to accept the deal or to decline it.")
        kind = Kind(reply)
        deals.answer(proposal, seat, kind, person, channel=Press.Channel.WEB, now=clock.now())
        messages.success(request, f"You have {kind.value} No. {number}.")
    return redirect("deals", game.pk)
