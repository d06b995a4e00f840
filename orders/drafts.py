"""Orders that a person is still writing: private to their writer, and no orders until sent.

A draft belongs to a seat, a phase and a person. When its phase is over it is shown once more as
text, and then discarded.
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
    """Return this person's draft for the seat in this phase."""
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
    """Save a text as the person's draft; delete the draft if the text is blank or already in force.

    `known`: the draft's time as the page last saw it, None if it saw none. Raises `Elsewhere` if
    there is a newer one with another text, unless `anyway`. A text that the ledger would refuse is
    no draft either.
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


def discard(seat: Seat, phase: Phase, person: Person) -> None:
    """Delete the draft: it was sent, or is no longer wanted."""
    Draft.objects.filter(seat=seat, phase=phase, person=person).delete()


def mine_and_leftover(
    seat: Seat, phase: Phase, person: Person
) -> tuple[Draft | None, Draft | None]:
    """Return this person's draft in this phase, and the newest one of an earlier phase that was
    neither sent nor discarded."""
    rows = Draft.objects.filter(seat=seat, person=person, phase__number__lte=phase.number)
    drafts = list(rows.select_related("phase").order_by("-phase__number")[:2])
    for draft in drafts:
        draft.phase.game = phase.game
    now = next((one for one in drafts if one.phase_id == phase.pk), None)
    earlier = next((one for one in drafts if one.phase.number < phase.number), None)
    return now, earlier


def discard_leftovers(seat: Seat, phase: Phase, person: Person) -> None:
    """Delete the drafts of earlier phases, once their writer has seen them."""
    Draft.objects.filter(seat=seat, person=person, phase__number__lt=phase.number).delete()
