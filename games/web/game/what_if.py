"""What if: any board, any orders and any digits, judged by the rules. Nothing is stored.

A form posts everything and comes back with it; a link has the same in its query. In a game it
starts from a board as its reader may see it (`permissions.view`), so that it reveals nothing that
the game's own pages do not show.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_safe

from games import permissions, positions
from games.boards import images
from games.boards.images import Drawing
from games.desk import forecast
from games.models import Game, Resolution
from games.pages import pictures
from games.pages.boards import grid
from games.pages.decorators import for_readers
from games.pages.headings import headings
from games.rules import NOTHING, Board, Cell, PhaseId, RulesError, Volumes, cards, foreseen, options
from games.rules.digits import volume_of_roll
from games.rules.plain.facts import OPTION, PLAIN
from games.rules.registry import ruleset
from games.rules.rulings import FACES, LONGEST_TEXT, JudgedPhase
from games.web.game.forecast import MARGIN
from games.web.game.history import choose_stop, stops_of

_CELL = re.compile(
    r"(?P<pf>[0-9]{0,3})(?P<treaty>T?)\+?(?P<counter>[UC]?)(?:\+?(?P<down>[0-9]{1,3})\?)?",
    re.IGNORECASE,
)
#: Digits are chosen, or rolled here; no stock is looked up.
THROWN = {"rng.source": "gm_dice"}
#: More digits than a phase uses.
MOST_DIGITS = 99
#: Web servers accept links of this length.
LONGEST_LINK = 3500


class Throws:
    """Digits, or faces of a die, in the order of their use. When none are left, new ones are rolled
    here. `digits` has them all."""

    def __init__(self, digits: Sequence[int], die: bool) -> None:
        self.digits = list(digits)
        self._die = die
        self._volumes: dict[str, int] = {}

    def get(self, symbol: str, /) -> int | None:
        if symbol not in self._volumes:
            if len(self._volumes) == len(self.digits):
                thrown = 1 + secrets.randbelow(FACES) if self._die else secrets.randbelow(10)
                self.digits.append(thrown)
            self._volumes[symbol] = volume_of_roll(self.digits[len(self._volumes)])
        return self._volumes[symbol]


@dataclass(frozen=True)
class Start:
    """Where a sandbox starts: a game, which for a scenario is never saved, and its phases from one
    on, each with a state as the reader may know it."""

    game: Game
    states: Mapping[PhaseId, Any]
    page: str
    picture: str
    at: str = ""
    title: str = ""
    reader: str | None = None


@dataclass(frozen=True)
class Sandbox:
    """What the reader requested: a state with their board, orders by nation, and digits."""

    start: Start
    phase: PhaseId
    state: Any
    texts: Mapping[str, str]
    digits: tuple[int, ...]
    fault: str = ""

    @property
    def board(self) -> Board:
        return self.start.game.rules.board(self.state)

    @property
    def die(self) -> bool:
        """Whether a six-sided die decides attacks, instead of a digit."""
        return self.start.game.rules.guide.table().thrown == "die"

    def judge(self, volumes: Volumes) -> JudgedPhase:
        """Judge the phase. Raise `RulesError` if the rules cannot."""
        rules, sent = self.start.game.rules, {n: t for n, t in self.texts.items() if t.strip()}
        orders = rules.in_force(self.state, sent)
        resolution = rules.resolve(self.state, orders, volumes, self.start.game.reserves)
        return JudgedPhase(self.state, orders, resolution)

    def next_sandbox(self, judged: JudgedPhase) -> Sandbox | None:
        """Return the next phase on the board that this one left; None if the game is over."""
        rules, end_state = self.start.game.rules, judged.resolution.state
        phase = rules.phase(end_state)
        if phase is None or phase not in self.start.states:
            return None
        state = _state_with_board(self.start, self.start.states[phase], rules.board(end_state))
        texts = dict.fromkeys(rules.acting_nations(state), "")
        return replace(self, phase=phase, state=state, texts=texts, digits=())

    def link(self) -> str:
        """Return an address that leads to the same sandbox; "" if it would be too long."""
        nations = self.board.nations
        query = {
            "at": self.start.at,
            "phase": ".".join(map(str, self.phase)),
            "b": pack_board(self.board),
            "a": pairs_of(self.board),
            "digits": "".join(map(str, self.digits)),
            **{f"o{nations.index(name)}": text for name, text in self.texts.items()},
        }
        facts = {key: value for key, value in query.items() if value or key == "b"}
        link = f"{self.start.page}?{urlencode(facts)}"
        return link if len(link) <= LONGEST_LINK else ""


def pack_board(board: Board) -> str:
    """Write the cells of a board by the indexes of areas and nations: “0.4.8+U_3.1.C”."""
    return "_".join(
        f"{board.areas.index(area)}.{board.nations.index(nation)}.{cell}"
        for area, here in board.cells.items()
        for nation, cell in here.items()
        if cell != NOTHING
    )


def pairs_of(board: Board) -> str:
    """Write the alliances of a board by the indexes of nations: “0-3_1-2”."""
    place = board.nations.index
    return "_".join(f"{place(nation)}-{place(other)}" for nation, other in board.alliances)


def unpack_board(board: Board, text: str) -> Board:
    """Return a board of the same areas and nations with the cells that `pack_board` wrote. Raise
    `RulesError` for anything else."""
    cells: dict[str, dict[str, Cell]] = {}
    for part in filter(None, text.split("_")):
        try:
            area, nation, pile = part.split(".", 2)
            cells.setdefault(board.areas[int(area)], {})[board.nations[int(nation)]] = cell_of(pile)
        except (ValueError, IndexError) as error:
            raise RulesError(f"“{part}” is not an area of this board.") from error
    return replace(board, cells=cells)


def cell_of(text: str) -> Cell:
    """Parse what one nation has in one area: “8”, “8+U”, “C”. Raise `RulesError` if it cannot."""
    match = _CELL.fullmatch(text.replace(" ", ""))
    if match is None:
        raise RulesError(
            f"“{text[:20]}” is not a stack. Write PFs as a number, U for an Understanding, C for"
            " CONTROL: 8, 8+U, C."
        )
    counter = match["counter"].upper()
    pf, down, treaty = int(match["pf"] or 0), int(match["down"] or 0), bool(match["treaty"])
    return Cell(pf, counter == "U", counter == "C", down, treaty)


def _state_with_board(start: Start, state: Any, wanted: Board) -> Any:
    """Return the state with the `wanted` board. Raise `RulesError` if it is not possible."""
    rules = start.game.rules
    board = rules.board(state)
    edits: dict[str, dict[str, Cell]] = {}
    for area, nation, was, now in board.differences(wanted):
        if (was.pf, was.understanding, was.control) != (now.pf, now.understanding, now.control):
            pile = Cell(now.pf, now.understanding, now.control, was.face_down)
            edits.setdefault(area, {})[nation] = pile
    state = rules.editor.edits["position"](state, cells=edits) if edits else state
    for pair in {*board.alliances} ^ {*wanted.alliances}:
        if "alliance" not in rules.editor.edits:
            raise RulesError(f"{rules.title} has no alliances: leave “a=” out of the link.")
        state = rules.editor.edits["alliance"](state, nations=pair, allied=pair in wanted.alliances)
    return state


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_readers
def game_sandbox(request: HttpRequest, game: Game) -> HttpResponse:
    """Start from a board of a game: `?at=5.1` as in its history, else the newest."""
    stops = stops_of(game)
    if not stops or not game.rules.foreseeable:
        raise Http404
    game.options = game.options | THROWN
    reader = permissions.viewer_of(request.user, game)
    stop = choose_stop(stops, _request_fields(request).get("at", ""), "")
    result = Resolution.objects.filter(phase=stop.phase, version=stop.version).first()
    position = result.after if result else positions.start_position(game)
    if result and game.rules.phase(game.load(position)) is None:
        position = result.before  # nothing follows the end
    state = permissions.view(game, position, reader)
    return _page(request, _start(game, state, "what-if", [game.pk], stop.at, stop.title, reader))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def card_sandbox(request: HttpRequest, game: str, name: str) -> HttpResponse:
    """Start from an empty board of a printed scenario, in any of its phases."""
    unsaved = _game_of_card(game, name)
    state = unsaved.rules.setup(unsaved.card, unsaved.options, unsaved.card["order"])
    return _page(request, _start(unsaved, state, "card-what-if", [game, name]))


def _game_of_card(game: str, name: str) -> Game:
    try:
        rules, card = ruleset(game), cards.load(game, name)
    except RulesError:
        raise Http404 from None
    if not rules.foreseeable:
        raise Http404
    rule = options.validate({OPTION: PLAIN})
    return Game(ruleset_id=game, title=card["title"], card=card, options=rule | THROWN)


def _start(
    game: Game,
    state: Any,
    name: str,
    given: Sequence[object],
    at: str = "",
    title: str = "",
    reader: str | None = None,
) -> Start:
    """Return a start with the phases from that of `state` on. In later ones nobody has ordered
    anything; their boards are replaced."""
    first = game.rules.phase(state)
    assert first is not None
    later = {step.phase: step.state for step in foreseen.phases_after(game.rules, state)}
    states = {first: state, **later}
    addresses = (reverse(name, args=given), reverse(f"{name}-board", args=given))
    return Start(game, states, *addresses, at, title, reader)


@require_safe
@gzip_page
@for_readers
def board_of_game(request: HttpRequest, game: Game) -> HttpResponse:
    """Draw the board `?b=`, and mark what differs from the board `?was=`."""
    return _board_image(request, game)


@require_safe
@gzip_page
def board_of_card(request: HttpRequest, game: str, name: str) -> HttpResponse:
    return _board_image(request, _game_of_card(game, name))


def _board_image(request: HttpRequest, game: Game) -> HttpResponse:
    empty = Board(tuple(game.card["areas"]), tuple(game.card["order"]), {})
    try:
        board = unpack_board(empty, request.GET.get("b", ""))
        was = unpack_board(empty, request.GET["was"]) if "was" in request.GET else None
    except RulesError:
        raise Http404 from None
    marks = images.changed_cells(was, board)
    drawing = Drawing(game.ruleset_id, game.card, board, marks, "What if?\nNot a board of the game")
    drawing, theme = pictures.adapt(request, drawing), pictures.theme_of(request)
    return pictures.answer(
        request, game, images.svg(drawing, theme, pictures.WIDTH), "image/svg+xml"
    )


def _picture(start: Start, board: Board, was: Board | None = None) -> pictures.PagePicture:
    query = {"b": pack_board(board), **({"was": pack_board(was)} if was else {})}
    return pictures.picture_at(start.game, start.picture, query, was is not None)


def _request_fields(request: HttpRequest) -> Mapping[str, str]:
    return request.POST if request.method == "POST" else request.GET


def _sandbox(start: Start, asked: Mapping[str, str]) -> Sandbox:
    """Read a form or a link. If its board is not possible, leave it out and set `fault`."""
    rules = start.game.rules
    names = {".".join(map(str, phase)): phase for phase in start.states}
    phase = names.get(asked.get("phase", ""), next(iter(start.states)))
    state = start.states[phase]
    board = rules.board(state)
    fault = ""
    try:
        state = _state_with_board(start, state, _described_board(board, asked))
    except RulesError as error:
        fault = str(error)
    texts = {
        nation: asked.get(f"o{board.nations.index(nation)}", "").replace("\0", "")[:LONGEST_TEXT]
        for nation in rules.acting_nations(state)
    }
    digits = [int(digit) for digit in re.findall("[0-9]", asked.get("digits", ""))][:MOST_DIGITS]
    return Sandbox(start, phase, state, texts, tuple(digits), fault)


def _described_board(board: Board, asked: Mapping[str, str]) -> Board:
    """Return the board that a link (`b`, and `a` for alliances) or the form's fields describe."""
    new_board = board
    if "b" in asked:
        new_board = unpack_board(board, asked["b"])
    elif "c0.0" in asked:
        cells = {
            area: {
                nation: cell_of(asked.get(f"c{row}.{column}", ""))
                for column, nation in enumerate(board.nations)
            }
            for row, area in enumerate(board.areas)
        }
        new_board = replace(board, cells=cells)
    if "phase" in asked:
        pairs = re.findall(r"([0-9])-([0-9])", asked.get("a", ""))
        new_board = replace(
            new_board,
            alliances=tuple(
                (board.nations[nation], board.nations[other])
                for nation, other in (map(int, pair) for pair in pairs)
                if nation < other < len(board.nations)
            ),
        )
    return new_board


