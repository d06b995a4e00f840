"""Log in by letter, and edit one's own details.

A link only shows a button, because mail scanners follow links; the button logs in. These pages
never reveal whether an address is known: every address gets the same answer, and only its owner
reads the letter.
"""

from __future__ import annotations

from django.contrib import auth, messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.forms.models import model_to_dict
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from games import permissions
from games.accounts import rate_limits, tokens, two_factor
from games.base import clock, origin
from games.models import Game, Person
from games.outbox.messages import account_letters
from games.pages.forms import CodeForm, LoginForm, MeForm
from games.pages.middleware import CLASS_CODE
from games.pages.requests import person_of
from games.web.accounts import access, mail, webhooks
from games.web.game import complaints

BACKEND = "django.contrib.auth.backends.ModelBackend"
LONGEST_NEXT = 200
REFUSED = (tokens.KeyRefused, rate_limits.TooMany)


def log_in(request: HttpRequest, person: Person) -> None:
    """Log in a person who has received a letter, with a fresh session. Every login comes here."""
    auth.login(request, person, backend=BACKEND)
    request.session[two_factor.LOGGED_IN] = clock.now().isoformat()


def enter(request: HttpRequest, person: Person, name: str, game: Game) -> None:
    """Log in a person who followed a letter's link to a game.

    Save their name, and its time zone as theirs, if we have none.
    """
    if name and not person.name:
        person.name = name
        person.save(update_fields=["name"])
    person.show_times_in(game.zone)
    if request.user != person:
        log_in(request, person)


def next_page(request: HttpRequest, wanted: str, longest: int = LONGEST_NEXT) -> str:
    """Return `wanted` if it is a page of this service and not too long, else an empty string."""
    safe = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if safe and wanted.isprintable() and len(wanted) <= longest else ""


@require_http_methods(["GET", "HEAD", "POST"])
def login(request: HttpRequest) -> HttpResponse:
    """Ask for an address and send it a login letter. A new address becomes an account."""
    next_url = next_page(request, request.POST.get("next", request.GET.get("next", "")))
    form = LoginForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        email = form.cleaned_data["email"]
        with form.errors_at("email", REFUSED):
            count_login(request)
            send_letter(email, next_url)
            request.session["login_address"], request.session["login_next"] = email, next_url
            return redirect("login-code")
    return render(request, "login/login.html", {"form": form, "next": next_url})


def count_login(request: HttpRequest) -> None:
    """Count a login request against the limit of its origin. Raise `TooMany` beyond the limit."""
    rate_limits.count(rate_limits.LOGINS_HERE, origin.origin_of(request) or "anywhere", clock.now())


@transaction.atomic
def send_letter(email: str, next_page: str) -> None:
    """Send a login letter to any address. Raise `KeyRefused` where `tokens.new_login` does.

    Known and unknown addresses cause the same queries, so that response times reveal nothing.
    Only a closed account gets no letter in the end.
    """
    now = clock.now()
    # A closed account gets a key that opens nothing: if it were never refused one, that would
    # reveal that it is closed.
    key = tokens.new_login(Person.objects.welcome(email, now), next_page, now)
    account_letters.login(key, now)


@require_http_methods(["GET", "HEAD", "POST"])
def login_code(request: HttpRequest) -> HttpResponse:
    """Say that a letter is on its way, and accept the code from it."""
    form = CodeForm(
        request.POST if request.method == "POST" else None,
        initial={"email": request.session.get("login_address", "")},
    )
    if request.method == "POST" and form.is_valid():
        with form.errors_at("code", REFUSED):
            person = _use_code(request, form.cleaned_data["email"], form.cleaned_data["code"])
            next_url = request.session.pop("login_next", "")
            request.session.pop("login_address", None)
            log_in(request, person)
            return redirect(next_url or "home")
    return render(
        request,
        "login/code.html",
        {"form": form, "address": request.session.get("login_address", "")},
    )


def _use_code(request: HttpRequest, email: str, code: str) -> Person:
    """Return the person to whom the code belongs. Count wrong codes by their origin."""
    now, asker = clock.now(), origin.origin_of(request)
    if asker:
        rate_limits.check(rate_limits.WRONG_CODES_HERE, asker, now)
    try:
        return tokens.use_code(email, code, now)
    except tokens.KeyRefused:
        if asker:
            rate_limits.count(rate_limits.WRONG_CODES_HERE, asker, now)
        raise


@require_http_methods(["GET", "HEAD", "POST"])
def login_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show a button that logs in, once. Opening the link does not use it up."""
    now = clock.now()
    try:
        key = tokens.find_login(token, now)
        if request.method == "POST":
            log_in(request, tokens.use_login(key, now))
            return redirect(next_page(request, key.next_page) or "home")
    except tokens.KeyRefused as refused:
        return render(request, "login/refused.html", {"sentence": str(refused)}, status=410)
    return render(request, "login/link.html", {"person": key.person})


@require_POST
def logout(request: HttpRequest) -> HttpResponse:
    """Log out; after a printed code show the page for the next pupil's."""
    after = "class" if CLASS_CODE in request.session else "home"
    auth.logout(request)
    return redirect(after)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def me(request: HttpRequest) -> HttpResponse:
    """Edit name, time zone, telephone number and postal address."""
    person = person_of(request)
    details = model_to_dict(person, ["name", "zone", "telephone", "postal_address", "record_shown"])
    initial = {**details, "seen_shown": person.seen_on is not None}
    form = MeForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        for field in details:
            setattr(person, field, form.cleaned_data[field])
        person.seen_on = clock.now().date() if form.cleaned_data["seen_shown"] else None
        person.save(update_fields=[*details, "seen_on"])
        messages.success(request, "Saved. Deadlines are shown in your time zone from now on.")
        return redirect(reverse("me"))
    context = {"form": form, **mail.account_context(person), **access.account_context(person)}
    context["barring"] = permissions.barring_of(person, clock.now())
    context |= webhooks.account_context(person) | complaints.account_context(person)
    return render(request, "login/me.html", context)
