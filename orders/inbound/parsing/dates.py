"""Parse the days of ABSENT as people write dates. Ambiguous dates are rejected."""

from __future__ import annotations

import re
from datetime import date

FORM = "write it as in “ABSENT 2026-12-24 to 2027-01-03”"
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero gennaio januari",
            "february feb februar février fevrier febrero febbraio februari",
            "march mar märz maerz mrz mars marzo maart",
            "april apr avril abril aprile",
            "may mai mayo maggio mei maj",
            "june jun juni juin junio giugno",
            "july jul juli juillet julio luglio",
            "august aug août aout agosto augustus augusti",
            "september sep sept septembre septiembre settembre",
            "october oct oktober okt octobre octubre ottobre",
            "november nov novembre noviembre",
            "december dec dezember dez décembre decembre diciembre dicembre desember",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_NTH = r"(?:st|nd|rd|th|\.)?"
_DATE = re.compile(
    rf"(?<![\w.])(?:(?P<y1>\d{{4}})[-/.](?P<m1>\d{{1,2}})[-/.](?P<d1>\d{{1,2}})"
    rf"|(?P<d2>\d{{1,2}}){_NTH}\s*(?:of\s+)?(?P<m2>{_MONTH})\b\.?,?(?:\s*(?P<y2>\d{{4}}))?"
    rf"|(?P<m3>{_MONTH})\b\.?\s*(?P<d3>\d{{1,2}}){_NTH}(?![\d.])(?:,?\s*(?P<y3>\d{{4}}))?"
    r"|(?P<d4>\d{1,2})\.\s?(?P<m4>\d{1,2})(?:\.\s?(?P<y4>\d{4}|\d{2}(?!\d))?)?"
    r"|(?P<a5>\d{1,2})[/-](?P<b5>\d{1,2})[/-](?P<y5>\d{4}|\d{2}(?!\d))|(?P<a6>\d{1,2})/(?P<b6>\d{1,2}))(?![\w/])",
    re.IGNORECASE,
)
_DAY_ONLY = re.compile(
    r"(?<![\w./-])(\d{1,2})(?:st|nd|rd|th|\.)?\s*(?:-|to|until|till|through|bis|/)\s*$",
    re.IGNORECASE,
)
_MONTH_ONLY = re.compile(
    rf"\s*(?:-|to|until|till|through|bis)\s*(\d{{1,2}}){_NTH}(?:,?\s*(\d{{4}}))?\s*$", re.IGNORECASE
)
_BETWEEN = re.compile(
    r"\b(?:absent|from|on|to|until|till|through|thru|up|and|including|incl|inclusive|both|days?|the|bis|von|vom|zum|mon|tue|wed|thu|fri|sat|sun"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|[-.,;:()!]|->",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"absent\W*(?:up\s+)?(?:to|until|till|through|bis)\b", re.IGNORECASE)

_NOT_ABSENT = re.compile(r"not\s+absent\W*$", re.IGNORECASE)


class UnclearDates(Exception):
    """A line names no usable days. `str()` is half a sentence: why, and what to write."""


def begins(text: str) -> bool:
    """Return whether a line begins with ABSENT as a command, or is NOT ABSENT."""
    is_absent = re.match(r"absent\b(?!\s+(?:friends?|minded))", text, re.IGNORECASE)
    return bool(is_absent or _NOT_ABSENT.match(text))


def days(text: str, today: date | None) -> tuple[date, date] | None:
    """Return the first and last day of “ABSENT ...”, both included; None for NOT ABSENT.

    Dates without a year mean the next such days. Raise `UnclearDates`.
    """
    if _NOT_ABSENT.match(text):
        return None
    text = text[:300]
    matches = list(_DATE.finditer(text))
    if not matches:
        raise UnclearDates(f"it names no days; {FORM}")
    if len(matches) > 2:
        raise UnclearDates(f"it names more than two days; {FORM}")
    parts = [_parts(match) for match in matches]
    before, between, after = (
        text[: matches[0].start()],
        text[matches[0].end() : matches[-1].start()],
        text[matches[-1].end() :],
    )
    if len(matches) == 1:
        if day := _DAY_ONLY.search(before):  # 24-28 December
            parts.insert(0, (parts[0][0], parts[0][1], int(day[1])))
            before = before[: day.start()]
        elif day := _MONTH_ONLY.match(after):  # December 24-28
            year = int(day[2]) if day[2] else parts[0][0]
            parts = [(year, parts[0][1], parts[0][2]), (year, parts[0][1], int(day[1]))]
            after = ""
        between = ""
    if unread_words := _BETWEEN.sub(" ", f"{before} {between} {after}").split():
        raise UnclearDates(f"“{' '.join(unread_words)[:60]}” is no day; {FORM}")
    if len(parts) == 1 and _UNTIL.match(text):
        if today is None:
            raise UnclearDates(f"the first day is missing; {FORM}")
        last = _only(parts[0], today)
        return (today, last) if today <= last else (last, last)
    first, last = _pair(parts[0], parts[-1], today)
    if last < first:
        raise UnclearDates(
            f"the last day, {last.isoformat()}, is before the first, {first.isoformat()}; {FORM}"
        )
    return first, last


def _parts(match: re.Match[str]) -> tuple[int | None, int, int]:
    """Return year (None if missing), month and day.

    Raise `UnclearDates` for 3/4, which Americans and Europeans read as different days.
    """
    groups = match.groupdict()
    for n in "1234":
        if groups.get(f"d{n}"):
            month = groups[f"m{n}"]
            return (
                _year(groups[f"y{n}"]),
                int(month) if month.isdecimal() else _MONTHS[month.casefold()],
                int(groups[f"d{n}"]),
            )
    left, right = (
        (int(groups["a5"]), int(groups["b5"]))
        if groups["a5"]
        else (int(groups["a6"]), int(groups["b6"]))
    )
    if left <= 12 and right <= 12 and left != right:
        raise UnclearDates(f"“{match[0]}” may be two different days; {FORM}")
    day, month_number = (left, right) if left > 12 else (right, left)
    return _year(groups["y5"]), month_number, day


def _year(text: str | None) -> int | None:
    return None if not text else int(text) if len(text) == 4 else 2000 + int(text)


def _day(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        raise UnclearDates(f"there is no day {day} in month {month} of {year}; {FORM}") from None


def _only(part: tuple[int | None, int, int], today: date) -> date:
    year, month, day = part
    if year is not None:
        return _day(year, month, day)
    candidate = _day(today.year, month, day) if (month, day) != (2, 29) else _leap(today.year)
    return candidate if candidate >= today else _day(today.year + 1, month, day)


def _leap(year: int) -> date:
    while True:
        try:
            return date(year, 2, 29)
        except ValueError:
            year += 1


def _pair(
    since: tuple[int | None, int, int], until: tuple[int | None, int, int], today: date | None
) -> tuple[date, date]:
    """Return both days with years: the last is the next such day, the first is before it."""
    if since[0] is None and until[0] is None and today is None:
        raise UnclearDates(f"the year is missing; {FORM}")
    if since[0] is not None:
        first = _day(*_full_date(since))
        year = until[0] if until[0] is not None else first.year + (until[1:] < since[1:])
        return first, _day(year, until[1], until[2])
    if until[0] is not None:
        last = _day(*_full_date(until))
    else:
        assert today is not None
        last = _only(until, today)
    return _day(last.year - (since[1:] > until[1:]), since[1], since[2]), last


def _full_date(part: tuple[int | None, int, int]) -> tuple[int, int, int]:
    assert part[0] is not None
    return part[0], part[1], part[2]
