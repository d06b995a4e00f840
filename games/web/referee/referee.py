"""The referee's table: where a gamesmaster plays out a Player-Turn of a game that is refereed, and
writes his sheet of it.

The text of the sheet is the only truth. Every button brings the page back with what has been chosen
written into it, with what the service understands, and with what would come of it; only “Send the
sheet” writes into the ledger. It needs no script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from games import permissions, positions
from games.models import Game, Phase, Resolution, Seat
from games.rules import REFEREE_SEAT, Json, Reading
from games.rules.contract import referee_of
from games.web.decorators import for_readers, refuse
from games.web.headings import Heading, headings
from games.web.referee import forms as referee_forms
from games.web.referee.forms import Controls, FormError, Ruling, key_of
from games.web.requests import number_in, person_of
from gamesmaster import clock
from orders import drafts, in_force, ledger
from orders.models import Submission
from orders.web.forms import as_typed
from orders.web.views import CLOSED_MEANWHILE, Kept, Line, keep_draft, lines_of

if TYPE_CHECKING:
    from games.rules.ww2_multiplayer.table import CountryRow, Table, TableLine

SEND, DISCARD, IDLE = "send", "discard", "idle"
NOTHING_KEPT = Kept()
#: Events that the last report opens; before it not even the gamesmaster may know them, so that no
# page of his works them out.
OPENED_AT_THE_END = ("column", "score")


@require_http_methods(["GET", "HEAD", "POST"])
@for_readers
def referee(request: HttpRequest, game: Game) -> HttpResponse:
    """For whoever may send sheets in this game. While it waits for none the page says what it waits
    for, and shows the last ones."""
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("referee", args=[game.pk]))
    seat = game.seats.filter(referee=True).first()
    if seat is None or not permissions.referees(request.user, game):
        refuse(request, game)
    now, phase = clock.now(), game.phases.current()
    if phase is None or game.status == Game.Status.FINISHED or not phase.sheeted:
        context = {
            "game": game,
            "phase": phase,
            "now": now,
            "past": _past(game, phase),
            "nations": headings(game.card["order"]),
        }
        return render(request, "referee/not_now.html", context)
    if request.method == "POST":
        return _done(request, seat, phase, now)
    standing, draft = (
        in_force.in_force_of(seat, phase),
        drafts.mine(seat, phase, person_of(request)),
    )
    text = draft.text if draft else standing.text if standing else ""
    return _page(request, seat, phase, now, text, kept=Kept(draft), standing=standing)


# --- what a button does ---


def _done(request: HttpRequest, seat: Seat, phase: Phase, now: datetime) -> HttpResponse:
    person, do = person_of(request), request.POST.get("do", "")
    text = as_typed(request.POST.get("text", ""))
    if do == DISCARD:
        drafts.discard(seat, phase, person)
        return redirect("referee", phase.game_id)
    typed = {key: str(value) for key, value in request.POST.items()}
    if request.POST.get("phase") != str(phase.number):
        return _page(
            request, seat, phase, now, text, typed=typed, fault=CLOSED_MEANWHILE, shown=False
        )
    try:
        text, typed = _written(phase, text, typed, do)
    except FormError as error:
        kept, fault = keep_draft(request, seat, phase, text, now), str(error)
        return _page(
            request, seat, phase, now, text, typed=typed, fault=fault, kept=kept, faulty=True
        )
    if do not in (SEND, IDLE):
        kept = keep_draft(request, seat, phase, text, now)
        return _page(request, seat, phase, now, text, typed=typed, kept=kept)
    try:
        sheet = ledger.receive(
            seat,
            text,
            channel=Submission.Channel.WEB,
            person=person,
            now=now,
            final="final" in request.POST or do == IDLE,
            meant_for=phase,
        )
    except ledger.LedgerError as error:
        kept = keep_draft(request, seat, phase, text, now)
        return _page(request, seat, phase, now, text, typed=typed, fault=str(error), kept=kept)
    drafts.discard(seat, phase, person)
    _say(request, sheet)
    return redirect("referee", phase.game_id)


def _say(request: HttpRequest, sheet: Submission) -> None:
    """What has become of a sheet that was sent."""
    if sheet.late:
        messages.error(
            request,
            f"Report No. {sheet.seat_number} came after the phase was closed: it is kept,"
            " and changes nothing.",
        )
    elif not sheet.counts:
        messages.error(
            request,
            f"Report No. {sheet.seat_number} is kept, but no line of it can be taken as things"
            " stand, so that it changes nothing.",
        )
    else:
        messages.success(request, f"Report No. {sheet.seat_number} is received.")


def _written(phase: Phase, text: str, typed: dict[str, str], do: str) -> tuple[str, dict[str, str]]:
    """Return the text with changed controls and a button's addition. Raises `FormError`."""
    state = _state(phase)
    shown = as_typed(typed.get("was", ""))
    table, entries = _table(phase.game, state, shown)
    was = Controls.of(table, entries)
    if shown != text:
        table, entries = _table(phase.game, state, text)
    text = referee_forms.write_controls(text, table, entries, was, typed)
    what, _, rest = do.partition(":")
    forms = {form.verb: form for form in table.forms}
    if what == "add" and rest in forms:
        text, typed = (
            referee_forms.with_line(text, referee_forms.built(forms[rest], typed)),
            referee_forms.clear(typed, rest),
        )
    elif what == "rest":
        text = referee_forms.toggle(text, "REST", "REST DONE")
    elif what == "end":
        text = referee_forms.toggle(text, "END", "END")
    elif what == "next":
        text = referee_forms.with_ends(text, ("NEXT",))
    elif what == IDLE:
        text = referee_forms.with_ends(text, table.closing)
    elif what == "accept":
        named = (
            [row.name for row in table.countries if row.control.rule != "ruled"]
            if rest == "all"
            else [rest]
        )
        for name in named:
            text = referee_forms.with_line(
                text, referee_forms.accepting_line(forms["CONTROLLER"], table, name)
            )
    elif what == "drop":
        text = _drop_line(text, rest)
    return text, typed


