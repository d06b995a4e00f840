"""A person erased at his wish, so that the record of every game stays whole and can be verified as
before.

What goes: name, addresses, telephone, keys, drafts, orders ahead, his mail as it came, and the text
of all letters to him. What stays, for the games of others rest on it: which seat was whose by a
number alone, the orders as they were sent, rulings and acts. Letters between nations stay with whom
they were written to, unless he asks for theirs to be emptied too.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Model, Q, QuerySet, TextField
from django.db.models.functions import Cast

from games import desk
from games.accounts import letter_settings
from games.models import (
    Absence,
    AccessToken,
    Address,
    Block,
    Call,
    Channel,
    Complaint,
    Erasure,
    Feed,
    Game,
    Invitation,
    Letter,
    LoginKey,
    Mute,
    Notebook,
    Person,
    Press,
    PrintedCode,
    ReplyAddress,
    SecondFactor,
    Sheet,
    Sitting,
    Standby,
)
from games.models.evidence import ERASED, empty
from orders.models import Draft, Handling, Mail, OrdersAhead

from . import export

logger = logging.getLogger(__name__)

#: What a person is called when there is nobody any more; the domain never exists (RFC 2606).
NAME = "A former player"
DOMAIN = "erased.invalid"
LEAVES = "The player has left the service."


class ErasureRefused(Exception):
    """Somebody who cannot be erased yet. `str()` is one sentence that says what to do first."""


def hindrance(person: Person) -> str:
    """Why somebody cannot be erased yet; empty: he can."""
    if person.is_superuser or person.is_staff:
        return "You may enter the admin: another administrator must take that right from you first."
    alone = [
        game.title
        for game in person.games_run.filter(status__in=Game.Status.going_on(), practice=False)
        if not _others(game, person)
    ]
    if alone:
        return (
            f"You run {_quoted(alone)} alone: hand over each of these games at its desk, or give it"
            " up, and come back."
        )
    return ""


def _others(game: Game, person: Person) -> bool:
    return game.gamesmasters.filter(is_active=True).exclude(pk=person.pk).exists()


def _quoted(titles: list[str]) -> str:
    return ", ".join(f"“{title}”" for title in titles)


def erase(person: Person, now: datetime, *, by: Person | None, press: bool) -> Erasure:
    """Erase somebody, in one transaction. Raises `ErasureRefused`, with nothing done.

    `by`: at whose wish (None: the operator's); `press`: their letters to other nations too. Their
    seats fall vacant, as if they had left each game.
    """
    with transaction.atomic():
        Person.objects.select_for_update().get(pk=person.pk)
        if person.email.endswith(f"@{DOMAIN}"):
            raise ErasureRefused("This person has been erased already.")
        if why := hindrance(person):
            raise ErasureRefused(why)
        counts: Counter[str] = Counter()
        _leave(person, now)
        known = export.addresses_of(person)
        stand_in = f"erased-{person.pk}@{DOMAIN}"
        _empty_mail(person, known, stand_in, counts)
        _empty_letters(person, known, stand_in, press, counts)
        _empty_evidence(person, press, counts)
        _empty_rows(person, known, stand_in, now, counts)
        _remove_rows(person, counts)
        _empty_person(person, stand_in)
        # The log outlives a copy of the database that is put back: from it whoever was erased since
        # is erased again.
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
    mine = Letter.objects.filter(Q(person=person) | Q(address__in=known))
    mine.filter(due_at__isnull=False).update(
        status=Letter.Status.FAILED, due_at=None, claim="", claimed_until=None
    )
    mine.filter(status=Letter.Status.PRINT).update(status=Letter.Status.FAILED)
    counts["letters"] += mine.update(address=stand_in, about={}, fault="", **blank)
    counts["letters to others"] += _empty_what_names(person, known, stand_in, blank)
    if press:
        theirs = Press.objects.filter(person=person).values_list("pk", flat=True)
        counts["letters to others"] += Letter.objects.filter(
            kind__in=("press", "question"), about__press__in=list(theirs)
        ).update(**blank)


def _empty_what_names(
    person: Person, known: list[str], stand_in: str, blank: dict[str, Any]
) -> int:
    """Letters to others in which his name, his number or an address of his stands: of his own
    games, and those with an address anywhere.

    A name that is a part of another word empties a letter too many, which costs nothing: its page
    sets it anew.
    """
    sat = Q(seats__sittings__person=person) | Q(gamesmasters=person) | Q(acts__done_by=person)
    games = list(Game.objects.filter(sat).values_list("pk", flat=True).distinct())
    named = Q(pk__in=[])
    for said in (person.name, person.telephone):
        if said.strip():
            named |= Q(text__contains=said, game__in=games) | Q(
                subject__contains=said, game__in=games
            )
    for address in known:
        named |= (
            Q(text__icontains=address)
            | Q(subject__icontains=address)
            | Q(about_in_words__icontains=address)
        )
    done = 0
    rows = Letter.objects.annotate(about_in_words=Cast("about", TextField()))
    for letter in rows.filter(named).exclude(person=person).order_by("pk"):
        about = {
            key: stand_in if str(value).lower() in known else value
            for key, value in letter.about.items()
        }
        done += Letter.objects.filter(pk=letter.pk).update(about=about, **blank)
    return done


def _empty_evidence(person: Person, press: bool, counts: Counter[str]) -> None:
    counts["calls"] += empty(Call, _numbers(Call.objects.filter(person=person)), note="")
    if press:
        counts["press"] += empty(Press, _numbers(Press.objects.filter(person=person)), text=ERASED)


def _numbers(rows: QuerySet[Any]) -> Iterable[int]:
    return rows.values_list("pk", flat=True)


def _empty_rows(
    person: Person, known: list[str], stand_in: str, now: datetime, counts: Counter[str]
) -> None:
    asked = Invitation.objects.filter(Q(accepted_by=person) | Q(email__in=known))
    asked.open().update(withdrawn_at=now)
    counts["invitations"] += asked.update(email=stand_in)
    counts["sittings"] += Sitting.objects.filter(person=person).update(
        ended_because="", telephone=""
    )
    counts["complaints"] += Complaint.objects.filter(person=person).update(reason="")
    about_him = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(Person), object_id=str(person.pk)
    )
    counts["admin"] += about_him.update(object_repr=NAME, change_message="")


def _remove_rows(person: Person, counts: Counter[str]) -> None:
    """Remove rows that no game rests on. Sheets that are shared stay, for others play with them."""
    gone: tuple[type[Model], ...] = (
        LoginKey,
        Address,
        AccessToken,
        Block,
        Channel,
        Feed,
        ReplyAddress,
        Mute,
        Standby,
        SecondFactor,
        PrintedCode,
        Absence,
        Notebook,
        Draft,
        OrdersAhead,
    )
    for model in gone:
        counts[str(model._meta.verbose_name_plural)] += model._default_manager.filter(
            person=person
        ).delete()[0]
    counts["sheets"] += Sheet.objects.filter(owner=person, shared=False).delete()[0]


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
