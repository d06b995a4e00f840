"""Plan a ruling without writing: which phases are rejudged, opened, undone or restored.

A plan follows from its inputs (`ruling_inputs`) without a query. Raise `RulingError` where a ruling
is impossible. `games.turns.rulings` shows a plan, or plans again under the lock of the game's row
and carries it out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from games import market
from games.models import Game, Motion, Phase, Resolution
from games.rules import REFEREE_SEAT, Remark, RulesError, ruling_kinds
from games.rules import rulings as pure
from games.rules.digits import roll_number
from games.rules.plain import editions
from games.rules.rulings import JudgedPhase
from games.turns.judging import Case
from games.turns.load import Due
from games.turns.ruling_inputs import RulingInputs

Json = dict[str, Any]
#: States in which rulings are possible: orders are closed, and no ruling has undone the phase.
RULED_ON = (
    Phase.Status.LOCKED,
    Phase.Status.DRAWING,
    Phase.Status.HELD,
    Phase.Status.APPROVAL,
    Phase.Status.RESOLVED,
)
IN_PLAY = (Game.Status.RUNNING, Game.Status.PAUSED, Game.Status.FINISHED)


def may_be_ruled_on(phase: Phase) -> bool:
    """Return whether orders are closed; while they are open, players change them themselves.

    Nobody rules on an abandoned game: its record has ended.
    """
    if phase.game.status not in IN_PLAY:
        return False
    if phase.status == Phase.Status.HELD:
        return phase.held_from not in ("", Phase.Status.OPEN)
    return phase.status in RULED_ON


class RulingError(Exception):
    """Raised for an impossible ruling. `str()` is one sentence: the reason, and what to do."""


@dataclass(frozen=True)
class NewVersion:
    """A new version of a phase's result, not yet saved."""

    due: Due
    judged: JudgedPhase
    before: Resolution | None


@dataclass(frozen=True)
class Plan:
    """All effects of a ruling."""

    inputs: RulingInputs
    new: pure.Ruling
    position: Json  # the game's position afterwards
    new_versions: tuple[NewVersion, ...] = ()  # resolved phases that get a new version
    foreseen: NewVersion | None = None  # a phase not yet resolved that can be judged already
    frees: bool = False  # that phase continues at once
    waits: bool = False
    undone: tuple[Phase, ...] = ()
    restored: tuple[Phase, ...] = ()
    remarks: tuple[Remark, ...] = field(default=())

    @property
    def rulings(self) -> tuple[pure.Ruling, ...]:
        """All rulings of the game, with the new one."""
        return (*self.inputs.rulings, self.new)

    @property
    def lapsed(self) -> tuple[Motion, ...]:
        """The votes that end with the phases which it undoes; not those that ended with a phase."""
        over = {phase.pk: phase.status == Phase.Status.RESOLVED for phase in self.undone}
        votes = (motion for motion in self.inputs.votes if motion.phase_id in over)
        return tuple(motion for motion in votes if motion.passed_at or not over[motion.phase_id])


def plan_of(inputs: RulingInputs, kind: str, what: Json, reason: str) -> Plan:
    """Plan a ruling. Raise `RulingError` where it is impossible."""
    game, phase, revokes = inputs.game, inputs.phase, inputs.revokes
    if game.status not in IN_PLAY:
        raise RulingError(
            "You can rule while a game is played, and when it has been played to its end. This game"
            " has not begun, or ended early."
        )
    if kind == "revoke":
        _may_be_revoked(what, inputs)
    root = inputs.root
    turning = kind == "rollback" or (root is not None and root.kind == "rollback")
    if not turning or kind == "rollback":
        _may_be_ruled(phase)
    if kind == "again" and phase.status != Phase.Status.RESOLVED:
        raise RulingError(f"{phase.title}, has not been judged yet, so it cannot be judged again.")
    case = inputs.due[phase.pk].case
    try:
        ruled_phase = ruling_kinds.RuledPhase(
            game.rules, case.state, case.sent, case.submissions, game.reserves, case.rulings
        )
        ruling_kinds.check(kind, what, ruled_phase)
    except RulesError as error:
        raise RulingError(str(error)) from error
    what = _in_canonical_words(game, case.state, kind, what)
    number = game.last_ruling + 1
    words = ruling_kinds.words(kind, what, phase.title, game.rules.unit)
    new = pure.Ruling(
        number, phase.number, kind, what, words, reason, revokes.number if revokes else None
    )
    plan = Plan(inputs, new, inputs.position, remarks=_remarks(game, case.state, kind, what))
    if turning:
        return _plan_turning_back(plan)
    if phase.status == Phase.Status.RESOLVED:
        later = [played for played in inputs.line if played.number >= phase.number]
        return _judge_line(plan, later, forced=True)
    return _plan_waiting(plan)


