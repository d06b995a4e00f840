"""One function a message. Each is called inside the transaction that causes it and writes rows into
the outbox, nothing else.

A row's key names event and person, so that a function called twice writes once. What a letter says
is fixed by row ids in `Letter.about`, and by the value itself where a row may change later (a
deadline, a fault): rendered an hour or a year later it says the same. Nobody gets two copies,
however many seats he holds or whether he runs the game besides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
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
from games.webhooks import rows as channels
from orders import in_force

if TYPE_CHECKING:
    from games.market.waiting import Wait
    from games.rules.rulings import Judged
    from orders.models import Submission

#: Why a phase is overdue.
NEEDED, LATE = "needed", "late"
#: Letters that nobody is told of when they cannot be delivered: the news would be one of them
# itself.
UNDELIVERED = "undelivered"


# --- logins and invitations ---


def login(key: LoginKey, now: datetime) -> None:
    """The link and the code by which a person logs in. The text is never kept. To a closed account
    it is written and never sent."""
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
    """The offer of a seat. The text is never kept."""
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
    """The first letter of a game: seats, options, charts, calendar, market."""
    rows.to_all(game, None, "begins", "begins", now, {})


def opened(phase: Phase, position: int | None, now: datetime, out: Outgoing) -> None:
    """A phase is open: the board as it stands, what may be sent, until when. Of one that waits for
    a sheet the gamesmasters are told.

    `position`: the resolution that left the board (`rows.position`).
    """
    if phase.sheeted:
        messages_referee.due(phase, position, now, out)
        out.tell(phase.game, "awaited", f"phase-{phase.number}/awaited", now, {"phase": phase.pk})
        return
    deadline = phase.deadline.isoformat()
    out.to_all(phase, "opened", "opened", now, {"position": position, "deadline": deadline})
    _tell_opened(phase, now, out)


def _tell_opened(phase: Phase, now: datetime, out: Outgoing) -> None:
    about = {"phase": phase.pk, "deadline": phase.deadline.isoformat()}
    out.tell(phase.game, "opened", f"phase-{phase.number}/opened", now, about)


def locked(phase: Phase, now: datetime, out: Outgoing) -> None:
    """No more orders are taken: the digest over all of them, and whose sales in which session will
    decide."""
    out.to_all(phase, "locked", "locked", now, {})
    out.tell(phase.game, "locked", f"phase-{phase.number}/locked", now, {"phase": phase.pk})


def board(resolution: Resolution, following: Phase | None, now: datetime, out: Outgoing) -> None:
    """A phase has been judged: what happened, the new board, and what the phase that opens with it
    asks of everybody (`following`). Without one the game is over."""
    phase, event = resolution.phase, f"board-v{resolution.version}"
    if following is None:
        over(resolution, now, out)
    else:
        about: dict[str, Any] = {"resolution": resolution.pk, "next": following.pk}
        if not following.sheeted:
            about["deadline"] = following.deadline.isoformat()
        out.to_all(phase, "board", event, now, about)
        if following.sheeted:
            opened(following, resolution.pk, now, out)
        elif not following.idle or following.seed_hash:
            _tell_opened(following, now, out)
    key = f"phase-{phase.number}/{event}"
    out.tell(phase.game, "board", key, now, {"resolution": resolution.pk})


def over(resolution: Resolution, now: datetime, out: Outgoing) -> None:
    """The last report: what happened, who won, and where every point comes from."""
    about = {"resolution": resolution.pk}
    out.to_all(resolution.phase, "over", f"over-v{resolution.version}", now, about)


def moved(change: DeadlineChange, now: datetime) -> None:
    """The gamesmaster has moved a deadline, for everybody alike."""
    rows.to_all(
        change.phase.game, change.phase, "moved", f"moved-{change.pk}", now, {"change": change.pk}
    )
    channels.tell(change.phase.game, "moved", f"moved-{change.pk}", now, {"change": change.pk})


def ruled(
    ruling: Ruling,
    before: Resolution | None,
    after: Resolution | None,
    made: Sequence[Resolution],
    undone: Sequence[Phase],
    restored: Sequence[Phase],
    opened: Phase | None,
    now: datetime,
) -> None:
    """To everybody: what was ruled and why, the whole board, and what changed.

    `before` and `after` are the resolutions whose positions were and are the game's; `made` the
    versions that the ruling made; `opened` the phase that can be ordered for now because of it.
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
            messages_referee.due(opened, rows.position(opened), now, out)
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
    """To the people of seats that have sent nothing: the deadline, and what silence will mean. Once
    for each deadline, or with `again` once more in each hour.

    `voted`: of the seat of a team that votes, by primary key, those who have done so and need not
    be reminded.
    """
    readers: dict[int, rows.Reader] = {}
    for seat in seats:  # of an ally its controller's people are reminded
        sending = (
            seat.game.seats.get(nation=phase.controllers[seat.nation])
            if seat.nation in phase.controllers
            else seat
        )
        for sitting in rows.sittings(phase.game).filter(seat=sending):
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
    """To the gamesmasters: everybody still waits for a sheet. Once a day at most."""
    messages_referee.waits(phase, now)


