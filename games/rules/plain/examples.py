"""Choose examples that the reader can send: for the phase that is open, against other nations."""

from __future__ import annotations

import re

from ..verbs import Verb
from .facts import Facts


def example_about(text: str, facts: Facts) -> str:
    """Return an example of the order of this phase that a text seems to be about."""
    about = [
        verb
        for verb in facts.verbs
        if _is_in_phase(verb, facts)
        and any(re.search(rf"\b(?:{stem})", text, re.IGNORECASE) for stem in verb.stems)
    ]
    # “Take control with an Understanding counter”: wishes come last, and say most.
    form = about[-1].example_in(facts.options, facts.market) if about else facts.example
    return fitting_example(form, facts)


def _is_in_phase(verb: Verb, facts: Facts) -> bool:
    return bool({"placement": facts.left, "attacks": facts.attacking}.get(verb.when, True))


def fitting_example(form: str, facts: Facts) -> str:
    """Return an example of an order, or of another one where the phase has no such orders.

    The reader's own nation becomes another nation of the card.
    """
    if form.partition(" ")[0] not in facts.verbs:
        return form
    if not _is_in_phase(facts.verbs[form], facts):
        form = facts.example
    if not facts.verbs[form].names_nations:
        return form
    other = next(
        (name for name in facts.nations.names if name != facts.nation and name not in form), ""
    )
    return re.sub(rf"\b{re.escape(facts.nation)}\b", other, form) if other else form
