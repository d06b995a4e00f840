"""Rulings made and revoked: a gamesmaster overrules the service in one phase, in public and with his reason (docs/design.md 4).

A ruling is planned first, with nothing written (`preview` shows that), and then planned once more and carried out in one transaction under
the game's row: so a second gamesmaster, a lock or a publication comes wholly before it or wholly after. What it makes are new versions of
the phase and of the later ones whose position before has changed; nothing that was there is lost.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.db import transaction

from games import judging, market, turns
from games.judging import Case
from games.models import Act, DeadlineChange, Game, Person, Phase, Resolution, Ruling
from games.post import letters
from games.rules import Board, Cell, RulesError
from games.rules import rulings as pure
from games.rules.digits import roll_number
from games.rules.rulings import Judged

Json = dict[str, Any]
#: Phases on which a ruling may be made: their orders are closed, and no ruling has undone them.
RULED_ON = (Phase.Status.LOCKED, Phase.Status.DRAWING, Phase.Status.HELD, Phase.Status.APPROVAL, Phase.Status.RESOLVED)
IN_PLAY = (Game.Status.RUNNING, Game.Status.PAUSED, Game.Status.FINISHED)
LONGEST_REASON = 2000
#: As for any deadline that is moved (games.desk).
FURTHEST = timedelta(days=366)


class RulingError(Exception):
    """A ruling that cannot be made. `str()` is one sentence that says why and what to do."""


@dataclass(frozen=True)
class PhaseChange:
    """A phase that is judged anew: the version that stood (None: it was not judged yet) and what it comes to now."""

    phase: Phase
    before: Resolution | None
    events: tuple[Json, ...]
    scores: dict[str, int]
    winners: tuple[str, ...] | None
    state: Any  # the ruleset's state after the phase
    messages: tuple[str, ...]  # what is told now and was not told before
    dropped: tuple[str, ...]  # what was told before and is not told any more


@dataclass(frozen=True)
class Preview:
    """What a ruling would come to. `fault` is why it cannot be made, "" where it can; then everything else may be empty."""

    words: str
    changed: tuple[PhaseChange, ...]
    undone: tuple[Phase, ...]
    restored: tuple[Phase, ...]
    board_before: Board
    board_after: Board
    differences: tuple[tuple[str, str, Cell, Cell], ...]  # area, nation, before, after
    scores_before: dict[str, int]
    scores_after: dict[str, int]
    remarks: tuple[str, ...]  # on an order text that is ruled
    waits: bool  # the phase is not judged yet: the ruling is kept until it is
    fault: str
    token: str


@dataclass(frozen=True)
class _Anew:
    """A phase judged anew, not written yet."""

    case: Case
    judged: Judged
    before: Resolution | None


@dataclass(frozen=True)
class _Plan:
    """Everything that a ruling will do."""

    game: Game
    phase: Phase
    new: pure.Ruling
    revokes: Ruling | None
    position: Json  # the game's position afterwards
    anew: tuple[_Anew, ...] = ()  # resolved phases that get a new version
    foreseen: _Anew | None = None  # a phase not yet resolved that can be judged already
    frees: bool = False  # that phase goes on at once
    waits: bool = False
    undone: tuple[Phase, ...] = ()
    restored: tuple[Phase, ...] = ()
    remarks: tuple[str, ...] = field(default=())


# --- what others ask for ---


def preview(phase: Phase, kind: str, what: Json, now: datetime) -> Preview:
    """What a ruling would come to, with nothing written. Never raises for what is ruled: `fault` says why it cannot be."""
    game = Game.objects.get(pk=phase.game_id)
    before = turns.position(game)
    try:
        plan = _plan(game, phase, kind, what, "")
    except RulingError as error:
        return _shown(game, before, before, fault=str(error))
    shown = [*plan.anew, *([plan.foreseen] if plan.foreseen and phase.status in (Phase.Status.HELD, Phase.Status.APPROVAL) else [])]
    after = plan.position
    if plan.foreseen and plan.foreseen in shown:
        after = game.rules.dump(plan.foreseen.judged.resolution.state)
    return replace(
        _shown(game, before, after),
        words=plan.new.words,
        changed=tuple(_change(one) for one in shown),
        undone=plan.undone,
        restored=plan.restored,
        remarks=plan.remarks,
        waits=plan.waits,
    )


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
    """Makes a ruling. Raises `RulingError` where it cannot be made; then nothing has changed.

    `token` is that of the preview: where somebody has ruled or a phase has been judged since, the ruling is refused. `deadline` is that
    of a phase which the ruling opens; without one the schedule gives it.
    """
    reason = _reason(reason)
    if deadline is not None and not now < deadline <= now + FURTHEST:
        raise RulingError(f"The deadline must be still to come, and at most {FURTHEST.days} days ahead.")
    with transaction.atomic():
        game = Game.objects.get(pk=phase.game_id)
        turns.take_row(game)
        game.refresh_from_db()
        if token is not None and token != token_of(game):
            raise RulingError("Somebody has ruled, or a phase has been judged, since the effect was shown. Look at it again.")
        plan = _plan(game, phase, kind, what, reason)
        row = Ruling.objects.create(
            game=game,
            number=plan.new.number,
            phase=plan.phase,
            kind=kind,
            what=what,
            words=plan.new.words,
            reason=reason,
            revokes=plan.revokes,
            made_by=by,
            made_at=now,
        )
        Game.objects.filter(pk=game.pk).update(last_ruling=row.number)
        game.last_ruling = row.number
        _carry_out(plan, row, by, now, deadline)
    return row


def revoke(
    ruling: Ruling, reason: str, by: Person | None, now: datetime, token: str | None = None, deadline: datetime | None = None
) -> Ruling:
    """Revokes a ruling by another. A revocation may be revoked too: then the first holds again."""
    return rule(ruling.phase, "revoke", {"ruling": ruling.number}, reason, by, now, token, deadline)


def release(phase: Phase, by: Person | None, now: datetime) -> None:
    """Lets a result go out that waits for approval: it is judged anew and published at the next tick."""
    with transaction.atomic():
        game = Game.objects.get(pk=phase.game_id)
        if not turns.take_row(game):
            raise RulingError("The game is not being played now; resume it first, and then let the result go out.")
        waiting = Phase.objects.filter(pk=phase.pk, status=Phase.Status.APPROVAL, due_at__gt=now)
        if waiting.update(due_at=now) != 1:
            raise RulingError("The result waits for nobody any more: it has gone out, or goes out just now.")
        words = f"The result of {phase.title} is let go."
        Act.objects.create(game=game, phase=phase, kind="released", words=words, done_by=by, done_at=now)
    phase.refresh_from_db()


def public_list(game: Game, viewer_runs: bool) -> list[Ruling]:
    """The rulings of a game as somebody may see them, the oldest first.

    A ruling on a phase that has no result yet is told with it, to gamesmasters alone until then; what turned the game back at once.
    """
    rows = list(game.rulings.select_related("phase", "revokes", "made_by").order_by("number"))
    if viewer_runs:
        return rows
    judged = set(Resolution.objects.filter(phase__game=game).values_list("phase", flat=True))
    told = [row for row in rows if row.phase_id in judged or root_of(row, rows).kind == "rollback"]
    return told


def root_of(row: Ruling, rows: Sequence[Ruling]) -> Ruling:
    """The ruling at the end of a chain of revocations: what it is all about."""
    by_pk = {one.pk: one for one in rows}
    while row.revokes_id is not None:
        row = by_pk[row.revokes_id]
    return row


def token_of(game: Game) -> str:
    """A hash of what a ruling rests on: the game's newest ruling and the newest version of every phase."""
    newest = dict(Resolution.objects.filter(phase__game=game).order_by("phase", "version").values_list("phase", "pk"))
    said = json.dumps([judging.newest_ruling(game), sorted(newest.items())])
    return sha256(said.encode()).hexdigest()[:32]


