"""Seat a person without e-mail: letters are printed, orders taken by telephone or paper."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction

from games.models import Invitation, Person, Seat, Sitting
from games.models.people import CLASS_DOMAIN

from . import acts
from .seats import check_may_sit, sit_down, start_when_full
from .words import DeskError, one_line

#: The domain of their placeholder addresses; it never exists (RFC 2606).
STAND_IN = "by-post.invalid"
LONGEST_ADDRESS = 500


@transaction.atomic
def seat_by_post(
    seat: Seat, name: str, postal_address: str, telephone: str, zone: str, by: Person, now: datetime
) -> Person:
    """Seat a person by name, with the address printed on their letters. Raise `DeskError`.

    A person by this name and address in another game of the same gamesmaster is the same person.
    """
    game = seat.game
    # A person who accepts an invitation at the same moment comes entirely before or after this.
    acts.take_row(game, by)
    game.refresh_from_db()
    seat.refresh_from_db(fields=["bot"])
    name, address, telephone = _tidy(name, postal_address, telephone)
    if seat.bot or seat.by_table or seat.referee or seat.sittings.current().exists():
        raise DeskError(f"{seat.nation} is taken; you can only give away an empty seat.")
    if game.is_over:
        raise DeskError(f"“{game.title}” is over: there are no seats to take.")
    person = _find_or_create_person(name, address, telephone, _zone(zone), by)
    Invitation.objects.open().filter(seat=seat).update(withdrawn_at=now)
    if game.in_progress:
        sit_down(seat, person, by, now)
        return person
    check_may_sit(seat, person, now)
    Sitting.objects.create(seat=seat, person=person, since=now)
    start_when_full(game, now)
    return person


@transaction.atomic
def correct(
    seat: Seat,
    person: Person,
    name: str,
    postal_address: str,
    telephone: str,
    zone: str,
    by: Person,
    now: datetime,
) -> None:
    """Correct the address and number of a person without e-mail. Raise `DeskError`."""
    acts.take_row(seat.game, by)
    if not person.by_post or not seat.sittings.current().filter(person=person).exists():
        raise DeskError(
            f"{person} manages their own address: they have e-mail, or no longer play"
            f" {seat.nation}."
        )
    name, address, telephone = _tidy(name, postal_address, telephone)
    changed = {"name": name, "postal_address": address, "telephone": telephone, "zone": _zone(zone)}
    before = {field: getattr(person, field) for field in changed}
    if before == changed:
        return
    Person.objects.filter(pk=person.pk).update(**changed)
    person.refresh_from_db()
    words = f"The address of {seat.nation}'s player was corrected."
    about: dict[str, Any] = {"private": True, "before": before, "after": changed}
    acts.write(seat.game, "readdressed", words, now, by=by, seat=seat, **about)


def _tidy(name: str, postal_address: str, telephone: str) -> tuple[str, str, str]:
    """Return name, address and number tidied. Raise `DeskError` if nothing could reach them."""
    name, telephone = one_line(name, "The name"), one_line(telephone, "The telephone number")
    lines = [one_line(line, "The address") for line in postal_address.splitlines()]
    address = "\n".join(line for line in lines if line)
    if not name:
        raise DeskError("Enter the player’s name: their letters begin with it.")
    if not address and not telephone:
        raise DeskError(
            f"Enter a postal address or a telephone number: otherwise nothing can reach {name}."
        )
    for label, text, most in (
        ("name", name, 80),
        ("telephone number", telephone, 40),
        ("address", address, LONGEST_ADDRESS),
    ):
        if len(text) > most:
            raise DeskError(
                f"The {label} is {len(text)} characters long; at most {most} are allowed."
            )
    return name, address, telephone


def _zone(zone: str) -> str:
    try:
        return ZoneInfo(zone).key
    except (KeyError, ValueError, OSError):
        raise DeskError(
            f"“{zone[:60]}” is not a time zone. Write one such as Europe/Berlin."
        ) from None


def _find_or_create_person(
    name: str, address: str, telephone: str, zone: str, by: Person
) -> Person:
    existing = (
        Person.objects.filter(
            by_post=True, name=name, postal_address=address, seats__game__gamesmasters=by
        )
        # A pupil belongs to one game, and their printed code opens it.
        .exclude(email__endswith=f"@{CLASS_DOMAIN}")
        .distinct()
        .first()
    )
    if existing is not None:
        Person.objects.filter(pk=existing.pk).update(
            telephone=telephone or existing.telephone, zone=zone
        )
        existing.refresh_from_db()
        return existing
    stand_in = f"post-{secrets.token_hex(8)}@{STAND_IN}"
    return Person.objects.create(
        email=stand_in,
        name=name,
        postal_address=address,
        telephone=telephone,
        zone=zone,
        by_post=True,
    )
