"""What a gamesmaster does: opening a game, inviting, starting, moving deadlines, lifting holds,
reading his newspaper aloud.

Every function takes one `now`, takes the game's row where it changes who may order what until when,
writes an `Act` and the letters, and refuses with a `DeskError`.
"""

from __future__ import annotations

from .absences import announce
from .absences import withdraw as withdraw_absence
from .figures import enter_figure, enter_rolls
from .opening import BOT, ME, open_game
from .people import (
    add_gamesmaster,
    eject,
    end_offer,
    hand_over,
    missed_in_a_row,
    note_number,
    offer_open,
    open_seats,
    remove_gamesmaster,
    replace,
    reported_vacant,
    seat_standby,
    set_stand_ins,
    stand_by,
    stand_down,
    standbys,
    vacate,
)
from .seats import accept, empty_seats, invite, let_the_service_play, start, stop_service, withdraw
from .teams import name_spokesman
from .times import (
    FURTHEST,
    abandon,
    extend,
    hold,
    lift_hold,
    owes,
    pause,
    process_now,
    remind,
    reschedule,
    resume,
    set_absence_days,
    set_approval,
    set_early,
    set_holidays,
    set_sheets,
)
from .votes import set_veto_hours
from .words import DeskError, one_line

__all__ = [
    "BOT",
    "FURTHEST",
    "ME",
    "DeskError",
    "abandon",
    "accept",
    "add_gamesmaster",
    "announce",
    "eject",
    "empty_seats",
    "end_offer",
    "enter_figure",
    "enter_rolls",
    "extend",
    "hand_over",
    "hold",
    "invite",
    "let_the_service_play",
    "lift_hold",
    "missed_in_a_row",
    "name_spokesman",
    "note_number",
    "offer_open",
    "one_line",
    "open_game",
    "open_seats",
    "owes",
    "pause",
    "process_now",
    "remind",
    "remove_gamesmaster",
    "replace",
    "reported_vacant",
    "reschedule",
    "resume",
    "seat_standby",
    "set_absence_days",
    "set_approval",
    "set_early",
    "set_holidays",
    "set_sheets",
    "set_stand_ins",
    "set_veto_hours",
    "stand_by",
    "stand_down",
    "standbys",
    "start",
    "stop_service",
    "vacate",
    "withdraw",
    "withdraw_absence",
]
