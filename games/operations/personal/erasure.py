"""Erase a person on request; the record of every game stays whole and verifiable.

Erased: name, addresses, telephone, tokens, drafts, orders ahead, sessions, the text of all letters
to them, and all mail that they wrote, that came under their address or that names them. Kept,
because other people's games depend on it: their number with their seats, orders as sent, rulings
and acts. Whole rows are declared (games.operations.personal.data); here is what takes more than
that. Their letters to other nations stay with the recipients unless the person asks to have those
emptied too.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
from collections import Counter
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
from games.accounts import letter_settings
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


@dataclass(frozen=True)
class Traces:
    """What names a person in what others wrote or got: their addresses everywhere, and other words
    in their own games. Only whole words name a person: who is called “e” must not empty the mail of
    others."""

    addresses: list[str]
    words: list[str]
    games: list[int]

    @classmethod
    def of_person(cls, person: Person) -> Traces:
        """Return a person's traces: name, telephone, and the senders of mail to their reply
        addresses, proven or not, unless another person has that address."""
        involved = (
            Q(seats__sittings__person=person) | Q(gamesmasters=person) | Q(acts__done_by=person)
        )
        known = export.addresses_of(person)
        senders = set(person.mail.values_list("sender", flat=True)) - set(known)
        senders -= export.of_others(person, senders)
        words = {person.name.strip(), person.telephone.strip(), *senders} - {""}
        games = Game.objects.filter(involved).values_list("pk", flat=True).distinct()
        return cls(known, sorted(words), list(games))

    def keys(self, rows: QuerySet[Any], *columns: str) -> list[int]:
        """Return the keys of rows whose columns of text name the person."""
        found = Q(pk__in=[])
        for column in columns:
            for spelling in self._spellings():
                found |= Q(**{f"{column}__icontains": spelling})
        candidates = rows.filter(found).values_list("pk", *columns)
        return [pk for pk, *texts in candidates if self.name("\n".join(texts))]

    def of_games(self, rows: QuerySet[Any], *columns: str) -> list[int]:
        """Return `keys` of rows that belong to a game: words name nobody in games of others."""
        elsewhere = rows.filter(Q(game=None) | ~Q(game__in=self.games))
        return [
            *self.keys(rows.filter(game__in=self.games), *columns),
            *self.by_address().keys(elsewhere, *columns),
        ]

    def by_address(self) -> Traces:
        """Return those that name the person in any game, and outside of games."""
        return Traces(self.addresses, [], self.games)

    def name(self, text: str) -> bool:
        """Return whether a text names the person, as plain text, as HTML or as JSON."""
        spellings = "|".join(map(re.escape, self._spellings()))
        whole = rf"(?<![\w.+-])(?:{spellings})(?![\w-])"
        return bool(spellings) and re.search(whole, text, re.IGNORECASE) is not None

    def _spellings(self) -> list[str]:
        words = {
            spelling
            for word in self.words
            for spelling in (word, escape(word), json.dumps(word)[1:-1])
        }
        return [*self.addresses, *sorted(words)]


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
    """
    with transaction.atomic():
        Person.objects.select_for_update().get(pk=person.pk)
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
    mail that names them, unless it still waits to be read."""
    known = traces.addresses
    own_rows = Handling.objects.filter(
        Q(person=person) | Q(sender__in=known) | Q(mail__envelope_from__in=known)
    )
    mail = set(own_rows.values_list("mail", flat=True))
    of_games = Q(handling__game__in=traces.games)
    for place, names in ((of_games, traces), (Q(handling__game=None), traces.by_address())):
        others = Mail.objects.filter(~UNANSWERED, place, handling__due_at=None)
        rest = others.exclude(raw=b"").exclude(pk__in=mail).values_list("pk", "raw")
        mail.update(pk for pk, raw in rest.iterator() if names.name(_words_of(bytes(raw))))
    counts["mail"] += empty(Mail, mail, raw=b"", message_id="", envelope_from="", envelope_to=[])
    own_rows.filter(
        status__in=(Handling.Status.WAITING, Handling.Status.HELD, Handling.Status.UNCONFIRMED)
    ).update(status=Handling.Status.REFUSED, due_at=None, claim="", claimed_until=None)
    blank: dict[str, Any] = {"words": "", "fault": "", "outcome": {}}
    rows = Handling.objects.filter(due_at=None).annotate(answered=Cast("outcome", TextField()))
    naming = traces.of_games(rows, "words", "fault", "answered")
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
    rows = Letter.objects.annotate(about_in_words=Cast("about", TextField()))
    of_others = rows.exclude(person=person)
    naming = traces.of_games(of_others, "text", "html", "subject", "about_in_words")
    for letter in Letter.objects.filter(pk__in=naming).order_by("pk"):
        about = {
            key: stand_in if traces.name(str(value)) else value
            for key, value in letter.about.items()
        }
        count += Letter.objects.filter(pk=letter.pk).update(about=about, **blank)
    return count


def _remove_letter_files(traces: Traces, counts: Counter[str]) -> None:
    """Remove letters in files, which the service writes if no mail server is set, that name the
    person."""
    if settings.EMAIL_BACKEND.endswith(".filebased.EmailBackend"):
        for path in Path(settings.EMAIL_FILE_PATH).glob("*"):
            with contextlib.suppress(OSError):  # retention may remove it at the same time
                if traces.name(_words_of(path.read_bytes())):
                    path.unlink()
                    counts["letters in files"] += 1


def _empty_rows(person: Person, traces: Traces, counts: Counter[str], now: datetime) -> None:
    """Withdraw open invitations, and empty what the admin logged about the person."""
    invitations = Invitation.objects.filter(Q(accepted_by=person) | Q(email__in=traces.addresses))
    invitations.open().update(withdrawn_at=now)
    about_person = Q(
        content_type=ContentType.objects.get_for_model(Person), object_id=str(person.pk)
    )
    about_person |= Q(pk__in=traces.keys(LogEntry.objects.all(), "object_repr", "change_message"))
    counts["admin"] += LogEntry.objects.filter(about_person).update(
        object_repr=NAME, change_message=""
    )


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
    person.email, person.name, person.zone = stand_in, NAME, "UTC"
    person.telephone = person.postal_address = ""
    person.is_active = person.by_post = False
    for setting in letter_settings.SETTINGS:
        setattr(person, setting.field, getattr(Person(), setting.field))
    person.last_login = person.seen_on = None
    person.set_unusable_password()
    person.save()  # an inactive person has no session (ModelBackend.get_user)
    person.groups.clear()
    person.user_permissions.clear()