def _may_be_ruled(phase: Phase) -> None:
    held_open = phase.status == Phase.Status.HELD and phase.held_from in ("", Phase.Status.OPEN)
    if phase.status == Phase.Status.OPEN or held_open:
        raise RulingError(f"{phase.title}, is open for orders. You can rule once it is closed.")
    if phase.status not in RULED_ON:
        raise RulingError(
            f"{phase.title}, was undone by a ruling, so you cannot rule in it any more."
        )


def _may_be_revoked(what: Json, inputs: RulingInputs) -> None:
    """Raise `RulingError` if the ruling to revoke is unknown or was revoked."""
    number = what.get("ruling") if isinstance(what, dict) else None
    if inputs.revokes is None:
        raise RulingError(f"There is no ruling {number} in this game.")
    if revoked_by := next(
        (ruling.number for ruling in inputs.rulings if ruling.revokes == number), None
    ):
        raise RulingError(
            f"Ruling {number} was revoked by ruling {revoked_by}. To restore it, revoke that one."
        )


def _in_canonical_words(game: Game, state: Any, kind: str, what: Json) -> Json:
    """Return a ruling whose amended orders every edition of the reader reads as this one does."""
    if kind != "orders" or not what.get("text") or what["nation"] == REFEREE_SEAT:
        return what
    nation, text = what["nation"], what["text"]
    understood = game.rules.read(text, nation, state).understood
    if game.rules.read(editions.mark_canonical(text), nation, state).understood == understood:
        return what
    return {**what, "text": editions.canonical_text(understood)}


def _remarks(game: Game, state: Any, kind: str, what: Json) -> tuple[Remark, ...]:
    if kind != "orders" or not what.get("text"):
        return ()
    # The gamesmaster who rules has read every order of the phase.
    if what["nation"] == REFEREE_SEAT:
        return tuple(game.rules.read(what["text"], REFEREE_SEAT, state).remarks)
    # A gamesmaster may play too: remarks must not reveal what only the nation knows.
    public = game.rules.view(state, None)
    return tuple(game.rules.read(what["text"], what["nation"], public).remarks)


def _ruled_due(plan: Plan, phase: Phase, position: Json) -> Due:
    """Return a phase with another position before it, and with the new ruling."""
    due = plan.inputs.due[phase.pk]
    case = replace(
        due.case,
        position=position,
        rulings=pure.rulings_on(plan.rulings, phase.number),
        after_ruling=plan.new.number,
    )
    return replace(due, case=case)


def _judge_line(plan: Plan, line: Sequence[Phase], *, forced: bool) -> Plan:
    """Rejudge the resolved phases of a line of play whose position before has changed.

    With `forced` the first is rejudged in any case.
    """
    inputs, new_versions = plan.inputs, list(plan.new_versions)
    position = inputs.position_before(line[0])
    for place, phase in enumerate(line):
        old = inputs.results.get(phase.pk)
        if old is None:
            break
        if is_same(old.before, position) and not (forced and place == 0):
            position = old.after
            continue
        due = _ruled_due(plan, phase, position)
        judged = _judge(due, plan.new)
        _check_digits(due.case, judged)
        if place == 0 and plan.new.kind == "result":
            _check_throw(plan, judged)
        new_versions.append(NewVersion(due, judged, old))
        position = inputs.game.rules.dump(judged.resolution.state)
        _check_next_phase(phase, line[place + 1] if place + 1 < len(line) else None, judged)
    return replace(plan, new_versions=tuple(new_versions), position=position)


def _check_next_phase(phase: Phase, following: Phase | None, judged: JudgedPhase) -> None:
    """Raise `RulingError` if another phase would follow than did: reports can cause that."""
    identity = phase.game.rules.phase(judged.resolution.state)
    following_id = following.id_in_rules if following is not None else None
    if following_id == identity or (
        following is None and phase.game.status != Game.Status.FINISHED and identity is not None
    ):
        return
    title = (
        phase.game.rules.facts(identity, phase.game.options).title
        if identity
        else "the end of the game"
    )
    other = following.title if following is not None else "the end of the game"
    raise RulingError(
        f"After {phase.title}, {title} would follow, not {other}. Roll the game back to the moment"
        f" at which {phase.title}, opened, and play it again."
    )


def _plan_waiting(plan: Plan) -> Plan:
    """Plan a ruling on an unresolved phase, kept until the phase is judged, perhaps at once."""
    phase = plan.inputs.phase
    unruled = plan.inputs.due[phase.pk]
    due = _ruled_due(plan, phase, unruled.case.position)
    settling = market.sales_decide(phase.game) is False or bool(phase.session)
    try:
        judged = due.judge()
    except RulesError as error:
        raise _undecidable_error(due.case, plan.new, error) from error
    except market.Unsettled as unsettled:
        if phase.status == Phase.Status.APPROVAL or not settling:
            raise _missing_figure(due, unsettled.symbol) from unsettled
        return replace(plan, waits=True)
    if plan.new.kind == "result":
        _check_throw(plan, judged)
    if due.case.lacks_a_digit(judged):
        if phase.status == Phase.Status.APPROVAL:
            _check_digits(due.case, judged)
        return replace(plan, waits=True)
    frees = phase.status != Phase.Status.HELD or not _can_be_judged(unruled)
    return replace(
        plan,
        waits=True,
        foreseen=NewVersion(due, judged, None),
        frees=frees and phase.status != Phase.Status.APPROVAL,
    )


