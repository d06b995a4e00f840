"""An erased person is named nowhere (docs/operations.md, “People and their data”).

The first test writes a mark into every column of text, JSON or bytes in which data about a person
can be, erases the person, and finds the columns that still have it: exactly those that are listed
with a reason. A new column fails until it is erased, or listed.
"""

from __future__ import annotations

import email
import logging
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import connection, models, transaction
from pytest_django import Settings

from games.base import clock
from games.base.logs import Line
from games.models import Game, Letter, Person, PersonNote
from games.operations.personal import erasure
from games.operations.personal.data import DATA
from games.positions import game_row
from orders.models import Handling, Mail
from tests.inbound.writing import hand_in, send, written
from tests.support.at_once import side_by_side
from tests.support.browsing import Visitor, send_letters
from tests.support.campaign import Campaign, person
from tests.support.processes import eventually

from .conftest import Browser
from .test_injection import MADE_BY_US
from .test_personal import played

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
MARK = "qqx"
KNOWN = ["gustav@example.org", "gustav@work.example"]
#: Columns in which no words of people are, whatever people send. The rest of that list is made or
#: checked by the service, too, but has addresses or words of people in it.
OF_THE_SERVICE = MADE_BY_US - {
    "address",
    "email",
    "url",
    "subject",
    "html",
    "outcome",
    "in_reply_to",
}
RECORD = "the record of a game, from which its results follow"
DESK = "what a gamesmaster did for a game, with a number instead of their name"
OTHERS = "about another person, for whom or about whom they decided"
SERVICE = "the history of the service, written by an operator"
#: What stays in rows about an erased person, with its reason: the columns of each table.
KEPT = {
    "orders.Submission": ("text understood remarks doubt request_key", RECORD),
    "games.Proposal": ("text request_key", RECORD),
    "games.ProposalAnswer": ("reason", RECORD),
    "games.Press": ("to", "the nations that got a letter; its text is emptied"),
    "games.ReportFile": ("name media_type content", RECORD),
    "games.Reading": ("detail raw facts", RECORD),
    "games.DeadlineChange": ("reason", DESK),
    "games.SessionChange": ("reason", DESK),
    "games.Ruling": ("words reason", DESK),
    "games.Act": ("words reason about", DESK),
    "games.Channel": ("url label p256dh auth removed_because", "of a game, added by them"),
    "games.Invitation": ("email name", OTHERS),
    "games.Complaint": ("reason", OTHERS),
    "games.Call": ("note", OTHERS),
    "games.Barring": ("email reason", OTHERS),
    "orders.Handling": ("words sender outcome fault", OTHERS),
    "games.Announcement": ("text", SERVICE),
    "games.MarketClosure": ("reason removed_because", SERVICE),
    "admin.LogEntry": ("object_id object_repr change_message", SERVICE),
    "games.Erasure": ("rows", "numbers of rows"),
}


def columns_of(model: type[models.Model]) -> list[models.Field]:
    """Return the columns in which people's words, names or addresses could be."""
    kinds = models.CharField | models.TextField | models.JSONField | models.BinaryField
    return [
        field
        for field in model._meta.concrete_fields
        if isinstance(field, kinds) and not field.choices and field.name not in OF_THE_SERVICE
    ]


# --- a row for every relation to a person, with a mark in every column ---

#: What rows need besides, because a constraint of their table asks for it.
NEEDED: dict[tuple[str, str], dict[str, Any]] = {
    ("games.Reading", "entered_by"): {"kind": "no_sales"},
    ("games.Channel", "added_by"): {"game": Game.objects.first},
}
numbers = count(700_000)


def make_row(model: type[models.Model], relation: str, who: Person, now: datetime) -> Any:
    """Insert a row about a person, past all checks, with as little as the table demands."""
    values: dict[str, Any] = {}
    for field in model._meta.concrete_fields:
        target: Any = field.related_model
        if field.name == relation:
            values[field.name] = who
        elif field.primary_key or field.null or field.has_default():
            continue
        elif isinstance(field, models.OneToOneField):
            values[field.name] = make_row(target, "", who, now)
        elif isinstance(field, models.ForeignKey):
            values[field.name] = target._base_manager.exclude(pk=who.pk).order_by("pk").first()
        elif isinstance(field, models.DateTimeField):
            values[field.name] = now
        elif isinstance(field, models.DateField):
            values[field.name] = now.date() + timedelta(days=next(numbers) % 1000)
        elif isinstance(field, models.IntegerField):
            values[field.name] = next(numbers) % 30_000
        elif isinstance(field, models.CharField | models.TextField):
            values[field.name] = field.choices[-1][0] if field.choices else str(next(numbers))
        elif isinstance(field, models.BinaryField):
            values[field.name] = b"."
        elif isinstance(field, models.JSONField):
            values[field.name] = {}
        elif isinstance(field, models.BooleanField):
            values[field.name] = False
    for name, value in NEEDED.get((model._meta.label, relation), {}).items():
        values[name] = value() if callable(value) else value
    (row,) = model._base_manager.bulk_create([model(**values)])
    return row


