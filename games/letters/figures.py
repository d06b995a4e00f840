"""Letters about sales figures: waited for, overdue, changed by their publisher, or of another
session."""

from __future__ import annotations

from typing import Any

from games import market, permissions
from games.market import witnesses, witnessing
from games.market.sources import PUBLISHERS
from games.models import Figure, Reading, SessionChange, people
from games.rules.digits import digit_of_shares
from games.timing import local_time
from gamesmaster import links, text

from .context import Build, Context, Facts


def _held(context: Context) -> Facts:
    return {"fault": text.one_line(context.about["fault"])}


def _overdue(context: Context) -> Facts:
    """Which figures a phase waits for. `rolls`: none of the market's, but the gamesmaster's own
    dice."""
    game, phase = context.game, context.phase
    return {
        "late": context.about["cause"] == "late",
        "rolls": not market.by_sales(game),
        "waiting": [(symbol, text.one_line(why)) for symbol, why in context.about["stocks"]],
        "session": local_time.session(phase.session),
        "may_be_closed": (
            bool(phase.session) and context.about["cause"] != "late" and market.by_sales(game)
        ),
    }


def _waiting(context: Context) -> Facts:
    """Which stocks keep the result, and why; figures are for the gamesmaster alone."""
    game = context.game
    runs = context.letter.person is not None and permissions.is_gamesmaster(
        context.letter.person, game
    )
    return {
        "session": local_time.session(context.phase.session),
        "waits": [_wait(context, wait, runs=runs) for wait in context.about["waits"]],
        "desk_link": links.link("desk", game.pk) if runs else "",
    }


def _wait(context: Context, wait: dict[str, Any], *, runs: bool) -> str:
    named = wait["symbol"] if runs or wait["public"] else "A stock that a ruling names"
    said = [f"{named}: {text.one_line(wait['why_with_figures' if runs else 'why'])}", wait["ends"]]
    if wait["next_look"]:
        said.append(f"Next reading {context.in_words(local_time.parse(wait['next_look']))}.")
    if wait["until"] and local_time.parse(wait["until"]) > context.letter.written_at:
        until = context.in_words(local_time.parse(wait["until"]))
        said.append(f"If nothing settles by {until}, the stock has no usable report.")
    return " ".join(part for part in said if part)


def _restated(context: Context) -> Facts:
    """A figure that the publisher has otherwise now. The letter says what it said when it was
    written."""
    game, phase = context.game, context.phase
    figure = Figure.objects.get(pk=context.about["figure"])
    reading = Reading.objects.get(pk=context.about["reading"])
    settled = f"{figure.volume:,} shares" if figure.volume else "no usable report"
    old, new = digit_of_shares(figure.volume or 0), digit_of_shares(reading.volume or 0)
    digits = (
        f"Both figures give the digit {old}."
        if old == new
        else f"The settled figure gives the digit {old}; the new one would give {new}."
    )
    return {
        "symbol": figure.symbol,
        "session": local_time.session(phase.session),
        "settled": settled,
        "typed": witnesses.is_typed(figure),
        "publisher": PUBLISHERS.get(reading.source, reading.source),
        "now_reported": f"{reading.volume:,} shares",
        "when": witnessing.when(reading),
        "split": reading.flag == Reading.Flag.SPLIT,
        "digits": digits if figure.volume else f"The new figure would give the digit {new}.",
        "ruling_link": links.link("desk-ruling-phase", game.pk, phase.number),
        "proof_link": links.link("proof", game.pk, phase.number),
    }


def _session_changed(context: Context) -> Facts:
    game = context.game
    change = SessionChange.objects.select_related("changed_by", "phase").get(
        pk=context.about["session_change"]
    )
    session = market.Session(change.phase.exchange, change.new, change.new_opens, change.new_closes)
    return {
        "old": local_time.session(change.old),
        "session": local_time.session(change.new),
        "same": change.old == change.new,
        "opens": context.in_words(change.new_opens),
        "closes": context.in_words(change.new_closes),
        "reason": text.one_line(change.reason),
        "by": people.who(change.changed_by) or "the gamesmaster",
        "reading": market.in_words(market.policy_for(change.phase), session),
        "proof_link": links.link("proof", game.pk, change.phase.number),
    }


BUILDERS: dict[str, Build] = {
    "held": _held,
    "overdue": _overdue,
    "waiting": _waiting,
    "restated": _restated,
    "session": _session_changed,
}
