"""Erase a person on request; the record of every game stays whole and verifiable.

Erased: name, addresses, telephone, tokens, drafts, orders ahead, sessions, the text of all letters
to them, and all mail that they wrote, that came under their address or that has it. Kept, because
other people's games depend on it: their number with their seats, orders as sent, rulings and acts.
Whole rows are declared (games.operations.personal.data); here is what takes more than that. Their
letters to other nations stay with the recipients unless the person asks to have those emptied too.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth import SESSION_KEY
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.html import escape

from games import desk
from games.models import Erasure, Game, Invitation, Letter, Person, Press, Sitting
from games.models.evidence import Evidence, empty
from orders.models import Handling, Mail

from . import export
from .data import DATA, UNANSWERED
from .declaration import STAND_IN

logger = logging.getLogger(__name__)

#: The name and the domain of erased people; the domain never exists (RFC 2606).
NAME = "A former player"
DOMAIN = "erased.invalid"
LEAVES = "The player has left the service."
WAITING = (Handling.Status.WAITING, Handling.Status.HELD, Handling.Status.UNCONFIRMED)


@dataclass(frozen=True)
class Traces:
    """What names a person in what others wrote or got: `addresses`, which are proven to be theirs.

    Anybody may take any name, and send from any address. So only others' letters, which a page
    renders again, are searched for name, telephone and `senders`, and only in the person's games.
    """

    addresses: list[str]
    senders: list[str]  # of mail to their reply addresses that no other person has
    words: list[str]
    games: list[int]

    @classmethod
    def of_person(cls, person: Person) -> Traces:
        involved = (
            Q(seats__sittings__person=person) | Q(gamesmasters=person) | Q(acts__done_by=person)
        )
        known = export.addresses_of(person)
        senders = set(person.mail.values_list("sender", flat=True)) - {*known, ""}
        senders -= export.of_others(person, senders)
        words = {person.name.strip(), person.telephone.strip()} - {""}
        games = Game.objects.filter(involved).values_list("pk", flat=True).distinct()
        return cls(known, sorted(senders), sorted(words), list(games))


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Return what finds words as whole words, in JSON also after an escaped character: who is
    called “e” names nobody else."""
    spellings = "|".join(map(re.escape, _spellings(words))) or r"(?!)"
    begin = r"(?:(?<![\w.+-])|(?<=\\u[\da-f]{4}))"
    return re.compile(rf"{begin}(?:{spellings})(?![\w-]|\.\w)", re.IGNORECASE)


def _spellings(words: Iterable[str]) -> list[str]:
    """Return words as in plain text, in HTML and in JSON."""
    return sorted({way for word in words for way in (word, escape(word), json.dumps(word)[1:-1])})


def _keys(rows: QuerySet[Any], words: Sequence[str], *columns: str) -> list[int]:
    """Return the keys of rows that have one of these words in one of these columns of text."""
    found, pattern = Q(pk__in=[]), _pattern(words)
    for column in columns:
        for spelling in _spellings(words):
            found |= Q(**{f"{column}__icontains": spelling})
    candidates = rows.filter(found).values_list("pk", *columns)
    return [pk for pk, *texts in candidates if pattern.search("\n".join(texts))]


class ErasureError(Exception):
    """Raised if a person cannot be erased yet. `str()` is a sentence with what to do first."""


def hindrance(person: Person) -> str:
    """Return why a person cannot be erased yet; empty if they can."""
    if person.is_superuser or person.is_staff:
        return "You are an administrator. Another administrator must remove that permission first."
    others = Person.objects.filter(games_run=OuterRef("pk"), is_active=True).exclude(pk=person.pk)
    run = person.games_run.filter(status__in=Game.Status.going_on(), practice=False)
    alone = [f"“{game.title}”" for game in run.exclude(Exists(others))]
    if alone:
        return (
            f"You run {', '.join(alone)} alone. Hand over or abandon each of these games at its"
            " desk, then come back."
        )
    return ""


