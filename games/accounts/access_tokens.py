"""Access tokens of the API: made and revoked by their owners, stored as hashes.

A token has 160 random bits, so a plain hash of it tells nothing. It opens what its owner may see at
the moment when it is used (`games.permissions`), and never more.
"""

from __future__ import annotations

import re
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from games.models import AccessToken, Person
from gamesmaster import text

from . import tokens

#: Tokens begin alike, so that programs which look for leaked secrets recognize one.
TOKEN = re.compile(r"gm_[0-9a-f]{40}")
MOST = 10
#: `last_used_at` is exact to this span, so that reading does not write a row each time.
EXACT_TO = timedelta(minutes=1)


class TokenRefused(Exception):
    """A token that cannot be made. `str()` is one sentence for the person."""


@transaction.atomic
def make(
    person: Person,
    label: str,
    sends_orders: bool,
    now: datetime,
    *,
    manages_webhooks: bool = False,
) -> str:
    """Make a token and return it: nobody can read it again. Raises `TokenRefused`."""
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
    """Return the token's row if it opens anything, and note that it was used."""
    if not TOKEN.fullmatch(token):
        return None
    row = (
        AccessToken.objects.select_related("person")
        .filter(token_hash=tokens.hash_of(token), revoked_at=None)
        .first()
    )
    if row is None or not _may_have(row.person):
        return None
    long_ago = Q(last_used_at=None) | Q(last_used_at__lt=now - EXACT_TO)
    AccessToken.objects.filter(long_ago, pk=row.pk).update(last_used_at=now)
    return row


def _may_have(person: Person) -> bool:
    """Return whether somebody may use tokens. Administrators show a second factor before any page,
    which no program can; guests have no account."""
    return person.is_active and not person.guest and not person.is_superuser


def valid_tokens(person: Person) -> list[AccessToken]:
    """Return the tokens of a person that still open something, the oldest first."""
    return list(AccessToken.objects.filter(person=person, revoked_at=None).order_by("pk"))


def revoke(person: Person, pk: int, now: datetime) -> bool:
    """End a token of a person's own. Return whether there was one to end."""
    rows = AccessToken.objects.filter(person=person, pk=pk, revoked_at=None)
    return rows.update(revoked_at=now) > 0
