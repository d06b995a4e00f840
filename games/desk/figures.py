"""Enter a gamesmaster's own figures: sales from their newspaper, rolls of their own dice."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from games import market
from games.models import Person, Phase
from games.rules.names import count_of
from games.turns import figures, lifecycle
from games.turns.lifecycle import Event

from . import acts
from .times import check_going_on
from .words import DeskError, one_line, refusing


def check_waits_for_figures(phase: Phase) -> None:
    """Raise `DeskError` unless a phase waits for figures."""
    check_going_on(phase.game)
    if phase.status not in (Phase.Status.DRAWING, Phase.Status.HELD):
        raise DeskError(
            "You can enter figures while a phase waits for them: after its orders are locked and"
            " before it is resolved."
        )


@transaction.atomic
def enter_figure(
    phase: Phase, symbol: str, volume: int | None, by: Person, now: datetime, note: str = ""
) -> None:
    """Enter a stock's sales from the gamesmaster's newspaper; None for no usable report.

    Adds a reading with their name. The phase looks for figures again at once.
    """
    acts.take_row(phase.game, by)
    check_waits_for_figures(phase)
    stock, where = one_line(symbol, "The stock"), one_line(note, "The note")
    with refusing(market.MarketError):
        if volume is None:
            market.enter_no_report(phase, stock, by, now, where)
        else:
            market.enter_figure(phase, stock, volume, by, now, where)
    lifecycle.update(Phase.objects.filter(pk=phase.pk), Event.FIGURES_ENTERED, due_at=now)


@transaction.atomic
def enter_rolls(
    phase: Phase,
    rolls: Sequence[int],
    by: Person,
    now: datetime,
    note: str = "",
    after: int | None = None,
) -> None:
    """Enter the gamesmaster's rolls (`rng.source` = gm_dice), one for each attack, in order.

    `after`: how many rolls their page has shown, if it is known. If there are more now, theirs
    would be for other attacks than they rolled for, such as after a second press of the button.
    """
    acts.take_row(phase.game, by)
    check_going_on(phase.game)
    if phase.game.digit_source != market.GM_DICE:
        raise DeskError("This game does not use dice.")
    if phase.status != Phase.Status.DRAWING:
        raise DeskError(
            "You can enter rolls while a phase waits for them: after its orders are locked and"
            " before it is resolved."
        )
    if bad := [roll for roll in rolls if not 0 <= roll <= 9]:
        raise DeskError(f"“{bad[0]}” is not a roll of a ten-sided die, which shows 0 to 9.")
    earlier_rolls = market.entered_rolls(phase)
    if after is not None and after != len(earlier_rolls):
        raise DeskError(
            "Rolls have been entered since you opened the page, so yours were not. See which attack"
            " is next, and enter the roll for it."
        )
    used = figures.count_used_rolls(phase, [*earlier_rolls, *rolls])
    if not rolls:
        raise DeskError("Enter what the dice show, such as 7 0 3.")
    if used is not None and used < len(earlier_rolls) + len(rolls):
        missing = max(0, (used or 0) - len(earlier_rolls))
        if not missing:
            raise DeskError("Those rolls are too many: every attack has one already.")
        raise DeskError(
            f"{len(rolls)} rolls are too many: only"
            f" {count_of(missing, 'more attack')} need{'s' if missing == 1 else ''} one."
        )
    with refusing(market.MarketError):
        market.enter_rolls(phase, len(earlier_rolls), rolls, by, now, one_line(note, "The note"))
    lifecycle.update(Phase.objects.filter(pk=phase.pk), Event.FIGURES_ENTERED, due_at=now)
