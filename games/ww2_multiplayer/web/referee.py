"""The referee's page: where a gamesmaster of a refereed game plays out a Player-Turn, and writes
the report about it.

Only the text of the report counts. Every button reloads the page with the choices written into the
text, with how the service reads it, and with what its result would be; only sending writes to the
ledger. The page works without JavaScript.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from games import permissions, positions
from games.base import clock
from games.models import Game, Phase, Resolution, Seat
from games.pages import line_forms
from games.pages.decorators import for_readers, refuse
from games.pages.headings import Heading, headings
from games.pages.line_forms import FormError
from games.pages.requests import parse_number, person_of
from games.positions import in_force
from games.rules import REFEREE_SEAT, Json, Reading
from orders.intake import drafts, ledger
from orders.models import Submission
from orders.web.autosave import CLOSED_MEANWHILE, KeptDraft, keep_draft
from orders.web.forms import restore_line_ends
from orders.web.lines import Line, lines_of

from ..rules.table import CountryRow, Table, TableLine
from . import controls as controls_of_page
from .controls import Controls, Ruling, key_of

SEND, DISCARD, IDLE = "send", "discard", "idle"
NOTHING_KEPT = KeptDraft()
#: Events that the last report reveals. Before it not even the gamesmaster may know them, so the
# gamesmaster's pages do not compute them.
OPENED_AT_THE_END = ("column", "score")


@require_http_methods(["GET", "HEAD", "POST"])
@for_readers
def referee(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the referee's page to people who may send reports in this game. While no report is due,
    show what the game waits for, and the last reports."""
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("referee", args=[game.pk]))
    seat = game.seats.filter(referee=True).first()
    if seat is None or not permissions.referees(request.user, game):
        refuse(request, game)
    now, phase = clock.now(), game.phases.current()
    if phase is None or game.is_over or phase.has_deadline:
        context = {
            "game": game,
            "phase": phase,
            "now": now,
            "past": _past_reports(game, phase),
        }
        return render(request, "referee/not_now.html", context)
    if request.method == "POST":
        return _handle_action(request, seat, phase, now)
    standing, draft = (
        in_force.submission_in_force(seat, phase),
        drafts.own_draft(seat, phase, person_of(request)),
    )
    text = draft.text if draft else standing.text if standing else ""
    return _page(request, phase, now, text, kept=KeptDraft(draft), standing=standing)


# --- what a button does ---


def _handle_action(request: HttpRequest, seat: Seat, phase: Phase, now: datetime) -> HttpResponse:
    person, do = person_of(request), request.POST.get("do", "")
    text = restore_line_ends(request.POST.get("text", ""))
    if do == DISCARD:
        drafts.discard(seat, phase, person)
        return redirect("referee", phase.game_id)
    typed = {key: str(value) for key, value in request.POST.items()}
    if request.POST.get("phase") != str(phase.number):
        return _page(request, phase, now, text, typed=typed, fault=CLOSED_MEANWHILE)
    try:
        text, typed = _updated_text(phase, text, typed, do)
    except FormError as error:
        kept, fault = keep_draft(request, seat, phase, text, now), str(error)
        return _page(request, phase, now, text, typed=typed, fault=fault, kept=kept, faulty=True)
    if do not in (SEND, IDLE):
        kept = keep_draft(request, seat, phase, text, now)
        return _page(request, phase, now, text, typed=typed, kept=kept)
    try:
        arrival = ledger.Arrival(Submission.Channel.WEB, person, now, meant_for=phase)
        final = "final" in request.POST or do == IDLE
        report = ledger.receive(seat, text, arrival, final=final)
    except ledger.LedgerError as error:
        kept = keep_draft(request, seat, phase, text, now)
        return _page(request, phase, now, text, typed=typed, fault=str(error), kept=kept)
    drafts.discard(seat, phase, person)
    _report_outcome(request, report)
    return redirect("referee", phase.game_id)


def _report_outcome(request: HttpRequest, report: Submission) -> None:
    """Say what happened to a report that was sent."""
    if report.late:
        messages.error(
            request,
            f"Report No. {report.seat_number} came after the phase was closed. It is stored and has"
            " no effect.",
        )
    elif not report.counts:
        messages.error(
            request,
            f"Report No. {report.seat_number} is stored, but none of its lines is valid, so it has"
            " no effect.",
        )
    else:
        messages.success(request, f"Report No. {report.seat_number} is received.")


