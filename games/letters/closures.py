"""Letters about closures of an exchange (games.desk.closure_evidence): to the operator, and to the
gamesmasters concerned."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db.models import Q

from games.models import Letter, MarketClosure, Person, Phase, Reading
from games.outbox import rows
from games.rules.markets import by_exchange

from . import facts, moments
from .facts import Facts

KIND = "closure"
CONFIRMED, REFUSED, TRADED = "confirmed", "refused", "traded"


def confirmed(closure: MarketClosure, moved: int, now: datetime) -> None:
    """Tell the operator: the day had no trading, and so many games draw on another session."""
    _to_operator(closure, CONFIRMED, now, moved=moved)


def refused(closure: MarketClosure, said: str, now: datetime) -> None:
    """Tell the operator: the closure does not count, and why."""
    _to_operator(closure, REFUSED, now, said=said)


def traded(closure: MarketClosure, said: str, phases: Iterable[Phase], now: datetime) -> None:
    """Tell the operator and the gamesmasters of these phases: a day that counts as closed had
    trading."""
    _to_operator(closure, TRADED, now, said=said)
    for phase in phases:
        about = {"closure": closure.pk, "outcome": TRADED, "said": said, "session": phase.session}
        rows.to(
            rows.gamesmasters(phase.game),
            phase.game,
            phase,
            KIND,
            f"{KIND}-{closure.pk}",
            now,
            about,
        )


def _to_operator(closure: MarketClosure, outcome: str, now: datetime, **about: Any) -> None:
    staff = Person.objects.filter(Q(is_staff=True) | Q(is_superuser=True), is_active=True).order_by(
        "pk"
    )
    about |= {"closure": closure.pk, "outcome": outcome}
    rows.write(
        rows.row(
            f"{KIND}-{closure.pk}/{outcome}/person-{person.pk}", KIND, now, person, about=about
        )
        for person in staff
    )


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
        "by": facts.who(closure.entered_by),
        "reason": facts.one_line(closure.reason),
        "said": letter.about.get("said", ""),
        "symbols": ", ".join(dict.fromkeys(quiet)),
        "moved": letter.about.get("moved", 0),
        "session": moments.session(letter.about.get("session", "")),
        "link": "" if letter.game_id else facts.link("closures"),
    }


TELLERS: dict[str, Callable[[Letter], Facts]] = {KIND: _closure}