def mark(row: models.Model) -> None:
    """Write the mark into all such columns of a row."""
    values: dict[str, Any] = {}
    for field in columns_of(type(row)):
        old = getattr(row, field.attname)
        if isinstance(old, str) and old.lower() in KNOWN:
            continue  # an address by which the row is found; it is searched for, too
        if isinstance(field, models.JSONField):
            values[field.name] = [MARK] if isinstance(old, list) else {MARK: MARK}
        elif isinstance(field, models.BinaryField):
            values[field.name] = MARK.encode()
        else:
            values[field.name] = f"{MARK}{row.pk}"[: field.max_length]
    models.QuerySet(type(row)).filter(pk=row.pk).update(**values)


def everything() -> Iterator[tuple[str, str, str]]:
    """Yield table, column and text of every value: mail decoded, sessions unpacked."""
    for model in apps.get_models(include_auto_created=True):
        for row in model._base_manager.all():
            for field in model._meta.concrete_fields:
                value = getattr(row, field.attname)
                if isinstance(value, bytes | memoryview):
                    parts = email.message_from_bytes(bytes(value)).walk()
                    value = [bytes(value), *(part.get_payload(decode=True) for part in parts)]
                yield model._meta.label, field.name, str(value)
            if isinstance(row, Session):
                yield model._meta.label, "session_data", str(row.get_decoded())


def found(*words: str) -> dict[str, set[str]]:
    """Return the columns that have one of these words, by table."""
    columns: dict[str, set[str]] = {}
    for table, column, text in everything():
        if any(word in text for word in words):
            columns.setdefault(table, set()).add(column)
    return columns


@pytest.mark.both_databases
def test_erasure_empties_every_column_about_a_person_or_says_why_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    campaign, gustav = played(monkeypatch), person("gustav")
    for data in DATA:
        if data.model in (Person, Game):  # a person is marked below; a game belongs to all
            continue
        rows = data.model._default_manager
        for part in data.parts:
            for relation in part.relations.split():
                if not rows.filter(**{relation: gustav}).exists():
                    make_row(data.model, relation, gustav, campaign.now)
            for row in rows.filter(part.condition(gustav.pk, KNOWN)):
                mark(row)
    for mail in Mail.objects.filter(handling__person=gustav):
        mark(mail)
    Person.objects.filter(pk=gustav.pk).update(
        **{
            column.name: MARK
            for column in columns_of(Person)
            if column.name not in ("email", "name", "zone", "password")
        }
    )
    assert set(found(MARK)) >= {*KEPT, "games.Person", "games.Letter", "orders.Mail"}
    erasure.erase(gustav, campaign.now, by=None, press=True)
    assert found(MARK) == {table: set(columns.split()) for table, (columns, _) in KEPT.items()}
    assert found(*KNOWN) == {}


