"""Choose examples that the reader can send: for the phase that is open, against other nations."""

from __future__ import annotations

import re

from .facts import Facts


def fitting_example(form: str, facts: Facts) -> str:
    """Return an example of an order, or of another one where the phase has no such orders.

    The reader's own nation becomes another nation of the card.
    """
    if form.partition(" ")[0] not in facts.verbs:
        return form
    when = facts.verbs[form].when
    if (when == "placement" and not facts.left) or (when == "attacks" and not facts.attacking):
        form = facts.example
    if not facts.verbs[form].names_nations:
        return form
    other = next(
        (name for name in facts.nations.names if name != facts.nation and name not in form), ""
    )
    return re.sub(rf"\b{re.escape(facts.nation)}\b", other, form) if other else form
