"""Pages about mail: further addresses, letters wanted or not, and messages that wait for their
sender or for the gamesmaster.

Whoever has a key from a letter need not be logged in, as with a login. A link only shows a button,
because mail scanners follow links.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from games import permissions
from games.accounts import addresses, letter_settings, tokens
from games.desk import addresses as desk_addresses
from games.letters import feeds
from games.models import Game, Person
from games.outbox import subscriptions
from games.outbox.messages import inbound as messages_inbound
from games.web.decorators import for_gamesmasters
from games.web.requests import number_in, person_of, tell_refusals
from gamesmaster import clock
from orders.inbound import parsed
from orders.inbound.identity import waiting
from orders.inbound.parsing import quoting
from orders.models import Handling


def of_person(person: Person) -> dict[str, Any]:
    """Return addresses, calendar, and for each game whether letters go out."""
    games = [
        {
            "game": game,
            "muted": subscriptions.is_muted(person, game),
            "runs": permissions.runs(person, game),
        }
        for game in addresses.running_games(person)
    ]
    return {
        "addresses": addresses.addresses_of(person),
        "mail_games": games,
        "letter_settings": [
            {"setting": one, "standing": one.standing(person)} for one in letter_settings.SETTINGS
        ],
        "calendar_feed": feeds.valid_feed(person),
    }


# --- further addresses ---


@login_required
@require_POST
def address_add(request: HttpRequest) -> HttpResponse:
    email = request.POST.get("email", "").strip()
    with tell_refusals(request, addresses.AddressRefused):
        address = desk_addresses.add(person_of(request), email, clock.now())
        messages.success(
            request,
            f"A letter is on its way to {address.email}. The address counts once you have opened"
            " its link.",
        )
    return redirect("me")


@login_required
@require_POST
def address_remove(request: HttpRequest, address: int) -> HttpResponse:
    addresses.remove(person_of(request), address, clock.now())
    messages.success(request, "Removed. Letters from that address are no longer taken as yours.")
    return redirect("me")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def address_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Looking shows a button; the button lets the person write from the address."""
    now = clock.now()
    try:
        address = addresses.find(token, now)
        if request.method == "POST":
            addresses.confirm(address, now)
    except addresses.AddressRefused as refused:
        return render(request, "mailbox/refused.html", {"sentence": str(refused)}, status=410)
    return render(
        request,
        "mailbox/address.html",
        {"address": address, "done": address.confirmed_at is not None},
    )


# --- letters wanted or not ---


@login_required
@require_POST
def letters_wanted(request: HttpRequest) -> HttpResponse:
    """Change the personal settings of letters."""
    person = person_of(request)
    with tell_refusals(request, letter_settings.SettingRefused):
        for setting in letter_settings.SETTINGS:
            if setting.field in request.POST:
                letter_settings.change(person, f"{setting.word} {request.POST[setting.field]}")
        messages.success(request, "Saved. Letters follow these settings from now on.")
    return redirect("me")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def letters_of_game(request: HttpRequest, pk: int) -> HttpResponse:
    """Mute a game's letters, or take them back, or renew the reply address."""
    if request.method != "POST":  # somebody loads the address again after the button
        return redirect("me")
    person, now = person_of(request), clock.now()
    game = get_object_or_404(Game, pk=pk)
    if not (permissions.seats_held(person, game) or permissions.runs(person, game)):
        raise Http404
    wish = request.POST.get("wish")
    with tell_refusals(request, subscriptions.MuteRefused):
        if wish == "mute":
            subscriptions.mute(person, game, now)
            messages.success(
                request,
                f"You get no more letters of “{game.title}”. The gamesmaster has been told.",
            )
        elif wish == "unmute":
            subscriptions.unmute(person, game, now)
            messages.success(
                request, f"You get letters of “{game.title}” again, from the next one on."
            )
        elif wish == "renew":
            tokens.renew_reply(person, game, now)
            messages.success(
                request,
                "Letters from now on have another reply address. Answer those: older ones no"
                " longer count.",
            )
    return redirect("me")


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mute(request: HttpRequest, pk: int, token: str) -> HttpResponse:
    """Serve List-Unsubscribe. Mail programs post to it (RFC 8058): the key is the proof."""
    game = get_object_or_404(Game, pk=pk)
    reply = tokens.find_mute(game, token)
    if reply is None:
        raise Http404
    person, now, refusal = reply.person, clock.now(), ""
    if request.method == "POST":
        try:
            if request.POST.get("wish") == "unmute":
                subscriptions.unmute(person, game, now)
            elif subscriptions.mute(person, game, now):
                messages_inbound.confirm_mute(person, game, now)
        except subscriptions.MuteRefused as refused:
            refusal = str(refused)
    context = {
        "game": game,
        "person": person,
        "muted": subscriptions.is_muted(person, game),
        "refusal": refusal,
    }
    return render(request, "mailbox/mute.html", context)


# --- messages that wait ---


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Show a message that proved nothing to its supposed sender, who obeys or disowns it."""
    now = clock.now()
    try:
        row = waiting.find(token, now)
        if request.method == "POST":
            if request.POST.get("wish") == "disown":
                waiting.disown(row, now)
                return render(request, "mailbox/confirmed.html", {"row": row, "disowned": True})
            with tell_refusals(request, addresses.AddressRefused):
                waiting.confirm(row, now, add_address="add" in request.POST)
            return render(request, "mailbox/confirmed.html", {"row": row, "disowned": False})
    except waiting.NotWaiting as refused:
        return render(request, "mailbox/refused.html", {"sentence": str(refused)}, status=410)
    assert row.person is not None
    context = {
        **_shown(row),
        "strange": not addresses.belongs(row.person, row.sender),
        "newer": waiting.newer_orders(row),
    }
    return render(request, "mailbox/confirm.html", context)


def _shown(row: Handling) -> dict[str, Any]:
    found = parsed.parse_mail(row, row.game, parsed.NOT_ASKED)
    return {
        "row": row,
        "subject": found.message.subject,
        "words": quoting.own_words(found.message.text).text.strip(),
    }


@for_gamesmasters
@require_http_methods(["GET", "HEAD", "POST"])
def held(request: HttpRequest, game: Game) -> HttpResponse:
    """Mail that waits for the gamesmaster. One who plays himself sees who wrote, and not what."""
    if request.method == "POST":
        row = (
            waiting.held_mail(game).filter(pk=number_in(request.POST.get("mail", "")) or 0).first()
        )
        with tell_refusals(request, waiting.NotWaiting):
            _decide(request, row, request.POST.get("wish", ""))
        return redirect("mail-held", game.pk)
    plays = bool(
        permissions.seats_held(request.user, game)
    ) or permissions.is_hidden_from_gamesmaster(game, game.phases.current())
    shown = [_shown(row) if not plays else {"row": row} for row in waiting.held_mail(game)]
    return render(
        request, "mailbox/held.html", {"game": game, "here": "desk", "held": shown, "plays": plays}
    )


def _decide(request: HttpRequest, row: Handling | None, wish: str) -> None:
    if row is None or wish not in ("let_in", "refuse"):
        raise waiting.NotWaiting("This message is already decided.")
    if wish == "let_in":
        waiting.let_in(row, person_of(request), clock.now())
        words = f"Let in: the letter from {row.sender} counts, and its sender was answered."
    else:
        waiting.refuse(row, person_of(request), clock.now())
        words = (
            f"The letter from {row.sender} is stored and does not count. The player was informed."
        )
    messages.success(request, words)
