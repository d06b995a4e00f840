"""Execute gamesmasters' commands, absences, votes, and settings for letters."""

from __future__ import annotations

from games import desk, positions
from games.accounts import letter_settings
from games.desk import absences, votes
from games.models import Absence, Motion, Phase
from games.outbox import subscriptions
from games.rules import vote_kinds
from games.rules.names import all_of

from .. import desk_by_mail
from ..parsing import commands
from ..replies.orders import time_for
from ..replies.outcome import Section
from .execution import NO_SEAT, Execution, ItemError
from .staleness import check_seen

#: Gamesmaster commands that apply to the phase they are written in.
OF_A_PHASE = ("REMIND", "EXTEND", "PROCESS NOW")


def carry_out(run: Execution, item: commands.Desk) -> None:
    """Execute a gamesmaster's command.

    Raise `ItemError` for a command about a phase that has ended since it arrived.
    """
    game, phase = run.sender.game, run.phase
    if phase is not None and run.received < phase.opened_at and item.asked.verb in OF_A_PHASE:
        raise ItemError(
            f"“{item.asked.verb}” changed nothing: {phase.short_title} has opened since you sent"
            " it. If you still want it, send it again."
        )
    if phase is not None and item.asked.verb in ("EXTEND", "PROCESS NOW"):
        what = f"“{item.asked.verb}” changed nothing"
        check_seen(run, what, f"{phase.short_title} has opened", phase.opened_at)
        _check_deadline_seen(run, what, phase)
    try:
        desk_by_mail.carry_out(game, phase, run.sender.person, item.asked, run.outcome, run.now)
    finally:
        _read_again(run)
    run.done.append(" ".join((item.asked.verb, item.asked.rest)).strip())


def _read_again(run: Execution) -> None:
    """Read again the game and the phase, which a command may have changed, and the position."""
    game, phase = run.sender.game, run.phase
    game.refresh_from_db()
    if phase is not None:
        phase.refresh_from_db()
        positions.forget_position(phase)
        phase.game = game


def change_absence(run: Execution, item: commands.Absent) -> None:
    """Announce the sender's absence, or withdraw all that are not over. Raise `ItemError` where
    that is not possible."""
    sender = run.sender
    if item.days is None:
        _withdraw_absences(run)
        return
    if not run.own:
        raise ItemError(f"ABSENT changed nothing: {NO_SEAT}")
    try:
        absence = desk.announce(sender.game, sender.person, *item.days, sender.person, run.now)
    except desk.DeskError as error:
        raise ItemError(str(error)) from error
    sentence = f"Noted: {absences.describe_absence(absence)}. {absences.describe_effect(absence)}"
    run.add(Section("Your absence", [sentence]))
    run.done.append("absence")


def _withdraw_absences(run: Execution) -> None:
    game, person = run.sender.game, run.sender.person
    today = run.now.astimezone(game.zoneinfo).date()
    rows = Absence.objects.filter(game=game, person=person, withdrawn_at=None, last__gte=today)
    announced = list(rows.select_related("game").order_by("first"))
    if not announced:
        raise ItemError("NOT ABSENT changed nothing: you have announced no days that are to come.")
    for absence in announced:
        desk.withdraw_absence(absence, person, run.now)
    days = all_of([absences.describe_absence(absence) for absence in announced])
    sentence = f"Withdrawn: you are no longer {days}. Deadlines that have moved stay as they are."
    run.add(Section("Your absence", [sentence]))
    run.done.append("absence")


def vote(run: Execution, item: commands.Vote) -> None:
    """Cast the sender's vote. Raise `ItemError` if the phase has changed since it arrived."""
    game, phase = run.sender.game, run.phase
    if phase is not None and run.received < phase.opened_at:
        raise ItemError(
            f"Your vote was not counted: {phase.short_title} has opened since you sent it. If you"
            " still want it, send it again."
        )
    if phase is not None and item.yes:
        _check_vote_seen(run, item, phase)
    try:
        motion = votes.cast(game, run.sender.person, item.kind, item.to, run.now, yes=item.yes)
    except desk.DeskError as error:
        raise ItemError(f"Your vote was not counted. {error}") from error
    _read_again(run)
    status = votes.describe_state(motion)
    if motion.outcome == Motion.Outcome.CARRIED:
        status += " It has taken effect."
    elif motion.passed_at is not None:
        status += " The vote passed; everybody gets a letter that says when it takes effect."
    run.add(Section("The vote", [status]))
    run.done.append("VOTE")


def _check_deadline_seen(run: Execution, what: str, phase: Phase) -> None:
    """Raise `ItemError` if the deadline has moved since the sender saw it."""
    change = phase.deadline_changes.order_by("-changed_at").first()
    if change is not None:
        until = time_for(phase.deadline, run.sender.person)
        check_seen(run, what, f"the deadline has moved to {until}", change.changed_at)


def _check_vote_seen(run: Execution, item: commands.Vote, phase: Phase) -> None:
    """Raise `ItemError` if what a vote is about has changed since the sender saw it."""
    what = "Your vote was not counted"
    check_seen(run, what, f"{phase.short_title} has opened", phase.opened_at)
    if vote_kinds.KINDS[item.kind].moves_deadline:
        _check_deadline_seen(run, what, phase)
    closed = Motion.objects.filter(phase=phase, kind=item.kind, closed_at__isnull=False)
    if (last := closed.order_by("-closed_at").first()) is not None and last.closed_at is not None:
        check_seen(run, what, f"the vote for {last.title} has ended", last.closed_at)


def mute(run: Execution, item: commands.Mute) -> None:
    """Stop or restart the game's letters."""
    game, person = run.sender.game, run.sender.person
    if item.mute:
        subscriptions.mute(person, game, run.now)
        sentence = (
            "You get no more letters of this game, only answers to your own mail. UNMUTE turns"
            " letters on again. The gamesmaster was informed."
        )
        run.add(Section("No more letters", [sentence]))
    else:
        subscriptions.unmute(person, game, run.now)
        run.add(Section("Letters again", ["You get letters of this game again."]))
    run.done.append("MUTE" if item.mute else "UNMUTE")


def change_setting(run: Execution, item: commands.Set) -> None:
    """Change a setting for the letters of all the person's games, or their time zone."""
    person = run.sender.person
    sentence = f"{letter_settings.change(person, item.typed)} is set, for all your games."
    run.add(Section("Your settings", [f"{sentence} SETTINGS shows all settings."]))
    run.done.append(f"SET {item.typed}")
