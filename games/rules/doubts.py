"""Decide which orders in doubt count at the deadline (option `orders.in_doubt`).

Pure, for the service and for `verify`. A text of which a line is in doubt is a *question* to its
sender: it orders nothing. If nobody has answered it by the deadline and the nation has no other
orders in force, its lines count, provided that they have exactly one reading and nothing that
cannot be taken back. The service then enters them as a submission with a channel of its own, so
that everything after the lock sees ordinary orders.

They never count for a nation whose orders a team sends, because there one member's text is a vote
or a proposal; nor for a report; nor in a phase that ends before its deadline.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import Doubt
from .contract import Ruleset

OPTION, COUNT_ALONE = "orders.in_doubt", "count_alone"
#: The channel of the submission that the service enters at the lock.
CHANNEL = "doubt"


@dataclass(frozen=True)
class Sent:
    """A submission in time that settles what its nation orders, or asks.

    `doubt` is None for one that counts, and for a withdrawal.
    """

    number: int
    nation: str
    doubt: Doubt | None = None


def as_json(doubt: Doubt | None) -> dict[str, Any] | None:
    return None if doubt is None else {"lines": list(doubt.lines), "may_count": doubt.may_count}


def from_json(tree: Mapping[str, Any] | None) -> Doubt | None:
    return None if tree is None else Doubt(tuple(tree["lines"]), tree["may_count"])


def text_of(doubt: Doubt) -> str:
    """Return the order text that answers a question with yes."""
    return "\n".join(doubt.lines)


def counting(
    rules: Ruleset,
    state: Any,
    options: Mapping[str, Any],
    sent: Iterable[Sent],
    in_force: Collection[str],
    teams: Collection[str],
) -> dict[str, Sent]:
    """Return, by nation, the questions whose lines count at the deadline.

    `sent`: the phase's submissions, in order. `in_force`: nations with orders in force; `teams`:
    nations whose orders a team sends.
    """
    if options[OPTION] != COUNT_ALONE:
        return {}
    acting = set(rules.acting_nations(state)) - set(rules.referee.seats)
    newest = {item.nation: item for item in sent}
    return {
        nation: item
        for nation, item in newest.items()
        if item.doubt is not None
        and item.doubt.may_count
        and nation in acting
        and nation not in in_force
        and nation not in teams
        and rules.read(text_of(item.doubt), nation, state).understood  # not after some rulings
    }
