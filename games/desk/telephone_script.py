"""Write the newest result as a script to read out on the telephone, the deadline at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from games import permissions, positions
from games.models import Game, Phase, Resolution, Sitting
from games.rules import Board, Cell, wording
from games.rules.names import all_of, count_of
from games.timing import local_time


@dataclass(frozen=True)
class Part:
    """Sentences that are read together, under a heading that is not read."""

    heading: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Script:
    phase: Phase | None
    parts: tuple[Part, ...]


def make_script(game: Game, companies: Mapping[str, str]) -> Script:
    """Return what anybody may hear: the newest result, the board, the scores, the next phase."""
    newest = positions.last_resolution(game)
    parts = []
    if newest is not None:
        parts.append(Part("What happened", _events(game, newest, companies)))
        parts.append(Part("The board", _board(game, newest)))
    if scores := _scores(game, newest):
        parts.append(Part("Scores", scores))
    parts.append(Part("Next", (_next_step(game),)))
    return Script(newest.phase if newest is not None else None, tuple(parts))


def _events(game: Game, newest: Resolution, companies: Mapping[str, str]) -> tuple[str, ...]:
    opening = f"{game.title}. {newest.title}."
    demo = (
        ("All sales are invented.",)
        if game.market == Game.Market.DEMO and newest.phase.session
        else ()
    )
    sentences = tuple(
        game.rules.speech.event(event, companies) for event in wording.gather_done(newest.events)
    )
    return (opening, *demo, *(sentences or ("Nothing happened.",)))


def _board(game: Game, newest: Resolution) -> tuple[str, ...]:
    """Return the contents of each area; empty areas are named together."""
    board = game.rules.board(permissions.view(game, newest.after, None))
    if board.lands:
        return _lands(board)
    sentences, empty = [], []
    for area in board.areas:
        phrases = [_cell(nation, board.cell(area, nation)) for nation in board.nations]
        occupants = [words for words in phrases if words]
        if occupants:
            sentences.append(f"{area}: {', '.join(occupants)}.")
        else:
            empty.append(area)
    if empty:
        sentences.append(f"Nobody is in {all_of(empty)}.")
    sentences += [f"{ally} and {partner} are allied." for ally, partner in board.alliances]
    return tuple(sentences)


def _lands(board: Board) -> tuple[str, ...]:
    """Return the same for areas with a state: who controls them, or that they are contested."""
    sentences = []
    for area in board.areas:
        land, cells = board.lands[area], board.cells.get(area, {})
        facts = (
            [f"controlled by {land.controller}"]
            if land.controller
            else ["contested"]
            if land.hostile
            else []
        )
        facts += [
            f"{nation} with {board.unit.amount(cells[nation].pf)}"
            for nation in board.nations
            if nation in cells and cells[nation].pf
        ]
        if facts:
            sentences.append(f"{area}: {', '.join(facts)}.")
    rest = len(board.areas) - len(sentences)
    if rest:
        sentences.append(
            f"Of {f'the other {rest} countries' if sentences else 'the countries'} nothing has been"
            " told."
        )
    return (*sentences, *(f"{ally} and {partner} are allied." for ally, partner in board.alliances))


def _cell(nation: str, cell: Cell) -> str:
    if cell.control:
        return f"CONTROL of {nation}"
    parts = ([str(cell.pf)] if cell.pf else []) + (
        ["an Understanding"] if cell.understanding else []
    )
    parts += ["treaty rights"] if cell.treaty else []
    parts += [f"{count_of(cell.face_down, 'counter')} face down"] if cell.face_down else []
    return f"{nation} {' and '.join(parts)}" if parts else ""


def _scores(game: Game, newest: Resolution | None) -> tuple[str, ...]:
    if newest is None:
        return ()
    standing = game.rules.standing(permissions.view(game, newest.after, None))
    if not standing.scores:
        return ()
    text = ", ".join(f"{nation} {score}" for nation, score in standing.scores.items())
    if game.status != Game.Status.FINISHED:
        return (f"If the game ended here: {text}.", *wording.alliance_sentences(standing))
    outcome = (
        f"The game is over. {all_of(standing.winners)}"
        f" {'has' if len(standing.winners) == 1 else 'have'} won."
        if standing.winners
        else ""
    )
    return tuple(
        sentence
        for sentence in (
            outcome,
            f"Points: {text}.",
            *wording.alliance_sentences(standing),
            standing.remark,
        )
        if sentence
    )


def _next_step(game: Game) -> str:
    phase = game.phases.current()
    if game.status == Game.Status.FINISHED:
        return "That was the last phase. Thank you for playing."
    if game.is_over:
        return game.ending or "The game was abandoned. Thank you for playing."
    if phase is None:
        return "The game has not begun."
    if phase.status != Phase.Status.OPEN:
        return f"{phase.title} is closed. Its result is not in yet."
    if not phase.has_deadline:
        return phase.awaited
    if phase.idle:
        return f"Next is {phase.title_within}, in which there is nothing to order."
    due = local_time.in_words(phase.deadline, game.zone)
    sittings = Sitting.objects.current().filter(seat__game=game).order_by("seat__ordinal", "pk")
    zones = sittings.values_list("person__zone", flat=True)
    there = local_time.elsewhere(phase.deadline, game.zone, zones)
    also = f" That is {all_of(there)}." if there else ""
    return f"Next is {phase.title_within}. Orders are due by {due}.{also}"
