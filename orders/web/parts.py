"""Render what the order page shows of every area as HTML, with Jinja2.

Rendering the panels with Django's templates took nearly half of the page's time; Jinja2 takes less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

from games.letters.environment import fill_in
from games.models import Game
from games.pages.headings import Heading
from games.pages.tags.boards import odds, outcomes_with_strength_left
from games.pages.tags.formatting import nation as nation_in_letters

from .forms import Builder
from .panels import Panel
from .worth import Worth


def panels_in_html(
    panels: Sequence[Panel],
    game: Game,
    nation: str,
    *,
    nations: Mapping[str, Heading],
    worth: Mapping[str, Worth],
    listed: Sequence[str],
) -> dict[str, SafeString]:
    """Return the content of each panel, by the panel's id in the page (`Panel.anchor`)."""
    facts = {
        "named": {name: nation_in_letters(name, nations) for name in nations},
        "nation": nation,
        "listed": listed,
        "reserves": "/".join(game.reserves[:3]),
        "free_text": game.rules.verbs.free_text,
        "void_without_stock": game.options.get("rng.no_stock") == "attack_void",
        "odds_in_words": odds,
        "outcomes_with_strength_left": outcomes_with_strength_left,
    }
    return {
        panel.anchor: mark_safe(
            fill_in("orders/_panel.html", facts | {"panel": panel, "worth": worth.get(panel.area)})
        )
        for panel in panels
    }


def areas_in_html(panels: Sequence[Panel]) -> SafeString:
    """Return the list of areas, each as a link to its panel."""
    return mark_safe(fill_in("orders/_areas.html", {"panels": panels}))


def builders_in_html(
    builders: Sequence[Builder], game: Game, nations: Mapping[str, Heading]
) -> SafeString:
    """Return the forms that write one line each."""
    facts = {
        "named": {name: nation_in_letters(name, nations) for name in nations},
        "reserves": "/".join(game.reserves[:3]),
    }
    forms = (fill_in("orders/_builder.html", facts | {"builder": builder}) for builder in builders)
    return mark_safe("".join(forms))


def boxes(panels: Sequence[Panel], html: Mapping[str, SafeString]) -> SafeString:
    """Return all panels as HTML, each in its box."""
    return format_html_join(
        "\n",
        '<div class="panel" id="{}" data-area="{}" role="group" aria-label="Orders in {}">{}</div>',
        ((panel.anchor, panel.area, panel.area, html[panel.anchor]) for panel in panels),
    )