# --- planning ---


def _plan(game: Game, phase: Phase, kind: str, what: Json, reason: str) -> _Plan:
    """Everything that the ruling will do. Raises `RulingError`."""
    phase = Phase.objects.get(pk=phase.pk)
    phase.game = game
    if game.status not in IN_PLAY:
        raise RulingError("Rulings are made while a game is played, or when it is over; this one has not begun, or was abandoned.")
    known = judging.rulings_of(game)
    rows = list(game.rulings.select_related("phase").order_by("number"))
    revokes = None
    if kind == "revoke":
        revokes = _revoked(what, rows, known)
        phase = Phase.objects.get(pk=revokes.phase_id)
        phase.game = game
    turning = kind == "rollback" or (revokes is not None and root_of(revokes, rows).kind == "rollback")
    if not turning or kind == "rollback":
        _may_be_ruled(phase)
    if turning and game.status == Game.Status.PAUSED:
        raise RulingError("While the game is paused it cannot be turned back or forward; resume it first.")
    if kind == "again" and phase.status != Phase.Status.RESOLVED:
        raise RulingError(f"{phase.title}, has not been judged yet, so that it cannot be judged again.")
    case = turns.case_of(phase)
    try:
        state = game.load(case.position)
        submissions = judging.submissions_of(phase)
        pure.check(
            kind,
            what,
            rules=game.rules,
            state=state,
            sent=case.sent,
            submissions=submissions,
            reserves=game.reserves,
            standing=case.rulings,
        )
    except RulesError as error:
        raise RulingError(str(error)) from error
    number = judging.newest_ruling(game) + 1
    words = pure.words(kind, what, phase.title)
    new = pure.Ruling(number, phase.number, kind, what, words, reason, revokes.number if revokes else None)
    plan = _Plan(game, phase, new, revokes, turns.position(game), remarks=_remarks(game, state, kind, what))
    every = [*known, new]
    if turning:
        return _turned(plan, root_of(revokes, rows) if revokes else None, rows, every)
    if phase.status == Phase.Status.RESOLVED:
        return _forward(plan, [one for one in _line(game) if one.number >= phase.number], every, forced=True)
    return _waiting(plan, every)


