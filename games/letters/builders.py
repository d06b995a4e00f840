"""Which function says what a letter of a kind says: each module of a subject has its `BUILDERS`."""

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


#: Letters that orders do not answer: those between people, and those after which there are none.
NO_ORDERS = (*headers.OWN_THREADS, "over", "abandoned")


def build(letter: Letter, batch: Batch | None = None, *, on_paper: bool = False) -> Facts:
    """Return everything that a letter's templates need; `batch` holds what it shares with others.
    On paper nothing is said of answers by mail.

    Raises `KeyError` for a kind that nobody has written, and whatever a missing row raises.
    """
    context = Context(letter, batch or Batch.of([letter]))
    facts = common.of_reader(letter)
    if letter.game is not None:
        facts |= common.of_game(letter, letter.game)
    facts["plays"] = context.plays
    if not on_paper:
        facts |= _by_mail(letter, plays=context.plays)
    return facts | BUILDERS[letter.kind](context)


def _by_mail(letter: Letter, *, plays: bool) -> Facts:
    """The line above which an answer is written, where mail comes in and the reader has a mail
    program."""
    if headers.asks(letter):
        return {"marker": MARKER_OF_ASKING, "asks_by_mail": True}
    on = headers.answerable(letter) and letter.person is not None and not letter.person.by_post
    marker = MARKER if plays else MARKER_OF_ASKING
    return {
        "marker": marker if on else "",
        "order_by_mail": on and plays and letter.kind not in NO_ORDERS,
    }
