"""The addresses of a person: the main one, with which they log in, and others from which they may
write as well.

Another address counts once its owner has confirmed it with the link in a letter to it, so that
nobody can write in another's name by adding an address that is not theirs.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from games.models import Address, Game, Outage, Person
from games.models.people import tidy_address

from . import tokens

LASTS = timedelta(days=7)
TAKEN = "“{}” belongs to another account. Write from another address, or ask the gamesmaster."
GONE = (
    "This link has been used or withdrawn, or has expired. Add the address again on the page"
    " “About you”."
)


class AddressRefused(Exception):
    """Raised where an address cannot be added. `str()` is one sentence for the person."""


def find(token: str, now: datetime) -> Address:
    """Return the address behind a link without confirming it. Raise `AddressRefused`."""
    address = (
        Address.objects.select_related("person").filter(token_hash=tokens.hash_of(token)).first()
    )
    if address is None:
        raise AddressRefused(GONE)
    return valid_address(address, now)


def valid_address(address: Address, now: datetime) -> Address:
    """Return the address if it is confirmed or can still be. Raise `AddressRefused`."""
    if address.removed_at is not None or (
        address.confirmed_at is None and ends(address.added_at) <= now
    ):
        raise AddressRefused(GONE)
    return address


def ends(added_at: datetime) -> datetime:
    """Return until when a new address can be confirmed."""
    return Outage.objects.end_of(added_at, LASTS)


def confirm(address: Address, now: datetime) -> None:
    """Let the person write from the address. Raise `AddressRefused` if another person has it."""
    if address.confirmed_at is not None:
        return
    others = Person.objects.filter(email=address.email).exclude(pk=address.person_id)
    if any(other.sittings.current().exists() or other.games_run.exists() for other in others):
        raise AddressRefused(TAKEN.format(address.email))
    try:
        with transaction.atomic():
            Address.objects.filter(pk=address.pk, confirmed_at=None, removed_at=None).update(
                confirmed_at=now
            )
    except IntegrityError:  # an address belongs to only one person
        raise AddressRefused(TAKEN.format(address.email)) from None
    address.refresh_from_db()


def remove(person: Person, code: str, now: datetime) -> None:
    Address.objects.filter(code=code, person=person, removed_at=None).update(removed_at=now)


def addresses_of(person: Person) -> list[Address]:
    """Return a person's additional addresses, confirmed or not, oldest first."""
    return list(Address.objects.filter(person=person, removed_at=None).order_by("pk"))


def belongs(person: Person, email: str) -> bool:
    """Return whether mail from this address may be this person's."""
    email = tidy_address(email)
    if email == person.email:
        return True
    return Address.objects.filter(
        person=person, email=email, confirmed_at__isnull=False, removed_at=None
    ).exists()


def people_at(email: str) -> list[Person]:
    """Return everybody with this address, as their main or an additional one."""
    email = tidy_address(email)
    further = Address.objects.filter(
        email=email, confirmed_at__isnull=False, removed_at=None
    ).values("person")
    people = Person.objects.filter(email=email, is_active=True) | Person.objects.filter(
        pk__in=further, is_active=True
    )
    return list(people.order_by("pk"))


def running_games(person: Person) -> list[Game]:
    """Return the games in progress that a person plays or runs."""
    under_way = Game.objects.filter(status__in=Game.Status.going_on())
    games = under_way.filter(
        seats__sittings__person=person, seats__sittings__until=None
    ) | under_way.filter(gamesmasters=person)
    return list(games.distinct().order_by("pk"))