def _may_be_ruled(phase: Phase) -> None:
    held_open = phase.status == Phase.Status.HELD and phase.held_from in ("", Phase.Status.OPEN)
    if phase.status == Phase.Status.OPEN or held_open:
        raise RulingError(f"{phase.title}, is open for orders; rulings are made when they have locked.")
    if phase.status not in RULED_ON:
        raise RulingError(f"{phase.title}, has been undone by a ruling, so that nothing can be ruled in it any more.")


def _revoked(what: Json, rows: Sequence[Ruling], known: Sequence[pure.Ruling]) -> Ruling:
    """The ruling that is to be revoked."""
    number = what.get("ruling") if isinstance(what, dict) else None
    found = next((row for row in rows if row.number == number), None)
    if found is None:
        raise RulingError(f"There is no ruling {number} in this game.")
    if by := next((one.number for one in known if one.revokes == number), None):
        raise RulingError(f"Ruling {number} has been revoked by ruling {by}; to let it hold again, revoke that one.")
    return found


def _remarks(game: Game, state: Any, kind: str, what: Json) -> tuple[str, ...]:
    if kind != "orders" or not what.get("text"):
        return ()
    return tuple(remark.message for remark in game.rules.read(what["text"], what["nation"], state).remarks)


def _line(game: Game) -> list[Phase]:
    """The phases that no ruling has undone, in the order in which they are played."""
    phases = list(game.phases.exclude(status=Phase.Status.UNDONE).order_by("number"))
    for one in phases:
        one.game = game
    return phases


def _case(phase: Phase, position: Json, every: Sequence[pure.Ruling]) -> Case:
    """A phase with another position before it and the new ruling among those that hold."""
    case = turns.case_of(phase)
    return replace(
        case,
        position=position,
        submissions=judging.submissions_of(phase),
        rulings=pure.on_phase(every, phase.number),
        after_ruling=every[-1].number,
    )


