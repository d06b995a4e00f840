"""A gamesmaster's sheet by mail (docs/refereed.md): who may send one, with which words its lines
begin, and what he is answered.

The answer says what would be taken, what not and why, what everybody will be told, and when it is
carried out, so that a person can correct it by another letter. That of a sheet made on the page is
a letter of its own (`games.letters.referee`), with the same content.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from games import permissions, positions
from games.desk import report_files
from games.letters import referee
from games.models import Game, Person, Phase, Seat
from games.outbox.messages import referee as messages_referee
from games.rules import REFEREE_SEAT
from games.rules.names import all_of
from games.rules.orders import lines, quote_line
from games.timing import local_time
from orders import in_force
from orders.models import Submission

from .parsing.message import File
from .parsing.normalize import VERBS
from .replies.outcome import Section


def verbs(game: Game | None, person: Person | None) -> tuple[str, ...]:
    """The words with which lines of a message to a game begin: those of a sheet, where its writer
    may send one."""
    if game is None or person is None or not game.rules.referee:
        return VERBS
    return game.rules.referee.verbs(REFEREE_SEAT if permissions.referees(person, game) else "")


def seats(person: Person, game: Game) -> list[Seat]:
    """The seat in whose name somebody sends sheets; none where he may not."""
    if not permissions.referees(person, game):
        return []
    return [seat for seat in game.seats.all() if seat.referee]


# --- what the answer says ---


def _time_for(instant: datetime, person: Person, game: Game) -> str:
    return local_time.in_words(instant, person.zone, game.zone)


def answer_report(submission: Submission, person: Person, state: Any) -> list[Section]:
    """A sheet as it has come to stand in the ledger. `state` is that in which its phase is
    played."""
    game, remarks = submission.game, submission.remarks
    first = Section(f"Report No. {submission.seat_number}", [_receipt(submission, person, state)])
    if submission.understood:
        first.paragraphs.append("Accepted:" if submission.counts else "Understood:")
        first.kept = [words for _, words in submission.understood]
    sections = [first]
    if refused := [remark["message"] for remark in remarks if remark["severity"] == "error"]:
        sections.append(Section("Rejected", points=refused))
    if not submission.counts:
        return sections
    if noted := [remark["message"] for remark in remarks if remark["severity"] != "error"]:
        sections.append(Section("Warnings", points=noted))
    told = referee.foresee(game, state, submission.text)
    if told.told:
        sections.append(Section("What everybody will read", points=list(told.told)))
    if told.owed:
        sections.append(Section("Dice will be thrown for", points=list(told.owed)))
    follows = [said for said in (told.follows, describe_close(submission, person)) if said]
    return [*sections, Section("What follows", follows)]


def _receipt(submission: Submission, person: Person, state: Any) -> str:
    game, phase = submission.game, submission.phase
    when = _time_for(submission.received_at, person, game)
    came = f"It arrived by mail on {when}, for {phase.short_title}"
    if submission.late:
        return f"{came}, which had closed. It changes nothing."
    if REFEREE_SEAT not in game.rules.acting(state):
        return (
            f"{came}. This phase needs no report, so it changes nothing. Enter a player's orders"
            " at the desk."
        )
    if not submission.counts:
        return f"{came}. No line of it is valid, so it replaces nothing."
    return f"{came}. It counts."


def describe_close(submission: Submission, person: Person) -> str:
    """When a sheet that stands is carried out, and how it is corrected until then."""
    at = messages_referee.sheet_closes_at(submission)
    if at <= submission.received_at:
        return "It takes effect at once."
    when = _time_for(at, person, submission.game)
    return (
        f"It takes effect on {when}. Until then a new report replaces it; FINAL makes it take"
        " effect now, CANCEL takes it back."
    )


def keep_files(phase: Phase, person: Person, files: Sequence[File], now: datetime) -> Section:
    """Keep what came with a report, or say why not. Files of an earlier message by the same names
    are replaced, as the report is."""
    section = Section("Files with the report")
    kept, refused = report_files.replace(
        phase, person, [(file.name, file.content) for file in files], now
    )
    if kept:
        section.paragraphs.append(
            f"{all_of(kept)} will be sent to everybody with the report. To remove a file, use the"
            " referee’s page."
        )
    section.points = refused
    return section


def holds(
    seat: Seat, phase: Phase, current: Phase | None, person: Person, now: datetime
) -> Section:
    """What stands now. `phase` is the one that was spoken of, `current` the one that is played."""
    section = Section("What counts now")
    if current is not None and current.pk != phase.pk:
        section.paragraphs.append(
            f"You replied to a letter about {phase.short_title}, which is over. Nothing changes"
            f" for {current.short_title}."
        )
        phase = current
    if not phase.sheeted or phase.status != Phase.Status.OPEN:
        section.paragraphs.append(f"No report is due ({phase.short_title}: {_state(phase)}).")
        return section
    standing = in_force.in_force_of(seat, phase)
    if standing is None:
        section.paragraphs.append(f"{phase.awaited} Everybody waits for your report.")
        section.after.append("HELP shows a prepared report and the lines of one.")
    elif standing.received_at != now:
        standing.game, standing.phase = seat.game, phase
        section.paragraphs.append(
            f"Report No. {standing.seat_number} counts. {describe_close(standing, person)}"
        )
    else:
        section.paragraphs.append(f"Report No. {standing.seat_number} counts.")
    return section


def _state(phase: Phase) -> str:
    return "orders are open" if phase.status == Phase.Status.OPEN else "orders are closed"


def mark_final(submission: Submission, person: Person, final: bool) -> Section:
    """The same sheet once more, with or without the word that it is final."""
    heading = f"Report No. {submission.seat_number}"
    if submission.late:
        why = f"It arrived after {submission.phase.short_title} had closed. It changes nothing."
        return Section(heading, [why])
    said = f"Your report is unchanged and has a new number. {describe_close(submission, person)}"
    return Section(heading, [said])


def answer_cancel(submission: Submission) -> Section:
    if submission.late:
        why = f"CANCEL arrived after {submission.phase.short_title} had closed."
        return Section("Report not taken back", [why])
    said = (
        f"You took back what you sent for {submission.phase.short_title} (No."
        f" {submission.seat_number})."
    )
    return Section("Report taken back", [said])


def on_record(seat: Seat, phase: Phase, person: Person) -> Section:
    """ORDERS: the sheet that stands as it was taken, and every sheet of this phase with what became
    of it."""
    section = Section(f"Your reports for {phase.short_title}")
    if not phase.sheeted:
        section.paragraphs.append("This phase needs no report.")
        return section
    standing = in_force.in_force_of(seat, phase)
    section.paragraphs.append(
        f"Report No. {standing.seat_number} counts:" if standing else "None counts."
    )
    if standing is not None:
        section.kept = [words for _, words in standing.understood]
    for row in phase.submissions.filter(seat=seat).order_by("number"):
        when = _time_for(row.received_at, person, seat.game)
        section.points.append(f"No. {row.seat_number}, {when}: {_fate(row, standing)}")
    return section


def _fate(row: Submission, standing: Submission | None) -> str:
    written = lines(row.text)
    begins = f" It begins {quote_line(written[0])}." if written else ""
    if row.withdraws:
        return "took back what was sent before."
    fate = "came late" if row.late else "no line is valid" if not row.counts else "replaced since"
    return f"{'counts' if standing is not None and row.pk == standing.pk else fate}.{begins}"


def guide(seat: Seat, phase: Phase) -> list[Section]:
    """HELP: where the table stands, the sheet prepared, and every line that one may have."""
    game = seat.game
    tables = referee.tables_of(game, referee.referee_view(game, positions.state_of(phase)))
    if not tables:
        why = (
            "This phase needs no report. A letter asks you for the next one and contains a"
            " prepared report."
        )
        return [Section("Your reports", [why])]
    said = referee.of_tables(tables)
    points = [
        f"{turn['power']} {line['number']}:"
        f" {line['text']}{' (' + line['ruling'] + ' already)' if line['ruling'] else ''}"
        for turn in said["turns"]
        for line in turn["lines"]
    ]
    how = (
        "Your report, prepared: copy it above the quoted text and change what went differently."
        " NEXT ends a Player-Turn and goes on with the next; END ends the last in the report."
    )
    forms = [f"{words}: {example}" for example, words in said["forms"]]
    sections = [Section(said["heading"], [phase.awaited], points=points)]
    words = [
        "REPORT BELOW: send the report in the quoted text, as you have edited it there",
        (
            "REST DONE: rule all remaining lines done, except those whose condition is not met,"
            " where the service can check it"
        ),
        "FINAL: the report takes effect at once; CANCEL takes it back",
    ]
    sections.append(Section("Your report", [how], kept=said["prepared"], points=words))
    return [*sections, Section("Lines of a report", points=forms)]
