"""Make and revoke rulings, in which a gamesmaster overrules the service in one phase.

Rulings are public and have a reason. A ruling is first planned without writing (`ruling_plan`;
`preview` shows the plan), then planned again and carried out in one transaction under the lock of
the game's row, so that another gamesmaster's ruling, a lock or a publication comes entirely before
or after it. It adds versions of the phase and of later ones whose position before has changed;
nothing is overwritten (docs/design.md 4).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from games import market, permissions, positions
from games.evidence import hashes, record_rows
from games.models import Act, Game, Person, Phase, Resolution, Ruling
from games.outbox.messages import game_letters
from games.outbox.outgoing import Outgoing
from games.positions import game_row
from games.rules import Board, Cell, Remark, RulesError
from games.rules import rulings as pure
from games.turns import approvals, deadlines, holds, judging, lifecycle, opening, turning_back
from games.turns.lifecycle import Event
from games.turns.ruling_inputs import RulingInputs, load_inputs
from games.turns.ruling_plan import NewVersion, Plan, RulingError, is_same, plan_of
from games.turns.ruling_tokens import token_of

__all__ = [
    "PhaseChange",
    "Preview",
    "RulingError",
    "check_deadline",
    "preview",
    "release",
    "revoke",
    "rule",
]

Json = dict[str, Any]
LONGEST_REASON = 2000
PLAYS_HIMSELF = (
    "You play in this game, and the effect of such a ruling would show you secret alliances. Let"
    " another gamesmaster make it."
)


@dataclass(frozen=True)
class PhaseChange:
    """A phase that is rejudged: its old version (None: not judged yet) and its new result."""

    phase: Phase
    before: Resolution | None
    events: tuple[Json, ...]
    scores: dict[str, int]
    winners: tuple[str, ...] | None
    state: Any  # the ruleset's state after the phase
    messages: tuple[str, ...]  # events that are new
    dropped: tuple[str, ...]  # events that are gone
    is_effective: bool  # other events change than the ruling itself


@dataclass(frozen=True)
class Preview:
    """The effects of a ruling. `fault`: why it is impossible; the rest may be empty then."""

    new: pure.Ruling | None  # as it would be kept, but without a reason; None with a fault
    changed: tuple[PhaseChange, ...]
    undone: tuple[Phase, ...]
    restored: tuple[Phase, ...]
    board_before: Board
    board_after: Board
    differences: tuple[tuple[str, str, Cell, Cell], ...]  # area, nation, before, after
    scores_before: dict[str, int]
    scores_after: dict[str, int]
    remarks: tuple[Remark, ...]  # on ruled orders
    waits: bool  # the result is not published yet, and the ruling is kept until then
    compared: bool  # with a result that waits for approval, and not with the board as published
    edits: bool  # it changes the position, perhaps where no board shows it: an alliance
    letters: int  # how many the ruling sends at once
    fault: str
    token: str
    lapsed: tuple[str, ...] = ()  # what the votes are about that end with undone phases

    @property
    def rejected_lines(self) -> list[str]:
        """What is wrong with the lines of ruled orders that do nothing."""
        return [remark.message for remark in self.remarks if remark.severity == "error"]

    @property
    def warnings(self) -> list[str]:
        """The other remarks on ruled orders."""
        return [remark.message for remark in self.remarks if remark.severity != "error"]

    @property
    def is_open(self) -> bool:
        """Return whether its effect cannot be known before the phase is judged."""
        return self.waits and not self.changed

    @property
    def changes_nothing(self) -> bool:
        """Return whether board, scores, winners, reports and phases stay the same.

        What they do not show may change, such as a secret alliance: a gamesmaster who plays is not
        told of it.
        """
        return not (
            self.fault
            or self.is_open
            or self.edits
            or self.undone
            or self.restored
            or self.differences
            or self.scores_before != self.scores_after
            or any(change.is_effective for change in self.changed)
        )


def preview(phase: Phase, kind: str, what: Json) -> Preview:
    """Compute the effects of a ruling, without writing.

    Never raises for an impossible ruling: `fault` has the reason.
    """
    game = Game.objects.get(pk=phase.game_id)
    inputs = load_inputs(game, phase, kind, what)
    waiting = _waiting_result(inputs)
    before = inputs.position if waiting is None else game.rules.dump(waiting.resolution.state)
    try:
        plan = plan_of(inputs, kind, what, "")
    except RulingError as error:
        return _make_preview(game, before, before, fault=str(error))
    versions, after = list(plan.new_versions), plan.position
    if plan.foreseen and inputs.phase.status in (Phase.Status.HELD, Phase.Status.APPROVAL):
        versions.append(plan.foreseen)
        after = game.rules.dump(plan.foreseen.judged.resolution.state)
    ruled = inputs.root.kind if inputs.root is not None else kind
    changed = tuple(_change(version, waiting) for version in versions)
    return replace(
        _make_preview(game, before, after),
        new=plan.new,
        edits=ruled in game.rules.editor.edits and not is_same(before, after),
        changed=changed,
        undone=plan.undone,
        restored=plan.restored,
        lapsed=tuple(motion.title for motion in plan.lapsed),
        remarks=plan.remarks,
        waits=plan.waits,
        compared=waiting is not None,
        letters=_count_letters(plan, kind, changed),
    )


def _count_letters(plan: Plan, kind: str, changed: Sequence[PhaseChange]) -> int:
    """Return how many letters a ruling sends at once: about itself, and about what follows."""
    if plan.waits:
        return 0
    phase = plan.inputs.phase
    out = Outgoing([phase.game])
    to_all = len(out.everybody(phase.game))
    opens = kind == "rollback" and opening.is_announced(phase)
    if opens and not phase.has_deadline:
        return to_all + len(out.gamesmasters(phase.game))  # they send the report
    ends = bool(changed) and changed[-1].winners is not None
    return to_all * (2 if opens or ends else 1)


def _waiting_result(inputs: RulingInputs) -> pure.JudgedPhase | None:
    """Return the result that waits for approval, to compare with.

    None if no result waits, or if it can no longer be judged.
    """
    if inputs.phase.status != Phase.Status.APPROVAL:
        return None
    try:
        return inputs.due[inputs.phase.pk].judge()
    except (RulesError, market.Unsettled):
        return None


def rule(
    phase: Phase,
    kind: str,
    what: Json,
    reason: str,
    by: Person | None,
    now: datetime,
    token: str | None = None,
    deadline: datetime | None = None,
) -> Ruling:
    """Make a ruling. Raise `RulingError` if it is impossible; then nothing has changed.

    `token`: that of the preview; the ruling is refused if there was another ruling or result since.
    `deadline`: that of a phase which the ruling opens, by the schedule if None.
    """
    reason = _clean_reason(reason)
    check_deadline(deadline, now)
    with transaction.atomic():
        game = Game.objects.get(pk=phase.game_id)
        game_row.take_row(game)
        game.refresh_from_db()
        if refusal := game_row.refusal_to_run(game, by):
            raise RulingError(refusal)
        if token is not None and token != token_of(game):
            raise RulingError(
                "There was another ruling, or a new result, since you saw the effect. Please"
                " check it again."
            )
        if by is not None and not permissions.may_rule(by, phase, kind):
            raise RulingError(PLAYS_HIMSELF)
        inputs = load_inputs(game, phase, kind, what)
        plan = plan_of(inputs, kind, what, reason)
        row = Ruling.objects.create(
            game=game,
            number=plan.new.number,
            phase=inputs.phase,
            kind=kind,
            what=plan.new.what,
            words=plan.new.words,
            reason=reason,
            revokes=inputs.revokes,
            made_by=by,
            made_at=now,
        )
        Game.objects.filter(pk=game.pk).update(last_ruling=row.number)
        game.last_ruling = row.number
        _carry_out(plan, row, by, now, deadline)
    return row


def check_deadline(deadline: datetime | None, now: datetime) -> None:
    """Raise `RulingError` for a deadline that no phase can get; None is that of the schedule."""
    if deadline is not None and not now < deadline <= now + deadlines.FURTHEST:
        raise RulingError(
            f"The deadline must be in the future, and at most {deadlines.FURTHEST.days} days ahead."
        )


def revoke(
    ruling: Ruling,
    reason: str,
    by: Person | None,
    now: datetime,
    token: str | None = None,
    deadline: datetime | None = None,
) -> Ruling:
    """Revoke a ruling by another one. Revoking that one puts the first in force again."""
    return rule(ruling.phase, "revoke", {"ruling": ruling.number}, reason, by, now, token, deadline)


def release(phase: Phase, by: Person | None, now: datetime) -> None:
    """Release a result that waits for approval: the next tick judges it again and publishes it."""
    with transaction.atomic():
        game = Game.objects.get(pk=phase.game_id)
        running = game_row.take_row(game)
        if refusal := game_row.refusal_to_run(game, by):
            raise RulingError(refusal)
        if game.is_over:
            raise RulingError(f"“{game.title}” is over: its last result is not published.")
        if not running:
            raise RulingError("The game is paused. Resume it first, then publish the result.")
        waiting = Phase.objects.filter(Q(due_at__gt=now) | Q(due_at=None), pk=phase.pk)
        if lifecycle.update(waiting, Event.RELEASED, due_at=now) != 1:
            raise RulingError(
                "The result is no longer waiting: it has been published, or is being published now."
            )
        words = f"The result of {phase.title} is published early."
        Act.objects.create(
            game=game, phase=phase, kind="released", words=words, done_by=by, done_at=now
        )
    phase.refresh_from_db()


def count_letters(game: Game) -> int:
    """Return how many letters a result or a ruling sends."""
    return len(Outgoing([game]).everybody(game))


# --- carrying out ---


def _carry_out(
    plan: Plan, row: Ruling, by: Person | None, now: datetime, deadline: datetime | None
) -> None:
    """Write the plan's changes and the letters, in the caller's transaction."""
    game, ruled_phase = plan.inputs.game, plan.inputs.phase
    resolutions = [
        judging.store(
            version.due.case,
            version.judged,
            version.due.figures,
            now,
            version=(version.before.version if version.before else 0) + 1,
            ruling=row,
        )
        for version in plan.new_versions
    ]
    turning_back.undo(plan, row, now)
    opened = None
    parts = [
        hashes.ruling(row),
        *(hashes.result(version, record_rows.draws(version.phase)) for version in resolutions),
    ]
    for phase in plan.restored:
        change = turning_back.restore(phase, row, by, now, deadline)
        if phase.status == Phase.Status.OPEN:
            opened = phase
        if change is not None:
            parts.append(hashes.deadline(change))
    hashes.append(game, parts, now)
    if plan.undone or plan.restored:
        turning_back.set_status(game, plan, opened, now)
    if row.kind == "rollback":
        state = game.load(plan.position)
        opened = opening.open_phase(game, ruled_phase.previous, state, now, deadline)
    opening.follow_draw(game, now)
    if plan.frees:
        _resume_phase(ruled_phase, now)
    if plan.waits and plan.foreseen:
        approvals.restart_wait(ruled_phase, plan.foreseen.judged, now)
    if not plan.waits:
        game_letters.announce_ruling(
            row,
            plan.inputs.last_result,
            positions.last_resolution(game),
            resolutions,
            plan.undone,
            plan.lapsed,
            plan.restored,
            opened,
            now,
        )
        last = resolutions[-1] if resolutions else None
        if last is not None and last.winners is not None and game.status == Game.Status.FINISHED:
            with Outgoing([game]) as out:
                game_letters.announce_end(last, now, out)


def _resume_phase(phase: Phase, now: datetime) -> None:
    """Let the phase continue at once: nothing holds it up any more."""
    if phase.status == Phase.Status.HELD:
        holds.lift(phase, now)
    elif phase.status in (Phase.Status.LOCKED, Phase.Status.DRAWING):
        lifecycle.update(Phase.objects.filter(pk=phase.pk), Event.RULED_ON, due_at=now)


# --- showing ---


def _make_preview(game: Game, before: Json, after: Json, fault: str = "") -> Preview:
    rules = game.rules
    old, new = (rules.view(game.load(position), None) for position in (before, after))
    boards = rules.board(old), rules.board(new)
    return Preview(
        new=None,
        changed=(),
        undone=(),
        restored=(),
        board_before=boards[0],
        board_after=boards[1],
        differences=boards[0].differences(boards[1]),
        scores_before=dict(rules.standing(old).scores),
        scores_after=dict(rules.standing(new).scores),
        remarks=(),
        waits=False,
        compared=False,
        edits=False,
        letters=0,
        fault=fault,
        token=token_of(game),
    )


def _change(version: NewVersion, waiting: pure.JudgedPhase | None) -> PhaseChange:
    phase, result = version.due.phase, version.judged.resolution
    standing = judging.scores_after(phase.game, version.judged)
    messages = [str(event.get("message", "")) for event in result.events]
    events = (
        version.before.events if version.before else waiting.resolution.events if waiting else ()
    )
    earlier = [str(event.get("message", "")) for event in events]
    itself = {str(event["message"]) for event in result.events if event["kind"] == "ruled"}
    return PhaseChange(
        phase=phase,
        before=version.before,
        events=result.events,
        scores=dict(standing.scores),
        winners=standing.winners,
        state=result.state,
        messages=tuple(message for message in messages if message not in earlier),
        dropped=tuple(message for message in earlier if message not in messages),
        is_effective=bool((set(messages) ^ set(earlier)) - itself),
    )


def _clean_reason(text: str) -> str:
    """Return the reason with spaces collapsed.

    Raise `RulingError` if it is empty, too long or contains control characters.
    """
    lines = [" ".join(line.split()) for line in text.strip().splitlines()]
    reason = "\n".join(lines).strip()
    if not reason:
        raise RulingError("Enter a reason: it goes to every player and into the public list.")
    if len(reason) > LONGEST_REASON:
        raise RulingError(
            f"The reason is {len(reason):,} characters long; at most {LONGEST_REASON:,} are kept."
        )
    if any(
        unicodedata.category(character) in ("Cc", "Cs") for character in reason if character != "\n"
    ):
        raise RulingError("The reason contains a control character. Please retype it.")
    return reason
