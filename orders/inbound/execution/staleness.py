"""What the sender of a message can have known: the order in which people wrote, not mail came."""

from __future__ import annotations

from datetime import datetime

from games.models import Letter

from ..parsing.written import CLOCKS_MAY_DIFFER
from .execution import Execution, ItemError, answered_letters

#: How an asked sender says that they mean it: the answer proves that it was written later.
STILL_WANTED = "If you still want it, answer this letter with it."


def known_until(run: Execution) -> datetime:
    """Return until when everything that arrived was there when the message was written.

    That is when it was written, with the benefit of wrong clocks. A message that answers a letter
    of ours was written after that letter, whatever its headers say.
    """
    answered = _answered_at(run)
    written = run.written + CLOCKS_MAY_DIFFER
    return written if answered is None else max(written, answered)


def check_seen(run: Execution, what: str, changed: str, at: datetime) -> None:
    """Raise `ItemError` if a command depends on a state that its sender has not seen.

    They have seen what stood when the letter that they answer was written, or if they answer none,
    when they wrote. `changed`: what has changed since, at an instant, as in “the deadline has
    moved”. `what`: what came of the command, as in “EXTEND changed nothing”.
    """
    answered = _answered_at(run)
    if at > (run.written + CLOCKS_MAY_DIFFER if answered is None else answered):
        since = "the letter that you answered" if answered is not None else "you wrote"
        raise ItemError(f"{what}: {changed} since {since}. {STILL_WANTED}")


def _answered_at(run: Execution) -> datetime | None:
    """Return when the newest letter that the message answers was written, or None.

    Only letters that it names: the newest letter with its subject may be newer than the message.
    """
    names = (run.message.in_reply_to, *run.message.references)
    named = {Letter.code_in(name) for name in names}
    instants = [
        letter.written_at
        for letter in answered_letters(run.message, run.sender)
        if letter.code in named
    ]
    return max(instants, default=None)