def erase(person: Person, now: datetime, *, by: Person | None, press: bool) -> Erasure:
    """Erase a person, in one transaction. Raise `ErasureError`, with nothing changed.

    `by`: who asked for it (None: the operator). `press`: their letters to other nations too. Their
    seats become vacant, as if they had left each game.

    Mail that waits or is being read is locked first, the newest before what it may confirm, then
    the rows of their games (`game_row.take_row`); then the person's, but not their key: all that
    writes a letter to them needs that.
    """
    with transaction.atomic():
        mail = Handling.objects.filter(status__in=WAITING).order_by("-pk")
        list(mail.select_for_update(no_key=True).values_list("pk"))
        involved = Q(seats__sittings__person=person) | Q(gamesmasters=person)
        games = Game.objects.filter(pk__in=Game.objects.filter(involved).values("pk"))
        list(games.select_for_update(no_key=True).order_by("pk").values_list("pk"))
        person = Person.objects.select_for_update(no_key=True).get(pk=person.pk)
        if person.email.endswith(f"@{DOMAIN}"):
            raise ErasureError("This person has already been erased.")
        if obstacle := hindrance(person):
            raise ErasureError(obstacle)
        counts: Counter[str] = Counter()
        _leave(person, now)
        traces, stand_in = Traces.of_person(person), f"erased-{person.pk}@{DOMAIN}"
        _empty_mail(person, traces, stand_in, counts)
        _empty_letters(person, traces, stand_in, press, counts)
        _remove_letter_files(traces, counts)
        _empty_rows(person, traces, counts, now)
        _erase_declared(person, traces.addresses, stand_in, press, counts, now)
        _end_sessions(person, traces)
        _empty_person(person, stand_in)
        # The log outlives a restored backup: it shows who was erased since the backup and must be
        # erased again.
        logger.warning(
            "person %s has been erased%s",
            person.pk,
            ", letters to other nations too" if press else "",
        )
        return Erasure.objects.create(
            person=person,
            asked_by=by,
            erased_at=now,
            press=press,
            rows=dict(sorted(counts.items())),
        )


def _leave(person: Person, now: datetime) -> None:
    for sitting in (
        Sitting.objects.current()
        .filter(person=person)
        .select_related("seat__game")
        .order_by("seat__game", "pk")
    ):
        if (
            not sitting.seat.game.is_over
            and Sitting.objects.current().filter(pk=sitting.pk).exists()
        ):
            desk.vacate(sitting.seat, person, LEAVES, person, now)
    for game in person.games_run.filter(status__in=Game.Status.going_on(), practice=False):
        desk.remove_gamesmaster(game, person, person, now)
    person.games_run.remove(*person.games_run.filter(status__in=Game.Status.going_on()))


def _empty_mail(person: Person, traces: Traces, stand_in: str, counts: Counter[str]) -> None:
    """Empty the mail that came from the person or under their address, proven or not, and other
    mail with their address, unless it still waits to be read."""
    known, pattern = traces.addresses, _pattern(traces.addresses)
    own_rows = Handling.objects.filter(
        Q(person=person) | Q(sender__in=known) | Q(mail__envelope_from__in=known)
    )
    mail = set(own_rows.values_list("mail", flat=True))
    near = Q(handling__game__in=traces.games) | Q(handling__game=None)
    others = Mail.objects.filter(~UNANSWERED, near, handling__due_at=None).exclude(raw=b"")
    rest = others.exclude(pk__in=mail).values_list("pk", "raw")
    mail.update(pk for pk, raw in rest.iterator() if pattern.search(_words_of(bytes(raw))))
    counts["mail"] += empty(Mail, mail, raw=b"", message_id="", envelope_from="", envelope_to=[])
    own_rows.filter(status__in=WAITING).update(
        status=Handling.Status.REFUSED, due_at=None, claim="", claimed_until=None
    )
    blank: dict[str, Any] = {"words": "", "fault": "", "outcome": {}}
    # An answer that has not gone out is rendered from the outcome.
    rows = Handling.objects.filter(due_at=None, answer__due_at=None)
    naming = _keys(
        rows.annotate(answered=Cast("outcome", TextField())), known, "words", "fault", "answered"
    )
    Handling.objects.filter(pk__in=naming).update(**blank)
    own_rows.update(sender=stand_in, nonce="", token_hash="", **blank)


def _words_of(raw: bytes) -> str:
    """Return a message as received, followed by its decoded parts."""
    parts = [part.get_payload(decode=True) for part in message_from_bytes(raw).walk()]
    return b"\n".join([raw, *(part for part in parts if isinstance(part, bytes))]).decode(
        errors="replace"
    )