def _forward(plan: _Plan, line: Sequence[Phase], every: Sequence[pure.Ruling], *, forced: bool) -> _Plan:
    """Judges the resolved phases of a line of play anew, the first where `forced`, each later one if its position before has changed."""
    game, anew = plan.game, list(plan.anew)
    position = turns.position_before(line[0]) if line else plan.position
    if not line:
        return plan
    for place, phase in enumerate(line):
        old = turns.newest_resolution(phase)
        if old is None:
            break
        if _same(old.before, position) and not (forced and place == 0):
            position = old.after
            continue
        case = _case(phase, position, every)
        judged = _judged(case)
        _settles(case, judged)
        if place == 0 and plan.new.kind == "result":
            _took(plan, judged)
        anew.append(_Anew(case, judged, old))
        position = game.rules.dump(judged.resolution.state)
    return replace(plan, anew=tuple(anew), position=position)


def _waiting(plan: _Plan, every: Sequence[pure.Ruling]) -> _Plan:
    """A ruling on a phase that is not resolved: it is kept until the phase is judged, which may be at once."""
    phase = plan.phase
    case = _case(phase, turns.position_before(phase), every)
    settling = market.by_sales(phase.game) is False or bool(phase.session)
    try:
        judged = case.judge(judging.figures_of(phase))
    except RulesError as error:
        raise RulingError(f"{phase.title}, cannot be judged so: {error}") from error
    except market.Unsettled as unsettled:
        if phase.status == Phase.Status.APPROVAL or not settling:
            raise _unread(case, unsettled.symbol) from unsettled
        return replace(plan, waits=True)
    if plan.new.kind == "result":
        _took(plan, judged)
    if case.lacks_a_digit(judged):
        if phase.status == Phase.Status.APPROVAL:
            _settles(case, judged)
        return replace(plan, waits=True)
    frees = phase.status != Phase.Status.HELD or not _judgeable(phase)
    return replace(plan, waits=True, foreseen=_Anew(case, judged, None), frees=frees and phase.status != Phase.Status.APPROVAL)


def _judgeable(phase: Phase) -> bool:
    """Whether the phase can be judged as it is: then it is held for another reason, and no ruling lets it go."""
    case = turns.case_of(phase)
    try:
        return not case.lacks_a_digit(case.judge(judging.figures_of(phase)))
    except (RulesError, market.Unsettled):
        return False


def _judged(case: Case) -> Judged:
    try:
        return case.judge(judging.figures_of(case.phase))
    except market.Unsettled as unsettled:
        raise _unread(case, unsettled.symbol) from unsettled
    except RulesError as error:
        raise RulingError(f"{case.phase.title}, cannot be judged so: {error}") from error


def _settles(case: Case, judged: Judged) -> None:
    """Raises where an attack is left without a digit: a phase that is published cannot wait for one any more."""
    if not case.lacks_a_digit(judged):
        return
    event = next(one for one in judged.resolution.events if one["kind"] == "void" and one["reason"] == "no_digit")
    raise RulingError(
        f"{case.phase.title}: no stock would be left for {event['nation']}’s attack in {event['area']}. Rule the result of that attack, or "
        "the sales of one of its stocks, in that phase first."
    )


def _took(plan: _Plan, judged: Judged) -> None:
    """A result can be set only for an attack that comes to a throw."""
    what = plan.new.what
    for event in judged.resolution.events:
        if (
            event.get("nation") == what["nation"]
            and event.get("line") == what["line"]
            and event["kind"] == "void"
            and not event.get("ruled")
        ):
            raise RulingError(f"The result of this attack cannot be set, for it does not come to a throw: {event['message']}")


class _Guess:
    """The figures that have settled, and a made-up one for every other stock: only to find out which attack asks for it."""

    def __init__(self, known: market.Figures) -> None:
        self._known = known

    def get(self, symbol: str, /) -> int | None:
        try:
            return self._known.get(symbol)
        except market.Unsettled:
            return 1_000


