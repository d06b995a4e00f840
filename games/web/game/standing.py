"""Scores over time: a chart that is legible without color, and a table of the same scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import permissions
from games.models import Game, Phase
from games.pages.decorators import for_readers
from games.pages.headings import Heading, headings
from games.records import score_history
from games.records.score_history import Mark
from games.rules import wording

# The chart has its own units; it scales to the width of the page.
WIDE, HIGH, LEFT, RIGHT, TOP, FOOT = 720.0, 320.0, 34.0, 54.0, 14.0, 40.0
#: The smallest distance between two labels at the ends of lines, which phones show half as large
#: again.
APART = 24.0
#: Styles of lines and of their marks: each differs in form, not only in color.
DASHES = ("", "9 4", "2 4", "12 4 2 4", "5 3", "16 5", "1 3")
SHAPES = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
    "M-4-4h8v8h-8z",
    "M0-5.5L5.5 0 0 5.5-5.5 0z",
    "M0-5.2L5 3.8H-5z",
    "M0 5.2L5-3.8H-5z",
    "M-5-1.6h3.4V-5h3.2v3.4H5v3.2H1.6V5h-3.2V1.6H-5z",
    "M-5 0L-2.5-4.3h5L5 0 2.5 4.3h-5z",
)


@dataclass(frozen=True)
class Line:
    """A nation's line: its points, the mark on each, and the place of its letters at the end."""

    heading: Heading
    points: str  # of an SVG polyline
    marks: tuple[tuple[str, str], ...]  # transform and text of each
    dash: str
    shape: str
    label: str  # transform of the letters at the end
    leader: str  # a path from the last mark to its letters


@dataclass(frozen=True)
class Chart:
    lines: tuple[Line, ...]
    levels: tuple[tuple[str, str], ...]  # height and number
    turns: tuple[tuple[str, str, str], ...]  # the start, the middle and the name of each turn
    wide: str = f"{WIDE:g}"
    high: str = f"{HIGH:g}"
    left: str = f"{LEFT:g}"
    right: str = f"{WIDE - RIGHT:g}"
    top: str = f"{TOP:g}"
    foot: str = f"{HIGH - FOOT:g}"
    turns_at: str = f"{HIGH - FOOT + 18:g}"


@dataclass(frozen=True)
class Row:
    """A phase in the table: each nation's score, and how the phase changed it."""

    phase: Phase
    cells: tuple[tuple[int, str], ...]


@require_safe
@for_readers
def standing(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the scores over time, to everybody who may see the game."""
    all_nations = headings(game.card["order"])
    marks = [
        mark
        for mark in score_history.marks(game, permissions.viewer_of(request.user, game))
        if mark.scores
    ]
    # A nation with the same player as another has no score of its own under some rules.
    nations = {
        nation: heading
        for nation, heading in all_nations.items()
        if not marks or any(nation in mark.scores for mark in marks)
    }
    context = {
        "game": game,
        "nations": nations,
        "chart": chart(marks, nations) if len(marks) > 1 else None,
        "rows": rows(marks, list(nations)),
        "hidden": not marks and game.phases.filter(status=Phase.Status.RESOLVED).exists(),
        "sums": marks[-1].sums if marks else (),
        "ranking": wording.rank(marks[-1].scores) if marks else [],
    }
    return render(request, "games/standing.html", context)


def rows(marks: Sequence[Mark], nations: Sequence[str]) -> list[Row]:
    """Return the phases, newest first, each score with its change: “+3”, “−2”, or nothing."""
    table = []
    before: Mapping[str, int] = dict.fromkeys(nations, 0)
    for mark in marks:
        cells = tuple(
            (
                mark.scores.get(nation, 0),
                _change(mark.scores.get(nation, 0) - before.get(nation, 0)),
            )
            for nation in nations
        )
        table.append(Row(mark.phase, cells))
        before = mark.scores
    return table[::-1]


def _change(points: int) -> str:
    return wording.signed(points) if points else ""


def chart(marks: Sequence[Mark], nations: Mapping[str, Heading]) -> Chart:
    """Return the lines of all nations over all phases, with all their coordinates."""
    low = min(0, *(score for mark in marks for score in mark.scores.values()))
    high = max(low + 1, *(score for mark in marks for score in mark.scores.values()))

    def x(place: float) -> float:
        return LEFT + 12 + (WIDE - LEFT - RIGHT - 24) * place / (len(marks) - 1)

    def y(score: float) -> float:
        return TOP + (HIGH - TOP - FOOT) * (high - score) / (high - low)

    ends = _spread_ends({nation: y(marks[-1].scores.get(nation, 0)) for nation in nations})
    lines = []
    for order, (nation, heading) in enumerate(nations.items()):
        run = [mark.scores.get(nation, 0) for mark in marks]
        texts = (
            f"{nation}, {mark.phase.heading}: {wording.figure(score)}"
            for mark, score in zip(marks, run, strict=True)
        )
        places = [(x(place), y(score)) for place, score in enumerate(run)]
        end = (WIDE - RIGHT + 8, ends[nation])
        lines.append(
            Line(
                heading=heading,
                points=" ".join(f"{a:.1f},{b:.1f}" for a, b in places),
                marks=tuple(
                    (f"translate({a:.1f} {b:.1f})", words)
                    for (a, b), words in zip(places, texts, strict=True)
                ),
                dash=DASHES[order % len(DASHES)],
                shape=SHAPES[order % len(SHAPES)],
                label=f"translate({end[0]:.1f} {end[1]:.1f})",
                leader=f"M{places[-1][0] + 6:.1f} {places[-1][1]:.1f}L{end[0]:.1f} {end[1]:.1f}",
            )
        )
    return Chart(
        tuple(lines),
        tuple((f"{y(level):.1f}", wording.figure(level)) for level in _levels(low, high)),
        _turns(marks, x),
    )


def _levels(low: int, high: int) -> list[int]:
    """Return round numbers for the horizontal lines: about 5 of them."""
    step = next((step for step in (1, 2, 5, 10, 20, 50) if (high - low) / step <= 7), 100)
    return [level for level in range(low - low % step, high + 1, step) if level >= low]


def _turns(marks: Sequence[Mark], x: object) -> tuple[tuple[str, str, str], ...]:
    """Return where each turn begins on the chart, its middle, and its name there."""
    assert callable(x)
    spans = []
    turns = sorted({mark.phase.turn for mark in marks})
    for turn in turns:
        places = [place for place, mark in enumerate(marks) if mark.phase.turn == turn]
        begins = x(places[0] - 0.5) if places[0] else LEFT
        spans.append((f"{begins:.1f}", f"{(x(places[0]) + x(places[-1])) / 2:.1f}", f"Turn {turn}"))
    return tuple(spans)


def _spread_ends(ends: Mapping[str, float]) -> dict[str, float]:
    """Move the ends of lines apart, within the chart, so that letters do not overlap."""
    placed: dict[str, float] = {}
    last = TOP - APART
    for nation, place in sorted(ends.items(), key=lambda item: item[1]):
        last = max(place, last + APART)
        placed[nation] = last
    over = max(0.0, last - (HIGH - FOOT))
    ceiling = HIGH - FOOT
    for nation in reversed(list(placed)) if over else ():
        placed[nation] = min(placed[nation], ceiling)
        ceiling = placed[nation] - APART
    return placed
