"""Add a further address of a person, which a letter sent there confirms."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from games.accounts import addresses, tokens
from games.base.signing import Salt
from games.models import Address, Person
from games.models.people import tidy_address
from games.outbox.messages import reply_letters

MOST = 5


def add(person: Person, email: str, now: datetime) -> Address:
    """Store an address and send the letter that confirms it. Raise `AddressRefused`.

    Only the page that the letter links to says whether another account has the address.
    """
    email = tidy_address(email)
    try:
        validate_email(email)
    except ValidationError:
        raise addresses.AddressRefused(
            f"“{email[:80]}” is not an e-mail address; write one such as ada@example.org."
        ) from None
    if email == person.email:
        raise addresses.AddressRefused(f"“{email}” is your first address already.")
    with transaction.atomic():
        own_addresses = Address.objects.filter(person=person, removed_at=None)
        if own_addresses.filter(email=email, confirmed_at__isnull=False).exists():
            raise addresses.AddressRefused(f"“{email}” is among your addresses already.")
        # Adding the address once more sends a new letter, if one was lost; the older link ends.
        own_addresses.filter(email=email).update(removed_at=now)
        own_addresses.filter(confirmed_at=None, added_at__lte=now - addresses.LASTS).update(
            removed_at=now
        )
        if own_addresses.count() >= MOST:
            raise addresses.AddressRefused(
                f"You have {MOST} further addresses, which is the maximum. Remove one first."
            )
        lately = Address.objects.filter(person=person, added_at__gt=now - timedelta(hours=1))
        if lately.count() >= 2 * MOST:
            raise addresses.AddressRefused(
                "You have added many addresses within an hour. Wait an hour, and try again."
            )
        nonce, token_hash = tokens.new_nonce(Salt.ADDRESS)
        address = Address.objects.create(
            person=person, email=email, nonce=nonce, token_hash=token_hash, added_at=now
        )
        reply_letters.address(address, now)
    return address
