"""Let players vote, for what `vote_kinds` lists.

A vote belongs to the phase in which it began and lapses with it. A vote that passes takes effect
after the hours in which a gamesmaster may veto it (`Game.veto_hours`), or at once if there are
none. Every step is an act, in the public list.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction

from games.models import Game, Motion, Person, Phase, Seat
from games.outbox.messages import desk_letters
from games.positions import game_row
from games.rules.names import all_of
from games.rules.vote_kinds import CONCEDE, DRAW, END, KINDS, MORE_TIME
from games.timing.local_time import in_words
from games.turns import deadlines, ways_in

from . import acts, times
from .more_time import once_more
from .words import DeskError, find_nation


def _give_more_time(motion: Motion, reason: str, now: datetime) -> None:
    phase = motion.phase
    later = times.off_blocked_days(phase, phase.deadline + once_more(motion.game))
    until = min(later, now + deadlines.FURTHEST)
    times.extend(phase, until, reason, None, now)


def _end_game(ending: str, motion: Motion, reason: str, now: datetime) -> None:
    """End a game. `ending`: the sentence that says how; `{nation}` as in `vote_kinds.VoteKind`."""
    times.abandon(motion.game, reason, None, now, ending=ending.format(nation=motion.nation))


def _end_with_scores(motion: Motion, reason: str, now: datetime) -> None:
    ending = "The players voted to end the game."
    times.end_with_scores(motion.game, ending, reason, None, now)


#: What each kind does, with the reason for the public list.
EFFECTS: dict[str, Callable[[Motion, str, datetime], object]] = {
    MORE_TIME.key: _give_more_time,
    DRAW.key: partial(_end_game, "The game ended in a draw, by vote of the players."),
    END.key: _end_with_scores,
    CONCEDE.key: partial(_end_game, "The players conceded the game to {nation}."),
}


def voters(game: Game) -> list[Seat]:
    """Return the seats that vote: those in which people sit, in scenario order."""
    seated = game.seats.nations().filter(sittings__until=None, sittings__isnull=False, bot=False)
    return list(seated.order_by("ordinal").distinct())


def open_motions(game: Game, phase: Phase | None) -> list[Motion]:
    """Return the open votes of the newest phase, and those that passed and have no effect yet.

    `phase`: that phase. A game that is over has none.
    """
    if game.is_over:
        return []
    rows = Motion.objects.filter(game=game, closed_at=None).order_by("pk")
    return [
        motion for motion in rows if motion.passed_at or (phase and motion.phase_id == phase.pk)
    ]


def describe_state(motion: Motion) -> str:
    """Describe who voted and who must agree: “France … 1 of 5 nations; all 5 must agree.”"""
    nations, least = _nations_and_quorum(motion)
    # Without those whose players have left since.
    voted = [nation for nation in motion.nations if nation in nations]
    count = _describe_count(voted, nations, least)
    return f"{all_of(voted) or 'Nobody'} voted for {motion.title}{count}."


def _describe_count(voted: list[str], nations: list[str], least: int) -> str:
    """Return “: 1 of 5 nations; all 5 must agree”, or "" if one nation decides alone."""
    if len(nations) == 1:
        return ""
    must = f"all {least}" if least == len(nations) else str(least)
    return f": {len(voted)} of {len(nations)} nations; {must} must agree"


def _nations_and_quorum(motion: Motion) -> tuple[list[str], int]:
    """Return the nations that vote, and how many of them must agree."""
    nations = [seat.nation for seat in voters(motion.game) if seat.nation != motion.nation]
    return nations, len(nations) // 2 + 1 if KINDS[motion.kind].by_majority else len(nations)


@transaction.atomic
def cast(
    game: Game, person: Person, kind: str, nation: str, now: datetime, *, yes: bool = True
) -> Motion:
    """Vote for all nations in which a person sits, or with `yes` false take these votes back.

    `nation`: the one that the vote is about, as typed; "" for a kind that names none. Raise
    `DeskError`.
    """
    game_row.take_row(game)
    phase = times.current_phase(game)
    own_nations = [
        seat.nation
        for seat in voters(game)
        if seat.sittings.current().filter(person=person).exists()
    ]
    if not own_nations:
        raise DeskError("Only players vote.")
    if kind not in KINDS:
        raise DeskError(f"You cannot vote for “{kind}”.")
    if KINDS[kind].moves_deadline and not may_move(phase, now):
        raise DeskError("There is no deadline now, so there is nothing to postpone.")
    nation = _find_nation(game, nation) if KINDS[kind].names_nation else ""
    if own_nations == [nation]:
        raise DeskError(KINDS[kind].refusal.format(nation=nation))
    motion, begins = Motion.objects.get_or_create(
        game=game,
        phase=phase,
        kind=kind,
        nation=nation,
        closed_at=None,
        defaults={"opened_at": now},
    )
    if motion.passed_at is not None:
        raise DeskError(f"The vote for {motion.title} has already passed.")
    nations, least = _nations_and_quorum(motion)
    voted = {*motion.nations, *own_nations} if yes else {*motion.nations} - {*own_nations}
    previous, motion.nations = motion.nations, [nation for nation in nations if nation in voted]
    if motion.nations == previous:
        return motion
    motion.save(update_fields=["nations"])
    names = all_of([nation for nation in nations if nation in own_nations])
    is_single = len(own_nations) == 1
    does = (
        f"{'votes' if is_single else 'vote'} for"
        if yes
        else f"{'takes' if is_single else 'take'} back the vote for"
    )
    count = _describe_count(motion.nations, nations, least)
    words = f"{names} {does} {motion.title}{count}."
    act = acts.write(game, "vote", words, now, by=person, phase=phase, motion=motion.pk, yes=yes)
    if len(motion.nations) >= least:
        _record_pass(motion, now)
    elif begins:
        desk_letters.announce_act(act, now)
    return motion


def count_again(game: Game, now: datetime) -> None:
    """Let the open votes pass that only a player who has left kept from passing.

    The caller holds the game's row.
    """
    phase = game.phases.current()
    for motion in open_motions(game, phase):
        if (
            motion.passed_at
            or phase is None
            or (motion.moves_deadline and not may_move(phase, now))
        ):
            continue
        nations, least = _nations_and_quorum(motion)
        if least and len({*motion.nations} & {*nations}) >= least:
            _record_pass(motion, now)


def _find_nation(game: Game, typed: str) -> str:
    nations = game.seats.nations().order_by("ordinal").values_list("nation", flat=True)
    return find_nation(list(nations), typed)


def may_move(phase: Phase, now: datetime) -> bool:
    """Return whether players can vote for what moves a phase's deadline."""
    return phase.is_timed and phase.game.status == Game.Status.RUNNING and now < phase.deadline