def _can_be_judged(due: Due) -> bool:
    """Return whether a phase can be judged, so that it must be held for another reason."""
    try:
        return not due.case.lacks_a_digit(due.judge())
    except (RulesError, market.Unsettled):
        return False


def _judge(due: Due, new: pure.Ruling) -> JudgedPhase:
    try:
        return due.judge()
    except market.Unsettled as unsettled:
        raise _missing_figure(due, unsettled.symbol) from unsettled
    except RulesError as error:
        raise _undecidable_error(due.case, new, error) from error


def _undecidable_error(case: Case, new: pure.Ruling, error: RulesError) -> RulingError:
    """Return the error that names the phase the rules cannot judge, and the ruling at fault.

    The new ruling is not named.
    """
    if isinstance(error, pure.ImpossibleRuling) and error.number != new.number:
        return RulingError(
            f"{case.phase.title}: ruling {error.number} could no longer be carried out: {error}"
            " Revoke that one first."
        )
    return RulingError(f"{case.phase.title}: {error}")


def _check_digits(case: Case, judged: JudgedPhase) -> None:
    """Raise `RulingError` if an attack or draw has no digit: a published phase cannot wait."""
    event = case.without_digit(judged)
    if event is None:
        return
    if event["kind"] != "void":
        raise RulingError(
            f"{case.phase.title}: no stock would be left for a draw. {event['message']} Rule the"
            " sales of one of the stocks in that phase first."
        )
    raise RulingError(
        f"{case.phase.title}: no stock would be left for {event['nation']}’s attack in"
        f" {event['area']}. Rule the result of that attack, or the sales of one of its stocks, in"
        " that phase first."
    )


def _check_throw(plan: Plan, judged: JudgedPhase) -> None:
    """Raise `RulingError` if the attack whose result is set is void."""
    what = plan.new.what
    for event in judged.resolution.events:
        if (
            event.get("nation") == what["nation"]
            and event.get("line") == what["line"]
            and event["kind"] == "void"
            and not event.get("ruled")
        ):
            raise RulingError(
                f"This attack is not made, so you cannot set its result. {event['message']}"
            )


class _Guess:
    """The settled figures, and 1,000 for every other stock, to find which attack needs it."""

    def __init__(self, known: market.Figures) -> None:
        self._known = known

    def get(self, symbol: str, /) -> int | None:
        try:
            return self._known.get(symbol)
        except market.Unsettled:
            return 1_000


def _missing_figure(due: Due, symbol: str) -> RulingError:
    """Return the error that names the attack whose figure never settled, and what to rule first."""
    judged = due.case.judge(_Guess(market.Figures(due.volumes)))
    needing_event = next(
        (
            event
            for event in judged.resolution.events
            if event["kind"] == "attack" and event["stock"] == symbol
        ),
        None,
    )
    fallback = (
        "a die"
        if any(event["kind"] == "die" for event in judged.resolution.events)
        else "an attack"
    )
    attack = (
        f"{needing_event['nation']}’s attack in {needing_event['area']}"
        if needing_event
        else fallback
    )
    figure = (
        "a roll that was never made"
        if roll_number(symbol) is not None
        else f"the sales of {symbol}, which were never settled"
    )
    return RulingError(
        f"{due.phase.title}: {attack} would need {figure}. Rule {symbol} in that phase first, or"
        " the result of that attack."
    )


def _plan_turning_back(plan: Plan) -> Plan:
    """Plan a rollback to before a phase, or, when one is revoked, the return of undone phases."""
    inputs, phase = plan.inputs, plan.inputs.phase
    line, restored = inputs.line, inputs.restored
    if inputs.revokes is None or inputs.root is None:
        undone = [played for played in line if played.number >= phase.number]
        return replace(plan, undone=tuple(undone), position=inputs.position_before(phase))
    later = [
        ruling
        for ruling in pure.in_force(inputs.rulings)
        if ruling.kind == "rollback" and ruling.number > inputs.revokes.number
    ]
    if later:
        raise RulingError(
            f"Ruling {later[-1].number} has rolled the game back since. Revoke that one first."
        )
    first = inputs.root.phase
    start = next((played.number for played in line if played.pk == first.previous_id), 0)
    if not restored or (first.previous_id is not None and not start):
        raise RulingError(
            f"Ruling {inputs.revokes.number} was about phases that have been undone since, so"
            " revoking it changes nothing."
        )
    undone = [played for played in line if played.number > start]
    plan = replace(plan, undone=tuple(undone), restored=restored)
    return _judge_line(plan, restored, forced=False)


def is_same(position: Json, other: Json) -> bool:
    """Return whether two positions, as stored, are the same."""
    return json.dumps(position, sort_keys=True) == json.dumps(other, sort_keys=True)
