"""Orders that somebody has begun to write: kept until he sends them, his alone to see, and no
orders at all before that.

A draft belongs to a seat, a phase and a person. One that is left when its phase is over is shown
once more as text, and then put away.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from games import permissions
from games.models import Person, Phase, Seat
from orders import in_force

from . import ledger
from .models import Draft


class Elsewhere(Exception):
    """The draft was changed elsewhere since this page saw it, and is left as it is."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(
            "You have written something else meanwhile, on another device or in another window."
        )
        self.draft = draft


def mine(seat: Seat, phase: Phase, person: Person) -> Draft | None:
    """What this person has written for the seat in this phase and not sent."""
    draft = Draft.objects.filter(seat=seat, phase=phase, person=person).first()
    return draft if draft is not None and permissions.reads_draft(person, draft) else None


def keep(
    seat: Seat,
    phase: Phase,
    person: Person,
    text: str,
    now: datetime,
    *,
    known: datetime | None,
    anyway: bool = False,
) -> Draft | None:
    """Keeps a text as the person's draft, or no draft where the text is blank or what is in force
    already.

    `known` is the draft's time as the page last saw it, None where it saw none. Raises `Elsewhere`
    where there is a newer one with another text, unless told to keep this one `anyway`. What no
    ledger would take is no draft either.
    """
    if ledger.refusal(text):
        return mine(seat, phase, person)
    with transaction.atomic():
        nothing_new = text == in_force.own_text(seat, phase, person) or not text.strip()
        rows = Draft.objects.filter(seat=seat, phase=phase, person=person)
        row = rows.select_for_update().first()
        if row is None:
            if nothing_new:
                return None
            row, made = Draft.objects.get_or_create(
                seat=seat, phase=phase, person=person, defaults={"text": text, "kept_at": now}
            )
            if made:
                return row
        if row.text == text:
            return row
        asked = (
            rows if anyway else rows.filter(kept_at=known) if known else rows.none()
        )  # the page knew of no draft, and there is one
        kept_at = max(now, row.kept_at)
        done = asked.delete()[0] if nothing_new else asked.update(text=text, kept_at=kept_at)
        if not done:
            raise Elsewhere(row)
        row.text, row.kept_at = text, kept_at
        return None if nothing_new else row


def throw_away(seat: Seat, phase: Phase, person: Person) -> None:
    """The draft is sent, or not wanted any more."""
    Draft.objects.filter(seat=seat, phase=phase, person=person).delete()


def left_over(seat: Seat, phase: Phase, person: Person) -> Draft | None:
    """What was written for an earlier phase, and neither sent nor put away since: the newest."""
    earlier = Draft.objects.filter(seat=seat, person=person, phase__number__lt=phase.number)
    return earlier.select_related("phase__game").order_by("-phase__number").first()


def put_away(seat: Seat, phase: Phase, person: Person) -> None:
    """Whatever is left over from before this phase has been seen."""
    Draft.objects.filter(seat=seat, person=person, phase__number__lt=phase.number).delete()