def are_waiting(transactions: int) -> bool:
    """Return whether so many transactions wait for rows; on SQLite they cannot begin."""
    if connection.vendor == "sqlite":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0] == transactions)


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_erasures_wait_for_their_game_before_they_look_or_lock() -> None:
    """Of two gamesmasters who erase themselves at once, one stays; and while they wait for their
    game, the one who has locked it can write letters to them."""
    campaign, gwen = Campaign.begin(), person("gwen")
    campaign.game.gamesmasters.add(gwen)
    locked = threading.Event()

    def write() -> None:
        with transaction.atomic():
            game_row.take_row(campaign.game)
            locked.set()
            eventually("both erasures", lambda: are_waiting(2))
            Letter.objects.create(key="x", kind="word", person=gwen, address=gwen.email)

    def erase(who: Person) -> None:
        assert locked.wait(60)
        erasure.erase(who, campaign.now, by=who, press=False)

    faults = side_by_side(write, lambda: erase(gwen), lambda: erase(campaign.ada))
    assert [type(fault) for fault in faults] == [erasure.ErasureError]
    assert "alone" in str(faults[0])
    assert campaign.game.gamesmasters.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_erasure_waits_for_mail_that_is_being_read_before_it_locks_a_game() -> None:
    """Mail locks its message before its game: PostgreSQL ended one of two that waited for each
    other."""
    campaign, gustav = Campaign.begin(), person("gustav")
    row = send(campaign, "Germany", "PLACE 9 Poland")
    Handling.objects.filter(pk=row.pk).update(status=Handling.Status.WAITING)
    locked = threading.Event()

    def read() -> None:
        with transaction.atomic():
            Handling.objects.filter(pk=row.pk).update(claim="x")
            locked.set()
            eventually("the erasure", lambda: are_waiting(1))
            game_row.take_row(campaign.game)

    def erase() -> None:
        assert locked.wait(60)
        erasure.erase(gustav, campaign.now, by=gustav, press=False)

    assert side_by_side(read, erase) == []
    assert not Mail.objects.exclude(raw=b"").exists()


# --- what names the person elsewhere ---


def forged(campaign: Campaign) -> Handling:
    return send(campaign, "Germany", "PLACE 9 Poland # secretly", sender="gustav@example.net")


def unsigned(campaign: Campaign) -> Handling:
    return send(campaign, "Germany", "PLACE 9 Poland # secretly")


def bounced(campaign: Campaign) -> Handling:
    """A bounce has no sender, and names the letter's recipient."""
    raw = written("mailer-daemon@mx.example", "orders@games.test", "<gustav@example.org>: no such")
    return hand_in(campaign, raw, "orders@games.test", sender="")


def quoted(campaign: Campaign) -> Handling:
    """Another player's orders, with a letter of Gustav below, in base64."""
    text = "PASS\n\nOn Monday Gustav <gustav@example.org> wrote:\n> secretly – yours"
    return send(campaign, "France", text)


def stranger(campaign: Campaign) -> Handling:
    """Under the same address, to nobody's reply address."""
    raw = written("Gustav <gustav@example.org>", "orders@games.test", "HELP me secretly")
    return hand_in(campaign, raw, "orders@games.test", sender="gustav@example.org")


@pytest.mark.both_databases
@pytest.mark.parametrize("trust", ["address", "dkim"])
@pytest.mark.parametrize("unproven", ["hold", "confirm"])
@pytest.mark.parametrize("arrives", [forged, unsigned, bounced, quoted, stranger])
def test_erasure_empties_mail_that_names_the_person_though_others_wrote_it(
    arrives: Callable[[Campaign], Handling], unproven: str, trust: str, settings: Settings
) -> None:
    """“The person's mail as it came”: proven or not, held, refused, bounced, quoted by others."""
    settings.MAIL_UNPROVEN, settings.MAIL_TRUST = unproven, trust
    campaign = Campaign.begin()
    handling = arrives(campaign)
    assert handling.mail.raw
    erasure.erase(person("gustav"), campaign.now, by=None, press=False)
    left = found("gustav@", "Gustav", "secretly")
    if arrives is quoted and handling.status in ("held", "unconfirmed"):
        assert left.pop("orders.Mail") == {"raw"}  # until a person decides whether it counts
    assert left.pop("orders.Submission", set()) <= {"text", "remarks"}
    assert left == {}
    waiting = Handling.objects.filter(person=person("gustav"), due_at__isnull=False)
    assert not waiting.exists()


@pytest.mark.both_databases
@pytest.mark.parametrize("name", ["Subject", "Germany", "added", "fritz@example.org", "1"])
def test_name_takes_nothing_from_others(name: str) -> None:
    """Anybody may take any name. Only letters, which are rendered again, are searched for it: not
    what others sent, nor what an answer that has not gone out is rendered from."""
    campaign, gustav = Campaign.begin(), person("gustav")
    Person.objects.filter(pk=gustav.pk).update(name=name, email="itz@example.org")
    gustav.refresh_from_db()
    raw = written("Fritz <fritz@example.org>", "orders@games.test", "Germany and I: HELP")
    handling = hand_in(campaign, raw, "orders@games.test", sender="fritz@example.org")
    orders = send(campaign, "Russia", "PLACE 3 Poland # Germany")
    entry = LogEntry.objects.create(
        user=campaign.ada, action_flag=1, object_repr="Germany", change_message='[{"added": {}}]'
    )
    before = {letter.pk: letter.about for letter in Letter.objects.exclude(person=gustav)}
    erasure.erase(gustav, campaign.now, by=None, press=False)
    assert {letter.pk: letter.about for letter in Letter.objects.filter(pk__in=before)} == before
    for mail in (handling.mail, orders.mail):
        assert bytes(Mail.objects.get(pk=mail.pk).raw) == bytes(mail.raw)
    assert LogEntry.objects.get(pk=entry.pk).change_message == entry.change_message
    send_letters(campaign.now)
    (answer,) = campaign.letters("answer", "rosa")
    assert answer.status == "sent"
    assert "PLACE 3 Poland" in answer.text


