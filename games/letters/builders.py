"""Map each kind of letter to the function that builds its context, from the `BUILDERS` of each
module."""

from __future__ import annotations

from games.models import Letter
from games.outbox.messages.markers import MARKER, MARKER_OF_ASKING

from . import (
    accounts,
    answers,
    closures,
    common,
    deals,
    desk,
    figures,
    game,
    headers,
    inbound,
    orders,
    press,
    referee,
    reports,
    restored,
    ruled,
    webhooks,
)
from .context import Batch, Build, Context, Facts

BUILDERS: dict[str, Build] = {
    **accounts.BUILDERS,
    **game.BUILDERS,
    **orders.BUILDERS,
    **reports.BUILDERS,
    **figures.BUILDERS,
    **desk.BUILDERS,
    **answers.BUILDERS,
    **press.BUILDERS,
    **deals.BUILDERS,
    **inbound.BUILDERS,
    **ruled.BUILDERS,
    **webhooks.BUILDERS,
    **closures.BUILDERS,
    **restored.BUILDERS,
    **referee.BUILDERS,
}


#: Letters to which orders are not a reply: letters between people, and those that end a game.
NO_ORDERS = (*headers.OWN_THREADS, "over", "abandoned")


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
    """Return the marker line above which the reader types a reply, and how they may reply, if
    inbound mail is on and they do not get letters by post."""
    if headers.asks(letter):
        return {"marker": MARKER_OF_ASKING, "asks_by_mail": True}
    on = headers.answerable(letter) and letter.person is not None and not letter.person.by_post
    orders = plays and letter.kind not in NO_ORDERS
    marker = MARKER if orders else MARKER_OF_ASKING
    return {
        "marker": marker if on else "",
        "order_by_mail": on and orders,
    }
