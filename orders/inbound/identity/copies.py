"""A message that comes again: told by its signatures (DKIM), whatever else changed."""

from __future__ import annotations

from hashlib import sha256

from games.models import Game, Person
from orders.models import Handling, Signature


def find_original(
    row: Handling, game: Game, person: Person, signatures: tuple[str, ...]
) -> Handling | None:
    """Return the message that bore one of these signatures before, to this person's address of this
    game; None for the first.

    The signatures of a first one are kept. A mail server's fingerprint of a message
    (`intake.fingerprint`) holds its Message-ID, which not every domain signs: with another one the
    same orders would be obeyed again, after newer ones.
    """
    if (
        not signatures or Signature.objects.filter(handling=row).exists()
    ):  # put off, and looked at once more
        return None
    # In one order, so that two workers with copies of one message never wait for each other; the
    # second waits and finds the first.
    marks = sorted(
        sha256(f"{game.pk}:{person.pk}:{signature}".encode()).hexdigest()
        for signature in signatures
    )
    Signature.objects.bulk_create(
        [Signature(handling=row, mark=mark) for mark in marks], ignore_conflicts=True
    )
    first = (
        Signature.objects.filter(mark__in=marks)
        .exclude(handling=row)
        .select_related("handling")
        .order_by("pk")
        .first()
    )
    return first.handling if first is not None else None
