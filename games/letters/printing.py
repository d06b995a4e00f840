"""Letters for people without e-mail: rendered once, printed as often as needed, marked as posted by
the gamesmaster."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db.models import QuerySet

from games.models import Game, Letter
from games.models.people import CLASS_DOMAIN

from . import rendering
from .rendering import RenderedLetter


def letters_to_print(*games: Game) -> QuerySet[Letter]:
    """Return the letters of games to print, oldest first. Letters to pupils are left out: pupils
    read them on a page (games.desk.classroom)."""
    waits = Letter.objects.filter(game__in=games, status=Letter.Status.PRINT).exclude(
        person__email__endswith=f"@{CLASS_DOMAIN}"
    )
    return waits.select_related("person", "phase__game", "game").order_by("pk")


def letters_to_post(*games: Game) -> QuerySet[Letter]:
    """Return those that a gamesmaster is asked to post: not those of people whom the telephone
    alone reaches, whose letters can be printed."""
    return letters_to_print(*games).exclude(person__by_post=True, person__postal_address="")


def content(letter: Letter) -> RenderedLetter:
    """Return the content of a letter. A letter for paper is stored when it is first printed, so
    that a second print is the same."""
    if letter.text:
        return RenderedLetter(letter.subject, letter.text, letter.html)
    rendered = rendering.render(letter, on_paper=True)
    if letter.pk and letter.status == Letter.Status.PRINT and not letter.secret:
        unset = Letter.objects.filter(pk=letter.pk, text="")
        if not unset.update(subject=rendered.subject, text=rendered.text, html=rendered.html):
            letter.refresh_from_db(fields=["subject", "text", "html"])
            return RenderedLetter(letter.subject, letter.text, letter.html)
    return rendered


def mark_posted(game: Game, codes: Iterable[str], now: datetime) -> int:
    """Mark letters as posted and return how many were marked. A letter that was marked before keeps
    its first date."""
    waits = Letter.objects.filter(game=game, code__in=list(codes), status=Letter.Status.PRINT)
    return waits.update(status=Letter.Status.POSTED, sent_at=now)
