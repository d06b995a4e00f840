"""Build the template context that several letters share. Templates never query the database.

User-written text (titles, names, reasons) is reduced to one line, so that nobody can add a
paragraph in the service's name. Positions come from `view` alone: a letter to one seat shows what
that nation may see, every other letter what the public may see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings

from games.base import links, text
from games.boards.images import Drawing
from games.boards.images import changed_cells as changes
from games.models import Act, DeadlineChange, Game, Letter, Phase, Restoration, Seat
from games.rules import Board
from games.rules.verification import entries
from games.timing import local_time

from . import board_text
from .context import Context, Event, Facts
from .environment import fill_in_part
from .pictures import Sketch


def reader_facts(letter: Letter) -> Facts:
    """Return the context of every letter: the site and the reader's name."""
    person = letter.person
    display_name = text.one_line(person.name) if person else ""
    return {
        "site": settings.SITE_URL,
        "host": settings.SITE_HOST,
        "name": "" if display_name.startswith("The ") else display_name,  # avoid "Dear The service"
        "kind": letter.kind,
    }


def game_facts(letter: Letter, game: Game) -> Facts:
    """Return the context of every letter about a game."""
    phase = letter.phase
    return {
        "title": text.one_line(game.title),
        "rules_title": game.rules.title,
        "game_link": links.link("game", game.pk),
        "demo": game.sales_made_up,
        "phase_title": phase.title if phase else "",
        "phase_name": phase.short_title if phase else "",
        "phase_link": links.link("phase", game.pk, phase.number) if phase else "",
        "retold": _restoration_note(letter, game),
        "record_line": (
            entries.record_line(game.pk, letter.record_hash) if letter.record_hash else ""
        ),
    }


def with_it(context: Context) -> list[tuple[str, str]]:
    """Return what else was done at once, each as a sentence and its reason."""
    acts = Act.objects.in_bulk(context.about.get("with_it", ()))
    in_order = [acts[pk] for pk in sorted(acts)]
    return [(act_in_words(context, act), act_reason(context, act)) for act in in_order]


#: The instants in the sentences of acts, by kind: keys of `Act.about`.
_INSTANTS = {"moved": ("before", "after"), "vote": ("due",)}


def act_in_words(context: Context, act: Act) -> str:
    """Return the sentence of an act with its instants on the reader's clock; as it is stored, they
    are on the game's."""
    words = text.one_line(act.words)
    for key in _INSTANTS.get(act.kind, ()):
        if key in act.about:
            instant = local_time.parse(act.about[key])
            stored = local_time.in_words(instant, context.game.zone)
            words = words.replace(stored, context.describe_instant(instant))
    return words


def act_reason(context: Context, act: Act | DeadlineChange) -> str:
    """Return the reason of an act; the service's own may name instants in UTC."""
    return local_time.localize(text.one_line(act.reason), context.zone)


def _restoration_note(letter: Letter, game: Game) -> str:
    """Return the note that, after a restore from a backup, an earlier letter about this phase may
    have said something else; "" where that cannot be."""
    if (
        game.retold_through is None
        or letter.phase is None
        or letter.phase.number > game.retold_through
        or letter.kind == "restored"
    ):
        return ""
    if Restoration.objects.filter(
        restored_at__gte=letter.written_at
    ).exists():  # already written before the restore, so possibly sent under this Message-ID
        return ""
    return (
        "The service was restored from a backup. A letter about this phase may have reached you"
        " before: where the two differ, this one holds."
    )


def board_for(game: Game, state: Any, seats: Sequence[Seat]) -> Board:
    """Return the board as the reader sees it: in the view of their nation if they have exactly one
    seat, else in the public view."""
    return game.rules.board(game.rules.view(state, seats[0].nation if len(seats) == 1 else None))


def board_of(
    event: Event,
    board: Board,
    under: str,
    phase: Phase | None = None,
    was: Callable[[], Board] | None = None,
) -> Facts:
    """Return the board as text, as a table and as a picture to draw. The picture has the line
    `under` below its title, and marks where it differs from the board that `was` returns."""
    game = event.game

    def draw() -> Drawing:
        changed = changes(was(), board) if was is not None else ()
        title = f"{phase.title}\n{under}" if phase is not None else under
        return Drawing(game.ruleset_id, game.card, board, changed, title)

    return {**_board_facts(event, board), "drawing": Sketch(draw)}


def _board_facts(event: Event, board: Board) -> Facts:
    """Return the context for a board, computed once for all readers who see the same board: its
    table takes longer to render than the rest of the letter."""
    for known_board, facts in event.boards:
        if known_board == board:
            return facts
    bare = board_text.empty_board_sentence(board)
    facts = {
        "bare": bool(bare),
        "rows": board_text.rows(board),
        "nations": board.nations,
        "stated": bool(board.lands),
        "below": board_text.sums(board),
    }
    table = fill_in_part("mail/_table.html", facts)
    facts |= {
        "board": bare or board_text.as_text(board),
        "legend": board_text.legend(board),
        "table": table,
    }
    event.boards.append((board, facts))
    return facts


def deadline_of(context: Context) -> Facts:
    """Return the deadline that held when the letter was written, in the reader's zone, and the
    schedule it follows."""
    at, rule = context.about.get("deadline"), context.event.schedule
    if not at:
        return {"deadline": "", "due": "", "calendar": rule}
    instant = local_time.parse(at)
    return {
        "deadline": context.describe_instant(instant),
        "due": context.short_instant(instant),
        "calendar": rule,
    }


def options_for_templates(game: Game) -> Facts:
    """Return a game's options under names that templates can write: `ow2_hidden`."""
    return {option.replace(".", "_"): value for option, value in game.options.items()}


def provenance(game: Game) -> Facts:
    """Return the origin of a scenario's numbers, for every place that shows them; empty strings
    if they are the printed ones."""
    card = game.card
    unprinted = card.get("provenance", "printed") != "printed"
    return {
        "provenance": card.get("provenance", "") if unprinted else "",
        "card_note": text.one_line(card.get("note", "")) if unprinted else "",
    }


def remarks_in_words(remarks: Sequence[dict[str, Any]]) -> list[str]:
    """Return the messages of remarks without their codes, which are for programs."""
    return [text.one_line(remark["message"]) for remark in remarks]