def _unread(case: Case, symbol: str) -> RulingError:
    """Says which attack would need a figure that was never settled, and what to rule first."""
    judged = case.judge(_Guess(judging.figures_of(case.phase)))
    whose = next((one for one in judged.resolution.events if one["kind"] == "attack" and one["stock"] == symbol), None)
    attack = f"{whose['nation']}’s attack in {whose['area']}" if whose else "an attack"
    wanted = "a roll that was never made" if roll_number(symbol) is not None else f"the sales of {symbol}, which were never settled"
    return RulingError(
        f"{case.phase.title}: {attack} would need {wanted}. Rule {symbol} in that phase first, or the result of that attack."
    )


def _turned(plan: _Plan, root: Ruling | None, rows: Sequence[Ruling], every: Sequence[pure.Ruling]) -> _Plan:
    """The game turned back to before a phase, or, where such a ruling is revoked, on to the phases that it had undone."""
    game = plan.game
    line = _line(game)
    if plan.revokes is None or root is None:
        gone = [one for one in line if one.number >= plan.phase.number]
        return replace(plan, undone=tuple(gone), position=turns.position_before(plan.phase))
    later = [one for one in pure.in_force(every[:-1]) if one.kind == "rollback" and one.number > plan.revokes.number]
    if later:
        raise RulingError(f"Ruling {later[-1].number} has turned the game back since; revoke that one first.")
    first = Phase.objects.select_related("previous").get(pk=root.phase_id)
    back = list(game.phases.filter(undone_by=plan.revokes).order_by("number"))
    stands = {one.pk for one in line}
    if not back or (first.previous_id is not None and first.previous_id not in stands):
        raise RulingError(f"Ruling {plan.revokes.number} was about a line of play that has been undone since; it changes nothing any more.")
    for one in back:
        one.game = game
    start = first.previous.number if first.previous else 0
    gone = [one for one in line if one.number > start]
    plan = replace(plan, undone=tuple(gone), restored=tuple(back))
    return _forward(plan, back, every, forced=False)


def _same(one: Json, other: Json) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


# --- carrying out ---


def _carry_out(plan: _Plan, row: Ruling, by: Person | None, now: datetime, deadline: datetime | None) -> None:
    """Writes what was planned, and everybody's letters. Within the transaction that made the ruling."""
    game = plan.game
    before = _newest(game)
    made = [
        judging.store(one.case, one.judged, now, version=(one.before.version if one.before else 0) + 1, ruling=row) for one in plan.anew
    ]
    for phase in plan.undone:
        Phase.objects.filter(pk=phase.pk).update(
            status=Phase.Status.UNDONE, undone_from=phase.status, undone_by=row, due_at=None, remind_at=None, claim="", claimed_until=None
        )
    opened = None
    for phase in plan.restored:
        _bring_back(phase, row, by, now, deadline)
        if phase.status == Phase.Status.OPEN:
            opened = phase
    if plan.undone or plan.restored:
        _set_status(game, plan, now)
    if row.kind == "rollback":
        phase = Phase.objects.get(pk=plan.phase.pk)
        opened = turns.open_phase(game, phase.previous, game.load(plan.position), now, deadline)
    if plan.frees:
        _free(plan.phase, now)
    if not plan.waits:
        letters.ruled(row, before, _newest(game), made, plan.undone, plan.restored, opened, now)
        last = made[-1] if made else None
        if last is not None and last.winners is not None and game.status == Game.Status.FINISHED:
            letters.over(game, last, now)


def _newest(game: Game) -> Resolution | None:
    """The resolution whose position is the game's now; None at its start."""
    played = Resolution.objects.filter(phase__game=game, phase__status=Phase.Status.RESOLVED)
    return played.order_by("-phase__number", "-version").first()


