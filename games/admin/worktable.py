"""A phase as a gamesmaster works on it: what waits, and all that hangs on it, in words."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse

from games import desk, market, permissions
from games.models import Act, Draw, Figure, Phase, Reading, Resolution, Ruling
from games.models.people import who
from games.rules import RulesError, rulings
from games.rules.digits import DICE, digit_of_shares
from games.rules.ruling_kinds import TITLES
from games.turns import judging
from orders.models import Submission

from . import columns
from .tools import Tool, tools


class OrdersRow(NamedTuple):
    """`lines` are those understood; `state`: what became of them."""

    submission: Submission
    state: str
    lines: list[str]
    rule: Tool | None


class FigureRow(NamedTuple):
    """`volume` and `digit` are in force: those of the ruling with the number `ruled`, if any."""

    figure: Figure
    volume: int | None
    digit: int | None
    ruled: int | None
    readings: list[Reading]
    rule: Tool | None


class DrawRow(NamedTuple):
    """`result` is what came of it and holds, after the `digit` in force; "" of a `die`."""

    draw: Draw
    die: bool
    digit: int | None
    result: str
    rule: Tool | None


class RulingRow(NamedTuple):
    """`by` is the gamesmaster's name; `revoked_by` the ruling that ended this one."""

    ruling: Ruling
    title: str
    by: str
    revoked_by: Ruling | None
    revoke: Tool | None


@dataclass(frozen=True)
class Worktable:
    phase: Phase
    now: datetime
    owing: list[str]
    orders: list[OrdersRow]
    withheld: bool  # whether the reader may not know of some nations' orders
    figures: list[FigureRow]
    draws: list[DrawRow]
    waits: bool  # the draws are those of a result that waits for approval
    fault: str  # why that result cannot be judged
    versions: list[Resolution]
    rulings: list[RulingRow]
    acts: list[Act]
    approval: str  # the page that shows and publishes the waiting result, or ""


def worktable(request: HttpRequest, phase: Phase, now: datetime) -> Worktable:
    """Return the worktable of a phase for a person who sees its row."""
    versions = list(phase.resolutions.select_related("ruling").order_by("-version"))
    for version in versions:
        version.phase = phase
    waits = phase.status == Phase.Status.APPROVAL
    draws, fault = _draws(request, phase, versions, now)
    permissions.load_seats(phase.game)
    readable = permissions.readable_nations(
        request.user, phase.game, settled=permissions.is_settled(phase), phase=phase
    )
    return Worktable(
        phase,
        now,
        desk.owing_nations([phase]).get(phase.pk, []) if phase.is_timed else [],
        _orders(request, phase, readable),
        any(seat.nation not in readable for seat in permissions.nations_of(phase.game)),
        _figures(request, phase, judged=bool(versions)),
        draws,
        waits,
        fault,
        versions,
        _rulings(request, phase),
        list(Act.objects.filter(phase=phase).select_related("done_by").order_by("-pk")),
        reverse("admin-approval", args=[phase.game_id])
        if waits and permissions.runs(request.user, phase.game)
        else "",
    )


def _rule(request: HttpRequest, row: object) -> Tool | None:
    """Return the link that rules on a row of the worktable, if its phase may be ruled on."""
    return next((tool for tool in tools(request, row) if tool.words != "Desk"), None)


def _orders(request: HttpRequest, phase: Phase, readable: Container[str]) -> list[OrdersRow]:
    """Return the orders that the reader may know: how many others there are is secret, too."""
    sent = phase.submissions.select_related("seat__game", "person", "phase__game")
    return [
        OrdersRow(
            submission,
            columns.state_of(submission),
            [line for _, line in submission.understood],
            _rule(request, submission),
        )
        for submission in sent.order_by("seat__ordinal", "-number")
        if submission.seat.nation in readable
    ]


def _figures(request: HttpRequest, phase: Phase, *, judged: bool) -> list[FigureRow]:
    if not permissions.sees_figures(request.user, phase, judged=judged):
        return []
    standing = rulings.rulings_on(judging.rulings_of(phase.game), phase.number)
    by = {ruling.what["stock"]: ruling.number for ruling in standing if ruling.kind == "digit"}
    volumes = rulings.ruled_volumes(standing)
    figures = phase.figures.select_related("phase__game").prefetch_related("readings__entered_by")
    rows = []
    for figure in figures.order_by("symbol"):
        volume = volumes.get(figure.symbol, figure.volume)
        digit = None if volume is None else digit_of_shares(volume)
        readings, rule = list(figure.readings.all()), _rule(request, figure)
        rows.append(FigureRow(figure, volume, digit, by.get(figure.symbol), readings, rule))
    return rows


def _draws(
    request: HttpRequest, phase: Phase, versions: Sequence[Resolution], now: datetime
) -> tuple[list[DrawRow], str]:
    """Return the draws of a phase with what holds, and why they cannot be known.

    Those of a result that waits for approval are not stored yet: they follow from its figures.
    """
    if phase.status != Phase.Status.APPROVAL:
        events = versions[0].events if versions else []
        made = phase.draws_made.select_related("figure", "phase__game")
        draws = list(made.order_by("nation", "line"))
    else:
        try:
            events = judging.judge_now(phase).resolution.events
        except (RulesError, market.Unsettled) as error:
            return [], str(error)
        draws = judging.draws(phase, events, phase.figures.all(), now)
    attacks = {
        (event["nation"], event["line"]): event
        for event in events
        if event["kind"] in ("attack", "void")
    }
    rows = []
    for draw in draws:
        event = attacks.get((draw.nation, draw.line), {})
        result = event.get("result", event.get("kind", "")).replace("-", "–")
        ruled = ", ruled" if event.get("ruled") else ""
        digit = event.get("digit") if event else draw.digit
        die, rule = draw.line > DICE, _rule(request, draw)
        rows.append(DrawRow(draw, die, digit, f"{result}{ruled}", rule))
    return rows, ""


def _rulings(request: HttpRequest, phase: Phase) -> list[RulingRow]:
    made = phase.rulings.select_related("phase__game", "game", "made_by", "revoked_by")
    return [
        RulingRow(
            ruling,
            TITLES[ruling.kind],
            who(ruling.made_by),
            getattr(ruling, "revoked_by", None),
            _rule(request, ruling),
        )
        for ruling in made.order_by("-number")
    ]
