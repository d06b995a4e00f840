"""Say what counts now for a nation, until when, and how to change it: the end of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from games import positions
from games.letters import in_doubt, silence
from games.models import Game, Person, Phase, Seat
from games.positions import in_force
from games.rules import teams as team_rule
from games.seats import teams
from games.timing import schedule
from orders.models import Submission

from .orders import time_for
from .outcome import Section


@dataclass(frozen=True)
class KnownState:
    """The phase's state and the seat's orders in force, if already read in this transaction.

    None: not read yet. Orders in force are known where the message has just put them in force.
    """

    state: Any = None
    standing: Submission | None = None


def holds(
    seat: Seat,
    phase: Phase,
    current: Phase | None,
    person: Person,
    now: datetime,
    *,
    alone: bool,
    known: KnownState = KnownState(),
) -> Section:
    """Return what is in force for a nation, the deadline, and how to change orders.

    If nothing is in force, say what silence means. `phase` is the phase that the message was about,
    `current` the current one. `alone`: the reader plays no other nation.
    """
    game, nation = seat.game, seat.nation
    section = Section("What counts now" if alone else f"What counts now for {nation}")
    if current is not None and current.pk != phase.pk:
        section.paragraphs.append(_other_phase_sentence(phase, current))
        phase, known = current, KnownState()
    state = known.state or positions.state_of(phase)
    if not phase.takes_orders or now > phase.closes_at:
        section.paragraphs.append(
            f"{phase.short_title}: orders are closed. The deadline was"
            f" {time_for(phase.deadline, person)}."
        )
        return section
    if nation not in game.rules.acting_nations(state):
        awaited = f" {phase.awaited}" if phase.awaited else ""
        section.paragraphs.append(f"{nation} has nothing to order in {phase.short_title}.{awaited}")
        return section
    if known.standing is None:
        newest = in_force.submission_in_force(seat, phase)
        asked = in_force.open_question(seat, phase, person)
    else:
        newest, asked = known.standing, None  # new orders in force settle what was in doubt
    if newest is None and asked is not None and in_force.counts_at_deadline(asked, state):
        section.paragraphs.append(f"{nation} has no orders in force.")
    elif newest is None:
        _silence(section, game, state, nation)
    elif tally := in_force.tally(seat, phase):
        _add_agreed_lines(section, seat, phase, tally)
    else:
        final = ", and final" if newest.final and game.may_lock_early else ""
        section.paragraphs.append(
            f"In force for {phase.short_title}: orders No. {newest.seat_number}{final}. If you"
            " send nothing more, they count."
        )
    if asked is not None:
        words = in_doubt.consequence(asked, state, newest.seat_number if newest else None)
        yes = " Reply YES to send them now." if in_doubt.lines(asked) else ""
        section.paragraphs.append(f"{words}{yes}")
    section.after.append(
        f"You can send orders until {time_for(phase.deadline, person)} (deadlines:"
        f" {schedule.in_words(game.schedule, game.zone)})."
    )
    section.after.append(_change_instruction(game, newest is not None))
    return section


def _other_phase_sentence(phase: Phase, current: Phase) -> str:
    return (
        f"You replied to a letter about {phase.short_title}, which is over. Nothing changes for"
        f" {current.short_title}: to order for it, reply to its letter or write a new message."
    )


def _add_agreed_lines(
    section: Section, seat: Seat, phase: Phase, tally: Sequence[team_rule.Tally]
) -> None:
    """Show the lines that a voting team has in force, each with its votes.

    Lines in the minority are listed too, so that nobody believes they are in force.
    """
    size = len(teams.teams_of_phase(phase).get(seat.nation, ()))
    majority = [line for line in tally if line.counts]
    minority = [f"{line.words}: {len(line.members)} of {size}" for line in tally if not line.counts]
    if majority:
        section.paragraphs.append(
            f"In force for {seat.nation} in {phase.short_title}, by the vote of your team:"
        )
        section.kept = [f"{line.words}    # {len(line.members)} of {size}" for line in majority]
    else:
        section.paragraphs.append(
            f"Your team agrees on no line for {phase.short_title}: as it stands, {seat.nation}"
            " passes."
        )
    if minority:
        section.after.append(f"Not in force, for lack of a majority: {'; '.join(minority)}.")


def _silence(section: Section, game: Game, state: Any, nation: str) -> None:
    means = silence.means(game, game.rules.view(state, nation), nation)
    if means.lines:
        section.paragraphs.append(
            f"{nation} has no orders in force. If you send nothing, these lines count:"
        )
        section.kept = list(means.lines)
    else:
        consequences = " ".join(means.sentences) or f"{nation} has no orders in this phase."
        section.paragraphs.append(
            f"{nation} has no orders in force. If you send nothing, {consequences}"
        )


def _change_instruction(game: Game, standing: bool) -> str:
    if game.options["orders.amend"] == "merge_lines":
        instruction = (
            "Lines that you send later are added; a line about the same thing replaces the"
            " earlier one."
        )
    else:
        instruction = (
            "New orders replace the whole set."
            if standing
            else "Write one order per line; new orders replace the whole set."
        )
    cancel_hint = " CANCEL takes them back." if standing else ""
    return f"{instruction}{cancel_hint} HELP lists all that you can write."