def _empty_letters(
    person: Person, traces: Traces, stand_in: str, press: bool, counts: Counter[str]
) -> None:
    """Empty text and address of a person's letters, and others' letters that name them."""
    blank: dict[str, Any] = {"subject": "", "text": "", "html": ""}
    own_letters = Letter.objects.filter(Q(person=person) | Q(address__in=traces.addresses))
    own_letters.filter(due_at__isnull=False).update(
        status=Letter.Status.DROPPED, due_at=None, claim="", claimed_until=None
    )
    own_letters.filter(status=Letter.Status.PRINT).update(status=Letter.Status.DROPPED)
    counts["letters"] += own_letters.update(
        address=stand_in, about={}, fault="", in_reply_to="", **blank
    )
    counts["letters to others"] += _empty_what_names(person, traces, stand_in, blank)
    if press:
        theirs = Press.objects.filter(person=person).values_list("pk", flat=True)
        counts["letters to others"] += Letter.objects.filter(
            kind__in=("press", "question"), about__press__in=list(theirs)
        ).update(**blank)


def _empty_what_names(person: Person, traces: Traces, stand_in: str, blank: dict[str, Any]) -> int:
    """Empty other people's letters that name the person; return how many.

    One letter too many is harmless: its page renders it again.
    """
    count = 0
    known, senders = traces.addresses, [*traces.addresses, *traces.senders]
    rows = Letter.objects.exclude(person=person).annotate(in_words=Cast("about", TextField()))
    columns, in_games = ("text", "html", "subject", "in_words"), rows.filter(game__in=traces.games)
    naming = {
        *_keys(rows, known, *columns),
        *_keys(in_games, [*senders, *traces.words], *columns),
    }
    for letter in Letter.objects.filter(pk__in=naming).order_by("pk"):
        # Of what a letter is rendered from, only an address stands for the person.
        about = _pattern(senders).sub(stand_in, json.dumps(letter.about))
        count += Letter.objects.filter(pk=letter.pk).update(about=json.loads(about), **blank)
    return count


def _remove_letter_files(traces: Traces, counts: Counter[str]) -> None:
    """Remove letters in files, which the service writes if no mail server is set, with an address
    of the person."""
    if settings.EMAIL_BACKEND.endswith(".filebased.EmailBackend"):
        for path in Path(settings.EMAIL_FILE_PATH).glob("*"):
            with contextlib.suppress(OSError):  # retention may remove it at the same time
                if _pattern(traces.addresses).search(_words_of(path.read_bytes())):
                    path.unlink()
                    counts["letters in files"] += 1


def _empty_rows(person: Person, traces: Traces, counts: Counter[str], now: datetime) -> None:
    """Withdraw open invitations, and empty what the admin logged about the person."""
    invitations = Invitation.objects.filter(Q(accepted_by=person) | Q(email__in=traces.addresses))
    invitations.open().update(withdrawn_at=now)
    log = LogEntry.objects.all()
    about_person = Q(pk__in=_keys(log, traces.addresses, "object_repr", "change_message"))
    for rows in (Person.objects.filter(pk=person.pk), person.notes_about.all()):
        kind = ContentType.objects.get_for_model(rows.model)
        keys = [str(pk) for pk in rows.values_list("pk", flat=True)]
        about_person |= Q(content_type=kind, object_id__in=keys)
    counts["admin"] += log.filter(about_person).update(object_repr=NAME, change_message="")


def _end_sessions(person: Person, traces: Traces) -> None:
    """Remove the sessions of the person's browsers, and of those that asked to log in as them."""
    for session in Session.objects.iterator():
        facts = session.get_decoded()
        asked = str(facts.get("login_address", "")).lower()
        if facts.get(SESSION_KEY) == str(person.pk) or asked in traces.addresses:
            session.delete()


def _erase_declared(
    person: Person,
    known: list[str],
    stand_in: str,
    press: bool,
    counts: Counter[str],
    now: datetime,
) -> None:
    for data in DATA:
        for erased in data.erased:
            if erased.if_asked and not press:
                continue
            rows = data.model._default_manager.filter(erased.condition(person.pk, known, now))
            name = erased.name or str(data.model._meta.verbose_name_plural)
            if erased.values is None:
                counts[name] += rows.delete()[0]
                continue
            values = {
                field: stand_in if value is STAND_IN else value
                for field, value in erased.values.items()
            }
            counts[name] += (
                empty(data.model, rows.values_list("pk", flat=True), **values)
                if issubclass(data.model, Evidence)
                else rows.update(**values)
            )


def _empty_person(person: Person, stand_in: str) -> None:
    """Replace the row by that of a new person: no column, one that comes later either, is kept."""
    kept = {"pk": person.pk, "guest": person.guest, "joined_at": person.joined_at}
    # An inactive person has no session (ModelBackend.get_user).
    Person(email=stand_in, name=NAME, is_active=False, **kept).save()
    person.groups.clear()
    person.user_permissions.clear()
