"""Access tokens of the API: created and revoked by their owners, stored as hashes.

A token has 160 random bits, so that a plain hash reveals nothing. It gives access to what its owner
may see at the time of use (`games.permissions`), never more.
"""

from __future__ import annotations

import re
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from games.base import text
from games.models import AccessToken, Person

from . import tokens

#: All tokens have the same prefix, so that scanners for leaked secrets recognize them.
TOKEN = re.compile(r"gm_[0-9a-f]{40}")
MOST = 10
#: The precision of `last_used_at`, so that not every request writes a row.
EXACT_TO = timedelta(minutes=1)


class TokenRefused(Exception):
    """Raised where a token cannot be created. `str()` is one sentence for the person."""


@transaction.atomic
def make(
    person: Person,
    label: str,
    sends_orders: bool,
    now: datetime,
    *,
    manages_webhooks: bool = False,
) -> str:
    """Create a token and return it; it cannot be read again. Raise `TokenRefused`."""
    if not _may_have(person):
        raise TokenRefused(
            "Administrators have no access tokens: a program cannot show a second factor."
        )
    Person.objects.select_for_update().get(pk=person.pk)
    if len(valid_tokens(person)) >= MOST:
        raise TokenRefused(f"You have {MOST} access tokens. Revoke one before you make another.")
    label = text.one_line(label)[:60]
    if not label:
        raise TokenRefused("Give the token a name, so that you recognize it later.")
    token = f"gm_{secrets.token_hex(20)}"
    AccessToken.objects.create(
        person=person,
        label=label,
        token_hash=tokens.hash_of(token),
        sends_orders=sends_orders,
        manages_webhooks=manages_webhooks,
        made_at=now,
    )
    return token


def find(token: str, now: datetime) -> AccessToken | None:
    """Return the row of a valid token and record its use; None for any other."""
    if not TOKEN.fullmatch(token):
        return None
    row = (
        AccessToken.objects.select_related("person")
        .filter(token_hash=tokens.hash_of(token), revoked_at=None)
        .first()
    )
    if row is None or not _may_have(row.person):
        return None
    outdated = Q(last_used_at=None) | Q(last_used_at__lt=now - EXACT_TO)
    AccessToken.objects.filter(outdated, pk=row.pk).update(last_used_at=now)
    return row


def _may_have(person: Person) -> bool:
    """Return whether a person may use tokens. Administrators must show a second factor, which no
    program can; guests have no account."""
    return person.is_active and not person.guest and not person.is_superuser


def valid_tokens(person: Person) -> list[AccessToken]:
    """Return a person's valid tokens, oldest first."""
    return list(AccessToken.objects.filter(person=person, revoked_at=None).order_by("pk"))


def revoke(person: Person, code: str, now: datetime) -> bool:
    """Revoke a person's token; return whether they had it."""
    rows = AccessToken.objects.filter(person=person, code=code, revoked_at=None)
    return rows.update(revoked_at=now) > 0