def _updated_text(
    phase: Phase, text: str, typed: dict[str, str], do: str
) -> tuple[str, dict[str, str]]:
    """Return the text with changed controls and a button's addition, and the remaining input.
    Raise `FormError`."""
    state = _state(phase)
    shown_text = restore_line_ends(typed.get("was", ""))
    table, entries = _table(phase.game, state, shown_text)
    was = Controls.from_entries(table, entries)
    if shown_text != text:
        table, entries = _table(phase.game, state, text)
    text = controls_of_page.write_controls(text, table, entries, was, typed)
    action, _, rest = do.partition(":")
    forms = {form.verb: form for form in table.forms}
    if action == "add" and rest in forms:
        text, typed = (
            line_forms.add_line(text, line_forms.build_line(forms[rest], typed)),
            controls_of_page.clear(typed, rest),
        )
    elif action == "rest":
        text = controls_of_page.toggle(text, "REST", "REST DONE")
    elif action == "end":
        text = controls_of_page.toggle(text, "END", "END")
    elif action == "next":
        text = controls_of_page.end_turns(text, ("NEXT",))
    elif action == IDLE:
        text = controls_of_page.end_turns(text, table.closing)
    elif action == "accept":
        names = (
            [row.name for row in table.countries if row.control.rule != "ruled"]
            if rest == "all"
            else [rest]
        )
        for name in names:
            text = line_forms.add_line(
                text, controls_of_page.accepting_line(forms["CONTROLLER"], table, name)
            )
    elif action == "drop":
        text = _drop_line(text, rest)
    return text, typed


def _drop_line(text: str, rest: str) -> str:
    """Return the text without one line, if the line is still the one that the button showed."""
    number, _, shown_line = rest.partition(":")
    lines = text.split("\n")
    place = (parse_number(number, 4) or 0) - 1
    if not 0 <= place < len(lines) or lines[place].strip() != shown_line.strip():
        raise FormError("That line has changed in the meantime and was left as it is.")
    return controls_of_page.drop_lines(text, [place + 1])


# --- what the page shows ---


def _state(phase: Phase) -> Any:
    """Return the state as the gamesmaster may see it, without secret columns; cached on `phase`."""
    cache = phase.__dict__
    if "state_of_this_table" not in cache:
        cache["state_of_this_table"] = phase.game.rules.view(
            positions.state_of(phase), REFEREE_SEAT
        )
    return cache["state_of_this_table"]


def _table(game: Game, state: Any, text: str) -> tuple[Table, Sequence[Any]]:
    """Return the table after the lines of a text, and those of the lines that were accepted."""
    reading: Reading = game.rules.read(text, REFEREE_SEAT, state)
    table = game.rules.referee.table(state, text)
    assert table is not None, "the phase waits for a report"
    return table, reading.orders


@dataclass(frozen=True)
class OrderLine:
    """An order line with its controls."""

    line: TableLine
    key: str
    ruling: Ruling

    @property
    def verdict(self) -> str:
        """For a condition: whether it is met."""
        if not self.line.condition:
            return ""
        return {True: "is met", False: "is not met", None: "is yours to judge"}[self.line.met]


@dataclass(frozen=True)
class Player:
    """The order lines of one power, as it wrote them, in order."""

    heading: Heading
    lines: tuple[OrderLine, ...]


@dataclass(frozen=True)
class Country:
    """A row of the countries, with its state in one word."""

    row: CountryRow
    cells: tuple[tuple[str, str], ...]  # power and its forces, as in the grid

    @property
    def word(self) -> str:
        if self.row.control.controller:
            return "controlled"
        return "normalized" if self.row.normal else "contested"

    @property
    def differs(self) -> bool:
        """Whether the ruled controller differs from the one that follows from the reports."""
        return (
            self.row.control.rule == "ruled"
            and self.row.control.controller != self.row.proposed.controller
        )


@dataclass(frozen=True)
class Preview:
    """The result that the report would have: events, dice to roll, and what follows."""

    events: tuple[Json, ...]
    follows: str
    ends: bool
    dice: tuple[str, ...] = ()


