"""Pages about mail: further addresses, letter settings, and messages that wait for their sender
or for the gamesmaster.

A person with a key from a letter need not be logged in. A link only shows a button, because mail
scanners follow links.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import prefetch_related_objects
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from games import permissions
from games.accounts import addresses, letter_settings, tokens
from games.base import clock
from games.base.signing import Salt
from games.desk import addresses as desk_addresses
from games.letters import feeds
from games.models import Game, Letter, Person
from games.outbox import subscriptions
from games.outbox.messages import reply_letters
from games.pages.decorators import for_gamesmasters
from games.pages.requests import parse_code, person_of, tell_refusals
from orders.inbound import parsed, player_letters
from orders.inbound.identity import offers, waiting
from orders.inbound.parsing import quoting
from orders.models import Handling

#: The most messages that wait to list on the page of one.
MOST_SHOWN = 20


def account_context(person: Person) -> dict[str, Any]:
    """Return addresses, calendar and letter settings, and for each game whether it is muted."""
    running, muted = addresses.running_games(person), subscriptions.muted_games(person)
    prefetch_related_objects(running, "gamesmasters")
    games = [
        {"game": game, "muted": game.pk in muted, "runs": permissions.runs(person, game)}
        for game in running
    ]
    return {
        "addresses": addresses.addresses_of(person),
        "mail_games": games,
        "letter_settings": [
            {"setting": setting, "standing": setting.standing(person)}
            for setting in letter_settings.SETTINGS
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
            f"A letter is on its way to {address.email}. Open its link to confirm the address.",
        )
    return redirect("me")


@login_required
@require_POST
def address_remove(request: HttpRequest, address: str) -> HttpResponse:
    addresses.remove(person_of(request), address, clock.now())
    messages.success(request, "Removed. Mail from that address no longer counts as yours.")
    return redirect("me")


@require_http_methods(["GET", "HEAD", "POST"])
def address_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Show a button that confirms the address, from which the person can then write."""
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
def save_letter_settings(request: HttpRequest) -> HttpResponse:
    """Save the personal settings of letters."""
    person = person_of(request)
    with tell_refusals(request, letter_settings.SettingRefused):
        for setting in letter_settings.SETTINGS:
            if setting.field in request.POST:
                letter_settings.change(person, f"{setting.word} {request.POST[setting.field]}")
        messages.success(request, "Saved. Letters follow these settings from now on.")
    return redirect("me")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def change_game_letters(request: HttpRequest, pk: int) -> HttpResponse:
    """Mute or unmute a game's letters, or renew the reply address."""
    if request.method != "POST":  # the page was reloaded after the button
        return redirect("me")
    person, now = person_of(request), clock.now()
    game = get_object_or_404(Game, pk=pk)
    if not (permissions.held_seats(person, game) or permissions.runs(person, game)):
        raise Http404
    wish = request.POST.get("wish")
    with tell_refusals(request, subscriptions.MuteRefused):
        if wish == "mute":
            subscriptions.mute(person, game, now)
            messages.success(
                request,
                f"You get no more letters of “{game.title}”. The gamesmaster has been notified.",
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
@require_http_methods(["GET", "HEAD", "POST"])
def mute(request: HttpRequest, pk: int, token: str) -> HttpResponse:
    """Serve List-Unsubscribe. Mail programs post to it (RFC 8058); the key is the proof."""
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
                reply_letters.confirm_mute(person, game, now)
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


@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Show a message that waits to its sender.

    They confirm or disown one without proof. Of an answer to another player's letter they say
    whether it is for that player, or orders.
    """
    now = clock.now()
    try:
        row = waiting.find(token, now)
        if row.person is not None:  # who follows the link of a letter has mostly not logged in
            timezone.activate(row.person.zone)
        if (question := player_letters.question_about(row)) is not None:
            return _choose(request, row, question, now)
        if request.method == "POST":
            if request.POST.get("wish") == "disown":
                waiting.disown(row, now)
                context = {"row": row, "disowned": True, "others": _links_to_others(row, now)}
                return render(request, "mailbox/confirmed.html", context)
            with tell_refusals(request, addresses.AddressRefused):
                waiting.confirm(row, now, add_address="add" in request.POST)
            context = {"row": row, "disowned": False, "others": _links_to_others(row, now)}
            return render(request, "mailbox/confirmed.html", context)
    except waiting.NotWaitingError as refused:
        return render(request, "mailbox/refused.html", {"sentence": str(refused)}, status=410)
    assert row.person is not None
    context = {
        **_mail_row(row, row.game),
        "strange": not addresses.belongs(row.person, row.sender),
        "newer": waiting.newer_orders(row),
        "others": _links_to_others(row, now),
    }
    return render(request, "mailbox/confirm.html", context)


def _links_to_others(row: Handling, now: datetime) -> list[dict[str, Any]]:
    """Return the other messages that wait for the same person in the game, with their pages."""
    others = []
    for other in waiting.others_waiting(row, now)[:MOST_SHOWN]:
        key = tokens.key_of(Salt.CONFIRMATION, other.nonce, other.token_hash)
        others.append({"row": other, "link": reverse("mail-confirm", args=[key])})
    return others


def _choose(request: HttpRequest, row: Handling, question: Letter, now: datetime) -> HttpResponse:
    """Show a message with a button for each thing that it may be, and do what the button says."""
    wish = request.POST.get("wish")
    if wish in ("send", "orders"):
        waiting.choose(row, offers.Choice(wish), now)
        done = {"row": row, "sent_to": question.about["addressees"] if wish == "send" else ""}
        return render(request, "mailbox/chosen.html", done)
    mail = parsed.parse_mail(row, row.game, parsed.NOT_ASKED)
    context = {
        "row": row,
        "about": question.about,
        "phase": question.phase,
        "words": player_letters.words_of(mail),
        "chosen": request.GET.get("choice", ""),
        "newer": waiting.newer_orders(row),
    }
    return render(request, "mailbox/choice.html", context)


def _mail_row(row: Handling, game: Game | None) -> dict[str, Any]:
    mail = parsed.parse_mail(row, game, parsed.NOT_ASKED)
    return {
        "row": row,
        "subject": mail.message.subject,
        "words": quoting.own_words(mail.message.text).text.strip(),
    }


@for_gamesmasters
@require_http_methods(["GET", "HEAD", "POST"])
def held_mail(request: HttpRequest, game: Game) -> HttpResponse:
    """Show mail that waits for the gamesmaster; the texts only to those who may read orders."""
    if request.method == "POST":
        row = waiting.held_mail(game).filter(code=parse_code(request.POST.get("mail", ""))).first()
        with tell_refusals(request, waiting.NotWaitingError):
            _decide(request, row, request.POST.get("wish", ""))
        return redirect("mail-held", game.pk)
    reads = permissions.reads_mail(request.user, game, game.phases.current())
    rows = [_mail_row(row, game) if reads else {"row": row} for row in waiting.held_mail(game)]
    return render(
        request,
        "mailbox/held.html",
        {"game": game, "here": "desk", "waiting": rows, "reads": reads},
    )


def _decide(request: HttpRequest, row: Handling | None, wish: str) -> None:
    if row is None or wish not in ("let_in", "refuse"):
        raise waiting.NotWaitingError("This message has already been accepted or refused.")
    if wish == "let_in":
        waiting.let_in(row, person_of(request), clock.now())
        words = f"Accepted: the message from {row.sender} counts, and its sender got an answer."
    else:
        waiting.refuse(row, person_of(request), clock.now())
        words = (
            f"The message from {row.sender} is stored and does not count. The player was notified."
        )
    messages.success(request, words)
