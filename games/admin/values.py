"""Values of the record as people read them, in lists and on the pages of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.db import models
from django.utils import formats, timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from games.models import Act, Figure, Letter, Phase, Ruling
from games.outbox.messages import KINDS
from games.rules.registry import ruleset
from games.rules.ruling_kinds import TITLES
from games.timing import schedule
from games.timing.local_time import localize

#: A longer value is collapsed: a scenario alone has some 200 entries.
ENTRIES_SHOWN = 30
NOTHING = "–"
#: Sentences that the service writes into the record, with instants in UTC.
SENTENCES = {(Figure, "reason"), (Act, "words")}


def is_code(field: models.Field[Any, Any]) -> bool:
    """Return whether a field has the code of a kind or of a game's rules, for which the model has
    no words."""
    return field.name in ("kind", "ruleset_id") and not field.choices


def code_in_words(field: models.Field[Any, Any], code: str) -> str:
    """Return a code of the record as people read it: “at-once” is “At once”."""
    if not code:
        return NOTHING
    if field.name == "ruleset_id":
        return ruleset(code).title
    if field.model is Ruling:
        return TITLES[code]
    if field.model is Letter and code in KINDS:
        return capfirst(KINDS[code].name)
    return code.replace("-", " ").replace("_", " ").capitalize()


def format_text(value: str) -> SafeString | str:
    """Return a text unchanged, line by line, escaped."""
    return format_html("<pre>{}</pre>", value) if value else NOTHING


def format_nested(value: Any) -> SafeString | str:
    """Return lists and keys with values as lists of a page, collapsed if they are long.

    They are escaped, because they may contain players' own words.
    """
    entries = _count(value)
    if entries <= ENTRIES_SHOWN:
        return _nested(value)
    return format_html(
        "<details><summary>{} entries</summary>{}</details>", entries, _nested(value)
    )


def format_list(values: Any) -> str:
    """Return what is in a flat list, for a column."""
    return ", ".join(map(_plain, values or ())) or NOTHING


def _nested(value: Any) -> SafeString | str:
    match value:
        case Mapping() if value:
            lines = [
                (capfirst(key.replace("_", " ")), _nested(value[key])) for key in sorted(value)
            ]
            return format_html("<ul>{}</ul>", format_html_join("", "<li>{}: {}</li>", lines))
        case list() if any(isinstance(one, list | Mapping) for one in value):
            inner = [(_nested(one),) for one in value]
            return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", inner))
        case list():
            return format_list(value)
    return _plain(value)


def _count(value: Any) -> int:
    """Return how many lines `_nested` makes of a value."""
    if isinstance(value, Mapping):
        return sum(map(_count, value.values()))
    if isinstance(value, list) and any(isinstance(one, list | Mapping) for one in value):
        return sum(map(_count, value))
    return 1


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return NOTHING if value in (None, "", [], {}) else str(value)


def moment(value: datetime | None) -> str:
    """Return an instant; a deadline that nobody set stands beyond all calendars."""
    if value is None or value >= schedule.STANDS:
        return NOTHING
    return formats.localize(timezone.localtime(value))


def _session(label: str) -> str:
    """Return a trading session: a day, or an instant of the DEMO exchange."""
    if not label:
        return NOTHING
    began = datetime.fromisoformat(label)
    return moment(began) if "T" in label else formats.date_format(began)


def _sentence(text: str) -> str:
    return localize(text, str(timezone.get_current_timezone())) or NOTHING


def words_of(field: models.Field[Any, Any]) -> Callable[[Any], SafeString | str] | None:
    """Return how a value of a field is shown to people; None: as Django does."""
    if is_code(field):
        return lambda code: code_in_words(field, code)
    if (field.model, field.name) in SENTENCES:
        return _sentence
    if field.name == "session" and isinstance(field, models.CharField):
        return _session
    match field:
        case models.BooleanField():
            return _plain
        case models.DateTimeField() if field.model is Phase:
            return moment
        case models.BigIntegerField():
            return lambda number: NOTHING if number is None else f"{number:,}"
        case models.JSONField():
            return format_nested
        case models.TextField():
            return format_text
    return None
