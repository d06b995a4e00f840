"""Read requests and build responses in the way all pages do."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag

from games import print
from games.desk import DeskError
from games.models import Game, Person, Phase
from games.models.coded import CODE

#: Exceptions that refuse something; the text of each is the reason, as one sentence.
Kinds = type[Exception] | tuple[type[Exception], ...]


def person_of(request: HttpRequest) -> Person:
    """Return the logged-in person. For pages that require a login."""
    assert isinstance(request.user, Person)
    return request.user


def parse_number(text: str, digits: int = 15) -> int | None:
    """Return the whole number in a text, of at most `digits` digits; None if it is not one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def parse_code(text: str) -> str:
    """Return the row's code in a text (games.models.coded); "" if it is not one."""
    return text if re.fullmatch(CODE, text) else ""


def shown_number(request: HttpRequest) -> int | None:
    """Return the number of the phase that the sender's page showed; None if it named none."""
    return parse_number(request.POST.get("phase", ""), 4)


def shown_phase(request: HttpRequest, game: Game, current: Phase | None = None) -> Phase | None:
    """Return the phase that the sender's page showed; it may have closed while they wrote.

    `current`: the newest phase, if the caller has it.
    """
    number = shown_number(request)
    if current is not None and number == current.number:
        return current
    return game.phases.filter(number=number).first() if number is not None else None


@dataclass(frozen=True)
class Refusals:
    """Reports why a block was refused, by an error of one of `kinds`, and skips the rest of it."""

    tell: Callable[[str], object]
    kinds: Kinds

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, self.kinds):
            return False
        self.tell(str(error))
        return True


def tell_refusals(request: HttpRequest, kinds: Kinds = DeskError) -> Refusals:
    """Show on the next page why a block was refused, and skip the rest of it."""
    return Refusals(partial(messages.error, request), kinds)


def answer_once(
    request: HttpRequest, data: bytes, content_type: str, cache_control: str
) -> HttpResponse:
    """Answer with an ETag; a client that has these data already gets 304."""
    etag = quote_etag(hashlib.sha256(data).hexdigest()[:32])
    response = get_conditional_response(request, etag=etag) or HttpResponse(
        data, content_type=content_type
    )
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = cache_control
    return response


def pdf(content: bytes, name: str) -> HttpResponse:
    """Return a PDF for the browser to show; `name` is the file's name without its suffix."""
    headers = {"Content-Disposition": f'inline; filename="{name}.pdf"'}
    return HttpResponse(content, content_type="application/pdf", headers=headers)


def paper_size(request: HttpRequest) -> str:
    """Return the paper size from the query `?paper=`."""
    return print.paper_size(request.GET.get("paper", ""))
