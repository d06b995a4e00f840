"""Letters by what they are about: each module declares its kinds of letters and writes their rows.
`KINDS` has all of them."""

from __future__ import annotations

from games.outbox.kinds import KINDS

from . import (  # they declare their kinds
    account_letters,
    answer_letters,
    closure_letters,
    deal_letters,
    desk_letters,
    game_letters,
    press_letters,
    reply_letters,
    report_letters,
    restoration_letters,
)
