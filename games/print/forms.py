"""The order form: possible orders of a nation, lines to write on, return address and deadline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from games import positions
from games.base import text
from games.letters import silence
from games.models import Game, Phase, Seat
from games.rules import Choice
from games.rules.verbs import Help
from games.timing import local_time, schedule

from . import setting

#: At most so many lines: fewer where the help below needs the room.
LINES_TO_WRITE_ON = 12
#: At most so many where orders are mostly words for a map: a full page, followed by a page on how
#: to write them.
LINES_ALONE = 19


def order_form_pdf(phase: Phase, seat: Seat, paper: str = setting.A4) -> bytes:
    """Return a nation's form for a phase, the same whenever it is printed."""
    return setting.pdf("form", content(phase, seat), phase.opened_at, paper)


def content(phase: Phase, seat: Seat) -> dict[str, Any]:
    """Return the template's data."""
    game, rules = phase.game, phase.game.rules
    state = rules.view(positions.state_of(phase), seat.nation)
    choices = rules.planner.choices(state, seat.nation)
    return {
        "title": text.one_line(game.title),
        "nation": seat.nation,
        "player": setting.names_of(seat),
        "phase": phase.title,
        "due": (
            local_time.in_words(phase.deadline, setting.zone_of(seat, game), game.zone)
            if phase.has_deadline
            else ""
        ),
        "rule": schedule.in_words(game.schedule, game.zone),
        "return_to": setting.sender_of(game),
        "brief": list(rules.planner.brief(state, seat.nation)),
        "how": list(rules.writing.instructions(state)),
        "choices": _choices(choices),
        "language": _language(game, state, seat.nation, choices),
        "examples": silence.examples(game, state, seat.nation),
        "lines": LINES_ALONE if rules.verbs.free_text else LINES_TO_WRITE_ON,
        "apart": rules.verbs.free_text,
    }


def _choices(choices: Sequence[Choice]) -> list[list[str]]:
    """Return each verb with its maximum number, the areas, and the nations that may be named."""
    by_verb: dict[str, list[Choice]] = {}
    for choice in choices:
        if choice.area is not None:
            by_verb.setdefault(choice.verb, []).append(choice)
    return [
        [
            _verb(verb, offered),
            "; ".join(_describe_choice(choice, _maximums_differ(offered)) for choice in offered),
        ]
        for verb, offered in by_verb.items()
    ]


def _verb(verb: str, offered: Sequence[Choice]) -> str:
    most = (
        0
        if _maximums_differ(offered)
        else max((choice.most for choice in offered if choice.most is not None), default=0)
    )
    return f"{verb} (1 to {most})" if most > 1 else f"{verb} (1)" if most else verb


def _maximums_differ(offered: Sequence[Choice]) -> bool:
    """Return whether areas have different maximums, so that each area must show its own."""
    return len({choice.most for choice in offered}) > 1


def _describe_choice(choice: Choice, with_most: bool = False) -> str:
    if with_most:
        return f"{choice.area} (1 to {choice.most})"
    return f"{choice.area} ({', '.join(choice.nations)})" if choice.nations else str(choice.area)


def _language(game: Game, state: Any, nation: str, choices: Sequence[Choice]) -> list[list[str]]:
    """Return form and meaning of each order that the nation may give now."""
    rules = game.rules
    offered = {choice.verb for choice in choices}
    filled_in = rules.writing.order_forms(state, nation)
    offered |= {form.verb for form in filled_in.forms} if filled_in else set()
    return rows_of(rules.verbs.help(game.options, game.stock_market, offered))


def rows_of(forms: Iterable[Help]) -> list[list[str]]:
    """Return form and meaning of orders as the template takes them."""
    return [[form, f"{meaning[:1].upper()}{meaning[1:]}."] for form, _, meaning in forms]
