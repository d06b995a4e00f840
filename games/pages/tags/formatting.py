"""Format instants, nations and figures on the pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from games.models import Game
from games.pages.boards import slugs
from games.pages.headings import Heading
from games.rules import names as rule_names
from games.rules import wording
from games.rules.names import count_of
from games.timing import schedule
from games.timing.local_time import localize, zone_in_words

register = template.Library()

MINUTE, HOUR, DAY = 60, 3600, 86400
#: The most characters of a nation's name that are kept in one line: they fit a telephone.
ONE_LINE = 20
#: Shown instead of a deadline while the game is paused.
PAUSED = "once the game goes on"


def zone_name(moment: datetime) -> str:
    """Return the zone's abbreviation if it has one (“EST”), else its offset from UTC (“UTC+3”)."""
    name = moment.strftime("%Z")
    if name[:1] in "+-":
        hours, minutes = name[1:3].lstrip("0") or "0", name[3:5]
        return f"UTC{name[0]}{hours}" + (f":{minutes}" if minutes.strip("0") else "")
    return name


def in_full(moment: datetime) -> str:
    """Return “Friday 4 December 2026, 09:00 EST”, in the reader's zone."""
    local = timezone.localtime(moment)
    return f"{_day(local)}, {local:%H:%M} {zone_name(local)}"


def _day(local: datetime) -> str:
    return f"{local:%A} {local.day} {local:%B %Y}"


@register.filter
def moment(value: datetime | None) -> SafeString | str:
    """Return an instant in the reader's zone, named, and in ISO form for programs."""
    if value is None:
        return ""
    if value >= schedule.STANDS:
        return PAUSED
    return format_html('<time datetime="{}">{}</time>', value.isoformat(), in_full(value))


@register.filter
def exact_moment(value: datetime | None) -> SafeString | str:
    """Return `moment` with its seconds if there are any, for pages that prove what came first."""
    if value is None or value >= schedule.STANDS:
        return moment(value)
    local = timezone.localtime(value)
    return format_html(
        '<time datetime="{}">{}, {} {}</time>',
        value.isoformat(),
        _day(local),
        f"{local:%H:%M:%S}" if local.second else f"{local:%H:%M}",
        zone_name(local),
    )


@register.filter
def short_moment(value: datetime | None) -> SafeString | str:
    """Return “4 Dec 2026, 09:00 EST”, the short form for tables."""
    if value is None:
        return ""
    if value >= schedule.STANDS:
        return PAUSED
    return format_html('<time datetime="{}">{}</time>', value.isoformat(), short_words(value))


def short_words(value: datetime) -> str:
    """Return “4 Dec 2026, 09:00 EST” in the reader's zone, where no markup may stand."""
    local = timezone.localtime(value)
    return f"{local.day} {local:%b %Y}, {local:%H:%M} {zone_name(local)}"


@register.filter
def zone_of(person: object) -> str:
    """Return the zone of a reader's times: “New York time”, or “UTC” if they have no account."""
    return zone_in_words(getattr(person, "zone", "") or "UTC")


@register.filter
def localized(text: str) -> str:
    """Return text of the record with its instants in the reader's zone."""
    return localize(text, str(timezone.get_current_timezone()))


@register.filter
def session(label: str, exact: bool = False) -> SafeString | str:
    """Return a trading session: a day, or an instant of the DEMO exchange, with seconds if
    `exact`."""
    try:
        if "T" in label:
            return (exact_moment if exact else moment)(datetime.fromisoformat(label))
        day = date.fromisoformat(label)
    except ValueError:
        return label
    return format_html('<time datetime="{}">{}</time>', label, f"{day:%A} {day.day} {day:%B %Y}")


@register.filter
def span_in_words(span: timedelta) -> str:
    """Return “3 days”, “2 hours” or “5 minutes”: rounded, in the largest unit that gives 2."""
    seconds = span.total_seconds()
    if seconds < MINUTE:
        return "less than a minute"
    unit, size = next(
        (name, size)
        for name, size in (("day", DAY), ("hour", HOUR), ("minute", MINUTE))
        if size == MINUTE or seconds + 10 * MINUTE >= 2 * size  # no “119 minutes”
    )
    number = round(seconds / size)
    return count_of(number, unit)


@register.filter
def from_now(value: datetime | None, now: datetime) -> str:
    """Return “in 3 days” or “3 days ago” with no-break spaces; `now` is when the page was made."""
    if value is None:
        return ""
    if value >= schedule.STANDS:
        return "when the game goes on"
    span = span_in_words(abs(value - now))
    return (f"in {span}" if value >= now else f"{span} ago").replace(" ", "\N{NO-BREAK SPACE}")


@register.filter
def days_ago(day: date, now: datetime) -> str:
    """Return how long ago a day in UTC was: “today”, “yesterday”, “3 days ago”."""
    days = (now.date() - day).days
    return "today" if days < 1 else "yesterday" if days == 1 else f"{days} days ago"


@register.filter
def countdown(value: datetime | None, now: datetime) -> SafeString | str:
    """Return `from_now` in an element that a script counts down by the server's clock."""
    if value is None:
        return ""
    if value >= schedule.STANDS:
        return mark_safe("<span>in the time that was left</span>")
    return format_html(
        '<time class="countdown" datetime="{}" data-now="{}">{}</time>',
        value.isoformat(),
        now.isoformat(),
        from_now(value, now),
    )


@register.filter
def capfirst_time(element: SafeString) -> SafeString:
    """Capitalize the “in” of a `countdown`, for the start of a sentence."""
    return mark_safe(str(element).replace(">in", ">In", 1))  # made by `countdown`, which escapes


@register.filter
def nation(name: str, nations: Mapping[str, Heading]) -> SafeString | str:
    """Return a nation's name and its letters on its color: never the color alone."""
    heading = nations.get(name)
    if heading is None:
        return name
    return format_html(
        '<span class="nation{}"><span class="letters {}" aria-hidden="true">{}</span> {}</span>',
        " long" if len(name) > ONE_LINE else "",
        heading.css,
        heading.short,
        name,
    )


@register.simple_tag
def face(nation: str, nations: Mapping[str, Heading], name: str) -> SafeString:
    """Return a person's initial on their nation's color, beside which their name stands."""
    heading = nations.get(nation)
    return format_html(
        '<span class="face {}" aria-hidden="true">{}</span>',
        heading.css if heading else "",
        name.strip()[:1].upper() or "?",
    )


@register.filter
def all_of(names: Iterable[object]) -> str:
    """Return names as part of a sentence: “France, Britain and USA”."""
    return rule_names.all_of([str(name) for name in names])


@register.simple_tag
def nation_url(game: Game, name: str) -> str:
    """Return the address of a nation's page in a game."""
    return reverse("nation", args=[game.pk, slugs(tuple(game.card["order"]))[name]])


@register.filter
def figure(number: float | str) -> str:
    """Return a score with a minus sign, not a hyphen; text as it is."""
    return wording.figure(number)


@register.filter
def signed_decimal(number: float | None) -> str:
    """Return “+2.4”, “−19.6” or “0.0”."""
    if number is None:
        return ""
    return wording.figure(f"{number:+.1f}") if round(number, 1) else "0.0"


@register.filter
def hundreds(volume: int | None) -> str:
    """Return shares sold in hundreds, as newspapers print them: “54,123”."""
    return "" if volume is None else f"{volume // 100:,}"


@register.filter
def thousands(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
