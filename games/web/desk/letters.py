"""The desk's page of letters: what was sent to whom, what bounced, and “send again”."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from games import desk, permissions
from games.base import clock
from games.models import Game, Invitation, Letter
from games.outbox.kinds import personal_kinds
from games.outbox.messages import KINDS
from games.pages.decorators import for_gamesmasters
from games.pages.requests import parse_code, person_of, tell_refusals
from games.web.desk.inbox import UNDELIVERED

LETTERS_SHOWN = 500
PRIVATE = tuple(kind.id for kind in KINDS.values() if kind.between_people)


@dataclass
class Reader:
    """A person's letters, newest first, each with what it is called."""

    name: str
    address: str
    letters: list[tuple[Letter, str]] = field(default_factory=list)

    @property
    def sent(self) -> int:
        return sum(letter.sent_at is not None for letter, _ in self.letters)

    @property
    def lost(self) -> list[Letter]:
        """Letters that failed or bounced."""
        return [letter for letter, _ in self.letters if letter.status in UNDELIVERED]


@require_http_methods(["GET", "HEAD", "POST"])
@for_gamesmasters
def page(request: HttpRequest, game: Game) -> HttpResponse:
    """Show who got which letters. Letters between nations are private and not listed; nor are
    answers to what others have sent, for who may not read it."""
    letters = Letter.objects.filter(game=game).exclude(kind__in=PRIVATE)
    if not permissions.reads_secret_orders(request.user, game):
        letters = letters.exclude(~Q(person=request.user.pk), kind__in=personal_kinds())
    if request.method == "POST":
        letter = get_object_or_404(letters, code=parse_code(request.POST.get("letter", "")))
        with tell_refusals(request):
            desk.send_again(letter, person_of(request), clock.now())
            messages.success(request, f"The letter to {letter.address} is sent again.")
        return redirect("desk-letters", game.pk)
    names = Invitation.objects.filter(seat__game=game).names()
    readers: dict[str, Reader] = {}
    for letter in letters.select_related("person", "phase__game").order_by("-pk")[:LETTERS_SHOWN]:
        own_name = letter.person.name if letter.person else ""
        name = own_name or names.get(letter.address, "")
        reader = readers.setdefault(letter.address, Reader(name, letter.address))
        reader.letters.append((letter, KINDS[letter.kind].name))
    ordered = sorted(readers.values(), key=lambda reader: (not reader.lost, reader.address))
    context = {"game": game, "here": "letters", "readers": ordered, "again": desk.SENT_AGAIN}
    return render(request, "desk/letters.html", context)
