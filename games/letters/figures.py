"""Build the context of letters about sales figures (awaited, overdue, changed by their publisher,
from another session) and about closures of an exchange (games.desk.closure_evidence)."""

from __future__ import annotations

from typing import Any

from games import market, permissions
from games.base import links, text
from games.market import witnesses
from games.models import Figure, MarketClosure, Reading, SessionChange, people
from games.outbox.messages import closure_letters, game_letters
from games.rules.digits import digit_of_shares
from games.rules.markets import market_of_exchange
from games.rules.settling import PUBLISHERS
from games.timing import local_time

from .context import Context, Facts, builds


@builds(game_letters.HELD)
def _hold_facts(context: Context) -> Facts:
    return {"fault": text.one_line(context.about["fault"])}


@builds(game_letters.OVERDUE)
def _overdue(context: Context) -> Facts:
    """Return the figures that a phase waits for. `rolls`: it waits for the gamesmaster's dice
    rolls, not for market figures."""
    game, phase = context.game, context.phase
    rolls, late = not market.sales_decide(game), context.about["cause"] == "late"
    stocks = [] if rolls else context.about["stocks"]
    return {
        "late": late,
        "rolls": rolls,
        "waiting": [(symbol, text.one_line(why)) for symbol, why in stocks],
        "session": "" if rolls else context.describe_session(phase.session),
        "desk_link": f"{links.link('desk', game.pk)}#figures",
        "may_be_closed": bool(phase.session) and not late and not rolls,
    }


@builds(game_letters.WAITING)
def _waiting(context: Context) -> Facts:
    """Return the stocks that the result waits for, and why. Only gamesmasters see figures."""
    game = context.game
    runs = context.letter.person is not None and permissions.is_gamesmaster(
        context.letter.person, game
    )
    return {
        "session": context.describe_session(context.phase.session),
        "waits": [_wait(context, wait, runs=runs) for wait in context.about["waits"]],
        "desk_link": links.link("desk", game.pk) if runs else "",
    }


def _wait(context: Context, wait: dict[str, Any], *, runs: bool) -> str:
    stock = wait["symbol"] if runs or wait["public"] else "A stock named by a ruling"
    parts = [f"{stock}: {text.one_line(wait['why_with_figures' if runs else 'why'])}", wait["ends"]]
    if wait["next_look"]:
        parts.append(
            f"Next reading {context.describe_instant(local_time.parse(wait['next_look']))}."
        )
    if wait["until"] and local_time.parse(wait["until"]) > context.letter.written_at:
        until = context.describe_instant(local_time.parse(wait["until"]))
        parts.append(f"If nothing settles by {until}, the stock has no usable report.")
    return " ".join(part for part in parts if part)


@builds(game_letters.RESTATED)
def _restatement_facts(context: Context) -> Facts:
    """Return the context about a figure that the publisher has changed, as of the reading that the
    letter is about."""
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
        "session": context.describe_session(phase.session),
        "settled": settled,
        "typed": witnesses.is_typed(figure),
        "publisher": PUBLISHERS.get(reading.source, reading.source),
        "now_reported": f"{reading.volume:,} shares",
        "when": context.describe_instant(reading.read_at),
        "split": reading.flag == Reading.Flag.SPLIT,
        "digits": digits if figure.volume else f"The new figure would give the digit {new}.",
        "ruling_link": links.link("desk-ruling-phase", game.pk, phase.number),
        "proof_link": links.link("proof", game.pk, phase.number),
    }


@builds(game_letters.SESSION)
def _session_change_facts(context: Context) -> Facts:
    game = context.game
    change = SessionChange.objects.select_related("changed_by", "phase").get(
        pk=context.about["session_change"]
    )
    session = market.Session(change.phase.exchange, change.new, change.new_opens, change.new_closes)
    return {
        "old": context.describe_session(change.old).replace("the session", "that", 1),
        "session": context.describe_session(change.new),
        "same": change.old == change.new,
        "opens": context.describe_instant(change.new_opens),
        "closes": context.describe_instant(change.new_closes),
        "reason": text.one_line(change.reason),
        "by": people.who(change.changed_by) or "the gamesmaster",
        "reading": market.describe_policy(
            market.policy_for(change.phase), session, context.describe_instant
        ),
        "proof_link": links.link("proof", game.pk, change.phase.number),
    }


@builds(closure_letters.CLOSURE)
def _closure(context: Context) -> Facts:
    closure = MarketClosure.objects.select_related("entered_by").get(pk=context.about["closure"])
    market = market_of_exchange(closure.exchange)
    later = closure.readings.filter(session__gt=closure.day.isoformat(), kind=Reading.Kind.OK)
    traded = later.order_by("session", "symbol").values_list("session", "symbol")
    return {
        "outcome": context.about["outcome"],
        "exchange": market.title if market else closure.exchange,
        "day": local_time.short_day(closure.day, context.letter.written_at),
        "by": people.who(closure.entered_by),
        "reason": text.one_line(closure.reason),
        "said": context.about.get("said", ""),
        "symbols": ", ".join(dict.fromkeys(symbol for _, symbol in traded)),
        "after": context.describe_session(traded[0][0] if traded else ""),
        "moved": context.about.get("moved", 0),
        "session": context.describe_session(context.about.get("session", "")),
        "link": "" if context.letter.game_id else links.link("closures"),
    }
