"""The page and the feed of public games' record hashes by day (games.records.anchors)."""

from __future__ import annotations

from datetime import UTC, date

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from games.base import clock, links
from games.records import anchors
from games.web.public import feeds

#: How many days the feed has.
DAYS = 7


@require_safe
def page(request: HttpRequest, day: date | None = None) -> HttpResponse:
    """Show one day; by default, today."""
    today = clock.now().astimezone(UTC).date()
    shown_day = day or today
    if shown_day > today:
        raise Http404(f"{shown_day} is in the future.")
    context = {
        "day": anchors.anchors_of_day(shown_day),
        "is_today": shown_day == today,
        "previous": anchors.previous_day(shown_day),
        "next": anchors.next_day(shown_day),
    }
    return render(request, "around/anchors.html", context)


@require_safe
def feed(request: HttpRequest) -> HttpResponse:
    """Serve a feed of the newest days, each with its root and its lines."""
    atom = feeds.feed(
        title="Gamesmaster: record hashes",
        link=links.link("anchors"),
        subtitle="The newest record hash of every public game by day (UTC), with the day’s root.",
        feed_url=links.link("anchors-feed"),
        name="anchors",
    )
    for day in anchors.newest_days(DAYS):
        content = format_html("<p>Root of {}: {}</p><pre>{}</pre>", day.day, day.root, day.lines)
        at = max(anchor.made for anchor in day.anchors)
        atom.add_item(
            f"Record hashes of {day.day}",
            links.link("anchors-of-day", day.day),
            content,
            unique_id=feeds.tag(f"anchors.{day.day}"),
            updateddate=at,
            pubdate=at,
        )
    return feeds.respond(request, str(atom.writeString("utf-8")))
