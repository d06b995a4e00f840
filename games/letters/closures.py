"""Letters about closures of an exchange (games.desk.closure_evidence): to the operator, and to the
gamesmasters concerned."""

from __future__ import annotations

from collections.abc import Callable

from games.models import Letter, MarketClosure, Reading, people
from games.outbox.messages import closures
from games.rules.markets import by_exchange
from gamesmaster import links, text

from . import moments
from .facts import Facts


def _closure(letter: Letter) -> Facts:
    closure = MarketClosure.objects.select_related("entered_by").get(pk=letter.about["closure"])
    market = by_exchange(closure.exchange)
    quiet = (
        closure.readings.filter(kind=Reading.Kind.NO_BAR)
        .order_by("symbol")
        .values_list("symbol", flat=True)
    )
    return {
        "outcome": letter.about["outcome"],
        "exchange": market.title if market else closure.exchange,
        "day": moments.in_full(closure.day),
        "by": people.who(closure.entered_by),
        "reason": text.one_line(closure.reason),
        "said": letter.about.get("said", ""),
        "symbols": ", ".join(dict.fromkeys(quiet)),
        "moved": letter.about.get("moved", 0),
        "session": moments.session(letter.about.get("session", "")),
        "link": "" if letter.game_id else links.link("closures"),
    }


TELLERS: dict[str, Callable[[Letter], Facts]] = {closures.KIND: _closure}
