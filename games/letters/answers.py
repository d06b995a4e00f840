"""The one answer to a message: what was understood and done, what was not, and what was asked for
(issue 4, item 4).

What it says was settled when the message was obeyed (orders.inbound.execute) and is kept with it;
here it becomes a letter in his thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from games.boards.images import Drawing
from games.models import Letter, Resolution
from games.outbox import rows
from gamesmaster.questions import WHOLE, Insert, Question

from . import facts, inbound
from .facts import Facts
from .pictures import Sketch

if TYPE_CHECKING:
    from orders.models import Handling

ANSWER = "answer"
facts.NAMES[ANSWER] = "the answer to a message"
_NEW = Insert(Letter)


class Outcome(Protocol):
    """`orders.inbound.replies.outcome.Outcome`, which this package cannot import."""

    phase: int | None

    def as_json(self) -> dict[str, Any]: ...


def write(handling: Handling, outcome: Outcome, now: datetime, *, to: str = "") -> Letter:
    """Writes the answer to a message, once. `to` is the address that it came from, where that is
    the sender's own.

    The outcome and the letter are set on the row, which the caller saves in the same transaction.
    """
    assert handling.person is not None, "only a known sender is answered with an outcome"
    if (
        handling.answer is not None and handling.answer.kind == ANSWER
    ):  # before it, a letter may have asked for a confirmation
        return handling.answer
    handling.outcome = outcome.as_json()
    key = f"mail-{handling.mail_id}/answer"
    row = rows.row(
        key, ANSWER, now, handling.person, game=handling.game, about={"handling": handling.pk}
    )
    inbound.answering(row, handling.mail.message_id)
    row.phase_id = outcome.phase
    row.address = to or row.address
    _NEW.write(row)
    handling.answer = row
    return row


@cache
def _outcome() -> Question:
    from orders.models import Handling

    return Question(lambda pk: Handling.objects.filter(pk=pk).only("outcome"), pk=WHOLE)


def _outcome_of(handling: int) -> dict[str, Any]:
    from orders.models import Handling

    found: Handling | None = _outcome().model(Handling, pk=handling)
    if found is None:
        raise Handling.DoesNotExist(f"there is no handling {handling}")
    told: dict[str, Any] = found.outcome
    return told


def _answer(letter: Letter) -> Facts:
    told = _outcome_of(letter.about["handling"])
    sections = [_section(section) for section in told["sections"]]
    return {
        "answered": facts.one_line(told["subject"]),
        "sections": sections,
        "sent_hashes": told.get("anchors", []),  # not there in answers from before
        "drawing": Sketch(lambda: _drawing(letter, told["sections"])),
    }


def _drawing(letter: Letter, sections: Iterable[dict[str, Any]]) -> Drawing | None:
    """The board that was asked for, as a picture; the one that the answer's table shows, of a
    result that never changes."""
    drawn = next(
        (
            section["board"]["drawn"]
            for section in sections
            if (section.get("board") or {}).get("drawn")
        ),
        None,
    )
    if drawn is None or letter.game is None:
        return None
    seen = letter.game.rules.view(
        facts.state_after(letter.game, drawn["resolution"]), drawn["nation"]
    )
    title = "The board as the game begins"
    if drawn["resolution"] is not None:
        resolution = Resolution.objects.select_related("phase").get(pk=drawn["resolution"])
        resolution.phase.game = letter.game
        title = f"{resolution.phase.title}\nThe board as judged"
    return Drawing(
        letter.game.ruleset_id, letter.game.card, letter.game.rules.board(seen), (), title
    )


def _section(section: dict[str, Any]) -> dict[str, Any]:
    """A section whose sentences stand on one line each, whatever somebody wrote into a title; the
    board's text set in."""
    board = section.get("board")
    return {
        "heading": facts.one_line(section["heading"]),
        "paragraphs": [facts.one_line(words) for words in section["paragraphs"]],
        "kept": [line.replace("\n", " ") for line in section["kept"]],
        "points": [facts.one_line(words) for words in section["points"]],
        "after": [facts.one_line(words) for words in section["after"]],
        "board": {
            **board,
            "rows": [{"area": area, "cells": cells} for area, cells in board["rows"]],
        }
        if board
        else None,
    }


TELLERS: dict[str, Callable[[Letter], Facts]] = {ANSWER: _answer}