def _drop_line(text: str, rest: str) -> str:
    """Without one line, if it still reads as it did when the button was made."""
    number, _, said = rest.partition(":")
    written = text.split("\n")
    place = (number_in(number, 4) or 0) - 1
    if not 0 <= place < len(written) or written[place].strip() != said.strip():
        raise FormError("That line has changed meanwhile, and was left as it is.")
    return referee_forms.without(text, [place + 1])


# --- what the page shows ---


def _state(phase: Phase) -> Any:
    """Return the state as the gamesmaster may see it, once a request: no sealed column."""
    kept = phase.__dict__
    if "state_of_this_table" not in kept:
        kept["state_of_this_table"] = phase.game.rules.view(positions.state_of(phase), REFEREE_SEAT)
    return kept["state_of_this_table"]


def _table(game: Game, state: Any, text: str) -> tuple[Table, Sequence[Any]]:
    """The table once the lines of a text stand, and those of them that were accepted."""
    read: Reading = game.rules.read(text, REFEREE_SEAT, state)
    table = referee_of(game.rules).table(state, text)
    assert table is not None, "the phase waits for a sheet"
    return table, read.orders


@dataclass(frozen=True)
class OrderLine:
    """An order line with its controls."""

    line: TableLine
    key: str
    ruling: Ruling

    @property
    def verdict(self) -> str:
        """Of a condition: whether it has come about."""
        if not self.line.condition:
            return ""
        return {True: "is met", False: "is not met", None: "is yours to judge"}[self.line.met]


@dataclass(frozen=True)
class Player:
    """The lines of one power, in the order in which it wrote them."""

    heading: Heading
    lines: tuple[OrderLine, ...]


@dataclass(frozen=True)
class Country:
    """A row of the countries, with what it says in a word."""

    row: CountryRow
    cells: tuple[tuple[str, str], ...]  # power and its forces, as the grid has them

    @property
    def word(self) -> str:
        if self.row.control.controller:
            return "controlled"
        return "normalised" if self.row.normal else "contested"

    @property
    def differs(self) -> bool:
        """Whether what was ruled is otherwise than what follows from what was told."""
        return (
            self.row.control.rule == "ruled"
            and self.row.control.controller != self.row.proposed.controller
        )


@dataclass(frozen=True)
class Preview:
    """What would come of the sheet: events, the dice that are asked for, and what follows."""

    events: tuple[Json, ...]
    follows: str
    ends: bool
    dice: tuple[str, ...] = ()