def _record_pass(motion: Motion, now: datetime) -> None:
    """Record that a vote has passed, and carry it out at once if nobody may veto it.

    What moves the deadline takes effect halfway to it at the latest.
    """
    game, wait = motion.game, timedelta(hours=motion.game.veto_hours)
    if motion.moves_deadline:
        wait = min(wait, (motion.phase.deadline - now) / 2)
    motion.passed_at, motion.due_at = now, now + wait
    motion.save(update_fields=["passed_at", "due_at"])
    if not wait:
        _carry_out(motion, now)
        return
    words = (
        f"The players voted for {motion.title}. It takes effect"
        f" {in_words(motion.due_at.replace(second=0, microsecond=0), game.zone)} unless the"
        f" gamesmaster vetoes it."
    )
    act = acts.write(
        game,
        "vote",
        words,
        now,
        by=None,
        phase=motion.phase,
        motion=motion.pk,
        due=motion.due_at.isoformat(),
    )
    # The players get one letter, about its effect.
    desk_letters.report_act(act, now)


@transaction.atomic
def veto(game: Game, reason: str, by: Person, now: datetime) -> None:
    """Stop every vote that has passed without effect yet. Tell everybody the reason."""
    reason = acts.clean_reason(reason)
    acts.take_row(game, by)
    passed = Motion.objects.filter(game=game, closed_at=None, passed_at__isnull=False)
    if not passed:
        raise DeskError("No vote waits for a veto: none has passed, or it has taken effect.")
    for motion in passed.select_related("game", "phase__game"):
        _close(motion, Motion.Outcome.VETOED, now)
        words = f"The gamesmaster vetoed the vote for {motion.title}."
        act = acts.write(
            game, "veto", words, now, by=by, reason=reason, phase=motion.phase, motion=motion.pk
        )
        desk_letters.announce_act(act, now)


def carry_out_due(now: datetime) -> int:
    """Carry out the votes whose time for a veto is over. Return how many.

    Not while a veto could not come in; then time is given back first (games.turns.running_times).
    Nor while a game is paused: its clock stands (games.desk.times.resume).
    """
    ways = ways_in.look(now)
    due = (
        Motion.objects.filter(closed_at=None, due_at__lte=now)
        .exclude(game__status=Game.Status.PAUSED)
        .select_related("phase", "game")
    )
    count = 0
    for motion in due:
        assert motion.passed_at is not None
        assert motion.due_at is not None
        if ways.must_wait(motion.passed_at, motion.due_at, now):
            continue
        with transaction.atomic():
            game_row.take_row(motion.game)
            motion.refresh_from_db(fields=["closed_at", "due_at"])
            paused = motion.game.status == Game.Status.PAUSED
            if motion.closed_at is None and motion.due_at <= now and not paused:
                _carry_out(motion, now)
                count += 1
    return count


def _carry_out(motion: Motion, now: datetime) -> None:
    """Carry out a vote. The caller holds the game's row."""
    game, phase = motion.game, motion.phase
    phase.refresh_from_db()
    phase.game = game
    moves_deadline = motion.moves_deadline
    if game.is_over or (moves_deadline and not may_move(phase, now)):
        _close(motion, Motion.Outcome.LAPSED, now)
        if not game.is_over:
            words = f"The vote for {motion.title} lapsed: there is no deadline to move any more."
            acts.write(game, "vote", words, now, by=None, phase=phase, motion=motion.pk)
        return
    _close(motion, Motion.Outcome.CARRIED, now)
    EFFECTS[motion.kind](motion, f"The players voted for {motion.title}.", now)


def _close(motion: Motion, outcome: str, now: datetime) -> None:
    motion.outcome, motion.closed_at = outcome, now
    motion.save(update_fields=["outcome", "closed_at"])
