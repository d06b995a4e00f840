"""Execute gamesmasters' commands, absences, votes, and settings for letters."""

from __future__ import annotations

from games import desk
from games.accounts import letter_settings
from games.desk import absences, votes
from games.models import Motion
from games.outbox import subscriptions

from .. import desk_by_mail
from ..parsing import commands
from ..replies.outcome import Section
from .execution import Execution, ItemError, no_seat

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
    try:
        desk_by_mail.carry_out(game, phase, run.sender.person, item.asked, run.outcome, run.now)
    finally:
        game.refresh_from_db()
        if phase is not None:
            phase.refresh_from_db()
            phase.game = game
    run.done.append(" ".join((item.asked.verb, item.asked.rest)).strip())


def announce_absence(run: Execution, item: commands.Absent) -> None:
    """Announce the sender's absence. Raise `ItemError` where that is not possible."""
    sender = run.sender
    if not run.own:
        raise ItemError(f"ABSENT changed nothing: {no_seat(run)}")
    try:
        absence = desk.announce(
            sender.game, sender.person, item.first, item.last, sender.person, run.now
        )
    except desk.DeskError as error:
        raise ItemError(str(error)) from error
    sentence = f"Noted: {absences.describe_absence(absence)}. {absences.describe_effect(absence)}"
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
    try:
        motion = votes.cast(game, run.sender.person, item.kind, item.to, run.now, yes=item.yes)
    except desk.DeskError as error:
        raise ItemError(f"Your vote was not counted. {error}") from error
    game.refresh_from_db()
    if phase is not None:
        phase.refresh_from_db()
        phase.game = game
    status = votes.describe_state(motion)
    if motion.outcome == Motion.Outcome.CARRIED:
        status += " It has taken effect."
    elif motion.passed_at is not None:
        status += " The vote passed; everybody gets a letter that says when it takes effect."
    run.add(Section("The vote", [status]))
    run.done.append("VOTE")


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
    """Change a setting for the letters of all the person's games."""
    person = run.sender.person
    letter_settings.change(person, item.typed)
    sentence = f"{item.typed.upper()} is set, for all your games."
    run.add(Section("Your settings", [f"{sentence} SETTINGS shows all settings."]))
    run.done.append(f"SET {item.typed}")
