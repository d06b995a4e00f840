"""Recognize a message that arrives again by its DKIM signatures, whatever else changed."""

from __future__ import annotations

from hashlib import sha256

from games.models import Game, Person
from orders.models import Handling, Signature


def find_original(
    row: Handling, game: Game, person: Person, signatures: tuple[str, ...]
) -> Handling | None:
    """Return the earlier message to this address that has one of these signatures.

    The address is this person's in this game. Return None for the first message, and store its
    signatures. The fingerprint of a message (`queue.fingerprint`) includes its Message-ID, which
    not every domain signs: with a changed one the same orders would be obeyed again, after newer
    ones.
    """
    # A postponed message has stored its signatures already.
    if not signatures or Signature.objects.filter(handling=row).exists():
        return None
    # Sort the marks so that two workers with copies of one message cannot deadlock; the second
    # waits and finds the first.
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
