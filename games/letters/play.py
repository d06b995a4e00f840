"""Content that a refereed game adds to the letters of every game: how to write orders, a player's
own words, dice, score sheets.

Each function may be called for any game and returns an empty value where the ruleset has nothing to
add.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from games.models import Game, Phase, Resolution, Seat
from games.rules import wording
from games.rules.orders import is_reworded, lines

from .context import Event

if TYPE_CHECKING:
    from orders.models import Submission

#: Kinds of events that only the last letter shows: opened columns, and a sentence for every point.
COLUMN, SCORE = "column", "score"
#: A number may have any length. Nobody reads thousands of digits.
_LONG_NUMBER, _SHOWN_DIGITS = re.compile(r"\d{20,}"), 10


def holder_words(game: Game, state: Any, seat: Seat) -> str:
    """Return who plays a power without a player by the rules of a refereed game, not by lot; "" for
    other powers."""
    if not (game.rules.shares_players and seat.by_table):
        return ""
    holder = game.rules.controllers(state).get(seat.nation)
    return (
        f"played by {holder}"
        if holder
        else "nobody until it enters the war, then another power's player"
    )


def other_powers(game: Game, state: Any, nation: str) -> list[str]:
    """Return, in a refereed game, the powers that the player of this nation also plays."""
    if not game.rules.shares_players:
        return []
    return [power for power, holder in game.rules.controllers(state).items() if holder == nation]


def standing_wishes(game: Game, seen: Any, nation: str) -> tuple[str, ...]:
    """Return the nation's own declarations that hold from turn to turn. `seen` is its view."""
    forms = game.rules.writing.order_forms(seen, nation)
    return tuple(forms.standing) if forms is not None else ()


def accepted_lines(game: Game, state: Any, submission: Submission) -> dict[str, list[str]]:
    """Return the accepted lines of an order set.

    `understood`: canonical lines. `written`: for each of these the sender's wording, or "" if it is
    the same or the line already gave an order. `own_words`: lines left to the gamesmaster, as
    written.
    """
    nation = submission.seat.nation
    own_word_lines = set(
        game.rules.writing.own_words(game.rules.view(state, nation), nation, submission.judged)
    )
    pairs = [(number, " ".join(str(words).split())) for number, words in submission.understood]
    written = _original_wording(submission.text, pairs)
    return {
        "understood": [words for number, words in pairs if number not in own_word_lines],
        "written": [
            original
            for (number, _), original in zip(pairs, written, strict=True)
            if number not in own_word_lines
        ],
        "own_words": [words for number, words in pairs if number in own_word_lines],
    }


def _original_wording(text: str, read: Sequence[tuple[int, str]]) -> list[str]:
    by_line: dict[int, list[str]] = {}
    for number, words in read:
        by_line.setdefault(number, []).append(words)
    written = {
        line.number: " ".join(line.written.split())
        for line in lines(text)
        if is_reworded(line.text, by_line.get(line.number, ()))
    }
    return [written.pop(number, "") for number, _ in read]


def order_with_original(words: str, written: str) -> str:
    """Return a canonical order, followed by the sender's wording. Long numbers are cut."""
    words, written = (_LONG_NUMBER.sub(_cut, text) for text in (words, written))
    if not written:
        return words
    return f"{words}{';' if '    # ' in words else '    #'} you wrote “{written}”"


def _cut(number: re.Match[str]) -> str:
    return f"{number[0][:_SHOWN_DIGITS]}… ({len(number[0])} digits)"


def public_events(resolution: Resolution) -> Sequence[Mapping[str, Any]]:
    """Return the events of a report. What a refereed game reveals at its end is left out, because
    the letter about the winners has it."""
    if resolution.winners is None:
        events: Sequence[Mapping[str, Any]] = resolution.events
        return events
    return [event for event in resolution.events if event["kind"] not in (COLUMN, SCORE)]


def result_facts(event: Event, resolution: Resolution) -> dict[str, Any]:
    """Return the dice to be thrown next (`owed`), the tables that were looked up, and whether the
    board is unchanged: then it is not shown again. A report of the gamesmaster that covered more
    than its phase gives the result its own name."""
    rules = event.game.rules
    if rules.foreseeable:
        return {"owed": [], "looked_up": [], "board_same": False}
    was, after = event.state_before(resolution), event.state_after(resolution.pk)
    same = (
        resolution.winners is None
        and resolution.version == 1
        and rules.board(was) == rules.board(after)
    )
    covered = rules.referee.title_of_report(was, after)
    return {
        **({"phase_name": covered, "phase_title": covered} if covered else {}),
        "owed": list(rules.referee.pending_dice(rules.view(after, None))),
        "looked_up": list(rules.referee.tables_used(rules.view(was, None), resolution.events)),
        "board_same": same,
    }


def changes_for(
    event: Event, resolution: Resolution, seats: Sequence[Seat], following: Phase | None
) -> list[tuple[str, list[str]]]:
    """Return, in a refereed game, the changes for the reader's own nations, including offers that
    nobody else learns of.

    Nations that order in the next phase are left out: the letter that opens it describes their
    situation.
    """
    rules = event.game.rules
    if rules.foreseeable or resolution.winners is not None:
        return []
    old, after = event.state_before(resolution), event.state_after(resolution.pk)
    acting = rules.acting_nations(after) if following is not None else ()
    changes = []
    for seat in seats:
        if seat.nation in acting:
            continue
        was, now = (
            rules.planner.brief(rules.view(state, seat.nation), seat.nation)
            for state in (old, after)
        )
        if new := [sentence for sentence in now if sentence not in was]:
            changes.append((seat.nation, new))
    return changes


def score_sheets(
    game: Game, resolution: Resolution, scores: Sequence[tuple[str, int]]
) -> dict[str, Any]:
    """Return the score sheets of a refereed game, the best first, with a line for every point and
    its reason (`worked`), and the columns that were sealed (`columns`)."""
    if not game.rules.score_sheets:
        return {"worked": [], "columns": []}
    after = game.load(resolution.after)
    sheets = []
    for nation, total in scores:
        lines = _points(
            [
                event
                for event in resolution.events
                if event["kind"] == SCORE and event["nation"] == nation
            ]
        )
        if ruled := game.rules.guide.nation_facts(after, nation).ruled:
            lines.append(f"By rulings of the gamesmaster: {wording.figure(ruled)}.")
        sheets.append((nation, total, lines))
    return {
        "worked": sheets,
        "columns": [
            str(event["message"]) for event in resolution.events if event["kind"] == COLUMN
        ],
    }


def _points(events: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of a score sheet; only the reason, if all are 0 points for the same one."""
    lines = [_point(event) for event in events]
    reasons = {line.partition(": 0 points. ")[2] for line in lines}
    return list(reasons) if len(lines) > 1 and len(reasons) == 1 and all(reasons) else lines


def _point(event: Mapping[str, Any]) -> str:
    """Return “Poland (N2): 2 points. No hostile force stands in Poland. (19.12)”."""
    text = str(event["message"]).removeprefix(f"{event['nation']}, ")
    return f"{text} ({event['rule']})"
