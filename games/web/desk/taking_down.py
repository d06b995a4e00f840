"""Take down orders by telephone or at one table: typed while listening, read back, saved.

The page of a seat has one field, the table sheet one for each seat that owes orders. No answer
replaces what is being typed: readings go beside the fields, and `static/telephone.js` puts what a
save brings around them. Without JavaScript each button brings the page back with everything typed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from games import permissions, positions
from games.base import clock
from games.models import Game, Person, Phase, Seat
from games.pages.decorators import for_gamesmasters
from games.pages.headings import headings
from games.pages.requests import person_of, shown_phase
from games.rules.names import all_of
from games.seats import teams
from games.web.desk.inbox import next_step
from games.web.desk.telephone import CallRow, call_rows, find_caller, for_the_listener
from orders.intake import ledger, telephone
from orders.models import Submission
from orders.web.forms import restore_line_ends

#: “Orders are final” stays ticked on the table sheet for an evening.
EVENING = timedelta(hours=12)


class Sheet:
    """A form on which orders are taken down, as a request brings it.

    Its button is `do`: `read`, `heard` (save as read back) or `down` (save without reading back).
    """

    def __init__(self, request: HttpRequest, game: Game, phase: Phase, now: datetime) -> None:
        self.request, self.game, self.phase, self.now = request, game, phase, now
        self.state = positions.state_of(phase)
        self.is_open = phase.status == Phase.Status.OPEN
        self.readable = permissions.readable_nations(request.user, game, phase=phase)
        self.rows = call_rows(game, phase, now)
        self.meant_for = shown_phase(request, game, phase)  # the form showed it
        self.saves = request.POST.get("do") in ("heard", "down")

    def row(self, seat: Seat) -> CallRow:
        """Return the seat's row. Raise 404 for a bot's: nobody calls it."""
        row = next((row for row in self.rows if row.seat == seat), None)
        if row is None:
            raise Http404
        return row

    def value(self, name: str) -> str:
        return restore_line_ends(self.request.POST.get(name, ""))

    def fields_of_table(self, *, typing: bool = False) -> list[Field]:
        """Return a field for each seat that owes orders, or for which some are typed."""
        fields = [Field(self, row, f"{row.seat.pk}-", typing) for row in self.rows]
        return [field for field in fields if field.row.owes or field.text.strip()]

    def context(self, fields: list[Field]) -> dict[str, Any]:
        return {
            "here": "telephone",
            "game": self.game,
            "phase": self.phase,
            "now": self.now,
            "next": next_step(self.game, self.phase, self.now),
            "fields": fields,
            "silent": not any(field.orders.strip() for field in fields),
            "rows": self.rows,
            "sent": [row for row in self.rows if row.sent and self.is_open],
            "nations": headings(self.game.card["order"]),
        }


@dataclass
class Field:
    """The orders of a seat as they are typed, and how they are read."""

    sheet: Sheet
    row: CallRow
    prefix: str = ""  # of the names of its inputs
    typing: bool = False  # the last line may be unfinished
    fault: str = ""  # why they were not saved

    def __post_init__(self) -> None:
        self.text = self.sheet.value(f"{self.prefix}text")
        self.caller = self.sheet.value(f"{self.prefix}caller")
        self.nation = self.row.seat.nation
        self.readable = self.nation in self.sheet.readable

    @property
    def passes(self) -> bool:
        """Return whether the seat is one of “the others”: it still owes, and nothing is typed."""
        sheet = self.sheet
        asked = sheet.value("others_pass") == "on" and sheet.meant_for in (None, sheet.phase)
        return asked and self.row.owes and not self.text.strip()

    @property
    def orders(self) -> str:
        return "PASS" if self.passes else self.text

    @cached_property
    def back(self) -> telephone.ReadBack | None:
        return self._reading[0]

    @cached_property
    def refused(self) -> str:
        return self._reading[1]

    @cached_property
    def _reading(self) -> tuple[telephone.ReadBack | None, str]:
        """Return how the orders are read, or why a text like this cannot be received."""
        if not self.orders.strip():
            return None, ""
        try:
            back = self._read(self.orders)
            above, _, unfinished = self.orders.rpartition("\n")
            if self.typing and back.doubt and above and unfinished:
                # Unfinished, a line would leave the one above it in doubt: it stands apart.
                back = self._read(f"{above}\n\n{unfinished}")
        except ledger.LedgerError as error:
            return None, str(error)
        return back, ""

    def _read(self, text: str) -> telephone.ReadBack:
        sheet, hushed = self.sheet, not self.readable
        return telephone.read_back(
            self.row.seat, sheet.phase, text, sheet.now, hushed=hushed, state=sheet.state
        )

    @property
    def rejected(self) -> str:
        """Return what the tick “Leave out” stands for, so that it covers no line typed later."""
        return " ".join(remark.message for remark in self.back.remarks) if self.back else ""

    @property
    def left_out(self) -> bool:
        ticked = self.sheet.value(f"{self.prefix}leave_out")
        return bool(ticked) and ticked == self.rejected

    @property
    def speaks(self) -> str:
        """Return the name of the team's spokesman, to whom others' orders are proposals; "" if
        every member's orders count."""
        sender = self.row.sender
        spokesman = sender.team and teams.has_spokesman(sender.game) and teams.spokesman(sender)
        return (spokesman.person.name or "the first of them") if spokesman else ""

    @cached_property
    def _view(self) -> Any:
        return self.sheet.game.rules.view(self.sheet.state, self.nation if self.readable else None)

    @property
    def brief(self) -> tuple[str, ...]:
        if not self.row.acts:
            return ()
        return self.sheet.game.rules.planner.brief(self._view, self.nation)

    @property
    def example(self) -> str:
        choices = self.sheet.game.rules.planner.choices(self._view, self.nation)
        return choices[0].line() if self.row.acts and choices else "PASS"

    def save(self) -> Submission:
        """Write the orders to the ledger. Raise `LedgerError` if they are not received.

        That is so too if a line does not count: it would be lost without a word.
        """
        sheet = self.sheet
        # Orders for a closed phase are stored as they are: they change nothing.
        if sheet.meant_for in (None, sheet.phase) and self.rejected and not self.left_out:
            raise ledger.LedgerError(self._unread())
        return telephone.take_down(
            self.row.seat,
            self.orders,
            person_of(sheet.request),
            sheet.now,
            caller=self._sender(),
            read_back=sheet.value("do") == "heard",
            final=sheet.value("final") == "on",
            meant_for=sheet.meant_for,
            heard=sheet.value(f"{self.prefix}heard"),
        )

    def _sender(self) -> Person | None:
        """Return who gave the orders. A team that passes because nothing is typed has nobody on the
        line: its spokesman passes, unless its members vote."""
        chosen = find_caller((player.person for player in self.row.people), self.caller)
        if chosen is None and self.passes and not teams.decides_by_vote(self.sheet.game):
            speaker = teams.spokesman(self.row.sender)
            return speaker.person if speaker else None
        return chosen

    def _unread(self) -> str:
        assert self.back is not None
        numbers = [str(remark.line) for remark in self.back.remarks]
        which = f"lines {all_of(numbers)} do" if len(numbers) > 1 else f"line {numbers[0]} does"
        return (
            f"The orders of {self.nation} are not saved yet: {which} not count as written. Correct"
            " what “Read back” names, or tick “Leave out what does not count”."
        )


