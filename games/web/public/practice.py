"""The first visit: a practice game with one click, and how a guest becomes somebody with an
address."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from games import desk
from games.accounts import rate_limits, tokens
from games.desk import practice
from games.models import Person, Seat
from games.web.accounts.login import log_in, send_letter
from games.web.forms import LoginForm
from gamesmaster import clock, origin

SEAL = "practice"
ADOPTED_WITHIN = 24 * 3600  # seconds


@require_POST
def begin(request: HttpRequest) -> HttpResponse:
    """One click: a guest, a game, and its order page. Who is logged in plays as himself."""
    now = clock.now()
    wanted = request.POST.get("game", "")
    ruleset_id = wanted if wanted in practice.games() else practice.usual_game()
    nation = request.POST.get("nation") or practice.nations(ruleset_id)[-1]
    try:
        with transaction.atomic():
            known = request.user if isinstance(request.user, Person) else None
            person = known or practice.new_guest(origin.of(request), now)
            game = practice.begin(person, nation, now, ruleset_id)
    except desk.DeskError as error:
        messages.error(request, str(error))
        return redirect("home")
    if known is None:
        log_in(request, person)
    seat = Seat.objects.filter(game=game, sittings__person=person, sittings__until=None).first()
    return redirect("orders", game.pk, seat.pk) if seat is not None else redirect(game)


@require_POST
@login_required
def again(request: HttpRequest, pk: int) -> HttpResponse:
    """Gives a practice game up and begins another as the same nation."""
    person, now = request.user, clock.now()
    assert isinstance(person, Person)
    seat = get_object_or_404(
        Seat.objects.select_related("game"),
        game=pk,
        game__practice=True,
        sittings__person=person,
        sittings__until=None,
    )
    try:
        if not seat.game.is_over:
            practice.give_up(seat.game, person, now)
        game = practice.begin(person, seat.nation, now, seat.game.ruleset_id)
    except desk.DeskError as error:
        messages.error(request, str(error))
        return redirect(seat.game)
    return redirect("orders", game.pk, game.seats.get(nation=seat.nation).pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def keep(request: HttpRequest) -> HttpResponse:
    """Where a guest gives an address: a login letter goes there, and whoever logs in by it may take
    the game over."""
    guest = request.user
    assert isinstance(guest, Person)
    if not guest.guest:
        return redirect("home")
    form = LoginForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        token = signing.dumps(guest.pk, salt=SEAL)
        try:
            rate_limits.count(
                rate_limits.LOGINS_HERE, origin.of(request) or "anywhere", clock.now()
            )
            send_letter(form.cleaned_data["email"], reverse("practice-adopt", args=[token]))
        except (tokens.KeyRefused, rate_limits.TooMany) as refused:
            form.add_error("email", str(refused))
        else:
            messages.success(
                request,
                "A letter is on its way. Its link logs you in, and your practice game goes on under"
                " your address.",
            )
            going_on = practice.going_on(guest)
            return redirect(going_on) if going_on is not None else redirect("home")
    return render(
        request, "practice/keep.html", {"form": form, "going_on": practice.going_on(guest)}
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def adopt(request: HttpRequest, token: str) -> HttpResponse:
    """Shows a button to whoever has logged in by that letter; the button moves the guest's seats to
    him."""
    person = request.user
    assert isinstance(person, Person)
    try:
        guest = get_object_or_404(
            Person, pk=signing.loads(token, salt=SEAL, max_age=ADOPTED_WITHIN), guest=True
        )
    except signing.BadSignature:
        raise Http404 from None
    if request.method != "POST":
        return render(
            request, "practice/adopt.html", {"token": token, "going_on": practice.going_on(guest)}
        )
    try:
        practice.adopt(guest, person, clock.now())
    except desk.DeskError as error:
        messages.error(request, str(error))
        return redirect("home")
    messages.success(
        request, "The practice game is yours now, on every browser on which you log in."
    )
    game = practice.going_on(person)
    return redirect(game) if game is not None else redirect("home")
