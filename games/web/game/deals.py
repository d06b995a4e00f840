"""Deals between nations: what waits for an answer, what was promised, and what came of it."""

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
from games.models import Game, Person, Press, ProposalAnswer, Seat
from games.press import deals
from games.press.rules import DEALS, PressError, rules_of
from games.rules.deals import terms
from games.web.decorators import for_players, for_readers, refuse
from games.web.forms import Form, choose
from games.web.headings import headings
from games.web.requests import number_in, person_of, tell_refusals
from gamesmaster import clock

Kind = ProposalAnswer.Kind
#: Promises of one proposal that the form offers beside each other; by mail there may be more.
ROWS = 3
#: What each promise is called in the form, and how it is begun.
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
_WHO = (("BOTH", "we both"), ("YOU", "you"), ("I", "I"))


class ProposalForm(Form):
    """A proposal as sentences of choices. What fits together `terms.read` decides."""

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
        nations = [("", "–"), *((one, one) for one in ground.nations if one not in own)]
        areas = [("", "anywhere"), *((one, one) for one in ground.areas)]
        turns = [(str(one), str(one)) for one in range(ground.turn, ground.turns + 1)]
        for row in range(ROWS):
            promises = [(one, _PROMISES[one]) for one in ground.verbs]
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

    def text(self) -> str:
        """Return the promises as a player would write them."""
        return "; ".join(filter(None, (self._promise(row) for row in range(ROWS))))

    def _promise(self, row: int) -> str:
        data = self.cleaned_data
        verb, area = data.get(f"verb_{row}", ""), data.get(f"area_{row}", "")
        if not verb:
            return ""
        said = [data.get(f"who_{row}") or "BOTH", _VERBS[verb]]
        if verb == terms.ATTACK:
            said += [data.get(f"target_{row}", ""), "IN", area]
        elif verb != terms.ALLY:
            said.append(area)
        if until := data.get(f"until_{row}"):
            said += ["UNTIL TURN", until]
        return " ".join(filter(None, said))


@require_http_methods(["GET", "HEAD", "POST"])
@for_readers
def page(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the deals that the reader may see; a POST proposes one. What was typed stays."""
    book = deals.Book(request.user, game)
    is_open = permissions.are_deals_open(game)
    if not (book.seats or book.deals or is_open or permissions.runs(request.user, game)):
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        refuse(request, game)
    form = _form(request, game, book)
    if request.method == "POST" and form is not None and form.is_valid():
        with form.errors_at(None, PressError):
            made = _propose(game, person_of(request), book.seats, form)
            messages.success(request, f"Proposed to {made.to.nation} as your No. {made.number}.")
            return redirect("deals", game.pk)
    found = book.deals[::-1]
    context = {
        "game": game,
        "phase": book.phase,
        "seats": book.seats,
        "form": form,
        "waiting": [one for one in found if one.may_answer],
        "asked": [one for one in found if one.status == "open" and not one.may_answer],
        "agreed": [one for one in found if one.status == Kind.ACCEPTED],
        "past": [one for one in found if one.status not in ("open", Kind.ACCEPTED)],
        "is_open": is_open,
        "made_here": deals.are_made(game),
        "rule": DEALS[rules_of(game).deals],
        "nations": headings(game.card["order"]),
        "by_mail": settings.MAIL_IN and not game.practice,
    }
    return render(request, "press/deals.html", context)


def _form(request: HttpRequest, game: Game, book: deals.Book) -> ProposalForm | None:
    """Return the form for who may propose something now; `?counter=` is a deal that it answers."""
    phase = book.phase
    if not book.seats or phase is None or not game.in_progress or not deals.are_made(game):
        return None
    ground = deals.ground_of(game, phase)
    if request.method == "POST":
        return ProposalForm(request.POST, game=game, seats=book.seats, ground=ground)
    number = number_in(request.GET.get("counter", ""), 6)
    answered = next((one for one in book.deals if one.may_answer and one.number == number), None)
    initial: dict[str, Any] = {"until_0": str(min(phase.turn + 1, ground.turns))}
    if answered is not None:
        initial = _as_countered(answered, phase.turn)
    return ProposalForm(initial=initial, game=game, seats=book.seats, ground=ground)


def _as_countered(answered: deals.Deal, turn: int) -> dict[str, Any]:
    """Return the form filled in as a proposal stands, told from the other side."""
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


def _propose(game: Game, person: Person, seats: list[Seat], form: ProposalForm) -> Any:
    chosen = form.cleaned_data.get("seat")
    seat = next((one for one in seats if str(one.pk) == chosen), seats[0])
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
    """Accept, decline or withdraw the deal that the reader knows by this number."""
    person = person_of(request)
    with tell_refusals(request, PressError):
        seats = permissions.seats_held(person, game)
        chosen = [one for one in seats if str(one.pk) == request.POST.get("seat")] or seats
        proposal, seat = deals.find(person, game, chosen, number)
        asked = request.POST.get("answer", "")
        if asked not in (Kind.ACCEPTED, Kind.DECLINED, Kind.WITHDRAWN):
            raise PressError("Choose to accept the deal or to decline it.")
        kind = Kind(asked)
        deals.answer(proposal, seat, kind, person, channel=Press.Channel.WEB, now=clock.now())
        messages.success(request, f"You have {kind.value} No. {number}.")
    return redirect("deals", game.pk)
