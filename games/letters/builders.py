"""Build the context of a letter of any kind, and decide whether it should still be sent."""

from __future__ import annotations

from datetime import datetime

from games.base.markers import MARKER, MARKER_OF_ASKING
from games.models import Letter
from games.outbox.messages import KINDS
from games.rules import registry

from . import (  # noqa: F401 (they register what builds the context of their kinds)
    accounts,
    answers,
    common,
    deals,
    desk,
    figures,
    game,
    headers,
    inbound,
    orders,
    press,
    reports,
    restored,
    ruled,
)
from .context import BUILDERS, OUTDATED, Batch, Context, Facts

for _guest in registry.GUESTS:  # they register theirs, too
    registry.part(_guest, "letters")


def build(letter: Letter, batch: Batch | None = None, *, on_paper: bool = False) -> Facts:
    """Return the context of a letter's templates. `batch` holds data shared with other letters. On
    paper, the letter does not mention replies by mail.

    Raise `KeyError` for an unknown kind. Errors from missing rows are not caught.
    """
    context = Context(letter, batch or Batch.for_letters([letter]))
    facts = common.reader_facts(letter)
    if letter.game is not None:
        facts |= common.game_facts(letter, letter.game)
    facts["plays"] = context.plays
    if not on_paper:
        facts |= _reply_facts(letter, plays=context.plays)
    return facts | BUILDERS[letter.kind](context)


def _reply_facts(letter: Letter, *, plays: bool) -> Facts:
    """Return the marker line above which the reader types a reply, and how they may reply, if they
    may."""
    if headers.asks(letter):
        return {"marker": MARKER_OF_ASKING, "asks_by_mail": True}
    on = headers.answerable(letter)
    in_progress = letter.game is not None and letter.game.in_progress
    may_order = in_progress and plays and KINDS[letter.kind].replies == "orders"
    marker = MARKER if may_order else MARKER_OF_ASKING
    return {
        "marker": marker if on else "",
        "order_by_mail": on and may_order,
    }


def reason_not_to_send(letter: Letter, now: datetime) -> str:
    """Return why a letter should no longer be sent; "" if it should."""
    return OUTDATED[letter.kind](letter, now) if letter.kind in OUTDATED else ""
