"""The market: which session decides, when its sales are read, and what they settle to
(docs/design.md 6, rules.md 0.1).

Importing this package loads neither pandas nor yfinance: they come with the first figure asked for.
"""

from games.market.report import Report
from games.rules.sessions import Session
from games.rules.settling import Policy, Settled, Waiting, first_reading_time, settle

from .announcing import Announced, announcement
from .errors import MarketError, SessionChanged, Unsettled
from .policy import fix_session, in_words, limits_in_words, policy_for, policy_of
from .readings import (
    SECONDS_TO_ASK,
    SLOW,
    Figures,
    Observation,
    Requests,
    enter_figure,
    enter_no_report,
    observe,
    observe_all,
    session_of,
    so_far,
    witness,
)
from .rolls import (
    COMMIT_REVEAL,
    GM_DICE,
    as_rolls,
    by_sales,
    choose_seed,
    enter_rolls,
    entered_rolls,
    place_of,
    seed_of,
    source_of,
)
from .sessions import (
    DEMO,
    NEW_YORK,
    XNYS,
    basis,
    closures,
    exchange_of,
    is_session_day,
    session_basis,
    session_for,
    session_from_label,
)
from .sources import Source, source_for
from .waiting import Wait, is_late, waits

__all__ = [
    "COMMIT_REVEAL",
    "DEMO",
    "GM_DICE",
    "NEW_YORK",
    "SECONDS_TO_ASK",
    "SLOW",
    "XNYS",
    "Announced",
    "Figures",
    "MarketError",
    "Observation",
    "Policy",
    "Report",
    "Requests",
    "Session",
    "SessionChanged",
    "Settled",
    "Source",
    "Unsettled",
    "Wait",
    "Waiting",
    "announcement",
    "as_rolls",
    "basis",
    "by_sales",
    "choose_seed",
    "closures",
    "enter_figure",
    "enter_no_report",
    "enter_rolls",
    "entered_rolls",
    "exchange_of",
    "first_reading_time",
    "fix_session",
    "in_words",
    "is_late",
    "is_session_day",
    "limits_in_words",
    "observe",
    "observe_all",
    "place_of",
    "policy_for",
    "policy_of",
    "seed_of",
    "session_basis",
    "session_for",
    "session_from_label",
    "session_of",
    "settle",
    "so_far",
    "source_for",
    "source_of",
    "waits",
    "witness",
]
