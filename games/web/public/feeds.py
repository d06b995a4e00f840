"""Atom feeds of public games (RFC 4287): games that open, results, rulings. They have only what
everybody may see.

The ids of entries (`tag:` URIs, RFC 4151) never change, so that news readers show nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from games import permissions
from games.base import links
from games.base import text as gamesmaster_text
from games.models import Game, Phase, RecordEntry, Resolution, Ruling
from games.outbox import channel_events
from games.pages.requests import answer_once
from games.rules import wording
from games.rules.names import all_of

ENTRIES = 30
SENTENCES = 40  # of a result; its page has the rest
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
#: The year in tag URIs (RFC 4151). It never changes, because it is part of every id.
TAG = "2026"


@dataclass(frozen=True)
class News:
    """An entry. `name` never changes; `told` is HTML with escaped text."""

    name: str
    title: str
    link: str
    at: datetime
    told: SafeString


def _public_games() -> QuerySet[Game]:
    return Game.objects.filter(public=True, practice=False)


@require_safe
def public_feed(request: HttpRequest) -> HttpResponse:
    """Serve the feed of all public games."""
    return respond(request, _atom(None))


@require_safe
def game_feed(request: HttpRequest, pk: int) -> HttpResponse:
    """Serve the feed of a public game. News readers do not log in, so a private game has no feed,
    not even for its players."""
    return respond(request, _atom(get_object_or_404(_public_games(), pk=pk)))


def respond(request: HttpRequest, text: str) -> HttpResponse:
    """Return a feed as a response that readers need not fetch again while it is the same."""
    kind = "application/atom+xml; charset=utf-8"
    return answer_once(request, text.encode(), kind, "public, max-age=300")


class _Feed(Atom1Feed):
    """A feed that always has a date (RFC 4287, 4.2.15): a fixed one if it has no entries."""

    def latest_post_date(self) -> datetime:
        return super().latest_post_date() if self.items else EPOCH


def _atom(game: Game | None) -> str:
    title = (
        f"Gamesmaster: “{gamesmaster_text.one_line(game.title)}”"
        if game is not None
        else "Gamesmaster: public games"
    )
    sentence = "Results, rulings and new games that anybody can see."
    if game is not None and game.record_hash:
        sentence += f" Record hash of game {game.pk}: {game.record_hash}"
    atom = feed(
        title=title,
        link=links.link("game", game.pk) if game is not None else links.link("home"),
        subtitle=sentence,
        feed_url=links.link("game-feed", game.pk) if game is not None else links.link("feed"),
        name=f"game-{game.pk}.news" if game is not None else "news",
    )
    entries = [*_games(game), *_results(game), *_rulings(game)]
    latest_first = sorted(entries, key=lambda news: (news.at, news.name), reverse=True)
    for news in latest_first[:ENTRIES]:
        atom.add_item(
            news.title,
            news.link,
            news.told,
            unique_id=tag(news.name),
            updateddate=news.at,
            pubdate=news.at,
        )
    return str(atom.writeString("utf-8"))


def feed(*, title: str, link: str, subtitle: str, feed_url: str, name: str) -> Atom1Feed:
    """Return an empty feed; `name` is part of its id and must never change."""
    return _Feed(
        title=title,
        link=link,
        description=None,
        subtitle=subtitle,
        language="en-US",
        author_name="Gamesmaster",
        feed_url=feed_url,
        feed_guid=tag(name),
    )


def tag(name: str) -> str:
    return f"tag:{settings.MAIL_DOMAIN},{TAG}:{name}"


def _games(only: Game | None) -> Iterable[News]:
    """Yield the newest games, or one. By their numbers, so that an index gives the newest."""
    games = _public_games() if only is None else _public_games().filter(pk=only.pk)
    newest = games.exclude(status=Game.Status.ABANDONED).order_by("-pk")
    for game in newest.prefetch_related("seats")[:ENTRIES]:
        nations = all_of([seat.nation for seat in game.seats.all() if not seat.referee])
        content = format_html(
            "<p>{}: {}. {}</p>",
            game.rules.title,
            gamesmaster_text.one_line(game.card.get("title", "")),
            f"Played by {nations}.",
        )
        yield News(
            f"game-{game.pk}",
            f"A new game: “{gamesmaster_text.one_line(game.title)}”",
            links.link("game", game.pk),
            game.opened_at,
            content,
        )


def _results(only: Game | None) -> Iterable[News]:
    phases = Phase.objects.filter(status=Phase.Status.RESOLVED)
    if only is None:
        # Asked of each result, and not joined: an index gives the newest results of all games, and
        # the database looks no further.
        public = phases.filter(pk=OuterRef("phase"), game__public=True, game__practice=False)
        of_games = Resolution.objects.filter(Exists(public))
    else:
        of_games = Resolution.objects.filter(phase__in=phases.filter(game=only))
    rows = of_games.order_by("-resolved_at", "-pk")
    # The hash is looked up for those that are shown only.
    newest = list(rows.values_list("pk", flat=True)[:ENTRIES])
    shown = rows.filter(pk__in=newest).select_related("phase__game", "ruling")
    for resolution in shown.annotate(record_hash=_hash_at("phase__game", "resolved_at")):
        phase, game = resolution.phase, resolution.phase.game
        title = f"“{gamesmaster_text.one_line(game.title)}”: {resolution.title}"
        if resolution.version > 1:
            title += f", version {resolution.version}"
        link = links.link("phase", game.pk, phase.number)
        yield News(
            f"game-{game.pk}.phase-{phase.number}.v{resolution.version}",
            title,
            link,
            resolution.resolved_at,
            _result_html(game, resolution),
        )


def _hash_at(game: str, at: str) -> Subquery:
    """Return the record hash that covers what was made at an instant. It never changes."""
    by_then = RecordEntry.objects.filter(game=OuterRef(game), made_at__gte=OuterRef(at)).order_by(
        "number"
    )
    return Subquery(by_then.values("hash")[:1])


def _hash_line(game: Game, record_hash: str | None) -> SafeString:
    return (
        format_html("<p>Record hash of game {}: {}</p>", game.pk, record_hash)
        if record_hash
        else SafeString("")
    )


def _result_html(game: Game, result: Any) -> SafeString:
    """Return a result as HTML for everybody: winners, public scores, the report's sentences."""
    standing = game.rules.standing(permissions.view(game, result.after, None))
    parts = []
    if result.winners:
        won = "wins" if len(result.winners) == 1 else "share the win"
        parts.append(
            format_html(
                "<p><strong>{} {}.</strong> {}</p>",
                all_of(result.winners),
                won,
                gamesmaster_text.one_line(result.closing),
            )
        )
    if game.sales_made_up:
        parts.append(format_html("<p>{}</p>", "A demonstration: the sales are made up."))
    if standing.scores:
        parts.append(format_html("<p>{}</p>", wording.scores_line(standing.scores)))
    sentences = [
        gamesmaster_text.one_line(event["message"])
        for event in result.events
        if event.get("message")
    ]
    parts.append(
        format_html(
            "<ul>{}</ul>",
            format_html_join(
                "", "<li>{}</li>", ((sentence,) for sentence in sentences[:SENTENCES])
            ),
        )
    )
    parts.append(_hash_line(game, result.record_hash))
    return SafeString("".join(parts))


def _rulings(only: Game | None) -> Iterable[News]:
    if only is None:
        rulings = Ruling.objects.filter(Exists(_public_games().filter(pk=OuterRef("game"))))
    else:
        rulings = Ruling.objects.filter(game=only)
    rows = rulings.order_by("-pk")
    newest = list(rows.values_list("pk", flat=True)[:ENTRIES])
    shown = rows.filter(pk__in=newest).select_related("game", "phase")
    for ruling in shown.annotate(record_hash=_hash_at("game", "made_at")):
        game = ruling.game
        news_text = channel_events.ruling_text(game, ruling)
        told = format_html_join("", "<p>{}</p>", ((line,) for line in news_text.sentences))
        yield News(
            f"game-{game.pk}.ruling-{ruling.number}",
            news_text.title,
            news_text.link,
            ruling.made_at,
            told + _hash_line(game, ruling.record_hash),
        )