def _bring_back(phase: Phase, row: Ruling, by: Person | None, now: datetime, deadline: datetime | None) -> None:
    """A phase that had been undone stands again. One that was open gets a new deadline, one that was being judged goes on at once."""
    game, old = phase.game, phase.deadline
    phase.status, phase.undone_from, phase.undone_by = Phase.Status(phase.undone_from), "", None
    phase.due_at = now if phase.status in (Phase.Status.LOCKED, Phase.Status.DRAWING) else None
    if phase.status == Phase.Status.APPROVAL:
        phase.due_at = now + timedelta(hours=game.approval_hours)
    if phase.status == Phase.Status.OPEN:
        phase.deadline = deadline or turns.deadline_after(game, phase.draws, now)
        phase.due_at = phase.deadline + timedelta(hours=game.options["orders.grace_hours"])
        phase.remind_at = turns.reminder(now, phase.deadline)
        reason = f"Ruling {row.number}: {row.words}"[:300]
        DeadlineChange.objects.create(phase=phase, old=old, new=phase.deadline, reason=reason, changed_by=by, changed_at=now)
    phase.attempts = 0
    phase.save()


def _set_status(game: Game, plan: _Plan, now: datetime) -> None:
    """A finished game that is turned back is played on; one that is turned on to its end is finished again."""
    over = plan.new.kind != "rollback" and game.rules.phase(game.load(plan.position)) is None
    game.status = Game.Status.FINISHED if over else Game.Status.RUNNING
    game.finished_at = now if over else None
    game.save(update_fields=["status", "finished_at"])


def _free(phase: Phase, now: datetime) -> None:
    """The phase goes on at once: nothing is waited for any more."""
    Phase.objects.filter(pk=phase.pk, status__in=(Phase.Status.LOCKED, Phase.Status.DRAWING)).update(due_at=now)
    Phase.objects.filter(pk=phase.pk, status=Phase.Status.HELD).update(
        status=phase.held_from or Phase.Status.LOCKED, held_from="", fault="", attempts=0, due_at=now
    )


# --- showing ---


def _shown(game: Game, before: Json, after: Json, fault: str = "") -> Preview:
    rules = game.rules
    old, new = (rules.view(game.load(position), None) for position in (before, after))
    boards = rules.board(old), rules.board(new)
    return Preview(
        words="",
        changed=(),
        undone=(),
        restored=(),
        board_before=boards[0],
        board_after=boards[1],
        differences=differences(*boards),
        scores_before=dict(rules.standing(old).scores),
        scores_after=dict(rules.standing(new).scores),
        remarks=(),
        waits=False,
        fault=fault,
        token=token_of(game),
    )


def differences(old: Board, new: Board) -> tuple[tuple[str, str, Cell, Cell], ...]:
    """Area, nation, what stood there and what stands there now, wherever the two differ."""
    none = Cell()
    pairs = [
        (area, nation, old.cells.get(area, {}).get(nation, none), new.cells.get(area, {}).get(nation, none))
        for area in new.areas
        for nation in new.nations
    ]
    return tuple(pair for pair in pairs if pair[2] != pair[3])


def _change(one: _Anew) -> PhaseChange:
    phase, result = one.case.phase, one.judged.resolution
    standing = judging.standing_after(phase.game, one.judged)
    told = [str(event.get("message", "")) for event in result.events]
    earlier = [str(event.get("message", "")) for event in one.before.events] if one.before else []
    return PhaseChange(
        phase=phase,
        before=one.before,
        events=result.events,
        scores=dict(standing.scores),
        winners=standing.winners,
        state=result.state,
        messages=tuple(message for message in told if message not in earlier),
        dropped=tuple(message for message in earlier if message not in told),
    )


def _reason(text: str) -> str:
    """The reason as it is kept: lines without blanks at their ends. Raises `RulingError` where it is empty, too long or no text."""
    lines = [" ".join(line.split()) for line in text.strip().splitlines()]
    reason = "\n".join(lines).strip()
    if not reason:
        raise RulingError("Say why: the reason goes to every player and stands in the public list.")
    if len(reason) > LONGEST_REASON:
        raise RulingError(f"The reason is {len(reason):,} characters long; at most {LONGEST_REASON:,} are kept.")
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in reason if sign != "\n"):
        raise RulingError("The reason holds a control character, which nobody can read; type it anew.")
    return reason
