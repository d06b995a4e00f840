"""The letters that went out, for demonstrations, where nobody has a mail program."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from games.letters import headers, pictures, rendering
from games.letters.names import NAMES
from games.models import Letter
from gamesmaster import clock
from orders.inbound import handle
from orders.models import Handling, Mail

LETTERS_SHOWN = 200
#: A letter styles itself as mail programs want it, inline. It stands in a frame without scripts and
# forms; letter.js makes the frame as high as the letter.
POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none';"
    " base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
Page = Callable[..., HttpResponse]


def in_demonstrations(page: Page) -> Page:
    """No such page anywhere else: letters are their readers' own."""

    @wraps(page)
    def wrapped(request: HttpRequest, **address: Any) -> HttpResponse:
        if not settings.DEMONSTRATION:
            raise Http404
        return page(request, **address)

    return wrapped


def title_of(letter: Letter) -> str:
    """Return what a letter is, for all letters of a game have one subject."""
    name = NAMES.get(letter.kind, "a letter")
    return name[0].upper() + name[1:]


@require_safe
@in_demonstrations
def letters(request: HttpRequest) -> HttpResponse:
    """Show the newest letters, to everybody or to the address that `?to=` names."""
    newest = list(
        Letter.objects.select_related("game", "person", "phase__game")
        .defer("text", "html")
        .order_by("-pk")[:LETTERS_SHOWN]
    )
    readers = ["", *sorted({letter.address for letter in newest})]
    chosen = request.GET.get("to", "")
    told = [(one, title_of(one)) for one in newest if not chosen or one.address == chosen]
    context = {"letters": told, "readers": readers, "chosen": chosen, "now": clock.now()}
    return render(request, "letters/letters.html", context)


@require_safe
@in_demonstrations
def letter(request: HttpRequest, pk: int) -> HttpResponse:
    """One letter as it was sent."""
    found = get_object_or_404(Letter.objects.select_related("game", "person", "phase__game"), pk=pk)
    if not found.text:
        # Its text is not kept, not before it is printed, or no longer; it is set once more, with
        # the same key.
        try:
            rendered = rendering.render(found)
        except (
            ObjectDoesNotExist,
            KeyError,
        ):  # what it told of is gone: a key that ran out long ago, somebody who has been erased
            raise Http404 from None
    else:
        rendered = rendering.from_row(found)
    html = pictures.embed(rendered.html, rendered.picture)
    context = {"letter": found, "subject": rendered.subject, "text": rendered.text, "html": html}
    context["answerable"] = _answerable(found)
    response = render(request, "letters/letter.html", context | {"called": title_of(found)})
    response.headers["Content-Security-Policy"] = POLICY
    return response


def _answerable(letter: Letter) -> bool:
    """Return whether a letter's reader may answer it by mail, an invitation too."""
    return headers.answerable(letter) or headers.asks(letter)


@in_demonstrations
@require_POST
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """Hand in what a visitor writes as mail of the letter's reader, in reply to it, and show the
    letter that answers."""
    found = get_object_or_404(Letter.objects.select_related("game", "person"), pk=pk)
    if not _answerable(found):
        raise Http404
    now, to = clock.now(), headers.reply_to(found, clock.now())
    raw = _reply(found, to, request.POST.get("text", "").replace("\0", ""), now)
    reader, way = found.address, Mail.Way.PIPE
    mail = handle.take_in(raw, way=way, envelope_from=reader, envelope_to=[to], now=now)
    answered = Handling.objects.get(mail=mail).answer_id
    return redirect("letter", answered) if answered else redirect("letters")


def _reply(letter: Letter, to: str, text: str, now: datetime) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"] = letter.address, to
    mail["Subject"] = f"Re: {headers.safe(letter.subject)}"
    mail["Date"], mail["Message-ID"] = format_datetime(now), make_msgid(domain="demonstration")
    mail["In-Reply-To"] = mail["References"] = letter.message_id
    mail.set_content(text)
    return mail.as_bytes()
