"""Write letters about a game: one function per message, called in the transaction that causes it.

A row's key names event and person, so that a function called twice writes once. `Letter.about`
fixes what a letter says, by row ids and by values that may change later (a deadline, a fault):
rendered a year later it says the same. Each person gets one copy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from games import permissions
from games.models import (
    DeadlineChange,
    Figure,
    Game,
    Invitation,
    Letter,
    Listing,
    LoginKey,
    Phase,
    Reading,
    Resolution,
    Ruling,
    Seat,
    SessionChange,
)
from games.outbox import rows
from games.outbox.messages import referee as messages_referee
from games.outbox.messages import teams as messages_teams
from games.outbox.outgoing import Outgoing
from games.rules import REFEREE_SEAT
from games.seats import teams
from games.webhooks import rows as channels
from orders import in_force

if TYPE_CHECKING:
    from games.market.waiting import Wait
    from games.rules.rulings import Judged
    from orders.models import Submission

#: Why a phase is overdue.
NEEDED, LATE = "needed", "late"
#: Letters whose failure is not reported: the report would be one of them
# itself.
UNDELIVERED = "undelivered"


# --- logins and invitations ---


def login(key: LoginKey, now: datetime) -> None:
    """Write the link and the code by which a person logs in. The text is never stored.

    To a closed account it is written but never sent.
    """
    letter = rows.row(
        f"login-{key.pk}", "login", now, person=key.person, about={"login": key.pk}, secret=True
    )
    if not key.person.is_active:
        letter.status, letter.due_at, letter.fault = (
            Letter.Status.FAILED,
            None,
            "The account is closed.",
        )
    rows.write([letter])


def invitation(inv: Invitation, now: datetime) -> None:
    """Write the offer of a seat. The text is never stored."""
    about = {"invitation": inv.pk}
    key = f"game-{inv.seat.game_id}/invitation-{inv.pk}"
    rows.write(
        [
            rows.row(
                key,
                "invitation",
                now,
                address=inv.email,
                game=inv.seat.game,
                about=about,
                secret=True,
            )
        ]
    )


# --- to everybody in a game ---


def begins(game: Game, now: datetime) -> None:
    """Write the first letter of a game: seats, options, charts, calendar, market."""
    rows.to_all(game, None, "begins", "begins", now, {})


def announce_phase(phase: Phase, position: int | None, now: datetime, out: Outgoing) -> None:
    """Announce an open phase: the board, what to send, until when.

    A phase that waits for a report is announced to the gamesmasters. `position`: the resolution
    that left the board (`rows.position`).
    """
    if phase.sheeted:
        messages_referee.request_sheet(phase, position, now, out)
        out.tell(phase.game, "awaited", f"phase-{phase.number}/awaited", now, {"phase": phase.pk})
        return
    deadline = phase.deadline.isoformat()
    out.to_all(phase, "opened", "opened", now, {"position": position, "deadline": deadline})
    _tell_opened(phase, now, out)


def _tell_opened(phase: Phase, now: datetime, out: Outgoing) -> None:
    about = {"phase": phase.pk, "deadline": phase.deadline.isoformat()}
    out.tell(phase.game, "opened", f"phase-{phase.number}/opened", now, about)


def announce_lock(phase: Phase, now: datetime, out: Outgoing) -> None:
    """Announce that orders are closed: the digest, and whose sales in which session decide."""
    out.to_all(phase, "locked", "locked", now, {})
    out.tell(phase.game, "locked", f"phase-{phase.number}/locked", now, {"phase": phase.pk})


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
        if not following.sheeted:
            about["deadline"] = following.deadline.isoformat()
        out.to_all(phase, "board", event, now, about)
        if following.sheeted:
            announce_phase(following, resolution.pk, now, out)
        elif not following.idle or following.seed_hash:
            _tell_opened(following, now, out)
    key = f"phase-{phase.number}/{event}"
    out.tell(phase.game, "board", key, now, {"resolution": resolution.pk})


def announce_end(resolution: Resolution, now: datetime, out: Outgoing) -> None:
    """Write the last report: what happened, who won, and where every point comes from."""
    about = {"resolution": resolution.pk}
    out.to_all(resolution.phase, "over", f"over-v{resolution.version}", now, about)


def announce_new_deadline(change: DeadlineChange, now: datetime) -> None:
    """Announce that the gamesmaster moved a deadline."""
    rows.to_all(
        change.phase.game, change.phase, "moved", f"moved-{change.pk}", now, {"change": change.pk}
    )
    channels.tell(change.phase.game, "moved", f"moved-{change.pk}", now, {"change": change.pk})


def announce_ruling(
    ruling: Ruling,
    before: Resolution | None,
    after: Resolution | None,
    made: Sequence[Resolution],
    undone: Sequence[Phase],
    restored: Sequence[Phase],
    opened: Phase | None,
    now: datetime,
) -> None:
    """Announce a ruling: what and why, the whole board, and what changed.

    `before`, `after`: the resolutions of the game's old and new position; `made`: versions that the
    ruling made; `opened`: the phase that takes orders because of it.
    """
    about = {
        "ruling": ruling.pk,
        "before": before.pk if before else None,
        "after": after.pk if after else None,
        "resolutions": [one.pk for one in made],
        "undone": [one.title for one in undone],
        "undone_phases": [one.pk for one in undone],
        "restored": [one.title for one in restored],
        "next": opened.pk if opened else None,
        "deadline": opened.deadline.isoformat() if opened and not opened.sheeted else None,
    }
    rows.to_all(ruling.game, ruling.phase, "ruled", f"ruled-{ruling.number}", now, about)
    if opened is not None and opened.sheeted:
        with Outgoing([opened.game]) as out:
            messages_referee.request_sheet(opened, rows.position(opened), now, out)
    channels.tell(ruling.game, "ruled", f"ruled-{ruling.number}", now, {"ruling": ruling.pk})


# --- to some ---


def reminder(
    phase: Phase,
    seats: Iterable[Seat],
    now: datetime,
    voted: Mapping[int, Collection[int]] | None = None,
    *,
    again: bool = False,
) -> None:
    """Remind people of seats that have sent nothing: the deadline, and what silence will mean.

    Once per deadline, to those who want it so many hours before; or with `again` to all, once more
    in each hour. `voted`: members of a voting team, by
    primary key of the seat, who need no reminder.
    """
    readers: dict[int, rows.Reader] = {}
    for seat in seats:  # of an ally its controller's people are reminded
        sending = (
            seat.game.seats.get(nation=phase.controllers[seat.nation])
            if seat.nation in phase.controllers
            else seat
        )
        for sitting in rows.sittings(phase.game).filter(seat=sending):
            left = phase.deadline - now
            if not again and left > timedelta(hours=sitting.person.reminders):
                continue
            if sitting.person_id not in (voted or {}).get(seat.pk, ()):
                readers.setdefault(sitting.person_id, rows.Reader(sitting.person)).seats.append(
                    seat.pk
                )
    about = {"position": rows.position(phase), "deadline": phase.deadline.isoformat()}
    rows.to(
        readers.values(),
        phase.game,
        phase,
        "reminder",
        f"reminder-{phase.deadline:%Y%m%d%H%M}" + (f"-{now:%m%d%H}" if again else ""),
        now,
        about,
    )


def sheet_waits(phase: Phase, now: datetime) -> None:
    """Remind the gamesmasters that a report is missing, at most once a day."""
    messages_referee.remind_of_sheet(phase, now)


def _senders(submission: Submission) -> list[rows.Reader]:
    """Return whose orders these are: their sender and the sender's team.

    Orders taken down by a gamesmaster go to all who sit there, or in the seat that orders for the
    ally.
    """
    people = [submission.person] if submission.person is not None else []
    seats = [submission.seat, *permissions.controlling(submission.seat, submission.phase)]
    told = seats if submission.entered_by_id else [seat for seat in seats if seat.team]
    if told:
        people += [
            sitting.person for sitting in rows.sittings(submission.game).filter(seat__in=told)
        ]
    return [
        rows.Reader(person, [submission.seat_id])
        for person in {person.pk: person for person in people}.values()
    ]


def receipt(submission: Submission, now: datetime, *, answered: bool = False) -> None:
    """Write the receipt to the sender and the team: what was understood, what was not, what counts
    now.

    `answered`: the sender gets another answer.
    """
    if submission.seat.referee:
        messages_referee.answer_sheet(submission, now, answered=answered)
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
    # The newest that counts is in force, unless a team votes: nothing needs to be asked.
    newest = submission.counts and not teams.by_vote(submission.game)
    standing = submission if newest else in_force.in_force(submission.phase).get(nation)
    about = {
        "submission": submission.pk,
        "in_force": standing.seat_number if standing else None,
        "position": rows.position(submission.phase),
        "deadline": submission.phase.deadline.isoformat(),
        **messages_teams.team_facts(submission),
    }
    rows.to(
        readers,
        submission.game,
        submission.phase,
        "receipt",
        f"receipt-{submission.label}",
        now,
        about,
    )


def stock(submission: Submission, listing: Listing, now: datetime) -> None:
    """Tell the sender what was found out about a stock in their orders, once per stock."""
    about = {
        "submission": submission.pk,
        "listing": listing.pk,
        "deadline": submission.phase.deadline.isoformat(),
    }
    # A full stop parts the pieces of a Message-ID, and two in a row are not allowed there; a stock
    # may have one.
    event = f"stock-{submission.label}-{listing.symbol.replace('.', '_')}"
    rows.to(_senders(submission), submission.game, submission.phase, "stock", event, now, about)


def report_hold(phase: Phase, now: datetime, out: Outgoing) -> None:
    """Tell the gamesmasters that a phase is held, and why; one letter per hold."""
    out.to_gamesmasters(phase, "held", f"held-{now:%Y%m%d%H%M%S}", now, {"fault": phase.fault})


def report_overdue(
    phase: Phase, stocks: Mapping[str, str], cause: str, now: datetime, out: Outgoing
) -> None:
    """Tell the gamesmasters which stocks a phase waits for, each with the reason; once per cause.

    `cause`: `NEEDED` if only a person can settle them, `LATE` if the give-up time has passed
    without an answer.
    """
    about = {"cause": cause, "stocks": [[symbol, why] for symbol, why in stocks.items()]}
    out.to_gamesmasters(phase, "overdue", f"overdue-{cause}", now, about)


def report_restatement(phase: Phase, figure: Figure, reading: Reading, now: datetime) -> None:
    """Tell the gamesmasters that the publisher changed a settled figure; once per stock."""
    about = {"figure": figure.pk, "reading": reading.pk}
    # A full stop parts the pieces of a Message-ID, and two in a row are not allowed there; a stock
    # may have one.
    event = f"restated-{figure.symbol.replace('.', '_')}"
    rows.to(rows.gamesmasters(phase.game), phase.game, phase, "restated", event, now, about)


def announce_delay(phase: Phase, waits: Iterable[Wait], now: datetime, out: Outgoing) -> None:
    """Announce that the result comes later, because of which stocks, and why; once per phase."""
    about = {"waits": [wait.as_json() for wait in waits]}
    out.to_all(phase, "waiting", "waiting", now, about)


def announce_session_change(change: SessionChange, now: datetime) -> None:
    """Announce that another session decides, because the market closed or opened unexpectedly."""
    rows.to_all(
        change.phase.game,
        change.phase,
        "session",
        f"session-{change.pk}",
        now,
        {"session_change": change.pk},
    )


def report_undelivered(letter: Letter, now: datetime) -> None:
    """Tell the gamesmasters that a letter could not be delivered.

    Once per phase and person, and never about such a report itself.
    """
    if letter.game is None or letter.kind == UNDELIVERED:
        return
    whom = f"of-{letter.person_id}" if letter.person_id else f"of-letter-{letter.pk}"
    readers = [
        reader for reader in rows.gamesmasters(letter.game) if reader.person.pk != letter.person_id
    ]
    rows.to(
        readers,
        letter.game,
        letter.phase,
        UNDELIVERED,
        f"{UNDELIVERED}-{whom}",
        now,
        {"letter": letter.pk},
    )


def approval(
    phase: Phase,
    judged: Judged,
    due: datetime | None,
    now: datetime,
    out: Outgoing,
    left: Mapping[str, int] | None = None,
) -> None:
    """Show the gamesmasters the result of a phase, and when it goes out; once per wait.

    Without `due` it waits until they have placed what is `left`, by nation.
    """
    game, result = phase.game, judged.resolution
    known = game.rules.view(result.state, REFEREE_SEAT) if game.rules.referee else result.state
    about = {
        "after": game.rules.dump(known),
        "events": list(result.events),
        "due": due.isoformat() if due else "",
        "left": [[nation, pfs] for nation, pfs in (left or {}).items()],
    }
    out.to_gamesmasters(phase, "approval", f"approval-{now:%Y%m%d%H%M%S}", now, about)