def test_nothing_that_a_person_chose_is_kept() -> None:
    """docs/operations.md, “People and their data”: also what is no text, and columns to come."""
    campaign, gustav = Campaign.begin(), person("gustav")
    flags = {
        field.attname: not getattr(gustav, field.attname)
        for field in Person._meta.concrete_fields
        if isinstance(field, models.BooleanField) and not field.name.startswith("is_")
    }
    Person.objects.filter(pk=gustav.pk).update(
        **{**flags, "guest": False}, reminders=24, seen_on=campaign.now.date()
    )
    erasure.erase(gustav, campaign.now, by=None, press=False)
    erased, nobody = Person.objects.get(pk=gustav.pk), Person()
    kept = ("id", "email", "name", "password", "joined_at", "is_active")
    for field in Person._meta.concrete_fields:
        if field.name not in kept:
            value, usual = (getattr(row, field.attname) for row in (erased, nobody))
            assert value == usual, field.name


@pytest.mark.both_databases
def test_longer_address_is_another_persons() -> None:
    campaign, gustav = Campaign.begin(), person("gustav")
    Person.objects.filter(pk=gustav.pk).update(email="itz@example.org")
    gustav.refresh_from_db()
    raw = written("fritz@example.org", "orders@games.test", "itz@example.org.uk and I: HELP")
    handling = hand_in(campaign, raw, "orders@games.test", sender="fritz@example.org")
    erasure.erase(gustav, campaign.now, by=None, press=False)
    assert Mail.objects.get(pk=handling.mail_id).raw


@pytest.mark.both_databases
def test_erasure_reaches_letters_sessions_files_and_the_admins_log(
    settings: Settings, tmp_path: Path, as_: Browser
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)
    settings.SESSION_ENGINE = "django.contrib.sessions.backends.db"
    campaign = Campaign.begin(anonymous=False)
    gustav, ada, now = person("gustav"), campaign.ada, campaign.now
    Letter.objects.filter(person=ada).update(
        html=f"<p>{gustav.name}</p>", about={"fault": "gustav@example.org is full"}
    )
    send_letters(now)
    note = PersonNote.objects.create(person=gustav, writer=ada, by_operator=True, text="Away.")
    for row, message in ((note, ""), (campaign.game, "gustav@example.org")):
        LogEntry.objects.create(
            user=ada,
            action_flag=2,
            content_type=ContentType.objects.get_for_model(row),
            object_id=str(row.pk),
            object_repr=str(row),
            change_message=message,
        )
    as_("gustav").get("/")
    rosa = as_("rosa")
    Visitor().post("/login/", {"email": "Gustav@example.org"})
    send_letters(clock.now())
    kept = len(list(tmp_path.iterdir()))
    assert set(found("gustav@", "Gustav")) >= {"sessions.Session", "games.Letter", "admin.LogEntry"}
    assert b"gustav@" in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    erasure.erase(gustav, now, by=None, press=False)
    assert found("gustav@", "Gustav") == {}
    files = [path.read_bytes() for path in tmp_path.iterdir()]
    assert 0 <= len(files) < kept
    assert b"gustav@" not in b"".join(files)
    assert rosa.get("/me/").status_code == 200, "another person is still logged in"


def test_log_lines_name_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """What a mail server answers has the address; the number of the letter finds it."""
    line = logging.LogRecord(
        "x", 30, "", 0, "letter 7 failed: 550 <gustav+war@mx.example.org>: %s", ("no such",), None
    )
    assert "letter 7 failed: 550 <…@mx.example.org>: no such" in Line().format(line)
    query = logging.LogRecord("x", 30, "", 0, "GET /admin/?q=gustav%40example.org", (), None)
    assert "/admin/?…%40example.org" in Line().format(query)
