"""Jinja2 as the templates of letters use it, through Django's own backend (`TEMPLATES`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.template.defaultfilters import capfirst, pluralize
from django.template.loader import get_template
from django.utils.html import conditional_escape
from jinja2 import ChainableUndefined, Environment, pass_eval_context, select_autoescape
from jinja2.nodes import EvalContext

ENGINE = "letters"


def fill_in(name: str, facts: Mapping[str, Any]) -> str:
    """Fill in a template by its name, such as `mail/board.txt`."""
    return str(get_template(name, using=ENGINE).render(dict(facts)))


def environment(**options: Any) -> Environment:
    """Build the environment; Django calls it with the options of its settings."""
    options |= {
        "autoescape": select_autoescape(enabled_extensions=("html",), default=False),
        # A part that a letter has nothing to say about is left out, not an error.
        "undefined": ChainableUndefined,
        "keep_trailing_newline": True,  # where a part ends in one, the text around it counts on it
        "finalize": _escape,
    }
    found = Environment(**options)
    found.filters |= {"capfirst": capfirst, "pluralize": pluralize}
    return found


@pass_eval_context
def _escape(context: EvalContext, value: Any) -> Any:
    """Escape as Django's pages do: quotation marks as `&#x27;` and `&quot;`, not as `&#39;`."""
    return conditional_escape(value) if context.autoescape else value