def _page(
    request: HttpRequest,
    seat: Seat,
    phase: Phase,
    now: datetime,
    text: str,
    *,
    typed: dict[str, str] | None = None,
    fault: str = "",
    faulty: bool = False,
    shown: bool = True,
    kept: Kept = NOTHING_KEPT,
    standing: Submission | None = None,
) -> HttpResponse:
    """The table with a sheet in the making. `faulty`: what was chosen could not be written, and the
    controls keep it as it was typed."""
    game, state, typed = phase.game, _state(phase), typed or {}
    why = ledger.refusal(text)
    table, entries = _table(game, state, "" if why else text)
    controls = Controls.of(table, entries)
    known = headings(table.nations)
    if standing is None:
        standing = in_force.in_force(phase).get(REFEREE_SEAT)
    context = {
        "game": game,
        "seat": seat,
        "phase": phase,
        "now": now,
        "table": table,
        "brief": game.rules.planner.brief(state, REFEREE_SEAT),
        "players": _players(table, controls, known, typed if faulty else {}),
        "countries": _countries(table, controls, typed if faulty else {}),
        "checklist": [
            (number, words, f"checked:{number}" in typed)
            for number, words in enumerate(table.checklist, start=1)
        ],
        "groups": referee_forms.group(table.forms, typed),
        "nations": known,
        "text": text,
        "was": typed.get("was", "") if faulty else text,
        "lines": (
            [Line(1, "", (), ({"severity": "error", "message": why},))]
            if why
            else _lines(game, state, text)
        ),
        "preview": _preview(game, phase, state, text) if text.strip() and not why else None,
        "rest": referee_forms.says(text, "REST"),
        "ends": referee_forms.says(text, "END"),
        "standing": standing,
        "draft": kept.draft,
        "elsewhere": kept.elsewhere,
        "fault": fault,
        "shown": shown,
        "past": _past(game, phase),
        "files": phase.report_files.all() if phase.status == Phase.Status.OPEN else (),
    }
    return render(request, "referee/referee.html", context)


def _lines(game: Game, state: Any, text: str) -> list[Line]:
    read: Reading = game.rules.read(text, REFEREE_SEAT, state)
    return lines_of(text, read.understood, [remark.as_json() for remark in read.remarks])


def _players(
    table: Table, controls: Controls, known: dict[str, Heading], typed: dict[str, str]
) -> list[Player]:
    found = []
    for power in table.powers:
        lines = tuple(
            _order_line(line, controls, typed) for line in table.lines if line.power == power
        )
        found.append(Player(known[power], lines))
    return found


def _order_line(line: TableLine, controls: Controls, typed: dict[str, str]) -> OrderLine:
    key = key_of(line.power, line.line)
    ruling = (
        Ruling.typed(key, typed)
        if f"ruling:{key}" in typed
        else controls.rulings.get(key, Ruling())
    )
    return OrderLine(line, key, ruling)


def _countries(table: Table, controls: Controls, typed: dict[str, str]) -> list[Country]:
    def cell(name: str, power: str) -> str:
        return typed.get(f"forces:{name}:{power}", controls.forces.get((name, power), ""))

    return [
        Country(row, tuple((power, cell(row.name, power)) for power in table.nations))
        for row in table.countries
    ]


def _preview(game: Game, phase: Phase, state: Any, text: str) -> Preview:
    """Return what would come of it now. A sheet asks for no figure: dice have their own phase."""
    found = game.rules.resolve(state, {REFEREE_SEAT: text}, {}, ())
    events = tuple(event for event in found.events if event["kind"] not in OPENED_AT_THE_END)
    following = game.rules.phase(found.state)
    if following is None:
        return Preview(
            events,
            "The game is over: the last report opens sealed columns and cites the case of every"
            " point.",
            ends=True,
        )
    ends = referee_forms.says(text, "END")
    return Preview(
        events,
        f"Then comes {game.rules.facts(following, game.options).title}.",
        ends,
        referee_of(game.rules).owed(found.state),
    )


@dataclass(frozen=True)
class Past:
    """A sheet of this Game-Turn that has been judged."""

    phase: Phase
    text: str
    events: tuple[Json, ...]


def _past(game: Game, phase: Phase | None) -> list[Past]:
    """The sheets of the Game-Turn that is being played, as they were judged last; of a phase that
    is not sheeted those of its turn too."""
    if phase is None:
        return []
    judged = Resolution.objects.filter(
        phase__game=game, phase__turn=phase.turn, phase__status=Phase.Status.RESOLVED
    )
    rows = judged.select_related("phase").only("phase", "version", "orders", "events")
    newest = {row.phase_id: row for row in rows.order_by("phase__number", "version")}
    found = []
    for row in newest.values():
        row.phase.game = game
        if row.phase.sheeted:
            found.append(Past(row.phase, row.orders.get(REFEREE_SEAT, ""), tuple(row.events)))
    return found[::-1]