def _add_bot_orders(sandbox: Sandbox) -> Sandbox:
    """Let a bot write the missing orders, if it can from what is known."""
    texts = dict(sandbox.texts)
    bot, salt = sandbox.start.game.rules.bot, secrets.token_hex(4)
    for nation in texts:
        if not texts[nation].strip():
            with suppress(RulesError):
                texts[nation] = bot.orders(sandbox.state, nation, salt)
    return replace(sandbox, texts=texts)


def _page(request: HttpRequest, start: Start) -> HttpResponse:
    query = _request_fields(request)
    do = query.get("do", "" if request.method == "POST" or "phase" not in query else "judge")
    sandbox, game, rules = _sandbox(start, query), start.game, start.game.rules
    if do == "bots":
        sandbox = _add_bot_orders(sandbox)
    throws = Throws(() if do == "throw" else sandbox.digits, sandbox.die)
    judged, prospects, fault = None, None, sandbox.fault
    if do in ("judge", "throw", "next", "chances") and not fault:
        try:
            if do == "chances" and request.method == "POST":  # which is counted: it takes seconds
                seed = f"what-if/{sandbox.link()}"
                prospects = forecast.forecast(rules, game.reserves, sandbox.judge, {}, seed=seed)
            else:
                judged = sandbox.judge(throws)
                sandbox = replace(sandbox, digits=tuple(throws.digits))
        except RulesError as error:
            fault = str(error)
    if judged and do == "next":
        sandbox, judged = sandbox.next_sandbox(judged) or sandbox, None
    board = sandbox.board
    board_after = rules.board(judged.resolution.state) if judged else None
    facts = rules.facts(sandbox.phase, game.options)
    context = {
        "game": game,
        "start": start,
        "phase": facts,
        "draws": facts.draws,
        "phases": [
            (
                ".".join(map(str, phase)),
                rules.facts(phase, game.options).title,
                phase == sandbox.phase,
            )
            for phase in start.states
        ],
        "fault": fault,
        "rows": list(_rows(board)),
        "allied": pairs_of(board),
        "orders": [
            (board.nations.index(nation), nation, text, _remarks(sandbox, nation))
            for nation, text in sandbox.texts.items()
        ],
        "digits": "".join(map(str, sandbox.digits)),
        "die": sandbox.die,
        "picture": _picture(start, board),
        "nations": headings(board.nations),
        "link": sandbox.link() if judged else "",
        "events": judged.resolution.events if judged else (),
        "judged": judged,
        "over": judged is not None and sandbox.next_sandbox(judged) is None,
        "left": _picture(start, board_after, board) if board_after else None,
        "grid": grid(board_after, board, game.card) if board_after else None,
        "scores": _scores(sandbox, judged) if judged else [],
        "winners": rules.standing(judged.resolution.state).winners if judged else None,
        "prospects": prospects,
        "meanings": list(rules.guide.table().meanings.items()),
        "margin": MARGIN,
    }
    return render(request, "games/what_if.html", context)


def _rows(board: Board) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Yield each area with its fields: name, nation, content."""
    for row, area in enumerate(board.areas):
        cells = (
            replace(board.cell(area, nation), treaty=False, face_down=0) for nation in board.nations
        )
        fields = zip(board.nations, cells, strict=True)
        yield (
            area,
            [(f"c{row}.{place}", name, str(cell)) for place, (name, cell) in enumerate(fields)],
        )


def _remarks(sandbox: Sandbox, nation: str) -> list[str]:
    reading = sandbox.start.game.rules.read(sandbox.texts[nation], nation, sandbox.state)
    return [remark.message for remark in reading.remarks if remark.severity != "note"]


def _scores(sandbox: Sandbox, judged: JudgedPhase) -> list[tuple[str, int, int]]:
    """Return each nation's score before and after, as far as the reader may know it."""
    standing = sandbox.start.game.rules.standing
    before, after = standing(sandbox.state).scores, standing(judged.resolution.state).scores
    return [(nation, before.get(nation, 0), score) for nation, score in after.items()]
