"""Orders that a program sends, received once however often it repeats its request."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from games.models import Person, Phase, Seat

from . import ledger
from .models import Submission


class OtherRequest(Exception):
    """The key was used for another request. `str()` is one sentence for the sender."""


def receive(
    seat: Seat,
    text: str,
    *,
    person: Person,
    now: datetime,
    final: bool,
    meant_for: Phase | None,
    key: str,
) -> tuple[Submission, bool]:
    """Receive orders as the page does. Return them, and whether they are new.

    `key` is the sender's own for this request, or empty. A request repeated under its key gets what
    was received first. Raises `OtherRequest` where the key belongs to another request, and
    `ledger.LedgerError`.
    """
    with transaction.atomic():
        held = ledger.take(seat.game)
        if key:
            rows = Submission.objects.select_related("seat", "phase", "game")
            first = rows.filter(game=seat.game, person=person, request_key=key).first()
            if first is not None:
                if not _same(first, seat, text, final=final, meant_for=meant_for):
                    raise OtherRequest(
                        "You have sent other orders under this Idempotency-Key. Take a new key for"
                        " new orders."
                    )
                return first, False
        submission = ledger.receive(
            seat,
            text,
            channel=Submission.Channel.API,
            person=person,
            now=now,
            final=final,
            meant_for=meant_for,
            request_key=key,
            held=held,
        )
        return submission, True


def _same(
    first: Submission, seat: Seat, text: str, *, final: bool, meant_for: Phase | None
) -> bool:
    return (
        first.seat_id == seat.pk
        and first.text == text
        and first.final == final
        and (meant_for is None or first.phase_id == meant_for.pk)
    )
