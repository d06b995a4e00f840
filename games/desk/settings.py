"""Change settings of a game that is going on, of those that may be changed then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from games.models import Act, Game, Person, Phase
from games.outbox.messages import desk_letters
from games.rules import RulesError
from games.rules.settings import SETTINGS, check_settings
from games.turns import deadlines, lifecycle
from games.turns.lifecycle import Event

from . import acts, recruiting
from .times import change
from .words import DeskError, one_line, refusing


@transaction.atomic
def change_settings(game: Game, values: Mapping[str, Any], by: Person, now: datetime) -> None:
    """Change settings, by id, and write an act for each kind of change. Raise `DeskError`.

    What follows from a setting at once is in `_EFFECTS`; the rest reads it when it matters.
    """
    with refusing(RulesError):
        values = check_settings(game.rules, values)
    if fixed := [id for id in values if not SETTINGS[id].later]:
        raise DeskError(f"“{SETTINGS[fixed[0]].title}” cannot be changed once a game is open.")
    old = change(game, by, **values)
    if old is None:
        return
    phase = game.phases.current()
    for kind in dict.fromkeys(SETTINGS[id].later for id in values if old[id] != values[id]):
        group = [setting for setting in SETTINGS.values() if setting.later == kind]
        after = [getattr(game, setting.id) for setting in group]
        before = [old.get(setting.id, value) for setting, value in zip(group, after, strict=True)]
        sentences = [
            setting.words(setting.act, value) for setting, value in zip(group, after, strict=True)
        ]
        act = acts.write(
            game,
            kind,
            " ".join(filter(None, sentences)),
            now,
            by=by,
            phase=phase if kind in _EFFECTS else None,
            before=before if len(group) > 1 else before[0],
            after=after if len(group) > 1 else after[0],
        )
        if kind in _EFFECTS and phase is not None and phase.status == Phase.Status.OPEN:
            _EFFECTS[kind](phase, act, now)


@transaction.atomic
def rename(game: Game, title: str, by: Person, now: datetime) -> None:
    """Give a game another title, and write to everybody. Raise `DeskError`."""
    title = one_line(title, "The title")
    if not title:
        raise DeskError("Enter a title: letters begin with it.")
    old = change(game, by, title=title)
    if old is not None:
        words = f"The game is called “{title}” from now on, and no longer “{old['title']}”."
        _tell(game, "title", words, old["title"], title, by, now)


@transaction.atomic
def set_public(game: Game, public: bool, by: Person, now: datetime) -> None:
    """Let anybody watch a game, or only its players, and write to everybody. Raise `DeskError`."""
    recruiting.check_joining(game.joining, public=public)
    if change(game, by, public=public) is not None:
        words = (
            "From now on anybody may watch: board, reports and proofs."
            if public
            else "From now on only players may watch."
        )
        _tell(game, "public", words, not public, public, by, now)


def _tell(
    game: Game, kind: str, words: str, before: Any, after: Any, by: Person, now: datetime
) -> None:
    act = acts.write(game, kind, words, now, by=by, before=before, after=after)
    desk_letters.announce_act(act, now)


def _change_early(phase: Phase, act: Act, now: datetime) -> None:
    """Let the open phase end once all orders are final, or not, and notify everybody."""
    if phase.game.may_lock_early:
        deadlines.update_due_time(phase, now)
    elif phase.has_deadline:
        row = Phase.objects.filter(pk=phase.pk)
        lifecycle.update(row, Event.ORDERS_ARRIVED, due_at=phase.closes_at)
    desk_letters.announce_act(act, now)


def _change_report_times(phase: Phase, act: Act, now: datetime) -> None:
    """Let a report in force, and a phase that waits for one, follow at once."""
    if not phase.has_deadline:
        Phase.objects.filter(pk=phase.pk).update(
            remind_at=deadlines.report_reminder(phase.game, now)
        )
        deadlines.update_due_time(phase, now)


#: What a change does to the open phase, by kind of act.
_EFFECTS: dict[str, Callable[[Phase, Act, datetime], None]] = {
    "early": _change_early,
    "report-hours": _change_report_times,
}
