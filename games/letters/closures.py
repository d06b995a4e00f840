"""Build the context of letters about closures of an exchange (games.desk.closure_evidence), to the
operator and to the gamesmasters of affected games."""

from __future__ import annotations

from games.base import links, text
from games.models import MarketClosure, Reading, people
from games.outbox.messages import closure_letters
from games.rules.markets import market_of_exchange
from games.timing import local_time

from .context import Context, Facts, builds


@builds(closure_letters.CLOSURE)
def _closure(context: Context) -> Facts:
    closure = MarketClosure.objects.select_related("entered_by").get(pk=context.about["closure"])
    market = market_of_exchange(closure.exchange)
    quiet = (
        closure.readings.filter(kind=Reading.Kind.NO_BAR)
        .order_by("symbol")
        .values_list("symbol", flat=True)
    )
    return {
        "outcome": context.about["outcome"],
        "exchange": market.title if market else closure.exchange,
        "day": local_time.in_full(closure.day),
        "by": people.who(closure.entered_by),
        "reason": text.one_line(closure.reason),
        "said": context.about.get("said", ""),
        "symbols": ", ".join(dict.fromkeys(quiet)),
        "moved": context.about.get("moved", 0),
        "session": local_time.session(context.about.get("session", "")),
        "link": "" if context.letter.game_id else links.link("closures"),
    }
