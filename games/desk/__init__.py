"""Actions of a gamesmaster: open a game, invite players, start, move deadlines, lift holds, and
enter figures.

Every function takes one `now`, takes the game's row where it changes who may order what until when,
writes an `Act` and the letters, and raises `DeskError` for what it refuses.
"""

from __future__ import annotations

from .absences import announce
from .absences import withdraw as withdraw_absence
from .figures import check_waits_for_figures, enter_figure, enter_rolls
from .letters import SENT_AGAIN, send_again
from .more_time import (
    give_more_time,
    more_time_given,
    once_more_in_words,
    take_back_time,
)
from .opening import Opening, open_game
from .people import (
    accept_request,
    add_gamesmaster,
    ask_gamesmaster,
    asked_gamesmasters,
    eject,
    find_request,
    hand_over,
    leave,
    may_return,
    note_number,
    note_person,
    note_player_view,
    remove_gamesmaster,
    replace,
    set_stand_ins,
    take_back,
    vacant_seats,
    vacate,
    withdraw_gamesmaster_request,
)
from .recruiting import (
    end_offer,
    games_to_join,
    join_openly,
    known_to_former_gamesmasters,
    may_be_asked_for,
    may_be_joined,
    offer_open,
    open_seats,
    replace_join_link,
    seat_standby,
    seats_on_offer,
    set_joining,
    stand_by,
    stand_down,
    standbys,
)
from .seats import (
    accept,
    empty_seats,
    free_seats,
    invite,
    join,
    let_the_service_play,
    start,
    stop_service,
    withdraw,
)
from .settings import change_settings, rename, set_public
from .teams import name_spokesman
from .times import (
    abandon,
    end_with_scores,
    extend,
    hold,
    lift_hold,
    nations_to_remind,
    owing_nations,
    pause,
    process_now,
    remind,
    reschedule,
    resume,
    set_holidays,
)
from .words import DeskError, one_line
