"""The page and feed of record hashes by day (games.records.anchors), of public games."""

from __future__ import annotations

from datetime import UTC, date

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from games.records import anchors
from games.web.public import feeds
from gamesmaster import clock, links

#: Days in the feed.
DAYS = 7


@require_safe
def page(request: HttpRequest, day: date | None = None) -> HttpResponse:
    """One day; without a date, today."""
    today = clock.now().astimezone(UTC).date()
    shown = day or today
    if shown > today:
        raise Http404(f"{shown} has not begun yet.")
    context = {
        "day": anchors.of_day(shown),
        "is_today": shown == today,
        "previous": anchors.before(shown),
        "next": anchors.after(shown),
    }
    return render(request, "around/anchors.html", context)


@require_safe
def feed(request: HttpRequest) -> HttpResponse:
    """The newest days, each with its root and its lines."""
    made = feeds.feed(
        title="Gamesmaster: record hashes",
        link=links.link("anchors"),
        subtitle="The newest record hash of every public game by day (UTC), with the day’s root.",
        feed_url=links.link("anchors-feed"),
        name="anchors",
    )
    for day in anchors.newest(DAYS):
        told = format_html("<p>Root of {}: {}</p><pre>{}</pre>", day.day, day.root, day.lines)
        at = max(one.made for one in day.anchors)
        made.add_item(
            f"Record hashes of {day.day}",
            links.link("anchors-of-day", day.day),
            told,
            unique_id=feeds.tag(f"anchors.{day.day}"),
            updateddate=at,
            pubdate=at,
        )
    return feeds.respond(request, str(made.writeString("utf-8")))
