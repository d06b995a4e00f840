"""The form for a referee report on paper: each order line of a phase with boxes to tick, events to
fill in, countries to count.

It is for a gamesmaster who plays out the map at a table without a screen and types the report in
afterwards. It contains what the service knows, so that they need not look anything up.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from games import permissions, positions
from games.base import text
from games.models import Game, Phase
from games.pages.decorators import for_gamesmasters
from games.pages.requests import paper_size, pdf
from games.print import setting
from games.rules import REFEREE_SEAT
from games.rules.names import all_of

#: Empty lines for events that may happen in several countries in a Player-Turn, and for those that
#: also have numbers; all others get 1.
OFTEN, MOST = 2, 3
TEMPLATE = Path(__file__).with_name("referee.typ")


@require_safe
@for_gamesmasters
def referee_form(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the gamesmaster's own form: orders to tick, events and counts to write in."""
    phase = game.phases.current()
    if phase is None or phase.has_deadline:
        raise Http404
    return pdf(
        referee_form_pdf(phase, paper_size(request)),
        f"report-form-of-game-{game.pk}-{phase.number}",
    )


def referee_form_pdf(phase: Phase, paper: str = setting.A4) -> bytes:
    """Return the form of a phase that waits for a report. Raise `ValueError` for any other."""
    return setting.pdf(TEMPLATE, content(phase), phase.opened_at, paper)


def content(phase: Phase) -> dict[str, Any]:
    """Return the template's data. Raise `ValueError` where the phase needs no report."""
    game, rules = phase.game, phase.game.rules
    state = permissions.view(game, positions.position_before(phase), REFEREE_SEAT)
    table = rules.referee.table(state)
    if table is None:
        raise ValueError(f"{phase.title} needs no report")
    lands = rules.board(state).lands
    return {
        "title": text.one_line(game.title),
        "phase": phase.title,
        "when": table.title,
        "powers": [
            {"name": power, "lines": [_line(line) for line in table.lines if line.power == power]}
            for power in table.powers
        ],
        "forms": [
            {"group": group, "forms": [_form(form) for form in forms]}
            for group, forms in _groups(table)
        ],
        "countries": [_country(row, lands[row.name].destroyed) for row in table.countries],
        "nations": list(table.nations),
        "ledger": [[heading, list(entries)] for heading, entries in table.ledger],
        "counting": table.counting,
    }


def _line(line: Any) -> dict[str, Any]:
    met = {
        True: "The condition is met.",
        False: "The condition is not met.",
        None: "",
    }[line.met]
    return {
        "line": line.line,
        "text": text.one_line(line.written or line.text),
        "facts": [*([met] if met else []), *line.facts],
        "ruling": line.ruling,
        "points": line.points,
        "by_sea": line.by_sea,
    }


def _groups(table: Any) -> Iterator[tuple[str, list[Any]]]:
    groups: dict[str, list[Any]] = {}
    for form in table.forms:
        groups.setdefault(form.group, []).append(form)
    yield from groups.items()


def _form(form: Any) -> dict[str, Any]:
    kinds = [field.kind for field in form.fields]
    room = 1 if "country" not in kinds else MOST if "number" in kinds else OFTEN
    return {"says": form.says, "blanks": list(_blanks(form)), "room": room}


def _blanks(form: Any) -> Iterator[list[str]]:
    """Yield a form as printed text and blanks: ["text", "INVASION"], ["blank", "power"]."""
    yield ["text", form.verb]
    for field in form.fields:
        if before := field.before.strip():
            yield ["text", before]
        as_choices = field.kind == "one of" and len(field.among) <= 5
        yield ["ring", " · ".join(field.among)] if as_choices else ["blank", field.label]
    if form.after:
        yield ["text", form.after.strip()]


def _country(row: Any, destroyed: bool) -> dict[str, Any]:
    """Return a country to count: its state and forces as the service knows them."""
    forces = {
        power: f"{sp}" if sp == supplied else f"{sp} ({supplied})"
        for power, sp, supplied in row.forces
    }
    army = "destroyed" if destroyed else "" if row.operator is None else row.operator.power or "GM"
    return {
        "name": row.name,
        "controller": row.control.controller or "–",
        "normal": row.normal,
        "hostile": all_of(row.hostile),
        "army": army,
        "forces": forces,
    }
