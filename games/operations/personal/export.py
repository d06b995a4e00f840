"""Export all data about a person for themselves: a ZIP with a page to read, the same as JSON, and
their mail as received.

Each part lists the fields it exports, so that a new column is exported only after a person has
decided so: a game's secret, a letter's forecast or another person's key must not leak. A test
demands that every relation to a person is exported or named in `LEFT_OUT`.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.apps import apps
from django.db.models import Model, Q, QuerySet
from django.template.loader import render_to_string

from games import permissions
from games.models import Game, Person, Phase, Press, Seat
from games.models.people import tidy_address
from games.seats import track_record
from orders.models import Handling, Mail

Row = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """One kind of rows: title, model, its relations to the person, and the exported fields."""

    title: str
    model: str
    whose: tuple[str, ...]
    fields: tuple[str, ...]

    def rows(self, person: Person) -> QuerySet[Any]:
        rule = Q(pk__in=[])
        for name in self.whose:
            rule |= Q(**{name: person.pk})
        if self.model == "games.Letter":
            rule |= Q(address__in=addresses_of(person))
        if self.model == "games.Invitation":
            rule |= Q(email__in=addresses_of(person))
        if self.model == "orders.Handling":
            rule |= Q(sender__in=addresses_of(person))
        queryset: QuerySet[Any] = (
            apps.get_model(self.model)._default_manager.filter(rule).order_by("pk").distinct()
        )
        return queryset


PARTS = (
    Part(
        "You",
        "games.Person",
        ("pk",),
        (
            "email",
            "name",
            "zone",
            "telephone",
            "postal_address",
            "by_post",
            "receipts",
            "lock_letters",
            "reminders",
            "plain_text",
            "thread_by_phase",
            "record_shown",
            "guest",
            "is_active",
            "is_staff",
            "is_superuser",
            "joined_at",
            "last_login",
        ),
    ),
    Part(
        "Your other addresses",
        "games.Address",
        ("person",),
        ("email", "added_at", "confirmed_at", "removed_at"),
    ),
    Part(
        "Logins asked for",
        "games.LoginKey",
        ("person",),
        ("asked_at", "expires_at", "used_at", "wrong_codes", "next_page"),
    ),
    Part("Your second factor", "games.SecondFactor", ("person",), ("begun_at", "confirmed_at")),
    Part("Your calendars", "games.Feed", ("person",), ("made_at", "ended_at")),
    Part(
        "Your access tokens",
        "games.AccessToken",
        ("person",),
        ("label", "sends_orders", "made_at", "last_used_at", "revoked_at"),
    ),
    Part(
        "Seats",
        "games.Sitting",
        ("person",),
        ("seat", "since", "until", "ended_because", "spokesman", "telephone"),
    ),
    Part(
        "Invitations to you, and from you",
        "games.Invitation",
        ("accepted_by", "invited_by"),
        ("seat", "email", "invited_at", "accepted_at", "withdrawn_at"),
    ),
    Part(
        "Printed codes",
        "games.PrintedCode",
        ("person", "made_by"),
        ("game", "made_at", "last_used_at", "revoked_at"),
    ),
    Part(
        "Absences",
        "games.Absence",
        ("person", "entered_by"),
        ("game", "first", "last", "entered_at", "withdrawn_at"),
    ),
    Part(
        "Standing by",
        "games.Standby",
        ("person",),
        ("game", "ruleset_id", "note", "since", "until"),
    ),
    Part("Reply addresses", "games.ReplyAddress", ("person",), ("game", "made_at", "ended_at")),
    Part("People whom you blocked", "games.Block", ("person",), ("press", "since")),
    Part(
        "Letters that you reported, or decided about",
        "games.Complaint",
        ("person", "closed_by"),
        ("press", "made_at", "closed_at"),
    ),
    Part(
        "Notes about people that you wrote",
        "games.PersonNote",
        ("writer",),
        ("text", "by_operator", "saved_at"),
    ),
    Part(
        "People whom you barred",
        "games.Barring",
        ("made_by",),
        ("reason", "since", "until"),
    ),
    Part(
        "Announcements that you made",
        "games.Announcement",
        ("made_by",),
        ("text", "since", "until"),
    ),
    Part("Letters not wanted", "games.Mute", ("person",), ("game", "since", "until")),
    Part(
        "Orders",
        "orders.Submission",
        ("person", "entered_by"),
        (
            "seat",
            "number",
            "phase",
            "received_at",
            "channel",
            "text",
            "remarks",
            "final",
            "late",
            "counts",
            "proposal",
            "posted_on",
            "hash",
        ),
    ),
    Part("Notebooks", "games.Notebook", ("person",), ("game", "text", "opens", "saved_at")),
    Part("Orders not sent", "orders.Draft", ("person",), ("seat", "phase", "text", "kept_at")),
    Part(
        "Orders for later phases",
        "orders.OrdersAhead",
        ("person",),
        ("seat", "turn", "kind", "text", "kept_at"),
    ),
    Part(
        "Letters to other nations",
        "games.Press",
        ("person",),
        (
            "game",
            "number",
            "seat",
            "to",
            "to_all",
            "to_gamesmaster",
            "signed",
            "text",
            "channel",
            "sent_at",
        ),
    ),
    Part(
        "Letters to you",
        "games.Letter",
        ("person",),
        ("kind", "game", "address", "status", "written_at", "sent_at", "subject", "text"),
    ),
    Part(
        "Mail from you, and mail about which you decided",
        "orders.Handling",
        ("person", "decided_by"),
        ("mail", "status", "kind", "game", "sender", "handled_at"),
    ),
    Part("Files with reports", "games.ReportFile", ("person",), ("phase", "name", "added_at")),
    Part("Calls", "games.Call", ("person", "made_by"), ("seat", "outcome", "note", "made_at")),
    Part(
        "Scenarios",
        "games.Scenario",
        ("owner",),
        ("title", "name", "ruleset_id", "card", "shared", "made_at", "changed_at", "removed_at"),
    ),
    Part(
        "Games that you run",
        "games.Game",
        ("gamesmasters",),
        ("title", "ruleset_id", "status", "opened_at", "started_at", "finished_at"),
    ),
    Part(
        "Games that you opened, others' since then too",
        "games.Game",
        ("opened_by",),
        ("ruleset_id", "opened_at"),
    ),
    Part("Rulings", "games.Ruling", ("made_by",), ("game", "number", "words", "reason", "made_at")),
    Part(
        "What you did at a desk",
        "games.Act",
        ("done_by",),
        ("game", "kind", "words", "reason", "done_at"),
    ),
    Part(
        "Deadlines that you moved",
        "games.DeadlineChange",
        ("changed_by",),
        ("phase", "old", "new", "reason", "changed_at"),
    ),
    Part(
        "Sessions that you changed",
        "games.SessionChange",
        ("changed_by",),
        ("phase", "old", "new", "reason", "changed_at"),
    ),
    Part(
        "Days without trading",
        "games.MarketClosure",
        ("entered_by", "removed_by"),
        ("exchange", "day", "reason", "entered_at", "removed_at", "removed_because"),
    ),
    Part(
        "Figures that you typed in",
        "games.Reading",
        ("entered_by",),
        ("game", "session", "symbol", "volume", "read_at", "detail"),
    ),
    Part(
        "Webhooks that you added",
        "games.Channel",
        ("added_by", "person"),
        ("game", "kind", "label", "added_at", "removed_at"),
    ),
    Part(
        "Copies of the service that you let go on",
        "games.Restoration",
        ("released_by",),
        ("taken_at", "restored_at", "released_at"),
    ),
    Part(
        "Deals that you proposed",
        "games.Proposal",
        ("person",),
        ("seat", "to", "number", "phase", "text", "channel", "made_at"),
    ),
    Part(
        "Deals that you answered",
        "games.ProposalAnswer",
        ("person",),
        ("proposal", "kind", "channel", "made_at"),
    ),
    Part("Erasures", "games.Erasure", ("person", "asked_by"), ("erased_at", "press", "rows")),
    Part(
        "What you changed in the admin",
        "admin.LogEntry",
        ("user",),
        ("action_time", "object_repr", "change_message"),
    ),
)
#: Relations to a person that another part exports, or that say nothing about them.
LEFT_OUT = {
    "games.Person_groups": "rights; said with the person",
    "games.Person_user_permissions": "rights; said with the person",
    "games.Game_gamesmasters": "told with the games",
    "games.Seat": "told with the sittings",
    "games.PersonNote": "notes of others; told by the operator who is asked",
    "games.Block": "who is blocked is not told; one's own are",
}


def addresses_of(person: Person) -> list[str]:
    """Return all current and former addresses of a person; further ones only if confirmed."""
    further = person.addresses.filter(confirmed_at__isnull=False).values_list("email", flat=True)
    return [tidy_address(person.email), *further]


def all_data(person: Person, now: datetime) -> Row:
    """Return the whole export as plain values, for the JSON file and the page."""
    parts = []
    for part in PARTS:
        rows = [_row_facts(row, part.fields, person) for row in part.rows(person)]
        if rows:
            parts.append({"title": part.title, "rows": rows})
    parts.append({"title": "How you play", "rows": [_track_record(person, now)]})
    return {"about": person.email, "made": now.isoformat(), "parts": parts}


def _track_record(person: Person, now: datetime) -> Row:
    """Return the contents of the page with the person's track record."""
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
                archive.writestr(f"mail/{mail.pk}.eml", bytes(mail.raw))
    return buffer.getvalue()


