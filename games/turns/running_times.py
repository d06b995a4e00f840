"""Every instant at which something happens to people by itself, and whether an outage moves it.

`MOVES` and `STAYS` name each column that holds such an instant, or that it is counted from. One
rule moves all that move: that of deadlines (games.rules.time_credit). Deadlines are moved by
`outage_credit`, the hours of a gamesmaster by `give_back`; what lasts for days from a column that
never changes ends at `Outage.objects.end_of`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from games.models import Act, Game, Motion, Phase
from games.positions import in_force
from games.rules import time_credit
from games.timing.local_time import in_words
from games.turns import approvals, lifecycle
from games.turns.lifecycle import Event

#: What an outage moves, and what waits for it.
MOVES: Final[Mapping[str, str]] = {
    "games.Phase.deadline": "orders close",
    "games.Phase.due_at": "a result is published without approval; a report takes effect",
    "games.Phase.remind_at": "people who sent nothing are reminded: counted from the deadline",
    "games.Motion.due_at": "a vote takes effect without a veto",
    "games.Invitation.invited_at": "an invitation ends",
    "games.Act.done_at": "a request to run a game ends",
    "games.Address.added_at": "a new address can no longer be confirmed",
    "orders.Handling.due_at": "a message that waits for its sender's answer is refused",
}
_AT_ONCE = "The next try of a worker: it comes as soon as the service runs."
_LEASE = "A worker's lease, not people's time."
_MARKET = "The exchange does not wait for the service; a moved deadline gets another session."
_RECORD = "The record of a move or an outage, which nothing waits for."
_CALENDAR = "Whole days in a calendar, which an outage does not change."
_OPERATOR = "The operator chose the instant, and can choose another."
_AGAIN = "Nobody loses a turn by it, and it can be begun again at once."
#: What no outage moves, and why.
STAYS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "games.Letter.due_at",
            "games.Letter.first_due_at",
            "games.Notice.due_at",
            "games.MarketClosure.due_at",
            "orders.StockCheck.due_at",
        ),
        _AT_ONCE,
    ),
    **dict.fromkeys(
        (
            "games.Phase.claimed_until",
            "games.Letter.claimed_until",
            "games.Notice.claimed_until",
            "orders.StockCheck.claimed_until",
            "games.MarketClosure.claimed_until",
            "orders.Handling.claimed_until",
        ),
        _LEASE,
    ),
    **dict.fromkeys(
        (
            "games.Phase.session_opens",
            "games.Phase.session_closes",
            "games.Phase.first_reading_at",
            "games.Phase.witness_at",
            "games.SessionChange.old_opens",
            "games.SessionChange.old_closes",
            "games.SessionChange.new_opens",
            "games.SessionChange.new_closes",
            "games.MarketClosure.closes_at",
        ),
        _MARKET,
    ),
    **dict.fromkeys(
        (
            "games.DeadlineChange.old",
            "games.DeadlineChange.new",
            "games.DeadlineChange.outage_from",
            "games.DeadlineChange.outage_until",
            "games.Outage.since",
            "games.Outage.until",
            "games.Pulse.at",
        ),
        _RECORD,
    ),
    **dict.fromkeys(
        ("games.Absence.first", "games.Absence.last", "games.MarketClosure.day"), _CALENDAR
    ),
    **dict.fromkeys(("games.Barring.until", "games.Announcement.until"), _OPERATOR),
    "games.LoginKey.expires_at": _AGAIN,
    "games.Game.opened_at": f"A practice game ends after three days. {_AGAIN}",
    "games.Person.joined_at": f"A guest without an address is forgotten. {_AGAIN}",
}
REASON = "Orders could not come in from {since} to {until} UTC."


@dataclass(frozen=True)
class Hours:
    """The time that a gamesmaster has before something happens by itself."""

    start: datetime
    end: datetime


def hours_of(phase: Phase, reported_at: datetime | None, released: bool) -> Hours | None:
    """Return the hours that run in a phase: of approval, or of correction of a report; or None.

    `reported_at`: when the report in force came, unless it is final; `released`: whether the
    gamesmaster has approved the result. None where they have ended the hours themselves.
    """
    game = phase.game
    if phase.due_at is None:
        return None
    if phase.status == Phase.Status.APPROVAL and not released:
        return Hours(phase.due_at - timedelta(hours=game.approval_hours), phase.due_at)
    if phase.status == Phase.Status.OPEN and not phase.has_deadline and reported_at is not None:
        usual = reported_at + timedelta(hours=game.report_hours)
        return Hours(reported_at, phase.due_at) if phase.due_at >= usual else None
    return None


def games_with_hours(since: datetime, until: datetime) -> set[int]:
    """Return the games in which a gamesmaster's hours may have ended in an outage or soon after."""
    near: dict[str, datetime] = {"due_at__gt": since, "due_at__lte": until + time_credit.SOON}
    phases = Phase.objects.filter(
        status__in=(Phase.Status.OPEN, Phase.Status.APPROVAL),
        game__status=Game.Status.RUNNING,
        **near,
    )
    motions = Motion.objects.filter(closed_at=None, game__status__in=Game.Status.going_on(), **near)
    return {*phases.values_list("game", flat=True), *motions.values_list("game", flat=True)}


