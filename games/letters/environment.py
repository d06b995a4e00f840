"""The Jinja2 environment for letter templates, used through Django's own backend (`TEMPLATES`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.template.defaultfilters import capfirst, pluralize
from django.template.loader import get_template
from django.utils.safestring import mark_safe
from jinja2 import ChainableUndefined, Environment, select_autoescape
from jinja2.ext import Extension

from games.rules import wording

from .dress import dress

ENGINE = "letters"


def fill_in(name: str, facts: Mapping[str, Any]) -> str:
    """Render the template with this name, such as `mail/board.txt`."""
    text = str(get_template(name, using=ENGINE).render(dict(facts)))
    if not name.endswith(".html"):
        return text
    # Escape quotes as Django does. This cannot hit user text: its `&` is `&amp;` here.
    return text.replace("&#39;", "&#x27;").replace("&#34;", "&quot;")


def fill_in_part(name: str, facts: Mapping[str, Any]) -> str:
    """Render a template for inclusion in others: without its last newline, and marked safe if it is
    HTML."""
    text = fill_in(name, facts).removesuffix("\n")
    return mark_safe(text) if name.endswith(".html") else text


class Dress(Extension):
    """Dress the HTML of letters when a template is loaded: what it is filled with has no
    elements."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        of_letter = name is not None and name.startswith("mail/") and name.endswith(".html")
        return dress(source) if of_letter else source


def environment(**options: Any) -> Environment:
    """Build the environment. Django calls it with the options from its settings."""
    options |= {
        "autoescape": select_autoescape(enabled_extensions=("html",), default=False),
        # A missing value leaves its part out; it is not an error.
        "undefined": ChainableUndefined,
        "extensions": [Dress],
        "keep_trailing_newline": True,  # the text around an included part relies on it
    }
    jinja = Environment(**options)
    # Jinja2 copies its global functions for each letter and part; no template uses one.
    jinja.globals.clear()
    jinja.filters |= {
        "capfirst": capfirst,
        "figure": wording.figure,
        "pluralize": pluralize,
        "stop_off": lambda sentence: sentence.removesuffix("."),
    }
    return jinja
