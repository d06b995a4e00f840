"""Choose examples that the reader can send: for the phase that is open, against other nations."""

from __future__ import annotations

import re

from .facts import Facts

_PLACEMENTS = ("PLACE", "FROM", "BLANKS")
_FIGHTING = ("ATTACK", "UNDERSTANDING", "CONTROL", "SHARE", "STANDING")
#: Verbs of orders that name another nation.
_TOWARD_OTHERS = ("ATTACK", "ALLY", "SHARE")


def fitting_example(form: str, facts: Facts) -> str:
    """Return an example of an order, or of another one where the phase has no such orders.

    The reader's own nation becomes another nation of the card.
    """
    verb = form.partition(" ")[0]
    if (verb in _PLACEMENTS and not facts.left) or (verb in _FIGHTING and not facts.attacking):
        form = facts.example
        verb = form.partition(" ")[0]
    if verb not in _TOWARD_OTHERS:
        return form
    other = next(
        (name for name in facts.nations.names if name != facts.nation and name not in form), ""
    )
    return re.sub(rf"\b{re.escape(facts.nation)}\b", other, form) if other else form
