"""Are the digits uniform? A chart and a table of the digits drawn so far, in all games that the
reader may see, or in one."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import permissions
from games.market.drawn import digits_by_source
from games.models import Game
from games.pages.decorators import for_readers
from games.records import uniformity
from games.records.uniformity import Finding

# The chart has its own units; it scales to the width of the page.
BAR, GAP, HIGH, TOP, FOOT = 28, 8, 150, 24, 26
WIDTH = uniformity.SIDES * (BAR + GAP) + GAP


@dataclass(frozen=True)
class Bar:
    digit: int
    count: int
    share: str
    x: int
    y: float
    height: float
    middle: float
    label: float


@dataclass(frozen=True)
class Series:
    """The digits of one kind of source: their statistics, and a chart of them."""

    name: str
    key: str
    finding: Finding
    bars: tuple[Bar, ...]
    line: float  # the height of the expected count
    width: int = WIDTH
    height: int = TOP + HIGH + FOOT
    bar: int = BAR
    foot: int = TOP + HIGH
    digits_at: int = TOP + HIGH + 20


@require_safe
def visible_games(request: HttpRequest) -> HttpResponse:
    """Show the digits of all games that the reader may see."""
    return render(
        request, "games/honesty.html", {"series": _series(permissions.visible_games(request.user))}
    )


@require_safe
@for_readers
def one_game(request: HttpRequest, game: Game) -> HttpResponse:
    return render(
        request,
        "games/honesty.html",
        {"game": game, "series": _series(Game.objects.filter(pk=game.pk))},
    )


def _series(games: QuerySet[Game]) -> list[Series]:
    groups = digits_by_source(games)
    return [
        _make_series(name, f"series-{place}", uniformity.examine(digits))
        for place, (name, digits) in enumerate(groups.items(), start=1)
    ]


def _make_series(name: str, key: str, finding: Finding) -> Series:
    most = max(*finding.counts, finding.expected) or 1
    bars = []
    for digit, count in enumerate(finding.counts):
        height = round(HIGH * count / most, 1)
        x = GAP + digit * (BAR + GAP)
        share = f"{100 * count / finding.digits:.1f} %" if finding.digits else "0 %"
        top = TOP + HIGH - height
        bars.append(
            Bar(digit, count, share, x, round(top, 1), height, x + BAR / 2, round(top - 6, 1))
        )
    return Series(
        name, key, finding, tuple(bars), round(TOP + HIGH - HIGH * finding.expected / most, 1)
    )
