"""The letters that were sent, for demonstrations, where nobody gets mail."""

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

from games.base import clock
from games.letters import headers, pictures, rendering
from games.models import Letter
from games.outbox.messages import KINDS
from orders.inbound import handle
from orders.models import Handling, Mail

LETTERS_SHOWN = 200
#: Letters have inline styles, for mail programs. A page shows them in a frame without scripts and
# forms; letter.js makes the frame as high as the letter.
POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none';"
    " base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
Page = Callable[..., HttpResponse]


def in_demonstrations(page: Page) -> Page:
    """Open a page only in demonstrations: elsewhere letters are private."""

    @wraps(page)
    def wrapped(request: HttpRequest, **address: Any) -> HttpResponse:
        if not settings.DEMONSTRATION:
            raise Http404
        return page(request, **address)

    return wrapped


def title_of(letter: Letter) -> str:
    """Return what kind of letter it is, because all letters of a game have the same subject."""
    name = KINDS[letter.kind].name
    return name[0].upper() + name[1:]


@require_safe
@in_demonstrations
def letters(request: HttpRequest) -> HttpResponse:
    """Show the newest letters, all or only those to the address in `?to=`."""
    newest = list(
        Letter.objects.select_related("game", "person", "phase__game")
        .defer("text", "html")
        .order_by("-pk")[:LETTERS_SHOWN]
    )
    readers = ["", *sorted({letter.address for letter in newest})]
    chosen = request.GET.get("to", "")
    titled = [(row, title_of(row)) for row in newest if not chosen or row.address == chosen]
    context = {"letters": titled, "readers": readers, "chosen": chosen}
    return render(request, "letters/letters.html", context)


@require_safe
@in_demonstrations
def letter(request: HttpRequest, code: str) -> HttpResponse:
    """Show one letter as it was sent."""
    rows = Letter.objects.select_related("game", "person", "phase__game")
    row = get_object_or_404(rows, code=code)
    if not row.text:
        # The text is not stored yet, because the letter is not printed, or it is no longer stored.
        # Render it again with the same token.
        try:
            rendered = rendering.render(row)
        except (ObjectDoesNotExist, KeyError):
            # Its subject is gone: a token that has expired, a person who has been erased.
            raise Http404 from None
    else:
        rendered = rendering.from_row(row)
    html = pictures.embed(rendered.html, rendered.picture)
    context = {"letter": row, "subject": rendered.subject, "text": rendered.text, "html": html}
    context["answerable"] = _is_answerable(row)
    response = render(request, "letters/letter.html", context | {"called": title_of(row)})
    response.headers["Content-Security-Policy"] = POLICY
    return response


def _is_answerable(letter: Letter) -> bool:
    """Return whether the reader may answer a letter by mail; invitations count too."""
    return headers.answerable(letter) or headers.asks(letter)


@in_demonstrations
@require_POST
def answer(request: HttpRequest, code: str) -> HttpResponse:
    """Receive a visitor's text as mail from the letter's reader, in reply to it, and show the
    letter that answers it."""
    row = get_object_or_404(Letter.objects.select_related("game", "person"), code=code)
    if not _is_answerable(row):
        raise Http404
    now, to = clock.now(), headers.reply_to(row, clock.now())
    raw = _reply(row, to, request.POST.get("text", "").replace("\0", ""), now)
    reader, way = row.address, Mail.Way.PIPE
    mail = handle.take_in(raw, way=way, envelope_from=reader, envelope_to=[to], now=now)
    answered = Handling.objects.select_related("answer").get(mail=mail).answer
    return redirect("letter", answered.code) if answered else redirect("letters")


def _reply(letter: Letter, to: str, text: str, now: datetime) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"] = letter.address, to
    mail["Subject"] = f"Re: {headers.remove_control_characters(letter.subject)}"
    mail["Date"], mail["Message-ID"] = format_datetime(now), make_msgid(domain="demonstration")
    mail["In-Reply-To"] = mail["References"] = letter.message_id
    mail.set_content(text)
    return mail.as_bytes()