def _page(
    request: HttpRequest,
    phase: Phase,
    now: datetime,
    text: str,
    *,
    typed: dict[str, str] | None = None,
    fault: str = "",
    faulty: bool = False,
    kept: KeptDraft = NOTHING_KEPT,
    standing: Submission | None = None,
) -> HttpResponse:
    """Show the page with an unfinished report. `faulty`: the choices could not be written into the
    text, so the controls keep them as typed."""
    game, state, typed = phase.game, _state(phase), typed or {}
    refusal = ledger.refusal(text)
    table, entries = _table(game, state, "" if refusal else text)
    controls = Controls.from_entries(table, entries)
    nation_headings = headings(table.nations)
    if standing is None:
        standing = in_force.in_force(phase).get(REFEREE_SEAT)
    context = {
        "game": game,
        "phase": phase,
        "now": now,
        "table": table,
        "brief": game.rules.planner.brief(state, REFEREE_SEAT),
        "players": _players(table, controls, nation_headings, typed if faulty else {}),
        "countries": _countries(table, controls, typed if faulty else {}),
        "checklist": [
            (number, words, f"checked:{number}" in typed)
            for number, words in enumerate(table.checklist, start=1)
        ],
        "groups": controls_of_page.group(table.forms, typed),
        "nations": nation_headings,
        "text": text,
        "was": typed.get("was", "") if faulty else text,
        "lines": (
            [Line(1, "", (), ({"severity": "error", "message": refusal},))]
            if refusal
            else _lines(game, state, text)
        ),
        "preview": _preview(game, state, text) if text.strip() and not refusal else None,
        "rest": line_forms.has_verb(text, "REST"),
        "ends": line_forms.has_verb(text, "END"),
        "standing": standing,
        "draft": kept.draft,
        "elsewhere": kept.elsewhere,
        "fault": fault,
        "past": _past_reports(game, phase),
        "files": phase.report_files.all() if phase.status == Phase.Status.OPEN else (),
    }
    return render(request, "referee/referee.html", context)


def _lines(game: Game, state: Any, text: str) -> list[Line]:
    reading: Reading = game.rules.read(text, REFEREE_SEAT, state)
    return lines_of(text, reading.understood, [remark.as_json() for remark in reading.remarks])


def _players(
    table: Table, controls: Controls, known: dict[str, Heading], typed: dict[str, str]
) -> list[Player]:
    players = []
    for power in table.powers:
        lines = tuple(
            _order_line(line, controls, typed) for line in table.lines if line.power == power
        )
        players.append(Player(known[power], lines))
    return players


def _order_line(line: TableLine, controls: Controls, typed: dict[str, str]) -> OrderLine:
    key = key_of(line.power, line.line)
    ruling = (
        Ruling.from_form(key, typed)
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


def _preview(game: Game, state: Any, text: str) -> Preview:
    """Return the result of the report as of now. It needs no figures: dice have their own phase."""
    resolution = game.rules.resolve(state, {REFEREE_SEAT: text}, {}, ())
    events = tuple(event for event in resolution.events if event["kind"] not in OPENED_AT_THE_END)
    following = game.rules.phase(resolution.state)
    if following is None:
        return Preview(
            events,
            "The game is over: the last report reveals the secret columns and cites the case for"
            " every point.",
            ends=True,
        )
    ends = line_forms.has_verb(text, "END")
    return Preview(
        events,
        f"Then comes {game.rules.facts(following, game.options).title}.",
        ends,
        game.rules.referee.pending_dice(resolution.state),
    )


@dataclass(frozen=True)
class PastReport:
    """A judged report of this Game-Turn."""

    phase: Phase
    text: str
    events: tuple[Json, ...]


def _past_reports(game: Game, phase: Phase | None) -> list[PastReport]:
    """Return the reports of the current Game-Turn as last judged, newest first; also in a phase
    that needs no report itself."""
    if phase is None:
        return []
    judged = Resolution.objects.filter(
        phase__game=game, phase__turn=phase.turn, phase__status=Phase.Status.RESOLVED
    )
    rows = judged.select_related("phase").only("phase", "version", "orders", "events")
    newest = {row.phase_id: row for row in rows.order_by("phase__number", "version")}
    reports = []
    for row in newest.values():
        row.phase.game = game
        if not row.phase.has_deadline:
            reports.append(
                PastReport(row.phase, row.orders.get(REFEREE_SEAT, ""), tuple(row.events))
            )
    return reports[::-1]