@require_http_methods(["GET", "HEAD", "POST"])
@for_the_listener
def take(
    request: HttpRequest, game: Game, seat: Seat, phase: Phase | None, now: datetime
) -> HttpResponse:
    """Take down the orders of one seat while listening."""
    if phase is None or game.is_over:
        return _nothing_to_order(request, game)
    sheet = Sheet(request, game, phase, now)
    field = Field(sheet, sheet.row(seat))
    if sheet.saves:
        try:
            submission = field.save()
        except ledger.LedgerError as error:
            field.fault = str(error)
        else:
            messages.add_message(
                request, *describe_outcome(submission, read=bool(field.row.people))
            )
            return redirect("desk-telephone", game.pk)
    elif request.method != "POST" and sheet.is_open and field.readable and field.row.sent:
        field.text = field.row.sent.text
    context = sheet.context([field]) | {
        "field": field,
        "seat": seat,
        "final": sheet.value("final") == "on",
    }
    return render(request, "desk/telephone_seat.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_gamesmasters
def table(request: HttpRequest, game: Game) -> HttpResponse:
    """Take down on one page the orders of all seats that owe some.

    What cannot be saved stops only the orders of its own seat, and stays in its field.
    """
    now, phase = clock.now(), game.phases.current()
    if phase is None or game.is_over:
        return _nothing_to_order(request, game)
    sheet = Sheet(request, game, phase, now)
    fields = sheet.fields_of_table()
    kept = f"final-{game.pk}"
    if sheet.saves:
        saved, faults = [], {}
        for field in fields:
            if not field.orders.strip():
                continue
            try:
                saved.append(field.save())
            except ledger.LedgerError as error:
                name = "" if field.nation in str(error) else f"{field.nation}: "
                faults[field.nation] = f"{name}{error}"
        if not (saved or faults):
            messages.warning(request, _nothing_saved(sheet))
        _report(request, saved)
        request.session[kept] = now.isoformat() if sheet.value("final") == "on" else ""
        if not faults:
            return redirect("desk-telephone-table", game.pk)
        done = {submission.seat_id for submission in saved}
        sheet = Sheet(request, game, phase, now)  # others owe now
        fields = [field for field in sheet.fields_of_table() if field.row.seat.pk not in done]
        for field in fields:
            field.fault = faults.get(field.nation, "")
    last = request.session.get(kept, "")
    final = bool(last) and now - datetime.fromisoformat(last) < EVENING
    context = sheet.context(fields) | {
        "final": sheet.value("final") == "on" if request.method == "POST" else final,
        "others_pass": sheet.value("others_pass") == "on" and not sheet.saves,
    }
    return render(request, "desk/telephone_table.html", context)


@require_POST
@for_the_listener
def read(
    request: HttpRequest, game: Game, seat: Seat, phase: Phase | None, now: datetime
) -> HttpResponse:
    """Show how one seat's orders are read. Nothing is stored."""
    if phase is None:
        raise Http404
    sheet = Sheet(request, game, phase, now)
    context = sheet.context([Field(sheet, sheet.row(seat), typing=True)])
    return render(request, "desk/_read_back.html", context)


@require_POST
@for_gamesmasters
def read_table(request: HttpRequest, game: Game) -> HttpResponse:
    """Show how the orders of all seats on the table sheet are read. Nothing is stored."""
    phase = game.phases.current()
    if phase is None:
        raise Http404
    sheet = Sheet(request, game, phase, clock.now())
    context = sheet.context(sheet.fields_of_table(typing=True)) | {"table": True}
    return render(request, "desk/_read_back.html", context)


def _nothing_to_order(request: HttpRequest, game: Game) -> HttpResponse:
    fault = (
        "The game is over: there is nothing to order."
        if game.is_over
        else "The game has not begun: there is nothing to order yet."
    )
    messages.error(request, fault)
    return redirect("desk-telephone", game.pk)


def _nothing_saved(sheet: Sheet) -> str:
    if sheet.meant_for not in (None, sheet.phase) and sheet.value("others_pass") == "on":
        return f"Nothing was saved: {sheet.meant_for.title} is closed, so nobody can pass any more."
    return "Nothing was saved: no orders are typed, and “The others pass” is not ticked."


def _report(request: HttpRequest, saved: Iterable[Submission]) -> None:
    """Say what became of the orders saved together: in one sentence of those in force."""
    in_force = []
    for submission in saved:
        if _is_in_force(submission):
            in_force.append(submission)
        else:
            messages.add_message(request, *describe_outcome(submission))
    if not in_force:
        return
    named = [
        submission.seat.nation + (f" ({submission.read_back})" if submission.read_back else "")
        for submission in in_force
    ]
    ends = in_force[0].final and in_force[0].game.may_lock_early
    final = " and final" if ends else ""
    how = " You did not read them back." if not in_force[0].read_back else ""
    messages.success(
        request,
        f"In force{final}: {all_of(named)}.{how} Each player gets the transcript.",
    )


def _is_in_force(submission: Submission) -> bool:
    vote = submission.member and teams.decides_by_vote(submission.game)
    return submission.counts and not submission.late and not vote


def describe_outcome(submission: Submission, *, read: bool = True) -> tuple[int, str]:
    """Return what became of orders, as the level and the text of a message.

    `read`: whether the nation has a player, who gets them.
    """
    who = f"Orders No. {submission.seat_number} for {submission.seat.nation}"
    under = f" under the code {submission.read_back}" if submission.read_back else ""
    heard = submission.read_back or submission.channel == Submission.Channel.PAPER
    how = "" if heard else " You did not read them back."
    if submission.proposal and submission.understood and not submission.late:
        return messages.SUCCESS, (
            f"{who} are kept{under} as a proposal to the team’s spokesman, who gets a letter.{how}"
        )
    if submission.late:
        return messages.ERROR, (
            f"{who} are stored{under}, but late: they change nothing unless you accept them with a"
            " ruling."
        )
    if submission.question is not None:
        return messages.WARNING, telephone.in_doubt(submission)
    if not submission.counts:
        return messages.ERROR, (
            f"{who} are stored, but no line in them is valid: the earlier orders stay in force."
        )
    if not _is_in_force(submission):
        return messages.SUCCESS, (
            f"{who} are kept{under} as one vote of the team, which gets the transcript.{how}"
        )
    told = " The player gets the transcript." if read else ""
    return messages.SUCCESS, f"{who} are in force{under}.{how}{told}"
