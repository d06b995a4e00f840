"""Jinja2 as the templates of letters use it, through Django's own backend (`TEMPLATES`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.template.defaultfilters import capfirst, pluralize
from django.template.loader import get_template
from django.utils.safestring import mark_safe
from jinja2 import ChainableUndefined, Environment, select_autoescape

ENGINE = "letters"


def fill_in(name: str, facts: Mapping[str, Any]) -> str:
    """Fill in a template by its name, such as `mail/board.txt`."""
    text = str(get_template(name, using=ENGINE).render(dict(facts)))
    if not name.endswith(".html"):
        return text
    # As Django's pages spell them. What a reader wrote cannot be meant: its `&` is `&amp;` here.
    return text.replace("&#39;", "&#x27;").replace("&#34;", "&quot;")


def fill_in_part(name: str, facts: Mapping[str, Any]) -> str:
    """Fill in a template for others to contain: without the end of its last line, and as HTML where
    it is HTML."""
    text = fill_in(name, facts).removesuffix("\n")
    return mark_safe(text) if name.endswith(".html") else text


def environment(**options: Any) -> Environment:
    """Build the environment; Django calls it with the options of its settings."""
    options |= {
        "autoescape": select_autoescape(enabled_extensions=("html",), default=False),
        # A part that a letter has nothing to say about is left out, not an error.
        "undefined": ChainableUndefined,
        "keep_trailing_newline": True,  # where a part ends in one, the text around it counts on it
    }
    found = Environment(**options)
    found.filters |= {
        "capfirst": capfirst,
        "pluralize": pluralize,
        "stop_off": lambda sentence: sentence.removesuffix("."),
    }
    return found
