"""Save the text of an order page as a draft while its writer still works on it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest

from games.models import Phase, Seat
from games.pages.requests import person_of, shown_phase
from orders.intake import drafts
from orders.models import Draft

CLOSED_MEANWHILE = (
    "This phase has closed in the meantime. Load the page again: what you wrote is saved there."
)
CLOSED_UNKEPT = (
    "This phase has closed in the meantime, and what you wrote here is not saved. Copy what you"
    " need and load the page again."
)


@dataclass(frozen=True)
class KeptDraft:
    """The draft as it is now.

    `elsewhere` is a draft changed on another device since this page saw it; then this page's text
    is not saved.
    """

    draft: Draft | None = None
    elsewhere: Draft | None = None


def keep_draft(
    request: HttpRequest, seat: Seat, phase: Phase, text: str, now: datetime
) -> KeptDraft:
    """Save the text as a draft while orders of the phase count.

    Text written for a phase that has closed since stays a draft of that phase.
    """
    person, draft_phase = person_of(request), shown_phase(request, phase.game, phase) or phase
    if not phase.takes_orders:
        return KeptDraft(drafts.own_draft(seat, phase, person))
    try:
        known: datetime | None = datetime.fromisoformat(request.POST.get("kept", ""))
    except ValueError:
        known = None
    anyway = request.POST.get("do") == "keep-this"
    try:
        draft = drafts.keep(seat, draft_phase, person, text, now, known=known, anyway=anyway)
    except drafts.DraftConflict as error:
        return KeptDraft(error.draft, error.draft)
    return KeptDraft(draft if draft_phase.pk == phase.pk else None)
