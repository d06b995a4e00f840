"""The letters that went out, for demonstrations, where nobody has a mail program."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from games.letters import pictures, rendering
from games.letters.names import NAMES
from games.models import Letter
from gamesmaster import clock

LETTERS_SHOWN = 200
#: A letter styles itself as mail programs want it, inline. It stands in a frame without scripts,
# forms or an origin of its own.
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


def called(letter: Letter) -> str:
    """Return what a letter is, for all letters of a game have one subject."""
    name = NAMES.get(letter.kind, "a letter")
    return name[0].upper() + name[1:]


@require_safe
@in_demonstrations
def letters(request: HttpRequest) -> HttpResponse:
    """The newest letters, to everybody."""
    newest = Letter.objects.select_related("game", "person", "phase__game").order_by("-pk")[
        :LETTERS_SHOWN
    ]
    told = [(letter, called(letter)) for letter in newest]
    return render(request, "letters/letters.html", {"letters": told, "now": clock.now()})


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
    response = render(request, "letters/letter.html", context | {"called": called(found)})
    response.headers["Content-Security-Policy"] = POLICY
    return response
