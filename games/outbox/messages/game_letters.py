"""Write letters about a game: one function per message, called in the transaction that causes it.

A row's key names the event and the person, so that a function called twice writes one row.
`Letter.about` stores row ids, and values that may change later (a deadline, a fault), so that a
letter rendered a year later says the same. Each person gets one copy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from games import permissions
from games.models import (
    Act,
    DeadlineChange,
    Figure,
    Game,
    Letter,
    Listing,
    Motion,
    Person,
    Phase,
    Reading,
    Resolution,
    Ruling,
    Seat,
    SessionChange,
)
from games.outbox import daily, rows
from games.outbox.kinds import Kind
from games.outbox.messages import report_letters, team_votes
from games.outbox.outgoing import Outgoing
from games.positions import in_force
from games.seats import teams

if TYPE_CHECKING:
    from games.market.waiting import Wait
    from games.rules.rulings import JudgedPhase
    from orders.models import Submission

#: Why a phase is overdue.
NEEDED, LATE = "needed", "late"


# --- to everybody in a game ---


BEGINS = Kind("begins", "the first letter of the game")


def begins(game: Game, now: datetime) -> None:
    """Send the first letter of a game: seats, options, objectives, schedule, market."""
    with Outgoing([game]) as out:
        out.write_to_all(game, None, BEGINS, "begins", now, {})


OPENED = Kind("opened", "the letter that opens the phase", of_phase=True, announces=True)


def announce_phase(phase: Phase, position: int | None, now: datetime, out: Outgoing) -> None:
    """Announce an open phase: the board, what to send, and the deadline.

    A phase that waits for a referee report is announced to the gamesmasters. `position`: the
    resolution that the phase starts from (`rows.position`).
    """
    if not phase.has_deadline:
        report_letters.request_report(phase, position, now, out)
        out.tell(phase.game, "awaited", f"phase-{phase.number}/awaited", now, {"phase": phase.pk})
        return
    deadline = phase.deadline.isoformat()
    about = {"position": position, "deadline": deadline}
    out.write_to_all(phase.game, phase, OPENED, "opened", now, about)
    _tell_opened(phase, now, out)


def _tell_opened(phase: Phase, now: datetime, out: Outgoing) -> None:
    about = {"phase": phase.pk, "deadline": phase.deadline.isoformat()}
    out.tell(phase.game, "opened", f"phase-{phase.number}/opened", now, about)


LOCKED = Kind("locked", "the letter with the digest of all orders", of_phase=True, closes=True)


def announce_lock(phase: Phase, now: datetime, out: Outgoing) -> None:
    """Announce that orders are closed: the digest, and whose sales in which session decide."""
    readers = [reader for reader in daily.readers_at_once(phase, out) if reader.person.lock_letters]
    out.write_to(readers, phase.game, phase, LOCKED, "locked", now, {})
    out.tell(phase.game, "locked", f"phase-{phase.number}/locked", now, {"phase": phase.pk})


BOARD = Kind("board", "the report with the new board")


def board(resolution: Resolution, following: Phase | None, now: datetime, out: Outgoing) -> None:
    """Announce a result: what happened, the new board, and the phase that opens with it
    (`following`).

    Without a following phase the game is over.
    """
    phase, event = resolution.phase, f"board-v{resolution.version}"
    if following is None:
        announce_end(resolution, now, out)
    else:
        about: dict[str, Any] = {"resolution": resolution.pk, "next": following.pk}
        if following.has_deadline:
            about["deadline"] = following.deadline.isoformat()
        daily.write_report(phase, following, BOARD, event, now, about, out)
        if not following.has_deadline:
            announce_phase(following, resolution.pk, now, out)
        elif not following.idle or following.seed_hash:
            _tell_opened(following, now, out)
    key = f"phase-{phase.number}/{event}"
    out.tell(phase.game, "board", key, now, {"resolution": resolution.pk})


OVER = Kind("over", "the final report", replies="words", closes=True)


def announce_end(resolution: Resolution, now: datetime, out: Outgoing) -> None:
    """Send the last report: what happened, who won, and where every point comes from."""
    phase, event = resolution.phase, f"over-v{resolution.version}"
    daily.write_report(phase, None, OVER, event, now, {"resolution": resolution.pk}, out)


MOVED = Kind("moved", "the letter about a new deadline", of_phase=True)


def announce_new_deadline(
    change: DeadlineChange, now: datetime, with_it: Sequence[Act] = ()
) -> None:
    """Announce that a deadline was moved, and what else was done with it (`with_it`)."""
    phase, event = change.phase, f"moved-{change.pk}"
    about: dict[str, Any] = {"change": change.pk, "with_it": [act.pk for act in with_it]}
    with Outgoing([phase.game]) as out:
        out.write_to_all(phase.game, phase, MOVED, event, now, about)
        out.tell(phase.game, "moved", event, now, about)


RULED = Kind("ruled", "the letter about a ruling")


def announce_ruling(
    ruling: Ruling,
    before: Resolution | None,
    after: Resolution | None,
    made: Sequence[Resolution],
    undone: Sequence[Phase],
    lapsed: Sequence[Motion],
    restored: Sequence[Phase],
    opened: Phase | None,
    now: datetime,
) -> None:
    """Announce a ruling: its words and reason, the whole board, and the changes.

    `before`, `after`: the resolutions of the game's old and new position; `made`: result versions
    that the ruling made; `lapsed`: the votes that end with the undone phases; `opened`: the phase
    that takes orders because of it.
    """
    about = {
        "ruling": ruling.pk,
        "before": before.pk if before else None,
        "after": after.pk if after else None,
        "resolutions": [row.pk for row in made],
        "undone": [row.title for row in undone],
        "undone_phases": [row.pk for row in undone],
        "lapsed": [row.title for row in lapsed],
        "restored": [row.title for row in restored],
        "next": opened.pk if opened else None,
        "deadline": opened.deadline.isoformat() if opened and opened.has_deadline else None,
    }
    game, event = ruling.game, f"ruled-{ruling.number}"
    with Outgoing([game]) as out:
        out.write_to_all(game, ruling.phase, RULED, event, now, about)
        if opened is not None and not opened.has_deadline:
            report_letters.request_report(opened, rows.position(opened), now, out)
        out.tell(game, "ruled", event, now, {"ruling": ruling.pk})


# --- to some ---

#: A gamesmaster reminds a person again after this time.
REMINDED_EVERY = timedelta(hours=1)


REMINDER = Kind("reminder", "the reminder", of_phase=True)


def reminder(
    phase: Phase,
    seats: Iterable[Seat],
    now: datetime,
    voted: Mapping[int, Collection[int]] | None = None,
    *,
    again: bool = False,
) -> list[int]:
    """Remind people in seats that have sent nothing: the deadline, and the consequences of sending
    nothing. Return the primary keys of the seats to whose people a letter goes.

    Sent once per deadline, to people whose reminder hours have begun; with `again`, to everybody
    who got no reminder of the phase in the last hour (`REMINDED_EVERY`); never on paper. `voted`:
    members of a voting team who need no reminder, by the seat's primary key.
    """
    out, readers = Outgoing([phase.game]), dict[int, rows.Reader]()
    recent = set(reminded_since(phase, now - REMINDED_EVERY)) if again else set()
    for seat in seats:  # for an ally, remind its controller's people
        sending = (
            seat.game.seats.get(nation=phase.controllers[seat.nation])
            if seat.nation in phase.controllers
            else seat
        )
        for person in (player.person for player in out.players(phase.game, [sending])):
            if not again and phase.deadline - now > timedelta(hours=person.reminders):
                continue
            if person.by_post or person.pk in recent:
                continue
            if person.pk not in (voted or {}).get(seat.pk, ()):
                readers.setdefault(person.pk, rows.Reader(person)).seats.append(seat.pk)
    about = {"position": rows.position(phase), "deadline": phase.deadline.isoformat()}
    event = f"reminder-{phase.deadline:%Y%m%d%H%M}" + (f"-{now:%m%d%H%M}" if again else "")
    out.write_to(readers.values(), phase.game, phase, REMINDER, event, now, about)
    return [seat for letter in out.write() for seat in letter.about["seats"]]


def reminded_since(phase: Phase, since: datetime) -> dict[int, datetime]:
    """Return when people got their last reminder of a phase, if after `since`, by primary key."""
    letters = Letter.objects.filter(phase=phase, kind=REMINDER.id, written_at__gt=since)
    return dict(letters.order_by("written_at", "pk").values_list("person", "written_at"))


def report_waits(phase: Phase, now: datetime) -> None:
    """Remind the gamesmasters that a report is missing, at most once a day."""
    report_letters.remind_of_report(phase, now)


def _senders(submission: Submission) -> list[rows.Reader]:
    """Return the people whose orders these are: the sender and the sender's team.

    For orders entered by a gamesmaster, return everybody in the seat, or in the seat that orders
    for the ally.
    """
    people = [submission.person] if submission.person is not None else []
    seats = [submission.seat, *permissions.controlling_seats(submission.seat, submission.phase)]
    notified = seats if submission.entered_by_id else [seat for seat in seats if seat.team]
    if notified:
        out = Outgoing([submission.game])
        people += [player.person for player in out.players(submission.game, notified)]
    return [
        rows.Reader(person, [submission.seat_id])
        for person in {person.pk: person for person in people}.values()
    ]


RECEIPT = Kind("receipt", "the receipt for orders", of_phase=True, to_muted=True, awaited=True)


def receipt(submission: Submission, now: datetime, *, answered: bool = False) -> None:
    """Send the receipt to the sender and the team: lines understood and rejected, and which orders
    count now.

    `answered`: the sender gets another answer instead.
    """
    if submission.seat.referee:
        report_letters.write_receipt(submission, now, answered=answered)
        return
    readers = [
        reader
        for reader in _senders(submission)
        if not (answered and reader.person.pk == submission.person_id)
        and (reader.person.receipts or not submission.taken_whole)
    ]
    if not readers:
        return
    nation = submission.seat.nation
    # Without a voting team, the newest counting submission is in force: no query needed.
    newest = submission.counts and not teams.decides_by_vote(submission.game)
    submission_in_force = submission if newest else in_force.in_force(submission.phase).get(nation)
    about = {
        "submission": submission.pk,
        "in_force": submission_in_force.seat_number if submission_in_force else None,
        "position": rows.position(submission.phase),
        "deadline": submission.phase.deadline.isoformat(),
        **team_votes.team_facts(submission),
    }
    game, phase, event = submission.game, submission.phase, f"receipt-{submission.label}"
    with Outgoing([game]) as out:
        out.write_to(readers, game, phase, RECEIPT, event, now, about)


def has_receipt_letter(submission: Submission, person: Person) -> bool:
    """Return whether the receipt went to this person by letter too."""
    event = "report-receipt" if submission.seat.referee else "receipt"
    where = rows.place(submission.game, submission.phase)
    key = f"{where}/{event}-{submission.label}/person-{person.pk}"
    return Letter.objects.filter(key=key).exists()


# Only the sender may learn that a stock is doubtful.
STOCK = Kind("stock", "a letter about orders", of_phase=True, to_muted=True)


def stock(submission: Submission, listing: Listing, now: datetime) -> None:
    """Tell the sender the result of a stock check on their orders, once per stock."""
    about = {
        "submission": submission.pk,
        "listing": listing.pk,
        "deadline": submission.phase.deadline.isoformat(),
    }
    # A period separates the parts of a Message-ID, and two in a row are not allowed there; a symbol
    # may contain one.
    event = f"stock-{submission.label}-{listing.symbol.replace('.', '_')}"
    game, phase = submission.game, submission.phase
    with Outgoing([game]) as out:
        out.write_to(_senders(submission), game, phase, STOCK, event, now, about)


HELD = Kind("held", "the letter about a phase that waits")


def report_hold(phase: Phase, now: datetime, out: Outgoing) -> None:
    """Tell the gamesmasters that a phase is held, and why; one letter per hold."""
    event, about = f"held-{now:%Y%m%d%H%M%S}", {"fault": phase.fault}
    out.write_to_gamesmasters(phase.game, phase, HELD, event, now, about)


OVERDUE = Kind("overdue", "the letter about missing figures")


def report_overdue(
    phase: Phase, stocks: Mapping[str, str], cause: str, now: datetime, out: Outgoing
) -> None:
    """Tell the gamesmasters which stocks a phase waits for, each with the reason; once per cause.

    `cause`: `NEEDED` if only a person can settle them, `LATE` if the time to give up has passed
    without an answer.
    """
    about = {"cause": cause, "stocks": [[symbol, why] for symbol, why in stocks.items()]}
    out.write_to_gamesmasters(phase.game, phase, OVERDUE, f"overdue-{cause}", now, about)


RESTATED = Kind("restated", "the letter about a figure that the publisher has changed")


def report_restatement(phase: Phase, figure: Figure, reading: Reading, now: datetime) -> None:
    """Tell the gamesmasters that the publisher changed a settled figure; once per stock."""
    about = {"figure": figure.pk, "reading": reading.pk}
    # A period separates the parts of a Message-ID, and two in a row are not allowed there; a symbol
    # may contain one.
    event = f"restated-{figure.symbol.replace('.', '_')}"
    with Outgoing([phase.game]) as out:
        out.write_to_gamesmasters(phase.game, phase, RESTATED, event, now, about)


WAITING = Kind("waiting", "the letter about a result that comes later")


def announce_delay(phase: Phase, waits: Iterable[Wait], now: datetime, out: Outgoing) -> None:
    """Announce that the result is delayed, by which stocks, and why; once per phase."""
    about = {"waits": [wait.as_json() for wait in waits]}
    out.write_to_all(phase.game, phase, WAITING, "waiting", now, about)


SESSION = Kind("session", "the letter about a changed session", of_phase=True)


def announce_session_change(change: SessionChange, now: datetime) -> None:
    """Announce that another session decides, because the market closed or opened unexpectedly."""
    phase, about = change.phase, {"session_change": change.pk}
    with Outgoing([phase.game]) as out:
        out.write_to_all(phase.game, phase, SESSION, f"session-{change.pk}", now, about)


APPROVAL = Kind("approval", "the letter about a result that waits")


def approval(
    phase: Phase,
    judged: JudgedPhase,
    due: datetime | None,
    now: datetime,
    out: Outgoing,
    left: Mapping[str, int] | None = None,
) -> None:
    """Show the gamesmasters the result of a phase, and when it will be released; once per wait.

    Without `due`, it waits until they have placed the PFs `left`, by nation.
    """
    game, result = phase.game, judged.resolution
    visible_state = game.rules.referee.visible_state(result.state)
    about = {
        "after": game.rules.dump(visible_state),
        "events": list(result.events),
        "due": due.isoformat() if due else "",
        "left": [[nation, pfs] for nation, pfs in (left or {}).items()],
    }
    out.write_to_gamesmasters(game, phase, APPROVAL, f"approval-{now:%Y%m%d%H%M%S}", now, about)
