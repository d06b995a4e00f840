"""Erase a person on request; the record of every game stays whole and verifiable.

Erased: name, addresses, telephone, tokens, drafts, orders ahead, their mail, and the text of all
letters to them. Kept, because other people's games depend on it: their number with their seats,
orders as sent, rulings and acts. Whole rows are declared (games.operations.personal.data); here is
what takes more than that. Their letters to other nations stay with the recipients unless the
person asks to have those emptied too.
"""

from __future__ import annotations

import logging
from collections import Counter
from datetime import datetime
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q, TextField
from django.db.models.functions import Cast

from games import desk
from games.accounts import letter_settings
from games.models import Erasure, Game, Invitation, Letter, Person, Press, Sitting
from games.models.evidence import Evidence, empty
from orders.models import Handling, Mail

from . import export
from .data import DATA
from .declaration import STAND_IN

logger = logging.getLogger(__name__)

#: The name and the domain of erased people; the domain never exists (RFC 2606).
NAME = "A former player"
DOMAIN = "erased.invalid"
LEAVES = "The player has left the service."


class ErasureError(Exception):
    """Raised if a person cannot be erased yet. `str()` is a sentence with what to do first."""


def hindrance(person: Person) -> str:
    """Return why a person cannot be erased yet; empty if they can."""
    if person.is_superuser or person.is_staff:
        return "You are an administrator. Another administrator must remove that permission first."
    alone = [
        f"“{game.title}”"
        for game in person.games_run.filter(status__in=Game.Status.going_on(), practice=False)
        if not game.gamesmasters.filter(is_active=True).exclude(pk=person.pk).exists()
    ]
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
        addresses = export.addresses_of(person)
        stand_in = f"erased-{person.pk}@{DOMAIN}"
        _empty_mail(person, addresses, stand_in, counts)
        _empty_letters(person, addresses, stand_in, press, counts)
        _empty_rows(person, addresses, counts, now)
        _erase_declared(person, addresses, stand_in, press, counts, now)
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


def _empty_mail(person: Person, known: list[str], stand_in: str, counts: Counter[str]) -> None:
    mail = [row.pk for row in export.mail_of(person)]
    counts["mail"] += empty(Mail, mail, raw=b"", message_id="", envelope_from="", envelope_to=[])
    rows = Handling.objects.filter(Q(person=person) | Q(sender__in=known))
    rows.update(sender=stand_in, words="", fault="", outcome={}, nonce="", token_hash="")
    waiting = rows.filter(
        status__in=(Handling.Status.WAITING, Handling.Status.HELD, Handling.Status.UNCONFIRMED)
    )
    waiting.update(status=Handling.Status.REFUSED, due_at=None, claim="", claimed_until=None)


def _empty_letters(
    person: Person, known: list[str], stand_in: str, press: bool, counts: Counter[str]
) -> None:
    """Empty text and address of a person's letters, and others' letters that name their address."""
    blank: dict[str, Any] = {"subject": "", "text": "", "html": ""}
    own_letters = Letter.objects.filter(Q(person=person) | Q(address__in=known))
    own_letters.filter(due_at__isnull=False).update(
        status=Letter.Status.FAILED, due_at=None, claim="", claimed_until=None
    )
    own_letters.filter(status=Letter.Status.PRINT).update(status=Letter.Status.FAILED)
    counts["letters"] += own_letters.update(address=stand_in, about={}, fault="", **blank)
    counts["letters to others"] += _empty_what_names(person, known, stand_in, blank)
    if press:
        theirs = Press.objects.filter(person=person).values_list("pk", flat=True)
        counts["letters to others"] += Letter.objects.filter(
            kind__in=("press", "question"), about__press__in=list(theirs)
        ).update(**blank)


def _empty_what_names(
    person: Person, known: list[str], stand_in: str, blank: dict[str, Any]
) -> int:
    """Empty other people's letters with the person's name, number or address; return how many.

    Names and numbers are looked for in the person's own games, addresses everywhere. A name that is
    part of another word empties a letter too many, which is harmless: its page renders it again.
    """
    involved = Q(seats__sittings__person=person) | Q(gamesmasters=person) | Q(acts__done_by=person)
    games = list(Game.objects.filter(involved).values_list("pk", flat=True).distinct())
    named = Q(pk__in=[])
    for value_in_text in (person.name, person.telephone):
        if value_in_text.strip():
            named |= Q(text__contains=value_in_text, game__in=games) | Q(
                subject__contains=value_in_text, game__in=games
            )
    for address in known:
        named |= (
            Q(text__icontains=address)
            | Q(subject__icontains=address)
            | Q(about_in_words__icontains=address)
        )
    count = 0
    rows = Letter.objects.annotate(about_in_words=Cast("about", TextField()))
    for letter in rows.filter(named).exclude(person=person).order_by("pk"):
        about = {
            key: stand_in if str(value).lower() in known else value
            for key, value in letter.about.items()
        }
        count += Letter.objects.filter(pk=letter.pk).update(about=about, **blank)
    return count


def _empty_rows(person: Person, known: list[str], counts: Counter[str], now: datetime) -> None:
    """Withdraw open invitations, and empty what the admin logged about the person."""
    invitations = Invitation.objects.filter(Q(accepted_by=person) | Q(email__in=known))
    invitations.open().update(withdrawn_at=now)
    log_entries = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(Person), object_id=str(person.pk)
    )
    counts["admin"] += log_entries.update(object_repr=NAME, change_message="")


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
    person.last_login = None
    person.set_unusable_password()
    person.save()  # an inactive person has no session (ModelBackend.get_user)
    person.groups.clear()
    person.user_permissions.clear()
