"""What a refereed game adds to the letters that every game has: how orders are written, a player's
own words, dice, worked scores.

Each function answers for any game, with nothing where the ruleset has nothing to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from games.models import Game, Phase, Resolution, Seat
from games.rules.orders import is_reworded, lines

from .context import Event

if TYPE_CHECKING:
    from orders.models import Submission

#: Events of the end that the last letter tells: columns opened, and a sentence for every point.
COLUMN, SCORE = "column", "score"


def in_hand(game: Game, state: Any, seat: Seat) -> str:
    """Of a power that nobody has a seat of: in whose hand it is, by the rules and not by lot. "" of
    every other."""
    if not (game.rules.referee and seat.by_table):
        return ""
    holder = game.rules.controllers(state).get(seat.nation)
    return (
        f"in the hand of {holder}'s player"
        if holder
        else "nobody for now; it comes into another player's hand when it enters the war"
    )


def with_it(game: Game, state: Any, nation: str) -> list[str]:
    """Of a refereed game: powers that come with another, in the same hand."""
    if not game.rules.referee:
        return []
    return [power for power, holder in game.rules.controllers(state).items() if holder == nation]


def standing_wishes(game: Game, seen: Any, nation: str) -> tuple[str, ...]:
    """What holds from turn to turn by the nation's own word. `seen` is its view."""
    forms = game.rules.referee.order_forms(seen, nation) if game.rules.referee else None
    return tuple(forms.standing) if forms is not None else ()


def accepted_lines(game: Game, state: Any, submission: Submission) -> dict[str, list[str]]:
    """The accepted lines of an order set: those in the words of the rules, and those left to the
    gamesmaster as they were written. `written` has for each of the first what its sender wrote,
    where that was something else; for the second order of a line nothing."""
    nation = submission.seat.nation
    own = (
        set(game.rules.referee.own_words(game.rules.view(state, nation), nation, submission.text))
        if game.rules.referee
        else set()
    )
    pairs = [(number, " ".join(str(words).split())) for number, words in submission.understood]
    written = _original_wording(submission.text, pairs)
    return {
        "understood": [words for number, words in pairs if number not in own],
        "written": [
            said for (number, _), said in zip(pairs, written, strict=True) if number not in own
        ],
        "own_words": [words for number, words in pairs if number in own],
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


def with_original(words: str, written: str) -> str:
    """An order in canonical words, with what its sender wrote behind it."""
    if not written:
        return words
    return f"{words}{';' if '    # ' in words else '    #'} you wrote “{written}”"


def public_events(resolution: Resolution) -> Sequence[Mapping[str, Any]]:
    """The events of a report. What is opened at the end of a refereed game is in the letter that
    says who has won."""
    if resolution.winners is None or not resolution.phase.game.rules.referee:
        events: Sequence[Mapping[str, Any]] = resolution.events
        return events
    return [event for event in resolution.events if event["kind"] not in (COLUMN, SCORE)]


def of_result(event: Event, resolution: Resolution) -> dict[str, Any]:
    """Dice that will be thrown next, tables that were looked up, and whether the board is as it
    was: then it is not shown again."""
    rules = event.game.rules
    if not rules.referee:
        return {"owed": [], "looked_up": [], "board_same": False}
    was, after = event.state_before(resolution), event.state_after(resolution.pk)
    same = (
        resolution.winners is None
        and resolution.version == 1
        and rules.board(was) == rules.board(after)
    )
    return {
        "owed": list(rules.referee.owed(rules.view(after, None))),
        "looked_up": list(rules.referee.tables_used(rules.view(was, None), resolution.events)),
        "board_same": same,
    }


def changes_for(
    event: Event, resolution: Resolution, seats: Sequence[Seat], following: Phase | None
) -> list[tuple[str, list[str]]]:
    """Of a refereed game: what has changed for the reader's own nations, offers among it that
    nobody else is told of.

    Left out of a nation that orders in the next phase: the letter that opens it says where it
    stands.
    """
    rules = event.game.rules
    if not rules.referee or resolution.winners is not None:
        return []
    old, after = event.state_before(resolution), event.state_after(resolution.pk)
    acting = rules.acting(after) if following is not None else ()
    told = []
    for seat in seats:
        if seat.nation in acting:
            continue
        was, now = (
            rules.planner.brief(rules.view(state, seat.nation), seat.nation)
            for state in (old, after)
        )
        if new := [said for said in now if said not in was]:
            told.append((seat.nation, new))
    return told


def score_sheets(
    game: Game, resolution: Resolution, scores: Sequence[tuple[str, int]]
) -> dict[str, Any]:
    """The worked score sheet of a refereed game, the best first: every point with its case; and the
    columns that were sealed."""
    if not game.rules.referee:
        return {"worked": [], "columns": []}
    after = game.load(resolution.after)
    sheets = []
    for nation, total in scores:
        lines = [
            _point(event)
            for event in resolution.events
            if event["kind"] == SCORE and event["nation"] == nation
        ]
        if ruled := game.rules.guide.sheet(after, nation).ruled:
            lines.append(f"By rulings of the gamesmaster: {ruled}.")
        sheets.append((nation, total, lines))
    return {
        "worked": sheets,
        "columns": [
            str(event["message"]) for event in resolution.events if event["kind"] == COLUMN
        ],
    }


def _point(event: Mapping[str, Any]) -> str:
    """ "Poland (N2): 2 points. No hostile force stands in Poland. (19.12)" """
    said = str(event["message"]).removeprefix(f"{event['nation']}, ")
    return f"{said} ({event['rule']})"
