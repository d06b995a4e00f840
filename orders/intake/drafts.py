"""Save orders that a person is still writing, private to them; they count only once sent.

A draft belongs to a seat, a phase and a person. When its phase is over it is shown once more as
text, and then discarded.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from games import permissions
from games.models import Person, Phase, Seat
from games.positions import in_force
from orders.intake import ledger
from orders.models import Draft


class DraftConflict(Exception):
    """The draft was changed elsewhere since this page saw it, and was left unchanged."""

    def __init__(self, draft: Draft) -> None:
        super().__init__("You have changed your draft in another window or on another device.")
        self.draft = draft


def own_draft(seat: Seat, phase: Phase, person: Person) -> Draft | None:
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

    `known`: the draft's time as the page last saw it, None if it saw none. Raise `DraftConflict` if
    there is a newer draft with another text, unless `anyway`. A text that the ledger would refuse
    is not saved.
    """
    if ledger.refusal(text):
        return own_draft(seat, phase, person)
    with transaction.atomic():
        standing = in_force.submission_in_force(seat, phase)
        own = in_force.own_text(seat, phase, person, standing)
        nothing_new = text == own or not text.strip()
        rows = Draft.objects.filter(seat=seat, phase=phase, person=person)
        row = rows.select_for_update().first()
        if row is None:
            if nothing_new:
                return None
            row, is_new = Draft.objects.get_or_create(
                seat=seat, phase=phase, person=person, defaults={"text": text, "kept_at": now}
            )
            if is_new:
                return row
        if row.text == text:
            return row
        # Without `known` the page saw no draft, but there is one now: change nothing.
        expected = rows if anyway else rows.filter(kept_at=known) if known else rows.none()
        kept_at = max(now, row.kept_at)
        changed = (
            expected.delete()[0] if nothing_new else expected.update(text=text, kept_at=kept_at)
        )
        if not changed:
            raise DraftConflict(row)
        row.text, row.kept_at = text, kept_at
        return None if nothing_new else row


def discard(seat: Seat, phase: Phase, person: Person) -> None:
    """Delete the draft, because it was sent or is no longer needed."""
    Draft.objects.filter(seat=seat, phase=phase, person=person).delete()


def mine_and_leftover(
    seat: Seat, phase: Phase, person: Person
) -> tuple[Draft | None, Draft | None]:
    """Return this person's draft in this phase, and a leftover of an earlier one.

    The leftover is the newest draft of an earlier phase that was neither sent nor discarded. Either
    may be None.
    """
    drafts = {row.phase_id: row for row in Draft.objects.filter(seat=seat, person=person)}
    current = drafts.get(phase.pk)
    # The phases of a game have their ids in order.
    earlier = drafts.get(max((pk for pk in drafts if pk < phase.pk), default=0))
    if current is not None:
        current.phase = phase
    if earlier is not None:
        earlier.phase.game = phase.game
    return current, earlier


def discard_leftovers(seat: Seat, phase: Phase, person: Person) -> None:
    """Delete the drafts of earlier phases once their writer has seen them."""
    Draft.objects.filter(seat=seat, person=person, phase__number__lt=phase.number).delete()
