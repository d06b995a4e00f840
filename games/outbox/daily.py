"""Reports where nations move one after the other: one letter a day for what others did.

A report goes out at once to a gamesmaster, to the players of the nation that moved in its phase,
and to those of the nation that moves in the next one. Any other reader gets it when a day has
passed since their last report. Until then it waits in the outbox, and the next report takes it up
(`Letter.about`, "earlier"): a reader gets everything once, and at most one letter a day about
others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from games.models import Letter, Phase
from games.rules.names import slug

from .kinds import Kind
from .outgoing import Outgoing
from .rows import Reader

DAY = timedelta(days=1)
#: Marks a report in `Letter.about` that waits for the day to pass.
WAITS = "waits"


def concerns(phase: Phase, nations: Iterable[str]) -> bool:
    """Return whether these nations, or allies whose orders they send, order in a phase."""
    mover, own = phase.facts.mover, set(nations)
    return not mover or any(
        slug(nation) == mover and {nation, phase.controllers.get(nation)} & own
        for nation in phase.game.card["order"]
    )


def readers_at_once(phase: Phase, out: Outgoing) -> list[Reader]:
    """Return the readers who hear at once what happens in a phase."""
    running = {reader.person.pk for reader in out.gamesmasters(phase.game)}
    return [
        reader
        for reader in out.everybody(phase.game)
        if reader.person.pk in running or concerns(phase, out.nations(phase.game, reader))
    ]


def write_report(
    phase: Phase,
    following: Phase | None,
    kind: Kind,
    event: str,
    now: datetime,
    about: Mapping[str, Any],
    out: Outgoing,
) -> None:
    """Write a report on a phase to everybody; without a following phase the game is over."""
    game = phase.game
    if not phase.facts.mover:
        out.write_to_all(game, phase, kind, event, now, about)
        return
    at_once = {
        reader.person.pk
        for concerned in filter(None, (phase, following))
        for reader in readers_at_once(concerned, out)
    }
    for reader in out.everybody(game):
        before = out.reports_since(now - 2 * DAY)[game.pk, reader.person.pk]
        waiting = [letter for letter in before if _waits(letter)]
        out.drop(waiting)
        due = now
        if following is not None and reader.person.pk not in at_once and not reader.person.by_post:
            due = max([now, *(_told(letter) + DAY for letter in before if letter not in waiting)])
        more: dict[str, Any] = {"earlier": _results(waiting)} if waiting else {}
        if due > now:
            more[WAITS] = True
        out.write_to([reader], game, phase, kind, event, now, {**about, **more}, due=due)


def _waits(letter: Letter) -> bool:
    return WAITS in letter.about and letter.status == Letter.Status.QUEUED


def _told(letter: Letter) -> datetime:
    at: datetime = letter.sent_at or letter.written_at
    return at


def _results(waiting: Sequence[Letter]) -> list[int]:
    """Return the results that waiting letters would have told, in order."""
    return [
        result
        for letter in waiting
        for result in (*letter.about.get("earlier", ()), letter.about["resolution"])
    ]