def give_back(game: Game, since: datetime, until: datetime, now: datetime) -> list[Act]:
    """Move the hours of a game's gamesmaster that an outage took; return the acts that say so.

    The caller holds the game's row, has moved the deadline, and writes the letter.
    """
    phase = game.phases.select_related("game").current()
    if phase is None or game.is_over:
        return []
    phase.game = game
    acts = []
    hours = _hours_now(phase) if game.status == Game.Status.RUNNING else None
    if hours is not None and (new := _end_after(hours, since, until)) is not None:
        lifecycle.update(
            Phase.objects.filter(pk=phase.pk, due_at=hours.end),
            Event.TIME_GIVEN_BACK,
            due_at=new,
        )
        what = (
            f"The result of {phase.title_within} goes out without approval"
            if phase.status == Phase.Status.APPROVAL
            else f"The report for {phase.title_within} takes effect"
        )
        acts.append(_act(phase, what, hours, new, (since, until), now))
    for motion in Motion.objects.filter(game=game, closed_at=None, due_at__isnull=False):
        assert motion.passed_at is not None
        assert motion.due_at is not None
        hours = Hours(motion.passed_at, motion.due_at)
        new = _end_after(hours, since, until)
        if new is not None and motion.moves_deadline:  # in effect halfway to it at the latest
            new = min(new, now + (phase.deadline - now) / 2)
        if new is not None and new > motion.due_at:
            motion.due_at = new
            motion.save(update_fields=["due_at"])
            what = f"The vote for {motion.title} takes effect without a veto"
            acts.append(_act(phase, what, hours, new, (since, until), now))
    return acts


def _hours_now(phase: Phase) -> Hours | None:
    report = None if phase.has_deadline else in_force.referee_report(phase)
    reported_at = report.received_at if report is not None and not report.final else None
    return hours_of(phase, reported_at, approvals.is_released(phase))


def _end_after(hours: Hours, since: datetime, until: datetime) -> datetime | None:
    """Return when hours end after an outage, or None if it leaves them as they are."""
    if not time_credit.is_affected(hours.end, since, until):
        return None
    return time_credit.new_deadline(hours.start, hours.end, since, until)


def reason(words: str, start: datetime, end: datetime, since: datetime, until: datetime) -> str:
    """Return why a time moved, how much was given back, and why not all of it.

    `words`: a sentence with `{since}` and `{until}`; `start`, `end`: when the time began and would
    have ended.
    """
    why = words.format(since=f"{since:%Y-%m-%d %H:%M}", until=f"{until:%Y-%m-%d %H:%M}")
    return f"{why} {time_credit.describe(start, end, since, until)}"


def _act(
    phase: Phase,
    what: str,
    hours: Hours,
    new: datetime,
    outage: tuple[datetime, datetime],
    now: datetime,
) -> Act:
    zone = phase.game.zone
    return Act.objects.create(
        game=phase.game,
        phase=phase,
        kind="moved",
        words=f"{what} {in_words(new, zone)}, not {in_words(hours.end, zone)}."[:500],
        reason=reason(REASON, hours.start, hours.end, *outage),
        about={"before": hours.end.isoformat(), "after": new.isoformat()},
        done_at=now,
    )