def _senders(submission: Submission) -> list[rows.Reader]:
    """Whose orders these are: their sender's, and the whole team's where he has one; those that
    somebody took down are told to everybody who sits there, or in the seat that sends the orders of
    an ally."""
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
    """To the sender and his team: what was understood, what was not, and what holds now.
    `answered`: the sender is told in another way."""
    if submission.seat.referee:
        messages_referee.received(submission, now, answered=answered)
        return
    readers = [
        reader
        for reader in _senders(submission)
        if not (answered and reader.person.pk == submission.person_id)
    ]
    if not readers:
        return
    standing = in_force.in_force(submission.phase).get(submission.seat.nation)
    about = {
        "submission": submission.pk,
        "in_force": standing.number if standing else None,
        "position": rows.position(submission.phase),
        "deadline": submission.phase.deadline.isoformat(),
        **messages_teams.kept(submission),
    }
    rows.to(
        readers,
        submission.game,
        submission.phase,
        "receipt",
        f"receipt-{submission.number}",
        now,
        about,
    )


def stock(submission: Submission, listing: Listing, now: datetime) -> None:
    """To the sender: what has been found out of a stock in his orders, while he can still name
    another. Once for each stock."""
    about = {
        "submission": submission.pk,
        "listing": listing.pk,
        "deadline": submission.phase.deadline.isoformat(),
    }
    # A full stop parts the pieces of a Message-ID, and two in a row are not allowed there; a stock
    # may have one.
    event = f"stock-{submission.number}-{listing.symbol.replace('.', '_')}"
    rows.to(_senders(submission), submission.game, submission.phase, "stock", event, now, about)


def held(phase: Phase, now: datetime, out: Outgoing) -> None:
    """To the gamesmasters: a phase waits for a person, and why. One letter for each time that it is
    held."""
    out.to_gamesmasters(phase, "held", f"held-{now:%Y%m%d%H%M%S}", now, {"fault": phase.fault})


def overdue(
    phase: Phase, stocks: Mapping[str, str], cause: str, now: datetime, out: Outgoing
) -> None:
    """To the gamesmasters: a phase waits for the figures of some stocks, each with the reason. Once
    for a phase and cause.

    `cause` is `NEEDED` where only a person can settle them, `LATE` where the give-up time has
    passed and nobody has answered.
    """
    about = {"cause": cause, "stocks": [[symbol, why] for symbol, why in stocks.items()]}
    out.to_gamesmasters(phase, "overdue", f"overdue-{cause}", now, about)


def restated(phase: Phase, figure: Figure, reading: Reading, now: datetime) -> None:
    """To the gamesmasters: the publisher has another figure now than the one that settled. Once for
    a phase and stock."""
    about = {"figure": figure.pk, "reading": reading.pk}
    # A full stop parts the pieces of a Message-ID, and two in a row are not allowed there; a stock
    # may have one.
    event = f"restated-{figure.symbol.replace('.', '_')}"
    rows.to(rows.gamesmasters(phase.game), phase.game, phase, "restated", event, now, about)


def waiting(phase: Phase, waits: Iterable[Wait], now: datetime, out: Outgoing) -> None:
    """To everybody: the result comes later than announced, because of which stocks, and why. Once
    for a phase."""
    about = {"waits": [wait.as_json() for wait in waits]}
    out.to_all(phase, "waiting", "waiting", now, about)


def session_changed(change: SessionChange, now: datetime) -> None:
    """Another session decides, because the market closed, or did not, against what was announced at
    the lock."""
    rows.to_all(
        change.phase.game,
        change.phase,
        "session",
        f"session-{change.pk}",
        now,
        {"session_change": change.pk},
    )


def undelivered(letter: Letter, now: datetime) -> None:
    """To the gamesmasters: a letter of their game could not be delivered. Once for each phase and
    person, and never about itself."""
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
    """To the gamesmasters: what a phase would come to, and when it goes out by itself. Once for
    each time that it waits.

    With no `due` it does not: `left` says what they have to place first, by nation.
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