def mail_of(person: Person) -> Iterable[Mail]:
    """Return the messages that the person has written to the service, as received.

    Excludes messages of others that they decided about, and unconfirmed ones, which another person
    may have written under their name.
    """
    unproven = Handling.Status.HELD, Handling.Status.UNCONFIRMED, Handling.Status.REFUSED
    written_by_person = Q(handling__person=person) | Q(handling__sender__in=addresses_of(person))
    return (
        Mail.objects.filter(written_by_person)
        .exclude(Q(handling__status__in=unproven) & ~Q(handling__kind=Handling.CHOICE))
        .order_by("pk")
        .distinct()
    )


def _row_facts(row: Model, fields: Sequence[str], person: Person) -> Row:
    facts: Row = {}
    for name in fields:
        value = getattr(row, name)
        facts[name] = _json_value(value, person)
    if isinstance(row, Press) and row.seat is None:
        facts["seat"] = "the gamesmaster"
    return facts


def _json_value(value: Any, person: Person) -> Any:
    """Return a value for JSON. Other people are not named; rows are described, not shown."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Person):
        return "you" if value.pk == person.pk else "another person"
    if isinstance(value, Seat):
        return f"{value.nation} in {_json_value(value.game, person)}"
    # Of a game that they may no longer see they have letters, and its number.
    if isinstance(value, Game):
        return (
            f"game {value.pk}, “{value.title}”"
            if permissions.sees_game(person, value)
            else f"game {value.pk}"
        )
    if isinstance(value, Phase):
        return f"phase {value.number} of game {value.game_id}"
    return value.pk if isinstance(value, Model) else value
