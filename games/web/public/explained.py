"""The rules in our words, with examples that the engine computes: no figure is typed in."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from games import boards
from games.desk import practice
from games.game_templates import exists
from games.pages.headings import headings
from games.rules import Json, ResultTable, cards
from games.rules.explaining import Example
from games.rules.registry import RULESETS, ruleset
from games.web.scenarios.tables import tables_of

THEMES = ("light", "dark")


@require_safe
def games(request: HttpRequest) -> HttpResponse:
    """List the games that have a rules page."""
    explained_games = [
        (entry, _card(entry.id)) for entry in RULESETS.values() if is_explained(entry.id)
    ]
    return render(request, "games/explained/games.html", {"games": explained_games})


def is_explained(game: str) -> bool:
    """Return whether a game has a rules page."""
    return exists(f"games/explained/{game}.html")


@require_safe
def rules(request: HttpRequest, game: str) -> HttpResponse:
    """Show `templates/games/explained/<game>.html`, with `examples` by name."""
    if game not in RULESETS or not is_explained(game):
        raise Http404
    card = _card(game)
    context = {
        "rules": ruleset(game),
        "card": card,
        "tables": tables_of(card),
        "nations": headings(card["order"]),
        "table": ruleset(game).guide.table(),
        "throws": list(result_counts(ruleset(game).guide.table())),
        "examples": {example.name: example for example in _examples(game)},
        "playable": practice.nations(game),
        "practised": game,
    }
    return render(request, f"games/explained/{game}.html", context)


@require_safe
@gzip_page
def picture(request: HttpRequest, game: str, example: str) -> HttpResponse:
    """Serve the area of an example: `<name>.svg` before, `<name>-after.svg` after judging."""
    if game not in RULESETS:
        raise Http404
    name = example.removesuffix("-after")
    match = next((candidate for candidate in _examples(game) if candidate.name == name), None)
    if match is None:
        raise Http404
    theme = request.GET.get("theme", THEMES[0])
    drawn = _example_svg(game, name, name != example, theme if theme in THEMES else THEMES[0])
    return HttpResponse(
        drawn, content_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"}
    )


def result_counts(table: ResultTable) -> Iterator[tuple[str, list[int]]]:
    """Yield, for each column, how many of its rows give each result."""
    for place, column in enumerate(table.columns):
        results = [row[place] for _, row in table.rows]
        yield column, [results.count(letters) for letters in table.meanings]


def _card(game: str) -> Json:
    return cards.load(game, cards.names(game)[0])


@lru_cache(maxsize=8)
def _examples(game: str) -> tuple[Example, ...]:
    return ruleset(game).guide.examples()


@lru_cache(maxsize=64)
def _example_svg(game: str, name: str, after: bool, theme: str) -> str:
    example = next(candidate for candidate in _examples(game) if candidate.name == name)
    board = example.after if after else example.before
    section = boards.section_svg(game, _card(game), board, example.area, width=480, theme=theme)
    return section or boards.board_svg(game, _card(game), board, width=900, theme=theme)
