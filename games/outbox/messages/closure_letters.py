"""Write letters about closures of an exchange."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Q

from games.models import MarketClosure, Person, Phase
from games.outbox import rows
from games.outbox.kinds import Kind
from games.outbox.outgoing import Outgoing

CLOSURE = Kind("closure", "the letter about a day without trading")


def report_closure(closure: MarketClosure, moved: int, now: datetime) -> None:
    """Tell the operator that a day had no trading, and how many games moved to another session."""
    _write_to_operators(closure, CONFIRMED, now, moved=moved)


def report_refused_closure(closure: MarketClosure, evidence: str, now: datetime) -> None:
    """Tell the operator that the closure does not count, and why."""
    _write_to_operators(closure, REFUSED, now, said=evidence)


def report_trading(
    closure: MarketClosure, evidence: str, phases: Iterable[Phase], now: datetime
) -> None:
    """Tell the operator and these phases' gamesmasters that a closed day had trading."""
    _write_to_operators(closure, TRADED, now, said=evidence)
    phases, about = list(phases), {"closure": closure.pk, "outcome": TRADED, "said": evidence}
    with Outgoing(phase.game for phase in phases) as out:
        for phase in phases:
            out.write_to_gamesmasters(
                phase.game,
                phase,
                CLOSURE,
                f"closure-{closure.pk}",
                now,
                about | {"session": phase.session},
            )


def _write_to_operators(closure: MarketClosure, outcome: str, now: datetime, **about: Any) -> None:
    staff = Person.objects.filter(Q(is_staff=True) | Q(is_superuser=True), is_active=True).order_by(
        "pk"
    )
    about |= {"closure": closure.pk, "outcome": outcome}
    rows.write(
        rows.row(
            f"closure-{closure.pk}/{outcome}/person-{person.pk}", CLOSURE, now, person, about=about
        )
        for person in staff
    )


CONFIRMED, REFUSED, TRADED = "confirmed", "refused", "traded"
