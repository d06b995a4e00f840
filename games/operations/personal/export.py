"""Export all data about a person for themselves: a ZIP with a page to read, the same as JSON, and
their mail as received.

`games.operations.personal.data` declares what it contains.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from typing import Any

from django.core.management.base import CommandError
from django.db.models import Model, Q, QuerySet
from django.template.loader import render_to_string

from games import permissions
from games.models import Address, Game, Person, Phase, Press, Proposal, Seat
from games.models.people import tidy_address
from games.seats import track_record
from orders.models import Handling, Mail

from .data import DATA

Row = dict[str, Any]


def person_at(email: str) -> Person:
    """Return the person whom an operator names, by address or by number as in the log.

    Raise `CommandError`.
    """
    numbered = email.isascii() and email.isdigit() and len(email) < 19
    person = Person.objects.filter(
        **({"pk": int(email)} if numbered else {"email": tidy_address(email)})
    ).first()
    if person is None:
        raise CommandError(
            f"No account has the address “{email}”. Use the one with which the person logs in."
        )
    return person


def addresses_of(person: Person) -> list[str]:
    """Return all current and former addresses of a person; further ones only if confirmed.

    A former one that another person has now is that person's.
    """
    people, further = _others(person)
    own = person.addresses.filter(confirmed_at__isnull=False).exclude(
        Q(email__in=people.values("email")) | Q(email__in=further.values("email"))
    )
    return [tidy_address(person.email), *own.values_list("email", flat=True)]


def of_others(person: Person, emails: Collection[str]) -> set[str]:
    """Return the addresses among these that other people have now, as their main or a further
    one."""
    return {
        email
        for rows in _others(person)
        for email in rows.filter(email__in=emails).values_list("email", flat=True)
    }


def _others(person: Person) -> tuple[QuerySet[Person], QuerySet[Address]]:
    """Return the other people, and the further addresses that they have now."""
    further = Address.objects.filter(confirmed_at__isnull=False, removed_at=None)
    return Person.objects.exclude(pk=person.pk), further.exclude(person=person)


def all_data(person: Person, now: datetime) -> Row:
    """Return the whole export as plain values, for the JSON file and the page."""
    parts = []
    addresses = addresses_of(person)
    seen = set(permissions.visible_games(person).values_list("pk", flat=True))
    for kept in DATA:
        for part in kept.parts:
            about = kept.model._default_manager.filter(part.condition(person.pk, addresses))
            found = about.order_by("pk").distinct()
            names = part.fields.split()
            rows = [
                _row_facts(row, names, person, seen)
                for row in found.prefetch_related(*_described(kept.model, names))
            ]
            if rows:
                parts.append({"title": part.title, "rows": rows})
    parts.append({"title": "How you play", "rows": [_track_record(person, now)]})
    return {"about": person.email, "made": now.isoformat(), "parts": parts}


def _track_record(person: Person, now: datetime) -> Row:
    record = track_record.track_record_of(person, now)
    return {
        "since": (now - track_record.WINDOW).isoformat(),
        "phases_due": record.due,
        "phases_on_time": record.on_time,
        "seats_left": record.left,
        "seats_taken_over": record.taken_over,
        "finished_games": [
            {"nation": nation, "games": games, "won": won}
            for nation, (games, won) in record.games.items()
        ],
        "shown_to_everybody": person.record_shown,
    }


def make_zip(person: Person, now: datetime) -> bytes:
    """Return a ZIP: `about-you.html`, `about-you.json`, and messages still stored in `mail/`."""
    data = all_data(person, now)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "about-you.html",
            render_to_string("personal/about-you.html", {"told": data, "now": now}),
        )
        archive.writestr("about-you.json", json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        for mail in mail_of(person):
            if mail.raw:
                archive.writestr(f"mail/{mail.handling.code}.eml", bytes(mail.raw))
    return buffer.getvalue()


def mail_of(person: Person) -> Iterable[Mail]:
    """Return the messages that the person has written to the service, as received.

    Excludes messages of others that they decided about, and unconfirmed ones, which another person
    may have written under their name.
    """
    unproven = Handling.Status.HELD, Handling.Status.UNCONFIRMED, Handling.Status.REFUSED
    of_nobody = Q(handling__person=None, handling__sender__in=addresses_of(person))
    written_by_person = Q(handling__person=person) | of_nobody
    return (
        Mail.objects.filter(written_by_person)
        .exclude(Q(handling__status__in=unproven) & ~Q(handling__kind=Handling.CHOICE))
        .order_by("pk")
        .select_related("handling")
        .distinct()
    )


#: What the description of a row names besides the row itself.
NAMED: dict[Any, tuple[str, ...]] = {
    Seat: ("game",),
    Proposal: ("seat", "to"),
    Mail: ("handling",),
}


def _described(model: type[Model], names: Collection[str]) -> list[str]:
    """Return the relations that a row is described by, for a prefetch."""
    related = [
        (field.name, NAMED.get(field.related_model, ()))
        for field in model._meta.concrete_fields
        if field.is_relation and field.name in names
    ]
    return [
        path for name, further in related for path in (name, *(f"{name}__{of}" for of in further))
    ]


def _row_facts(row: Model, fields: Sequence[str], person: Person, seen: Collection[int]) -> Row:
    facts: Row = {}
    for name in fields:
        value = getattr(row, name)
        facts[name] = _json_value(value, person, seen)
    if isinstance(row, Press) and row.seat is None:
        facts["seat"] = "the gamesmaster"
    return facts


def _json_value(value: Any, person: Person, seen: Collection[int]) -> Any:
    """Return a value for JSON. Other people are not named; rows are described, not shown, and never
    by a number that counts what others do. `seen`: the games that the person may see."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Person):
        return "you" if value.pk == person.pk else "another person"
    if isinstance(value, Seat):
        return f"{value.nation} in {_json_value(value.game, person, seen)}"
    # Of a game that they may no longer see they have letters, and its number.
    if isinstance(value, Game):
        return f"game {value.pk}, “{value.title}”" if value.pk in seen else f"game {value.pk}"
    if isinstance(value, Phase):
        return f"phase {value.number} of game {value.game_id}"
    if isinstance(value, Press):
        return f"letter No. {value.code} of game {value.game_id}"
    if isinstance(value, Proposal):
        made = value.made_at.isoformat()
        return f"deal of {value.seat.nation} with {value.to.nation} in game {value.game_id}, {made}"
    return f"mail/{value.handling.code}.eml" if isinstance(value, Mail) else value
