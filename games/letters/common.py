"""What several letters say, as plain values for their templates. No template asks the database
anything.

Whatever people wrote (titles, names, reasons) comes out on one line, so that nobody can write a
paragraph in the service's name. Positions come from `view` alone: a letter to one seat shows what
that nation may see, any other what the public may.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings

from games.boards.images import Drawing
from games.boards.images import changed_cells as changes
from games.market.rolls import by_sales
from games.models import Game, Letter, Phase, Restoration, Seat
from games.rules import Board
from games.rules.verification import entries
from games.timing import local_time
from gamesmaster import links, text

from . import board as boards
from .context import Context, Event, Facts
from .environment import fill_in_part
from .pictures import Sketch


def of_reader(letter: Letter) -> Facts:
    """What every letter says: to whom, from where."""
    name = text.one_line(letter.person.name) if letter.person else ""
    return {
        "site": settings.SITE_URL,
        "host": settings.SITE_HOST,
        "name": "" if name.startswith("The ") else name,  # nobody writes "Dear The house"
        "kind": letter.kind,
    }


def of_game(letter: Letter, game: Game) -> Facts:
    """What every letter about a game says of it."""
    return {
        "title": text.one_line(game.title),
        "rules_title": game.rules.title,
        "game_link": links.link("game", game.pk),
        "demo": is_demo(game),
        "phase_title": letter.phase.title if letter.phase else "",
        "phase_name": in_short(letter.phase) if letter.phase else "",
        "phase_link": links.link("phase", game.pk, letter.phase.number) if letter.phase else "",
        "retold": _restoration_note(letter, game),
        "record_line": (
            entries.record_line(game.pk, letter.record_hash) if letter.record_hash else ""
        ),
    }


def in_short(phase: Phase) -> str:
    """A phase in a subject: “Turn 1 attacks”."""
    return phase.short_title


def is_demo(game: Game) -> bool:
    """Whether made-up sales decide: not in a game whose digits come from dice or a seed."""
    return game.market == Game.Market.DEMO and by_sales(game)


def _restoration_note(letter: Letter, game: Game) -> str:
    """After the service has been put back from a copy: that a letter about this phase may have come
    before, with other content."""
    if (
        game.retold_through is None
        or letter.phase is None
        or letter.phase.number > game.retold_through
        or letter.kind == "restored"
    ):
        return ""
    if Restoration.objects.filter(
        restored_at__gte=letter.written_at
    ).exists():  # as it may have gone out then: under that Message-ID
        return ""
    return (
        "The service was restored from a backup. A letter about this phase may have reached you"
        " before: where the two differ, this one holds."
    )


def view_of(game: Game, state: Any, seats: Sequence[Seat]) -> Any:
    """The state as the reader may see it: his nation's view where he has one seat, else the
    public's."""
    return game.rules.view(state, seats[0].nation if len(seats) == 1 else None)


def board_of(
    event: Event,
    seen: Any,
    under: str,
    phase: Phase | None = None,
    was: Callable[[], Any] | None = None,
) -> Facts:
    """The board as text, as a table and to be drawn: with a line `under` its title, and marks where
    it differs from what `was` returns."""
    game = event.game
    board = game.rules.board(seen)

    def draw() -> Drawing:
        changed = changes(game.rules.board(was()), board) if was is not None else ()
        title = f"{phase.title}\n{under}" if phase is not None else under
        return Drawing(game.ruleset_id, game.card, board, changed, title)

    return {**_shown(event, board), "drawing": Sketch(draw)}


def _shown(event: Event, board: Board) -> Facts:
    """What a letter shows of a board, worked out once for all readers who see the same one: a table
    takes longer to fill in than the rest of its letter."""
    for other, facts in event.boards:
        if other == board:
            return facts
    facts = {
        "rows": boards.rows(board),
        "nations": board.nations,
        "stated": bool(board.lands),
        "sums": boards.sums(board),
    }
    table = fill_in_part("mail/_table.html", facts)
    facts |= {"board": boards.as_text(board), "legend": boards.legend(board), "table": table}
    event.boards.append((board, facts))
    return facts


def deadline_of(context: Context) -> Facts:
    """The deadline that stood when the letter was written, the reader's zone first, and the rule
    that it follows."""
    at, rule = context.about.get("deadline"), context.event.schedule
    if not at:
        return {"deadline": "", "due": "", "calendar": rule}
    instant = local_time.parse(at)
    return {
        "deadline": context.in_words(instant),
        "due": context.in_short(instant),
        "calendar": rule,
    }


def provenance(game: Game) -> Facts:
    """What is said wherever a sheet's numbers are shown, unless they are the printed ones."""
    card = game.card
    unprinted = card.get("provenance", "printed") != "printed"
    return {
        "provenance": card.get("provenance", "") if unprinted else "",
        "card_note": text.one_line(card.get("note", "")) if unprinted else "",
    }


def remarks_in_words(remarks: Sequence[dict[str, Any]]) -> list[str]:
    """The sentences only: codes are for programs."""
    return [text.one_line(remark["message"]) for remark in remarks]
