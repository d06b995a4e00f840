"""The first visit: a practice game with one click, and how a guest adds an address."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from games.accounts import rate_limits
from games.base import clock, origin
from games.base.signing import Salt
from games.desk import DeskError, practice
from games.game_templates import template_of
from games.models import Person, Seat
from games.pages.forms import LoginForm
from games.pages.requests import person_of, tell_refusals
from games.rules.registry import ruleset
from games.web.accounts.login import REFUSED, count_login, log_in, send_letter

ADOPTED_WITHIN = 24 * 3600  # seconds
NOT_BEGUN = (DeskError, rate_limits.TooMany)


@require_http_methods(["GET", "HEAD", "POST"])
def begin(request: HttpRequest) -> HttpResponse:
    """Begin a practice game with one click: make a guest and a game, and show its order page.
    People who are logged in play as themselves."""
    if request.method != "POST":
        games = [
            (ruleset(game), practice.nations(game), template_of(game, "games/blurb/*.html"))
            for game in practice.games()
        ]
        return render(request, "practice/practice.html", {"games": games})
    now = clock.now()
    requested = request.POST.get("game", "")
    ruleset_id = requested if requested in practice.games() else practice.usual_game()
    nation = request.POST.get("nation") or practice.nations(ruleset_id)[-1]
    known = request.user if isinstance(request.user, Person) else None
    with tell_refusals(request, NOT_BEGUN):
        if known is not None:
            rate_limits.count(rate_limits.GAMES, known.pk, now)
        with transaction.atomic():
            person = known or practice.new_guest(origin.origin_of(request), now)
            game = practice.begin(person, nation, now, ruleset_id)
        if known is None:
            log_in(request, person)
        seat = Seat.objects.filter(game=game, sittings__person=person, sittings__until=None).first()
        return redirect("orders", game.pk, seat.pk) if seat is not None else redirect(game)
    return redirect("home")


@require_POST
@login_required
def begin_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Give up a practice game, and begin another one as the same nation."""
    person, now = person_of(request), clock.now()
    seat = get_object_or_404(
        Seat.objects.select_related("game"),
        game=pk,
        game__practice=True,
        sittings__person=person,
        sittings__until=None,
    )
    with tell_refusals(request, NOT_BEGUN):
        rate_limits.count(rate_limits.GAMES, person.pk, now)
        if not seat.game.is_over:
            practice.give_up(seat.game, person, now)
        game = practice.begin(person, seat.nation, now, seat.game.ruleset_id)
        return redirect("orders", game.pk, game.seats.get(nation=seat.nation).pk)
    return redirect(seat.game)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def send_login_letter(request: HttpRequest) -> HttpResponse:
    """Send a login letter to a guest's address. The person who logs in by it may take the game."""
    guest = person_of(request)
    if not guest.guest:
        return redirect("home")
    form = LoginForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        token = signing.dumps(guest.pk, salt=Salt.PRACTICE)
        with form.errors_at("email", REFUSED):
            count_login(request)
            send_letter(form.cleaned_data["email"], reverse("practice-adopt", args=[token]))
            messages.success(
                request,
                "A letter is on its way. Its link logs you in and adds your practice game to your"
                " account.",
            )
            return redirect(practice.current_game(guest) or "home")
    return render(
        request, "practice/keep.html", {"form": form, "going_on": practice.current_game(guest)}
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def adopt(request: HttpRequest, token: str) -> HttpResponse:
    """Show a button to the person who logged in by that letter; it gives them the guest's seats."""
    person = person_of(request)
    try:
        guest = get_object_or_404(
            Person, pk=signing.loads(token, salt=Salt.PRACTICE, max_age=ADOPTED_WITHIN), guest=True
        )
    except signing.BadSignature:
        raise Http404 from None
    if request.method != "POST":
        return render(
            request,
            "practice/adopt.html",
            {"token": token, "going_on": practice.current_game(guest)},
        )
    with tell_refusals(request):
        practice.adopt(guest, person, clock.now())
        messages.success(
            request,
            "The practice game now belongs to your account. You can continue it in any browser"
            " where you log in.",
        )
        return redirect(practice.current_game(person) or "home")
    return redirect("home")
