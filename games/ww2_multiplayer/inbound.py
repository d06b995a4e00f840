"""Answer referee reports by mail (docs/refereed.md, `orders.inbound.reports`).

The answer says what was understood, what was rejected and why, what everybody will be told, and
when it takes effect, so that the gamesmaster can correct it by another message. The answer to a
report made on the page is a separate letter (`letters`) with the same content.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from games import positions
from games.models import Person, Phase, Seat
from games.outbox.messages import report_letters
from games.positions import in_force
from games.rules import REFEREE_SEAT
from games.rules.names import all_of
from games.rules.orders import lines, quote_line
from games.timing import local_time
from orders.inbound.parsing.message import File
from orders.inbound.replies.outcome import Section
from orders.models import Submission

from . import letters, report_files


def _time_for(instant: datetime, person: Person) -> str:
    return local_time.brief(instant, person.zone, instant)


def answer_report(
    submission: Submission, person: Person, state: Any, replaced: int
) -> list[Section]:
    """Return the answer to a report, as it was stored in the ledger.

    `state`: the state in which its phase is played. `replaced`: the number of the report that was
    in force before, or 0.
    """
    game, remarks = submission.game, submission.remarks
    receipt = _receipt(submission, person, state, replaced)
    first = Section(f"Report No. {submission.seat_number}", [receipt])
    if submission.understood:
        first.paragraphs.append("Understood:")
        first.kept = [words for _, words in submission.understood]
    sections = [first]
    if rejections := [remark["message"] for remark in remarks if remark["severity"] == "error"]:
        sections.append(Section("Rejected", points=rejections))
    if not submission.counts:
        return sections
    if warnings := [remark["message"] for remark in remarks if remark["severity"] != "error"]:
        sections.append(Section("Warnings", points=warnings))
    forecast = letters.foresee(game, state, submission.text)
    if forecast.told:
        sections.append(Section("What everybody will read", points=list(forecast.told)))
    if forecast.owed:
        sections.append(Section("Dice will be thrown for", points=list(forecast.owed)))
    follows = [
        sentence for sentence in (forecast.follows, describe_close(submission, person)) if sentence
    ]
    return [*sections, Section("What follows", follows)]


def _receipt(submission: Submission, person: Person, state: Any, replaced: int) -> str:
    game, phase = submission.game, submission.phase
    when = _time_for(submission.received_at, person)
    arrival = f"It arrived by mail on {when}, for {phase.short_title}"
    if submission.late:
        return f"{arrival}, which had closed. It changes nothing."
    if REFEREE_SEAT not in game.rules.acting_nations(state):
        return (
            f"{arrival}. This phase needs no report, so it changes nothing. Enter a player's orders"
            " at the desk."
        )
    if not submission.counts:
        return f"{arrival}. No line of it is valid, so it replaces nothing."
    if replaced:
        return (
            f"{arrival}. It counts in place of No. {replaced}, of which nothing counts any more: a"
            " report has all lines."
        )
    return f"{arrival}. It counts."


def describe_close(submission: Submission, person: Person) -> str:
    """Return when a report takes effect, and how it can be corrected until then."""
    at = report_letters.takes_effect_at(submission)
    if at <= submission.received_at:
        return "It takes effect at once."
    when = _time_for(at, person)
    return (
        f"It takes effect on {when}. Until then a new report replaces it; FINAL makes it take"
        " effect now, CANCEL takes it back."
    )


def keep_files(phase: Phase, person: Person, files: Sequence[File], now: datetime) -> Section:
    """Store the files sent with a report; list those refused and why.

    They replace the files of earlier messages with the same names.
    """
    section = Section("Files with the report")
    stored, refused = report_files.replace(
        phase, person, [(file.name, file.content) for file in files], now
    )
    if stored:
        section.paragraphs.append(
            f"{all_of(stored)} will be sent to everybody with the report. To remove a file, use the"
            " referee’s page."
        )
    section.points = refused
    return section


def holds(
    seat: Seat, phase: Phase, current: Phase | None, person: Person, now: datetime
) -> Section:
    """Return which report counts now.

    `phase` is the phase that the message was about, `current` the current one.
    """
    section = Section("What counts now")
    if current is not None and current.pk != phase.pk:
        section.paragraphs.append(
            f"You replied to a letter about {phase.short_title}, which is over. Nothing changes"
            f" for {current.short_title}."
        )
        phase = current
    if phase.has_deadline or phase.status != Phase.Status.OPEN:
        section.paragraphs.append(f"No report is due ({phase.short_title}: {_state(phase)}).")
        return section
    report = in_force.submission_in_force(seat, phase)
    if report is None:
        section.paragraphs.append(f"{phase.awaited} Everybody waits for your report.")
        section.after.append("HELP shows a prepared report and the lines of one.")
    elif report.received_at != now:
        report.game, report.phase = seat.game, phase
        section.paragraphs.append(
            f"Report No. {report.seat_number} counts. {describe_close(report, person)}"
        )
    else:
        section.paragraphs.append(f"Report No. {report.seat_number} counts.")
    return section


def _state(phase: Phase) -> str:
    return "orders are open" if phase.status == Phase.Status.OPEN else "orders are closed"


def mark_final(submission: Submission, person: Person, final: bool) -> Section:
    """Return the answer to FINAL or NOT FINAL: the report was stored again with a new number."""
    heading = f"Report No. {submission.seat_number}"
    if submission.late:
        why = f"It arrived after {submission.phase.short_title} had closed. It changes nothing."
        return Section(heading, [why])
    sentence = (
        f"Your report is unchanged and has a new number. {describe_close(submission, person)}"
    )
    return Section(heading, [sentence])


def answer_cancel(submission: Submission) -> Section:
    """Return the answer to CANCEL."""
    if submission.late:
        why = f"CANCEL arrived after {submission.phase.short_title} had closed."
        return Section("Report not taken back", [why])
    sentence = (
        f"You took back what you sent for {submission.phase.short_title} (No."
        f" {submission.seat_number})."
    )
    return Section("Report taken back", [sentence])


def orders_section(seat: Seat, phase: Phase, person: Person) -> Section:
    """Return the answer to ORDERS: the report that counts, and the fate of each report."""
    section = Section(f"Your reports for {phase.short_title}")
    if phase.has_deadline:
        section.paragraphs.append("This phase needs no report.")
        return section
    report_in_force = in_force.submission_in_force(seat, phase)
    section.paragraphs.append(
        f"Report No. {report_in_force.seat_number} counts:" if report_in_force else "None counts."
    )
    if report_in_force is not None:
        section.kept = [words for _, words in report_in_force.understood]
    for row in phase.submissions.filter(seat=seat).order_by("number"):
        when = _time_for(row.received_at, person)
        section.points.append(f"No. {row.seat_number}, {when}: {_fate(row, report_in_force)}")
    return section


def _fate(row: Submission, standing: Submission | None) -> str:
    """Return what happened to a report."""
    written = lines(row.text)
    begins = f" It begins {quote_line(written[0])}." if written else ""
    if row.withdraws:
        return "took back what was sent before."
    fate = "came late" if row.late else "no line is valid" if not row.counts else "replaced since"
    return f"{'counts' if standing is not None and row.pk == standing.pk else fate}.{begins}"


def guide(seat: Seat, phase: Phase) -> list[Section]:
    """Return the answer to HELP: the Player-Turns, a prepared report, and all its lines."""
    game = seat.game
    tables = letters.tables_of(game, letters.referee_view(game, positions.state_of(phase)))
    if not tables:
        why = (
            "This phase needs no report. A letter asks you for the next one and contains a"
            " prepared report."
        )
        return [Section("Your reports", [why])]
    content = letters.report_form_facts(tables)
    points = [
        f"{turn['power']} {line['number']}:"
        f" {line['text']}{' (' + line['ruling'] + ' already)' if line['ruling'] else ''}"
        for turn in content["turns"]
        for line in turn["lines"]
    ]
    instruction = (
        "Your report, prepared: copy it above the quoted text and change what went differently."
        " Lines after # are yours to judge and do not count until you remove the #. NEXT ends a"
        " Player-Turn and goes on with the next; END ends the last in the report."
    )
    line_forms = [f"{words}: {example}" for example, words in content["forms"]]
    sections = [Section(content["heading"], [phase.awaited], points=points)]
    words = [
        "REPORT BELOW: send the report in the quoted text, as you have edited it there",
        (
            "REST DONE: rule all remaining lines, those after # too: done, or void if their"
            " condition is not met. A condition that only you can judge waits for your ruling"
        ),
        "FINAL: the report takes effect at once; CANCEL takes it back",
    ]
    sections.append(Section("Your report", [instruction], kept=content["prepared"], points=words))
    return [*sections, Section("Lines of a report", points=line_forms)]
