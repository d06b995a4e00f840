"""Build the context of letters between nations, and of questions to the gamesmaster.

Everybody in a nation's seat when a letter is sent gets it; the writer's own team gets a copy.
Programs get none.
"""

from __future__ import annotations

from games.base import links, text
from games.models import Complaint, Press, people
from games.outbox.messages.press_letters import COMPLAINT, PRESS, QUESTION
from games.press import conversations as rules
from games.rules.names import all_of
from games.seats.press_rules import ALL, UNSIGNED, conversation

from . import headers
from .context import Context, Facts, builds


@builds(PRESS, QUESTION)
def _press(context: Context) -> Facts:
    press = Press.objects.select_related("seat", "game", "person", "answers__seat").get(
        pk=context.about["press"]
    )
    by_own_team = press.seat_id is not None and press.seat_id in context.about["seats"]
    return {
        "code": press.code,
        "circle": _circle(press),
        "people": ALL if press.to_all else _circle(press),
        "writer": rules.writer(press, known=by_own_team),
        "to": rules.describe_addressees(press),
        "own": by_own_team,
        "unsigned": not press.signed,
        "who": people.who(press.person) if by_own_team else "",
        "sent": context.describe_instant(press.sent_at.replace(second=0, microsecond=0)),
        "lines": press.text.split("\n"),
        "answers": press.answers is not None,
        "asked": press.answers.text.split("\n") if press.answers else [],
        "by_mail": headers.answerable(context.letter),
        "reply_link": _link(context, press),
    }


def _circle(press: Press) -> str:
    circle = conversation(press)
    if press.to_all:
        return f"To {ALL}"
    nations = [name for name in circle if name != UNSIGNED]
    return f"Unsigned, to {all_of(nations)}" if UNSIGNED in circle else all_of(nations)


def _link(context: Context, press: Press) -> str:
    if context.letter.kind == QUESTION.id:
        return f"{links.link('questions', press.game_id)}#question-{press.code}"
    return f"{links.link('press-write', press.game_id)}?answer={press.code}"


@builds(COMPLAINT)
def _complaint(context: Context) -> Facts:
    rows = Complaint.objects.select_related("press__game", "press__seat")
    complaint = rows.get(pk=context.about["complaint"])
    return {
        "code": complaint.press.code,
        "game_title": text.one_line(complaint.press.game.title),
        "writer": rules.writer(complaint.press),
        "reason": text.one_line(complaint.reason),
        "link": links.link("complaints"),
    }
