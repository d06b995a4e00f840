"""Find the person whom an operator names by address or number."""

from __future__ import annotations

from django.core.management.base import CommandError

from games.models import Person
from games.models.people import tidy_address


def person_at(email: str) -> Person:
    """Return the person of an address, or of a number as in the log. Raise `CommandError`."""
    numbered = email.isascii() and email.isdigit() and len(email) < 19
    person = Person.objects.filter(
        **({"pk": int(email)} if numbered else {"email": tidy_address(email)})
    ).first()
    if person is None:
        raise CommandError(
            f"No account has the address “{email}”. Use the one with which the person logs in."
        )
    return person
