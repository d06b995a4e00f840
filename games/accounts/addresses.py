"""The addresses of a person: the first, with which he logs in, and others from which he may write
as well.

A further address counts once a letter to it has been answered by the button of its link: nobody can
write in another's name by adding an address that is not his.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from games.models import Address, Game, Person
from games.models.people import tidy_address

from . import tokens

LASTS = timedelta(days=7)
TAKEN = "“{}” belongs to another account. Write from another address, or ask the gamesmaster."
GONE = "This link has been used, withdrawn or has run out. Add the address once more on your page."


class AddressRefused(Exception):
    """An address that cannot be added. `str()` is one sentence for the person."""


def find(token: str, now: datetime) -> Address:
    """The address behind a link. Looking confirms nothing. Raises `AddressRefused`."""
    address = (
        Address.objects.select_related("person").filter(token_hash=tokens.hash_of(token)).first()
    )
    if address is None:
        raise AddressRefused(GONE)
    return valid_address(address, now)


def valid_address(address: Address, now: datetime) -> Address:
    """Return the address if it can still be confirmed. Raises `AddressRefused`."""
    if address.removed_at is not None or (
        address.confirmed_at is None and address.added_at + LASTS <= now
    ):
        raise AddressRefused(GONE)
    return address


def confirm(address: Address, now: datetime) -> None:
    """Let the person write from the address. Raises `AddressRefused` if somebody else has it."""
    if address.confirmed_at is not None:
        return
    others = Person.objects.filter(email=address.email).exclude(pk=address.person_id)
    if any(_plays(person) for person in others):
        raise AddressRefused(TAKEN.format(address.email))
    try:
        with transaction.atomic():
            Address.objects.filter(pk=address.pk, confirmed_at=None, removed_at=None).update(
                confirmed_at=now
            )
    except IntegrityError:  # one address is of one person
        raise AddressRefused(TAKEN.format(address.email)) from None
    address.refresh_from_db()


def _plays(person: Person) -> bool:
    return person.sittings.current().exists() or person.games_run.exists()


def remove(person: Person, address: int, now: datetime) -> None:
    Address.objects.filter(pk=address, person=person, removed_at=None).update(removed_at=now)


def addresses_of(person: Person) -> list[Address]:
    """The further addresses of a person, confirmed or not, oldest first."""
    return list(Address.objects.filter(person=person, removed_at=None).order_by("pk"))


def belongs(person: Person, email: str) -> bool:
    """Whether a letter from this address may be this person's."""
    email = tidy_address(email)
    if email == person.email:
        return True
    return Address.objects.filter(
        person=person, email=email, confirmed_at__isnull=False, removed_at=None
    ).exists()


def people_at(email: str) -> list[Person]:
    """Everybody who has this address, as the first or a further one."""
    email = tidy_address(email)
    further = Address.objects.filter(
        email=email, confirmed_at__isnull=False, removed_at=None
    ).values("person")
    people = Person.objects.filter(email=email, is_active=True) | Person.objects.filter(
        pk__in=further, is_active=True
    )
    return list(people.order_by("pk"))


def running_games(person: Person) -> list[Game]:
    """The games under way in which somebody sits or that he runs."""
    under_way = Game.objects.filter(status__in=Game.Status.going_on())
    mine = under_way.filter(
        seats__sittings__person=person, seats__sittings__until=None
    ) | under_way.filter(gamesmasters=person)
    return list(mine.distinct().order_by("pk"))
